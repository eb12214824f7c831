// Two workgroups write the same elements: the index should be the global one.
@group(0) @binding(0) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    output[local] = id.x; // FINDING: race_between
}
