// The functions of math.wgsl that go by the bits only because drivers may take denormal numbers for 0, for devices that keep
// them: fewer instructions.

// x == y.
fn m_equal(x: F, y: F) -> T {
    return x == y;
}

// x < y.
fn m_less(x: F, y: F) -> T {
    return x < y;
}

// x <= y.
fn m_less_equal(x: F, y: F) -> T {
    return x <= y;
}

// NumPy minimum: NaN if either is.
fn m_min(x: F, y: F) -> F {
    return m_keep_nan(m_keep_nan(min(x, y), y), x);
}

// NumPy maximum: NaN if either is.
fn m_max(x: F, y: F) -> F {
    return m_keep_nan(m_keep_nan(max(x, y), y), x);
}

// NumPy fmin: the other one if one is NaN.
fn m_fmin(x: F, y: F) -> F {
    let u = select(bitcast<U>(min(x, y)), bitcast<U>(y), m_is_nan(x));
    return bitcast<F>(select(u, bitcast<U>(x), m_is_nan(y)));
}

// NumPy fmax: the other one if one is NaN.
fn m_fmax(x: F, y: F) -> F {
    let u = select(bitcast<U>(max(x, y)), bitcast<U>(y), m_is_nan(x));
    return bitcast<F>(select(u, bitcast<U>(x), m_is_nan(y)));
}
