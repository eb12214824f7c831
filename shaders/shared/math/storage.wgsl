// Conversions to bfloat16, whose bits are the upper half of an f32's.
// bits.wgsl has the rules of this folder.

// The bits of the nearest bfloat16, ties to even; NaN stays NaN.
fn m_bfloat_of(x: F) -> U {
    let bits = bitcast<U>(x);
    let rounded = (bits + U(0x7fffu) + ((bits >> U(16u)) & U(1u))) >> U(16u);
    return select(rounded, (bits >> U(16u)) | U(0x40u), m_is_nan(x));
}

// An integer as a number whose last bit says that something was lost: rounded once more, it is rounded once in all.
fn m_odd_of_signed(n: I) -> F {
    let cut = (n & I(-256)) | select(I(0), I(256), (n & I(255)) != I(0));
    return F(select(n, cut, (n >= I(16777216)) | (n < I(-16777216))));
}

fn m_odd_of_unsigned(n: U) -> F {
    let cut = (n & U(0xffffff00u)) | select(U(0u), U(256u), (n & U(255u)) != U(0u));
    return F(select(n, cut, n >= U(16777216u)));
}

// The same of 64 bits, given as two words: 16 or 32 of them are cut where that leaves enough.
fn m_odd_of_long(high: I, low: U) -> F {
    let middle = (high << U(16u)) | bitcast<I>(low >> U(16u)) | select(I(0), I(1), (low & U(0xffffu)) != U(0u));
    let top = high | select(I(0), I(1), low != U(0u));
    let all = m_odd_of_signed(bitcast<I>(low));
    let most = select(m_odd_of_signed(top) * F(4294967296.0), m_odd_of_signed(middle) * F(65536.0), high == ((high << U(16u)) >> U(16u)));
    return select(most, all, high == (bitcast<I>(low) >> U(31u)));
}

fn m_odd_of_long_unsigned(high: U, low: U) -> F {
    let middle = (high << U(16u)) | (low >> U(16u)) | select(U(0u), U(1u), (low & U(0xffffu)) != U(0u));
    let top = high | select(U(0u), U(1u), low != U(0u));
    let most = select(m_odd_of_unsigned(top) * F(4294967296.0), m_odd_of_unsigned(middle) * F(65536.0), high < U(0x10000u));
    return select(most, m_odd_of_unsigned(low), high == U(0u));
}
