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

// appended by the host
const WORKGROUP = 256u;
const ROWS = 64u;
const COLUMNS = 32u;
const BAND = 2u;
struct Params {
    tiles: u32,
    down: u32,
    across: u32,
    rows: u32,
    columns: u32,
    offset1: u32,
    stride1_0: u32,
    t0_offset0: u32,
    t0_stride0_1: u32,
}
var<immediate> params: Params;
@group(0) @binding(0) var<storage, read_write> x1: array<vec4<f32>>;
fn value(k: u32, r: u32, c: u32) -> vec4<f32> {
    let c0 = r;
    let c1 = c;
    let v0 = kept0(k, r, c);
    return v0;
}
fn store(k: u32, r: u32, c: u32, v: vec4<f32>) {
    let c0 = r;
    let c1 = c;
    let at = params.offset1 + c0 * params.stride1_0 + c1;
    x1[at >> 2u] = v;
}
@group(0) @binding(1) var<storage, read> t0_x0: array<vec4<f32>>;
fn t0_value(k: u32, r: u32, c: u32) -> vec4<f32> {
    let c0 = r;
    let c1 = c;
    let a0 = params.t0_offset0 + c0 + c1 * params.t0_stride0_1;
    let v0 = t0_x0[a0 >> 2u];
    return v0;
}
var<workgroup> tile0: array<f32, 2080>;
fn keep0(p: vec2<u32>, v: vec4<f32>) {
    let at = p.y * 65u + p.x;
    tile0[at + 0u] = v.x;
    tile0[at + 1u] = v.y;
    tile0[at + 2u] = v.z;
    tile0[at + 3u] = v.w;
}
fn kept0(k: u32, r: u32, c: u32) -> vec4<f32> {
    let at = c % COLUMNS * 65u + r % ROWS;
    return vec4<f32>(tile0[at + 0u], tile0[at + 65u], tile0[at + 130u], tile0[at + 195u]);
}
fn load(k: u32, row: u32, column: u32, lane: u32) {
    for (var unit = lane; unit < 512u; unit += 512u) {
        let p0 = place(unit + 0u, 16u, 8u) * vec2<u32>(4u, 1u);
        let p1 = place(unit + 256u, 16u, 8u) * vec2<u32>(4u, 1u);
        let v0 = t0_value(k, min(row + p0.x, params.rows - 4u), min(column + p0.y, params.columns - 1u));
        let v1 = t0_value(k, min(row + p1.x, params.rows - 4u), min(column + p1.y, params.columns - 1u));
        keep0(p0, v0);
        keep0(p1, v1);
    }
}
fn finish(k: u32, row: u32, column: u32, lane: u32) {
    for (var unit = lane; unit < 512u; unit += 512u) {
        let p0 = place(unit + 0u, 8u, 8u) * vec2<u32>(4u, 1u);
        let p1 = place(unit + 256u, 8u, 8u) * vec2<u32>(4u, 1u);
        let r0 = row + p0.y;
        let c0 = column + p0.x;
        let v0 = value(k, min(r0, params.rows - 1u), min(c0, params.columns - 4u));
        let r1 = row + p1.y;
        let c1 = column + p1.x;
        let v1 = value(k, min(r1, params.rows - 1u), min(c1, params.columns - 4u));
        if (r0 < params.rows && c0 < params.columns) {
            store(k, r0, c0, v0);
        }
        if (r1 < params.rows && c1 < params.columns) {
            store(k, r1, c1, v1);
        }
    }
}
