// C = A * B for square matrices of f32 by rows, the side a multiple of 128: one file for every engine.
//
// A workgroup makes 128 x 128 of C from strips of A and B that are 16 long; each of its 256 invocations makes 8 x 8, as
// two rows of four by two columns of four, so that what neighbours read of the tiles lies side by side. The tile of A is
// kept transposed: four of its rows are one vector. While the tiles are multiplied, the next ones are already being
// loaded. The inner loop is written out: no driver unrolls it while it also keeps 16 vectors of sums in registers.

// A structure: HLSL takes no other immediates.
struct Sizes { side: u32 }
var<immediate> sizes: Sizes;
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;

const DEPTH = 16u;
// Vectors of a row of each tile; one more in A's, so that writing it transposed meets no bank twice in a row.
const A_ROW = 33u;
const B_ROW = 32u;
var<workgroup> tile_a: array<vec4<f32>, 528>;
var<workgroup> tile_b: array<vec4<f32>, 512>;

fn keep_a(at: u32, value: vec4<f32>) {
    let row = at / 4u;
    let first = at % 4u * 4u;
    tile_a[first * A_ROW + row / 4u][row % 4u] = value.x;
    tile_a[(first + 1u) * A_ROW + row / 4u][row % 4u] = value.y;
    tile_a[(first + 2u) * A_ROW + row / 4u][row % 4u] = value.z;
    tile_a[(first + 3u) * A_ROW + row / 4u][row % 4u] = value.w;
}

