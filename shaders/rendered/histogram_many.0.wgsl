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
    scalar0: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read_write> x0: array<vec4<u32>>;
fn value(i: u32) -> vec4<u32> {
    let c0 = i;
    let v0 = vec4<u32>(params.scalar0);
    return v0;
}
fn store(i: u32, v: vec4<u32>) {
    let c0 = i;
    let at = params.offset0 + c0;
    x0[at >> 2u] = v;
}
fn evaluate(unit: u32) {
    let i = unit * 4u;
    store(i, value(i));
}
fn bounded_units() -> u32 { return params.units; }
fn bounded_count() -> u32 { return params.count; }
