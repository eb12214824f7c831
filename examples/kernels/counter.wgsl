// Counts invocations: once wrong, once right.
@group(0) @binding(0) var<storage, read_write> plain: array<u32>;
@group(0) @binding(1) var<storage, read_write> counter: atomic<u32>;

// A race: between one invocation's read and its write, others read the same old value.
@compute @workgroup_size(32)
fn racing() {
    plain[0] += 1u;
}

@compute @workgroup_size(32)
fn atomically() {
    atomicAdd(&counter, 1u);
}
