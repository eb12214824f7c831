// Sums of 3 x 3 pixels of an image of 20 x 12: outside it is zero. Each tap loads, then selects, components of a vector too.
const WIDTH = 20;
const HEIGHT = 12;

@group(0) @binding(0) var<storage, read> image: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

fn tap(at: vec2<i32>) -> u32 {
    let inside = all(at >= vec2(0)) && all(at < vec2(WIDTH, HEIGHT));
    let pixel = image[at.y * WIDTH + at.x];
    return select(0u, pixel, inside);
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = vec2<i32>(id.xy);
    var taps: array<u32, 9>;
    for (var k = 0; k < 9; k++) {
        taps[k] = tap(at + vec2(k % 3 - 1, k / 3 - 1));
    }
    var sum = vec2(0u);
    for (var k = 0; k < 9; k++) {
        sum += select(vec2(0u), vec2(taps[k], image[at.y * WIDTH + at.x]), vec2(true, k == 4 && at.y < HEIGHT && at.x < WIDTH));
    }
    if at.x < WIDTH && at.y < HEIGHT {
        output[at.y * WIDTH + at.x] = sum.x + 10u * sum.y;
    }
}
