// One value of a fused expression for each element of the output.
//
// Left open: WORKGROUP, ITEMS (units of an invocation), bounded_units() (crates/ops/src/counted.rs), and evaluate(unit), which computes and
// stores the one or four elements of a unit. A grid too long for one dimension is folded into two.

@compute @workgroup_size(WORKGROUP)
fn map(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = (group.x + group.y * groups.x) * WORKGROUP * ITEMS + lane;
    let units = bounded_units();
    for (var item = 0u; item < ITEMS; item++) {
        let unit = first + item * WORKGROUP;
        if (unit < units) {
            evaluate(unit);
        }
    }
}

// appended by the host
const WORKGROUP = 256u;
const ITEMS = 1u;
struct Params {
    units: u32,
    count: u32,
    offset0: u32,
    offset1: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> x1: array<vec4<f32>>;
fn value(i: u32) -> vec4<f32> {
    let c0 = i;
    let a0 = params.offset0 + c0;
    let v0 = x0[a0 >> 2u];
    let v1 = m_sqrt(v0);
    return v1;
}
fn store(i: u32, v: vec4<f32>) {
    let c0 = i;
    let at = params.offset1 + c0;
    x1[at >> 2u] = v;
}
fn evaluate(unit: u32) {
    let i = unit * 4u;
    store(i, value(i));
}
fn bounded_units() -> u32 { return params.units; }
fn bounded_count() -> u32 { return params.count; }
alias F = vec4<f32>;
alias I = vec4<i32>;
alias U = vec4<u32>;
alias T = vec4<bool>;
fn m_sqrt(x: F) -> F {
    return sqrt(x);
}
