// Differences to the element three before, in a ring: the subtraction is meant to wrap below zero.
@group(0) @binding(0) var<storage, read> ring: array<u32, 64>;
@group(0) @binding(1) var<storage, read_write> differences: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    differences[i] = ring[i] - ring[(i - 3u) % 64u];
}
