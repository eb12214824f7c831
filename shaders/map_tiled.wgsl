// A map whose inputs' neighbours in memory are not the output's: a transposition, say.
//
//   for a tile of ROWS by COLUMNS elements: the output's neighbours lie along a row, the inputs' along a column
//       keep the values that are read, neighbours in a column by neighbouring invocations
//       store what they come to, neighbours in a row by neighbouring invocations
//
// So both sides move whole segments of memory. A column of the tile takes one element more than it has: what 32 invocations
// keep, or fetch, lies in 32 banks of workgroup memory. Past the edge of the index space its last elements are read again,
// so that no load waits for a test; they are kept and never stored.
//
// Tiles follow each other in bands of BAND rows of tiles: those in flight at one time are about as wide as high.
//
// Left open: WORKGROUP, ROWS, COLUMNS, BAND, params.down and params.across (tiles), params.tiles, load(k, row, column, lane),
// which fills the tile that begins there, and finish(k, row, column, lane), which stores of it.

/// Where a unit lies, of so many in a row: 32 neighbours take `across` of each of some rows.
fn place(unit: u32, units: u32, across: u32) -> vec2<u32> {
    let block = unit / 32u;
    let blocks = units / across;
    return vec2<u32>(
        unit % across + block % blocks * across,
        unit % 32u / across + block / blocks * (32u / across),
    );
}

@compute @workgroup_size(WORKGROUP)
fn map_tiled(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    if (index >= params.tiles) {
        return;
    }
    let plane = params.down * params.across;
    let k = index / plane;
    let band = index % plane / (params.across * BAND) * BAND;
    let within = index % plane - band * params.across;
    let height = min(BAND, params.down - band);
    let row = (band + within % height) * ROWS;
    let column = within / height * COLUMNS;
    load(k, row, column, lane);
    workgroupBarrier();
    finish(k, row, column, lane);
}
