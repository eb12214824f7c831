// Which tile a workgroup of a product computes, and how much of the inner ones.

// The tile that a workgroup computes: its row and column among the tiles.
fn tile_at(index: u32) -> vec2<u32> {
    let band = BAND * params.column_tiles;
    let first = index / band * BAND;
    let height = min(params.row_tiles - first, BAND);
    let within = index % band;
    return vec2<u32>(first + within % height, within / height);
}

// How many inner ones there are for a part of a product: the last part of several may have fewer.
fn inner_end(batch: u32) -> u32 {
    return min(params.span, params.inner - batch / params.part * params.span);
}
