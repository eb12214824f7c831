// The place of each value in a sorted array: how many of its elements come before the value.
//
//   n = 0
//   for step in 2^k, .., 4, 2, 1: if n + step <= len and before(sorted[n + step - 1], value): n += step
//
// No step waits on more than one element, and no lane takes a turn less than another (Khuong and Morin, Array layouts
// for comparison-based searching, 2017). All values begin with the same elements, each `stride`-th: a workgroup keeps
// those `samples` (NEAR at most) in its memory.
//
// Left open: the constants, Key, value(i) and sorted(j) as keys, before, store, and previous(i): what windows of the
// sorted array before this one have found.

var<workgroup> near: array<Key, NEAR>;

@compute @workgroup_size(WORKGROUP)
fn searchsorted(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    for (var k = lane; k < params.samples; k += WORKGROUP) {
        near[k] = sorted((k + 1u) * params.stride - 1u);
    }
    workgroupBarrier();
    let step = groups.x * groups.y * WORKGROUP;
    for (var i = (group.x + group.y * groups.x) * WORKGROUP + lane; i < params.extent; i += step) {
        let key = wanted(i);
        var n = 0u;
        for (var s = params.top; s > 0u; s /= 2u) {
            if (n + s <= params.samples && before(near[min(n + s, params.samples) - 1u], key)) {
                n += s;
            }
        }
        n *= params.stride;
        for (var s = params.stride / 2u; s > 0u; s /= 2u) {
            if (n + s <= params.len && before(sorted(min(n + s, params.len) - 1u), key)) {
                n += s;
            }
        }
        store(i, n + previous(i));
    }
}
