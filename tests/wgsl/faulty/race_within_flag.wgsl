// A flag that is atomic guards a value that is not: no order between other invocations' accesses follows.
@group(0) @binding(0) var<storage, read_write> output: array<u32>;

var<workgroup> flag: atomic<u32>;
var<workgroup> value: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    if i == 0u {
        value = 7u; // FINDING: race_within
        atomicStore(&flag, 1u);
    }
    if i == 1u && atomicLoad(&flag) == 1u {
        output[1] = value; // FINDING: race_within
    }
}
