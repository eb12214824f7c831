// Functions of 32-bit integers that need a loop, or more than a line: powers, NumPy's modulo, gcd and lcm.
// Nothing divides by 0, and no quotient leaves the type: library kernels are compiled without the driver's own guard.
// The aliases I (i32 or vec4<i32>), U and T are appended by the caller. longs.wgsl is the same for 64 bits.

// The remainder with the sign of the divisor; 0 where the divisor is 0.
fn m_i32_modulo(x: I, y: I) -> I {
    let d = select(y, I(1), (y == I(0)) | (y == I(-1)));
    let r = x - (x / d) * d;
    return select(r, r + y, (r != I(0)) & ((r ^ y) < I(0)));
}

// The quotient rounded down; 0 where the divisor is 0, and the smallest integer by -1 is itself.
fn m_i32_floor_divide(x: I, y: I) -> I {
    let d = select(y, I(1), (y == I(0)) | (y == I(-1)));
    let q = x / d;
    let r = x - q * d;
    let down = q - select(I(0), I(1), (r != I(0)) & ((r ^ d) < I(0)));
    return select(select(down, -x, y == I(-1)), I(0), y == I(0));
}

// x to the power y by squaring, modulo 2^32: a turn for each bit of y, at most 32.
fn m_u32_pow(x: U, y: U) -> U {
    var result = U(1u);
    var square = x;
    var left = y;
    for (var turn = 0u; turn < 32u; turn++) {
        if (!any(left != U(0u))) {
            break;
        }
        result = select(result, result * square, (left & U(1u)) != U(0u));
        square = square * square;
        left = left >> U(1u);
    }
    return result;
}

// As m_u32_pow; of a negative power 1 / x^-y, rounded towards 0, where 1 / 0 is 0.
fn m_i32_pow(x: I, y: I) -> I {
    let whole = bitcast<I>(m_u32_pow(bitcast<U>(x), bitcast<U>(max(y, I(0)))));
    let sign = select(I(1), x, (y & I(1)) != I(0));
    let share = select(I(0), sign, (x == I(1)) | (x == I(-1)));
    return select(whole, share, y < I(0));
}

// The greatest common divisor by Euclid's algorithm: 47 turns at most, for neighbours in Fibonacci's sequence.
fn m_u32_gcd(x: U, y: U) -> U {
    var a = x;
    var b = y;
    for (var turn = 0u; turn < 48u; turn++) {
        let done = b == U(0u);
        if (all(done)) {
            break;
        }
        let r = a % select(b, U(1u), done);
        a = select(b, a, done);
        b = r;
    }
    return a;
}

// The greatest common divisor of the sizes.
fn m_i32_gcd(x: I, y: I) -> I {
    return bitcast<I>(m_u32_gcd(bitcast<U>(abs(x)), bitcast<U>(abs(y))));
}

// The least common multiple, modulo 2^32; 0 where either is 0.
fn m_u32_lcm(x: U, y: U) -> U {
    return (x / max(m_u32_gcd(x, y), U(1u))) * y;
}

// The least common multiple of the sizes.
fn m_i32_lcm(x: I, y: I) -> I {
    return bitcast<I>(m_u32_lcm(bitcast<U>(abs(x)), bitcast<U>(abs(y))));
}
