// A shift in place: the first workgroup reads an element that the second writes. Within a workgroup the barrier
// parts them; between workgroups nothing does.
@group(0) @binding(0) var<storage, read_write> words: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let next = words[(id.x + 1u) % 128u]; // FINDING: race_read_write_storage
    storageBarrier();
    words[id.x] = next; // FINDING: race_read_write_storage
}
