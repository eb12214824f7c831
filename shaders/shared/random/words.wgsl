// Random words: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
//
// Rules of all files of this folder, by which a draw has the same bits on every device:
//  * Only +, -, *, integers and bits. Division, sqrt, exp and their kin differ between devices in the last bit.
//  * A product that something is added to is exact, or goes through x_pin: then it does not matter who fuses. So does a sum that
//    a constant is added to, and a product that one multiplies, but for powers of two: Mesa puts constants together.
//  * No result or branch depends on a denormal number.
// All draws begin with the same parameters: the element's index i, the key, and the number of the first block in two words.

// Both halves of a product: the high one first.
fn r_multiply(a: u32, b: u32) -> vec2<u32> {
    let middle = (a >> 16u) * (b & 0xffffu) + (((a & 0xffffu) * (b & 0xffffu)) >> 16u);
    let cross = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return vec2<u32>((a >> 16u) * (b >> 16u) + (middle >> 16u) + (cross >> 16u), a * b);
}

fn r_round(c: vec4<u32>, key0: u32, key1: u32) -> vec4<u32> {
    let p = r_multiply(0xd2511f53u, c.x);
    let q = r_multiply(0xcd9e8d57u, c.z);
    return vec4<u32>(q.x ^ c.y ^ key0, q.y, p.x ^ c.w ^ key1, p.y);
}

// The four words of a counter. A loop, which compilers of GPUs unroll: kernels that call this many times stay short.
fn r_philox(counter: vec4<u32>, key0: u32, key1: u32) -> vec4<u32> {
    var c = counter;
    var k = key0;
    var l = key1;
    for (var round = 0u; round < 10u; round++) {
        c = r_round(c, k, l);
        k = k + 0x9e3779b9u;
        l = l + 0xbb67ae85u;
    }
    return c;
}

// Block number `block` after the first, for the nth attempt at its elements.
fn r_block(block: u32, key0: u32, key1: u32, low: u32, high: u32, attempt: u32) -> vec4<u32> {
    let first = low + block;
    return r_philox(vec4<u32>(first, high + select(0u, 1u, first < low), attempt, 0u), key0, key1);
}

// A word of a block, by the last two bits of a number.
fn r_lane(block: vec4<u32>, nth: u32) -> u32 {
    let pair = select(block.xy, block.zw, (nth & 2u) != 0u);
    return select(pair.x, pair.y, (nth & 1u) != 0u);
}

// Whether four indices are those of one block.
fn r_together(i: vec4<u32>) -> bool {
    return (i.x & 3u) == 0u && i.y == i.x + 1u && i.z == i.x + 2u && i.w == i.x + 3u;
}

fn r_word(i: u32, key0: u32, key1: u32, low: u32, high: u32) -> u32 {
    return r_lane(r_block(i >> 2u, key0, key1, low, high, 0u), i);
}

// Of one block as a rule; of neither the same block nor neighbours, one by one, in a loop so that there is one copy of the code.
fn r_word4(i: vec4<u32>, key0: vec4<u32>, key1: vec4<u32>, low: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    var words = vec4<u32>(0u);
    for (var n = 0u; n < 4u; n++) {
        let at = r_lane(i, n);
        let block = r_block(at >> 2u, key0.x, key1.x, low.x, high.x, 0u);
        if r_together(i) {
            return block;
        }
        words = vec4<u32>(words.yzw, r_lane(block, at));
    }
    return words;
}

// A whole number below `range`, each as likely; of all words where it is 0 (Lemire, "Fast random integer generation in an
// interval", TOMACS 2019). `word` is the first attempt's.
fn r_bounded(word: u32, i: u32, key0: u32, key1: u32, low: u32, high: u32, range: u32) -> u32 {
    var product = r_multiply(word, range);
    if range == 0u {
        return word;
    }
    if product.y < range {
        let least = (0u - range) % range;
        // The chance to be refused 64 times is below 2^-64.
        for (var attempt = 1u; attempt < 64u && product.y < least; attempt++) {
            product = r_multiply(r_lane(r_block(i >> 2u, key0, key1, low, high, attempt), i), range);
        }
    }
    return product.x;
}

fn r_below(i: u32, key0: u32, key1: u32, low: u32, high: u32, range: u32) -> u32 {
    return r_bounded(r_word(i, key0, key1, low, high), i, key0, key1, low, high, range);
}

fn r_below4(
    i: vec4<u32>, key0: vec4<u32>, key1: vec4<u32>, low: vec4<u32>, high: vec4<u32>, range: vec4<u32>
) -> vec4<u32> {
    let word = r_word4(i, key0, key1, low, high);
    return vec4<u32>(
        r_bounded(word.x, i.x, key0.x, key1.x, low.x, high.x, range.x),
        r_bounded(word.y, i.y, key0.x, key1.x, low.x, high.x, range.y),
        r_bounded(word.z, i.z, key0.x, key1.x, low.x, high.x, range.z),
        r_bounded(word.w, i.w, key0.x, key1.x, low.x, high.x, range.w),
    );
}
