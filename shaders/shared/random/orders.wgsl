// Permutations, and the bits of sequences that fill space evenly. Rules: words.wgsl.

// A word whose bits depend on all bits of x and of the key (Appleby's finaliser of MurmurHash3, with the key inside).
fn r_mixed(x: u32, key0: u32, key1: u32) -> u32 {
    var h = (x ^ key0) * 0x85ebca6bu;
    h = ((h ^ (h >> 13u)) + key1) * 0xc2b2ae35u;
    return h ^ (h >> 16u);
}

// Where number i of `count` goes in a permutation: eight rounds of a Feistel network over the pairs of numbers below `side`,
// of which there are at least `count` (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). What falls past
// `count` goes on; a permutation of all pairs leads each number back below it. An i past the last, the padding of a vector of
// four, is taken for the last: from there nothing leads back.
fn r_permuted(i: u32, key0: u32, key1: u32, side: u32, count: u32) -> u32 {
    var x = min(i, count - 1u);
    loop {
        var pair = vec2<u32>(x / side, x % side);
        for (var turn = 0u; turn < 8u; turn++) {
            let mixed = r_mixed(pair.y, key0 + turn * 0x9e3779b9u, key1 + turn * 0xbb67ae85u);
            let moved = pair.x + r_multiply(mixed, side).x;
            pair = vec2<u32>(pair.y, select(moved, moved - side, moved >= side));
        }
        x = pair.x * side + pair.y;
        if x < count {
            break;
        }
    }
    return x;
}

// The bits of x, scrambled so that each depends on those above it only (Owen 1995, by hashing as Burley, "Practical
// hash-based Owen scrambling", JCGT 2020, with Vegdahl's constants).
fn r_owen(x: u32, seed: u32) -> u32 {
    var h = reverseBits(x);
    h = h ^ (h * 0x3d20adeau);
    h = h + seed;
    h = h * ((seed >> 16u) | 1u);
    h = h ^ (h * 0x05526c56u);
    h = h ^ (h * 0x53a22864u);
    return reverseBits(h);
}

// The digits of i in a base, mirrored at the point: as many digits as `power`, the base to their number, has room for. With a
// seed each digit d becomes m d + c, by m and c of its place (Matousek, "On the L2-discrepancy for anchored boxes", 1998).
fn r_mirrored(i: u32, base: u32, power: u32, seed: u32) -> u32 {
    let b = max(base, 2u);
    var rest = i;
    var mirrored = 0u;
    var place = power;
    while place >= b {
        let factor = r_multiply(r_mixed(place, seed, base), b - 1u).x + 1u;
        let shift = r_multiply(r_mixed(place, base, seed), b).x;
        let digit = rest % b;
        mirrored = mirrored * b + select((digit * factor + shift) % b, digit, seed == 0u);
        rest = rest / b;
        place = place / b;
    }
    return mirrored;
}
