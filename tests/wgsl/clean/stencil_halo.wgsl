// Sum of seven neighbours, with a halo of three on each side in workgroup memory; past the ends is zero.
const RADIUS = 3u;
const WIDTH = 64u;

@group(0) @binding(0) var<storage, read> input: array<i32>;
@group(0) @binding(1) var<storage, read_write> output: array<i32>;

var<workgroup> tile: array<i32, WIDTH + 2u * RADIUS>;

fn at(index: i32) -> i32 {
    if index < 0 || index >= i32(arrayLength(&input)) {
        return 0;
    }
    return input[index];
}

@compute @workgroup_size(WIDTH)
fn main(@builtin(local_invocation_index) local: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    let here = i32(id.x);
    tile[local + RADIUS] = at(here);
    if local < RADIUS {
        tile[local] = at(here - i32(RADIUS));
        tile[local + WIDTH + RADIUS] = at(here + i32(WIDTH));
    }
    workgroupBarrier();
    if id.x >= arrayLength(&output) {
        return;
    }
    var sum = 0;
    for (var i = 0u; i <= 2u * RADIUS; i++) {
        sum += tile[local + i];
    }
    output[id.x] = sum;
}
