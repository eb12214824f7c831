// Distances along an axis: y[i] is the least of reached(x[j], |i - j|) over j, where that is the distance to what x[j] is the distance
// to, or its square.
//
// Each invocation looks at places farther and farther away, until no closer value can be there. From a mask only the distance
// counts: the first place that is not of it.
//
// Left open: WORKGROUP, the parameters, value(k, i, m), reached(x, d), at least far(d), and far, which is what a place d away adds
// at least; the binding result.

const NONE = 0xffffffffu;

@compute @workgroup_size(WORKGROUP)
fn envelope(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (at >= params.count) {
        return;
    }
    let line = at / params.behind;
    let m = at % params.behind;
    let i = line % params.extent;
    let k = line / params.extent;
    var best = value(k, i, m);
    let last = max(i, params.extent - 1u - i);
    for (var d = 1u; d <= last && far(d) < best; d++) {
        if (d <= i) {
            best = min(best, reached(value(k, i - d, m), d));
        }
        if (i + d < params.extent) {
            best = min(best, reached(value(k, i + d, m), d));
        }
    }
    result[at] = best;
}
