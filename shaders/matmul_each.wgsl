// Products of small matrices, as many as there are: an invocation computes one element of the result.
//
// A tile would be filled up with rows, columns and inner ones that are not there. All of a small matrix lies in the cache,
// from where its rows and columns are read again and again.
//
// Left open: WORKGROUP; Sum, and `multiply_add`, which adds the product at one inner one; `value` and `store`.

@compute @workgroup_size(WORKGROUP)
fn matmul(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    // As tiles of one element: `groups` counts those.
    let index = (group.x + group.y * groups.x) * WORKGROUP + lane;
    if (index >= params.groups) {
        return;
    }
    let line = index / params.columns;
    let column = index - line * params.columns;
    let batch = line / params.rows;
    let row = line - batch * params.rows;
    var sum = Sum();
    for (var k = 0u; k < params.inner; k++) {
        sum = multiply_add(batch, row, column, k, sum);
    }
    store(batch, row, column, 0u, value(batch, row, column, 0u, sum));
}
