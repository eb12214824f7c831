// The functions that a program's kernel gets by calling them. Each begins with `fn ` at the start of a line.

// Where an invocation is in the whole grid, row by row: with for_elements() its element, however the grid is folded.
fn linear_index(global_id: vec3<u32>, groups: vec3<u32>) -> u32 {
    let size = groups * workgroup_size();
    return global_id.x + size.x * (global_id.y + size.y * global_id.z);
}

// Invocations of the whole grid: the stride of a loop over more elements than invocations.
fn grid_size(groups: vec3<u32>) -> u32 {
    let size = groups * workgroup_size();
    return size.x * size.y * size.z;
}

// WGSL's own, which naga lacks: whether it is the lowest of the active invocations of its subgroup.
fn subgroupElect() -> bool {
    return crosslane_lowest(subgroupExclusiveAdd(1u));
}

fn crosslane_lowest(before: u32) -> bool {
    return before == 0u;
}

// Index to coordinates, x first, and back.
fn coordinates_2d(index: u32, width: u32) -> vec2<u32> {
    return vec2<u32>(index % width, index / width);
}

fn coordinates_3d(index: u32, width: u32, height: u32) -> vec3<u32> {
    return vec3<u32>(index % width, index / width % height, index / (width * height));
}

fn index_2d(at: vec2<u32>, width: u32) -> u32 {
    return at.x + width * at.y;
}

fn index_3d(at: vec3<u32>, width: u32, height: u32) -> u32 {
    return at.x + width * (at.y + height * at.z);
}

// Element i of 8- or 16-bit integers that are packed into words: i / 4 or i / 2 is the word's index.
fn get_u8(word: u32, i: u32) -> u32 {
    return extractBits(word, 8u * (i & 3u), 8u);
}

fn get_i8(word: u32, i: u32) -> i32 {
    return extractBits(bitcast<i32>(word), 8u * (i & 3u), 8u);
}

fn get_u16(word: u32, i: u32) -> u32 {
    return extractBits(word, 16u * (i & 1u), 16u);
}

fn get_i16(word: u32, i: u32) -> i32 {
    return extractBits(bitcast<i32>(word), 16u * (i & 1u), 16u);
}

fn set_u8(word: u32, i: u32, value: u32) -> u32 {
    return insertBits(word, value, 8u * (i & 3u), 8u);
}

fn set_u16(word: u32, i: u32, value: u32) -> u32 {
    return insertBits(word, value, 16u * (i & 1u), 16u);
}

// Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3; 2011): four random words for a counter.
fn philox(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    var c = counter;
    var k = key;
    for (var turn = 0u; turn < 10u; turn++) {
        let a = crosslane_multiply(0xd2511f53u, c.x);
        let b = crosslane_multiply(0xcd9e8d57u, c.z);
        c = vec4<u32>(b.y ^ c.y ^ k.x, b.x, a.y ^ c.w ^ k.y, a.x);
        k += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
    }
    return c;
}

// Both words of a product.
fn crosslane_multiply(a: u32, b: u32) -> vec2<u32> {
    let middle = (a >> 16u) * (b & 0xffffu) + (((a & 0xffffu) * (b & 0xffffu)) >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return vec2<u32>(a * b, (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u));
}

// Random bits as a number in [0, 1), one of 2^24 equally far apart.
fn uniform_f32(bits: u32) -> f32 {
    return f32(bits >> 8u) * 5.9604644775390625e-8;
}

// Random bits as two independent normal numbers (Box and Muller, 1958).
fn normal_f32(bits: vec2<u32>) -> vec2<f32> {
    let radius = sqrt(-2.0 * log((f32(bits.x >> 8u) + 1.0) * 5.9604644775390625e-8));
    let angle = 6.283185307179586 * uniform_f32(bits.y);
    return radius * vec2<f32>(cos(angle), sin(angle));
}

// Messages: `print_f32(id, x)` and its like. The pass in crates/core/src/kernel/messages.rs puts the functions with the kernel's number
// and the call's line in their place.
fn print_f32(invocation: vec3<u32>, value: f32) {
    crosslane_print_f32(0u, 0u, invocation, value);
}

fn print_i32(invocation: vec3<u32>, value: i32) {
    crosslane_print_i32(0u, 0u, invocation, value);
}

fn print_u32(invocation: vec3<u32>, value: u32) {
    crosslane_print_u32(0u, 0u, invocation, value);
}

fn assert_that(invocation: vec3<u32>, condition: bool) {
    crosslane_assert_that(0u, 0u, invocation, condition);
}

fn crosslane_print_f32(kernel: u32, line: u32, invocation: vec3<u32>, value: f32) {
    crosslane_say(kernel, line, 0u, invocation, bitcast<u32>(value));
}

fn crosslane_print_i32(kernel: u32, line: u32, invocation: vec3<u32>, value: i32) {
    crosslane_say(kernel, line, 1u, invocation, bitcast<u32>(value));
}

fn crosslane_print_u32(kernel: u32, line: u32, invocation: vec3<u32>, value: u32) {
    crosslane_say(kernel, line, 2u, invocation, value);
}

fn crosslane_assert_that(kernel: u32, line: u32, invocation: vec3<u32>, condition: bool) {
    if condition { return; }
    atomicAdd(&crosslane_messages.failed, 1u);
    crosslane_say(kernel, line, 3u, invocation, 0u);
}

// A message is eight words.
fn crosslane_say(kernel: u32, line: u32, kind: u32, invocation: vec3<u32>, bits: u32) {
    let said = atomicAdd(&crosslane_messages.count, 1u);
    let most = arrayLength(&crosslane_messages.words) / 8u;
    if said - crosslane_messages.seen >= most { return; }
    let at = 8u * (said % most);
    crosslane_messages.words[at] = kernel;
    crosslane_messages.words[at + 1u] = line;
    crosslane_messages.words[at + 2u] = kind;
    crosslane_messages.words[at + 3u] = invocation.x;
    crosslane_messages.words[at + 4u] = invocation.y;
    crosslane_messages.words[at + 5u] = invocation.z;
    crosslane_messages.words[at + 6u] = bits;
    crosslane_messages.words[at + 7u] = said + 1u;
}
