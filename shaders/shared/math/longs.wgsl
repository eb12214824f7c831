// Functions of 64-bit integers that need a loop, or more than a line: powers, NumPy's modulo, gcd and lcm.
// Nothing divides by 0, and no quotient leaves the type: library kernels are compiled without the driver's own guard.
// The aliases J (i64 or vec4<i64>), L (u64 or vec4<u64>) and T are appended by the caller. integers.wgsl is the same for 32 bits.

// The remainder with the sign of the divisor; 0 where the divisor is 0.
fn m_i64_modulo(x: J, y: J) -> J {
    let d = select(y, J(1li), (y == J(0li)) | (y == J(-1li)));
    let r = x - (x / d) * d;
    return select(r, r + y, (r != J(0li)) & ((r ^ y) < J(0li)));
}

// The quotient rounded down; 0 where the divisor is 0, and the smallest integer by -1 is itself.
fn m_i64_floor_divide(x: J, y: J) -> J {
    let d = select(y, J(1li), (y == J(0li)) | (y == J(-1li)));
    let q = x / d;
    let r = x - q * d;
    let down = q - select(J(0li), J(1li), (r != J(0li)) & ((r ^ d) < J(0li)));
    return select(select(down, -x, y == J(-1li)), J(0li), y == J(0li));
}

// x to the power y by squaring, modulo 2^64: a turn for each bit of y, at most 64.
fn m_u64_pow(x: L, y: L) -> L {
    var result = L(1lu);
    var square = x;
    var left = y;
    for (var turn = 0u; turn < 64u; turn++) {
        if (!any(left != L(0lu))) {
            break;
        }
        result = select(result, result * square, (left & L(1lu)) != L(0lu));
        square = square * square;
        left = left >> U(1u);
    }
    return result;
}

// As m_u64_pow; of a negative power 1 / x^-y, rounded towards 0, where 1 / 0 is 0.
fn m_i64_pow(x: J, y: J) -> J {
    let whole = bitcast<J>(m_u64_pow(bitcast<L>(x), bitcast<L>(max(y, J(0li)))));
    let sign = select(J(1li), x, (y & J(1li)) != J(0li));
    let share = select(J(0li), sign, (x == J(1li)) | (x == J(-1li)));
    return select(whole, share, y < J(0li));
}

// The greatest common divisor by Euclid's algorithm: 92 turns at most, for neighbours in Fibonacci's sequence.
fn m_u64_gcd(x: L, y: L) -> L {
    var a = x;
    var b = y;
    for (var turn = 0u; turn < 93u; turn++) {
        let done = b == L(0lu);
        if (all(done)) {
            break;
        }
        let r = a % select(b, L(1lu), done);
        a = select(b, a, done);
        b = r;
    }
    return a;
}

// |x| as unsigned: of the smallest integer too.
fn m_i64_size(x: J) -> L {
    return bitcast<L>(select(x, -x, x < J(0li)));
}

// The greatest common divisor of the sizes.
fn m_i64_gcd(x: J, y: J) -> J {
    return bitcast<J>(m_u64_gcd(m_i64_size(x), m_i64_size(y)));
}

// The least common multiple, modulo 2^64; 0 where either is 0.
fn m_u64_lcm(x: L, y: L) -> L {
    return (x / max(m_u64_gcd(x, y), L(1lu))) * y;
}

// The least common multiple of the sizes.
fn m_i64_lcm(x: J, y: J) -> J {
    return bitcast<J>(m_u64_lcm(m_i64_size(x), m_i64_size(y)));
}
