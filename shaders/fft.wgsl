// Fourier transforms of one length, COLUMNS of them in a workgroup.
//
//   for each radix: my values = those of a butterfly;  times factors;  transformed;  back to workgroup memory
//
// The first radix reads memory, the last one writes it. Left open: the constants, load, keep, transform.

var<workgroup> held: array<vec2<f32>, HELD>;

// Where element e of a column lies in workgroup memory.
fn slot(column: u32, e: u32) -> u32 {
    return column * PITCH + e + (e >> 4u);
}

fn f_multiply(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x));
}

// exp(-2 pi i of a part of a turn): `part` of as many as 2^32 / (unit + rest). Absolute error 1e-7.
fn f_factor(part: u32, unit: u32, rest: f32) -> vec2<f32> {
    let word = part * unit + u32(f32(part) * rest);
    // An eighth of a turn to either side of the nearest quarter.
    let quarter = (word + 0x20000000u) >> 30u;
    let f = f32(bitcast<i32>(word - (quarter << 30u))) * 9.313226e-10;
    let t = f * f;
    let s = f * fma(t, fma(t, fma(t, -0.004689316, 0.079713546), -0.6459667), 1.5707964);
    let c = fma(t, fma(t, fma(t, fma(t, 0.0008333838, -0.020834092), 0.25366685), -1.2337005), 1.0);
    let turned = select(vec2<f32>(c, -s), vec2<f32>(-s, -c), (quarter & 1u) != 0u);
    return select(turned, -turned, (quarter & 2u) != 0u);
}

@compute @workgroup_size(WORKGROUP)
fn fft(
    @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>
) {
    transform(lane, group.x + group.y * groups.x);
}
