// Fourier transforms of one length, COLUMNS of them in a workgroup.
//
//   for each radix: my values = those of a butterfly;  times factors;  transformed;  back to workgroup memory
//
// The first radix reads memory, the last one writes it. Left open: the constants, Pair (a complex number), Held (one, or a part of
// one), load, keep, transform.

var<workgroup> held: array<Held, HELD>;

// Where element e of a column lies in workgroup memory.
fn slot(column: u32, e: u32) -> u32 {
    return column * PITCH + e + (e >> 4u);
}

@compute @workgroup_size(WORKGROUP)
fn fft(
    @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>
) {
    transform(lane, group.x + group.y * groups.x);
}