@compute @workgroup_size(256)
fn matmul(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let side = sizes.side;
    let stride = side / 4u;
    let across = lane % 16u;
    let down = lane / 16u;
    // What this invocation loads of each tile: two vectors, 64 rows of A apart, 8 rows of B.
    let from_a = (group.y * 128u + lane / 4u) * stride + lane % 4u;
    let from_b = lane / 32u * stride + group.x * 32u + lane % 32u;
    var next_a0 = a[from_a];
    var next_a1 = a[from_a + 64u * stride];
    var next_b0 = b[from_b];
    var next_b1 = b[from_b + 8u * stride];
    var sum0l = vec4<f32>();
    var sum0r = vec4<f32>();
    var sum1l = vec4<f32>();
    var sum1r = vec4<f32>();
    var sum2l = vec4<f32>();
    var sum2r = vec4<f32>();
    var sum3l = vec4<f32>();
    var sum3r = vec4<f32>();
    var sum4l = vec4<f32>();
    var sum4r = vec4<f32>();
    var sum5l = vec4<f32>();
    var sum5r = vec4<f32>();
    var sum6l = vec4<f32>();
    var sum6r = vec4<f32>();
    var sum7l = vec4<f32>();
    var sum7r = vec4<f32>();
    for (var k = 0u; k < side; k += DEPTH) {
        workgroupBarrier();
        keep_a(lane, next_a0);
        keep_a(lane + 256u, next_a1);
        tile_b[lane] = next_b0;
        tile_b[lane + 256u] = next_b1;
        workgroupBarrier();
        if k + DEPTH < side {
            let right = from_a + (k + DEPTH) / 4u;
            let below = from_b + (k + DEPTH) * stride;
            next_a0 = a[right];
            next_a1 = a[right + 64u * stride];
            next_b0 = b[below];
            next_b1 = b[below + 8u * stride];
        }
        {
            let top = tile_a[0u * A_ROW + down];
            let bottom = tile_a[0u * A_ROW + 16u + down];
            let left = tile_b[0u * B_ROW + across];
            let right = tile_b[0u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[1u * A_ROW + down];
            let bottom = tile_a[1u * A_ROW + 16u + down];
            let left = tile_b[1u * B_ROW + across];
            let right = tile_b[1u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[2u * A_ROW + down];
            let bottom = tile_a[2u * A_ROW + 16u + down];
            let left = tile_b[2u * B_ROW + across];
            let right = tile_b[2u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[3u * A_ROW + down];
            let bottom = tile_a[3u * A_ROW + 16u + down];
            let left = tile_b[3u * B_ROW + across];
            let right = tile_b[3u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[4u * A_ROW + down];
            let bottom = tile_a[4u * A_ROW + 16u + down];
            let left = tile_b[4u * B_ROW + across];
            let right = tile_b[4u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[5u * A_ROW + down];
            let bottom = tile_a[5u * A_ROW + 16u + down];
            let left = tile_b[5u * B_ROW + across];
            let right = tile_b[5u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[6u * A_ROW + down];
            let bottom = tile_a[6u * A_ROW + 16u + down];
            let left = tile_b[6u * B_ROW + across];
            let right = tile_b[6u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[7u * A_ROW + down];
            let bottom = tile_a[7u * A_ROW + 16u + down];
            let left = tile_b[7u * B_ROW + across];
            let right = tile_b[7u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[8u * A_ROW + down];
            let bottom = tile_a[8u * A_ROW + 16u + down];
            let left = tile_b[8u * B_ROW + across];
            let right = tile_b[8u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[9u * A_ROW + down];
            let bottom = tile_a[9u * A_ROW + 16u + down];
            let left = tile_b[9u * B_ROW + across];
            let right = tile_b[9u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[10u * A_ROW + down];
            let bottom = tile_a[10u * A_ROW + 16u + down];
            let left = tile_b[10u * B_ROW + across];
            let right = tile_b[10u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[11u * A_ROW + down];
            let bottom = tile_a[11u * A_ROW + 16u + down];
            let left = tile_b[11u * B_ROW + across];
            let right = tile_b[11u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[12u * A_ROW + down];
            let bottom = tile_a[12u * A_ROW + 16u + down];
            let left = tile_b[12u * B_ROW + across];
            let right = tile_b[12u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[13u * A_ROW + down];
            let bottom = tile_a[13u * A_ROW + 16u + down];
            let left = tile_b[13u * B_ROW + across];
            let right = tile_b[13u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[14u * A_ROW + down];
            let bottom = tile_a[14u * A_ROW + 16u + down];
            let left = tile_b[14u * B_ROW + across];
            let right = tile_b[14u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
        {
            let top = tile_a[15u * A_ROW + down];
            let bottom = tile_a[15u * A_ROW + 16u + down];
            let left = tile_b[15u * B_ROW + across];
            let right = tile_b[15u * B_ROW + 16u + across];
            sum0l = fma(vec4<f32>(top.x), left, sum0l);
            sum0r = fma(vec4<f32>(top.x), right, sum0r);
            sum1l = fma(vec4<f32>(top.y), left, sum1l);
            sum1r = fma(vec4<f32>(top.y), right, sum1r);
            sum2l = fma(vec4<f32>(top.z), left, sum2l);
            sum2r = fma(vec4<f32>(top.z), right, sum2r);
            sum3l = fma(vec4<f32>(top.w), left, sum3l);
            sum3r = fma(vec4<f32>(top.w), right, sum3r);
            sum4l = fma(vec4<f32>(bottom.x), left, sum4l);
            sum4r = fma(vec4<f32>(bottom.x), right, sum4r);
            sum5l = fma(vec4<f32>(bottom.y), left, sum5l);
            sum5r = fma(vec4<f32>(bottom.y), right, sum5r);
            sum6l = fma(vec4<f32>(bottom.z), left, sum6l);
            sum6r = fma(vec4<f32>(bottom.z), right, sum6r);
            sum7l = fma(vec4<f32>(bottom.w), left, sum7l);
            sum7r = fma(vec4<f32>(bottom.w), right, sum7r);
        }
    }
    let to = (group.y * 128u + down * 4u) * stride + group.x * 32u + across;
    c[to] = sum0l;
    c[to + 16u] = sum0r;
    c[to + stride] = sum1l;
    c[to + stride + 16u] = sum1r;
    c[to + 2u * stride] = sum2l;
    c[to + 2u * stride + 16u] = sum2r;
    c[to + 3u * stride] = sum3l;
    c[to + 3u * stride + 16u] = sum3r;
    c[to + 64u * stride] = sum4l;
    c[to + 64u * stride + 16u] = sum4r;
    c[to + 65u * stride] = sum5l;
    c[to + 65u * stride + 16u] = sum5r;
    c[to + 66u * stride] = sum6l;
    c[to + 66u * stride + 16u] = sum6r;
    c[to + 67u * stride] = sum7l;
    c[to + 67u * stride + 16u] = sum7r;
}
