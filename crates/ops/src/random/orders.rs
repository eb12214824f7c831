//! Permutations and sequences, as in `orders.wgsl`.

fn mixed(x: u32, [key0, key1]: [u32; 2]) -> u32 {
    let h = (x ^ key0).wrapping_mul(0x85eb_ca6b);
    let h = (h ^ h >> 13).wrapping_add(key1).wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

pub(super) fn permuted(i: u32, [key0, key1]: [u32; 2], side: u32, count: u32) -> u32 {
    let once = |x: u32| {
        let turn = |[a, b]: [u32; 2], turn: u32| {
            let key =
                [key0.wrapping_add(turn.wrapping_mul(0x9e37_79b9)), key1.wrapping_add(turn.wrapping_mul(0xbb67_ae85))];
            let moved = a + ((mixed(b, key) as u64 * side as u64) >> 32) as u32;
            [b, moved % side]
        };
        let [a, b] = (0..8).fold([x / side, x % side], turn);
        a * side + b
    };
    let mut x = once(i.min(count - 1));
    while x >= count {
        x = once(x);
    }
    x
}

pub(super) fn owen(x: u32, seed: u32) -> u32 {
    let mut h = x.reverse_bits();
    h ^= h.wrapping_mul(0x3d20_adea);
    h = h.wrapping_add(seed).wrapping_mul(seed >> 16 | 1);
    h ^= h.wrapping_mul(0x0552_6c56);
    h ^= h.wrapping_mul(0x53a2_2864);
    h.reverse_bits()
}

pub(super) fn mirrored(i: u32, base: u32, power: u32, seed: u32) -> u32 {
    let (b, mut rest, mut mirrored, mut place) = (base.max(2), i, 0u32, power);
    while place >= b {
        let part = |word: u32, of: u32| ((word as u64 * of as u64) >> 32) as u32;
        let factor = part(mixed(place, [seed, base]), b - 1) + 1;
        let shift = part(mixed(place, [base, seed]), b);
        let digit = rest % b;
        let scrambled = (digit as u64 * factor as u64 + shift as u64) % b as u64;
        mirrored = mirrored.wrapping_mul(b).wrapping_add(if seed == 0 { digit } else { scrambled as u32 });
        (rest, place) = (rest / b, place / b);
    }
    mirrored
}
