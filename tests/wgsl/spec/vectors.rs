//! Vectors and matrices: selection, swizzles, components, products by the column-major convention.

use super::V::*;
use super::{Row, all, constants, table};

#[test]
fn vectors() {
    const ROWS: &[Row] = &[
        ("select(a, b, c)", &[I(1), I(2), B(true)], I(2)),
        ("select(a, b, c)", &[I(1), I(2), B(false)], I(1)),
        ("select(a, b, c)", &[U2([1, 2]), U2([3, 4]), B(true)], U2([3, 4])),
        ("select(a, b, c)", &[U2([1, 2]), U2([3, 4]), B2([true, false])], U2([3, 2])),
        ("select(a, b, c)", &[B2([true, false]), B2([false, true]), B(true)], B2([false, true])),
        ("select(a, b, c)", &[F3([1.0, 2.0, 3.0]), F3([4.0, 5.0, 6.0]), B3([false, true, false])], F3([1.0, 5.0, 3.0])),
        ("all(a)", &[B3([true, true, true])], B(true)),
        ("all(a)", &[B3([true, false, true])], B(false)),
        ("any(a)", &[B3([false, false, false])], B(false)),
        ("any(a)", &[B4([false, false, true, false])], B(true)),
        ("all(vec2<bool>(a)) != any(vec2<bool>(a))", &[B(true)], B(false)),
        ("!a", &[B2([true, false])], B2([false, true])),
        ("a & b", &[B2([true, true]), B2([true, false])], B2([true, false])),
        ("a | b", &[B2([false, true]), B2([false, false])], B2([false, true])),
        ("a == b", &[B2([false, true]), B2([false, false])], B2([true, false])),
        ("a == b", &[U3([1, 2, 3]), U3([1, 0, 3])], B3([true, false, true])),
        ("a < b", &[I2([-1, 1]), I2([0, 0])], B2([true, false])),
        ("a.zyx", &[U3([1, 2, 3])], U3([3, 2, 1])),
        ("a.xxyy", &[U2([1, 2])], U4([1, 1, 2, 2])),
        ("a.bgra", &[U4([1, 2, 3, 4])], U4([3, 2, 1, 4])),
        ("a.wz.yx", &[U4([1, 2, 3, 4])], U2([3, 4])),
        ("a[b]", &[U4([1, 2, 3, 4]), U(2)], U(3)),
        ("a[b]", &[F3([1.0, 2.0, 3.0]), I(1)], F(2.0)),
        ("vec4<u32>(a, b)", &[U2([1, 2]), U2([3, 4])], U4([1, 2, 3, 4])),
        ("vec4<u32>(b, a, b)", &[U2([1, 2]), U(9)], U4([9, 1, 2, 9])),
        ("vec3<i32>(a)", &[I(4)], I3([4, 4, 4])),
        ("vec3<u32>()", &[], U3([0, 0, 0])),
        ("a + b", &[I3([1, 2, 3]), I(-1)], I3([0, 1, 2])),
        ("b - a", &[I2([1, 2]), I(0)], I2([-1, -2])),
        ("a * b", &[F2([1.0, 2.0]), F(0.5)], F2([0.5, 1.0])),
        ("dot(a, b)", &[F3([1.0, 2.0, 3.0]), F3([4.0, -5.0, 6.0])], F(12.0)),
    ];
    table(ROWS, all);
    constants(ROWS, all);
}

/// A matrix constructor takes columns; `m[i]` is column `i`; `m * v` sums columns, `v * m` dots them.
#[test]
fn matrices() {
    const ROWS: &[Row] = &[
        ("mat2x3<f32>(a, b)[1]", &[F3([1.0, 2.0, 3.0]), F3([4.0, 5.0, 6.0])], F3([4.0, 5.0, 6.0])),
        ("mat2x3<f32>(a, b)[1].z", &[F3([1.0, 2.0, 3.0]), F3([4.0, 5.0, 6.0])], F(6.0)),
        ("mat3x2<f32>(a.x, a.y, b.x, b.y, a.x, b.y)[1]", &[F2([1.0, 2.0]), F2([3.0, 4.0])], F2([3.0, 4.0])),
        ("mat2x2<f32>(a, b) * c", &[F2([1.0, 2.0]), F2([3.0, 4.0]), F2([10.0, 1.0])], F2([13.0, 24.0])),
        ("c * mat2x2<f32>(a, b)", &[F2([1.0, 2.0]), F2([3.0, 4.0]), F2([10.0, 1.0])], F2([12.0, 34.0])),
        ("mat2x3<f32>(a, b) * c", &[F3([1.0, 2.0, 3.0]), F3([4.0, 5.0, 6.0]), F2([1.0, 10.0])], F3([41.0, 52.0, 63.0])),
        (
            "c * mat2x3<f32>(a, b)",
            &[F3([1.0, 2.0, 3.0]), F3([4.0, 5.0, 6.0]), F3([1.0, 10.0, 100.0])],
            F2([321.0, 654.0]),
        ),
        ("(mat2x2<f32>(a, b) * mat2x2<f32>(b, a))[0]", &[F2([1.0, 2.0]), F2([3.0, 4.0])], F2([15.0, 22.0])),
        (
            "(mat2x3<f32>(a, b) * mat3x2<f32>(c, c, d))[2]",
            &[F3([1.0, 2.0, 3.0]), F3([4.0, 5.0, 6.0]), F2([0.0, 1.0]), F2([2.0, 0.0])],
            F3([2.0, 4.0, 6.0]),
        ),
        ("transpose(mat2x3<f32>(a, b))[2]", &[F3([1.0, 2.0, 3.0]), F3([4.0, 5.0, 6.0])], F2([3.0, 6.0])),
        ("determinant(mat2x2<f32>(a, b))", &[F2([1.0, 2.0]), F2([3.0, 4.0])], F(-2.0)),
        (
            "determinant(mat3x3<f32>(a, b, c))",
            &[F3([2.0, 0.0, 0.0]), F3([7.0, 3.0, 0.0]), F3([1.0, 1.0, 4.0])],
            F(24.0),
        ),
        (
            "determinant(mat4x4<f32>(a, b, c, d))",
            &[F4([0.0, 2.0, 0.0, 0.0]), F4([1.0, 0.0, 0.0, 0.0]), F4([0.0, 0.0, 3.0, 5.0]), F4([0.0, 0.0, 0.0, 1.0])],
            F(-6.0),
        ),
        ("(mat2x2<f32>(a, b) + mat2x2<f32>(b, b))[0]", &[F2([1.0, 2.0]), F2([3.0, 4.0])], F2([4.0, 6.0])),
        ("(mat2x2<f32>(a, b) - mat2x2<f32>(b, b))[1]", &[F2([1.0, 2.0]), F2([3.0, 4.0])], F2([0.0, 0.0])),
        ("(mat2x2<f32>(a, b) * 2.0)[1]", &[F2([1.0, 2.0]), F2([3.0, 4.0])], F2([6.0, 8.0])),
        ("(0.5 * mat2x2<f32>(a, b))[0]", &[F2([1.0, 2.0]), F2([3.0, 4.0])], F2([0.5, 1.0])),
        ("mat3x3<f32>()[2]", &[], F3([0.0, 0.0, 0.0])),
    ];
    table(ROWS, all);
    constants(ROWS, all);
}
