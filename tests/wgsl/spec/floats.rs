//! Floats where the result is exact: rounding to integers, pieces of a float, 16-bit and packed forms.

use super::V::*;
use super::{Row, all, constants, table};

#[test]
fn rounding() {
    const ROWS: &[Row] = &[
        ("a + b", &[F(1.5), F(-0.25)], F(1.25)),
        ("a * b", &[F(-1.5), F(3.0)], F(-4.5)),
        ("-a", &[F(0.0)], F(-0.0)),
        ("-a", &[F(-3.5)], F(3.5)),
        ("floor(a)", &[F(-1.5)], F(-2.0)),
        ("floor(a)", &[F(1.99)], F(1.0)),
        ("ceil(a)", &[F(-1.5)], F(-1.0)),
        ("ceil(a)", &[F(1.01)], F(2.0)),
        ("trunc(a)", &[F(-1.99)], F(-1.0)),
        ("trunc(a)", &[F(1e30)], F(1e30)),
        ("abs(trunc(a))", &[F(-0.5)], F(0.0)),
        ("trunc(a) == 0.0", &[F(-0.5)], B(true)),
        ("round(a)", &[F(0.5)], F(0.0)),
        ("round(a)", &[F(1.5)], F(2.0)),
        ("round(a)", &[F(2.5)], F(2.0)),
        ("round(a)", &[F(-1.5)], F(-2.0)),
        ("round(a)", &[F(-2.5)], F(-2.0)),
        ("round(a)", &[F(2.500_000_2)], F(3.0)),
        ("round(a)", &[F(8_388_609.0)], F(8_388_609.0)),
        ("round(a)", &[F(0.499_999_97)], F(0.0)),
        ("fract(a)", &[F(1.25)], F(0.25)),
        ("fract(a)", &[F(-1.25)], F(0.75)),
        ("fract(a)", &[F(-2.0)], F(0.0)),
        ("sign(a)", &[F(-2.5)], F(-1.0)),
        ("sign(a)", &[F(1e-30)], F(1.0)),
        ("sign(a) == 0.0", &[F(-0.0)], B(true)),
        ("abs(a)", &[F(-2.5)], F(2.5)),
        ("abs(a)", &[F(-0.0)], F(0.0)),
        ("min(a, b)", &[F(-1.0), F(1.0)], F(-1.0)),
        ("max(a, b)", &[F(-1.0), F(1.0)], F(1.0)),
        ("clamp(a, b, c)", &[F(5.0), F(0.0), F(3.0)], F(3.0)),
        ("clamp(a, b, c)", &[F(-5.0), F(0.0), F(3.0)], F(0.0)),
        ("saturate(a)", &[F(-0.5)], F(0.0)),
        ("saturate(a)", &[F(0.25)], F(0.25)),
        ("saturate(a)", &[F(7.0)], F(1.0)),
        ("step(a, b)", &[F(2.0), F(2.0)], F(1.0)),
        ("step(a, b)", &[F(2.0), F(1.0)], F(0.0)),
        ("step(a, b)", &[F(2.0), F(3.0)], F(1.0)),
        ("mix(a, b, c)", &[F(2.0), F(10.0), F(0.25)], F(4.0)),
        ("mix(a, b, c)", &[F2([2.0, 4.0]), F2([10.0, 8.0]), F(0.5)], F2([6.0, 6.0])),
        ("mix(a, b, c)", &[F2([2.0, 4.0]), F2([10.0, 8.0]), F2([0.0, 1.0])], F2([2.0, 8.0])),
        ("smoothstep(a, b, c)", &[F(0.0), F(2.0), F(-1.0)], F(0.0)),
        ("smoothstep(a, b, c)", &[F(0.0), F(2.0), F(3.0)], F(1.0)),
        ("smoothstep(a, b, c)", &[F(0.0), F(2.0), F(1.0)], F(0.5)),
        ("fma(a, b, c)", &[F(3.0), F(4.0), F(5.0)], F(17.0)),
        ("a % b", &[F(7.5), F(2.0)], F(1.5)),
        ("a % b", &[F(-7.5), F(2.0)], F(-1.5)),
        ("a % b", &[F(7.5), F(-2.0)], F(1.5)),
        ("faceForward(a, b, c)", &[F2([1.0, 2.0]), F2([1.0, 0.0]), F2([-1.0, 0.0])], F2([1.0, 2.0])),
        ("faceForward(a, b, c)", &[F2([1.0, 2.0]), F2([1.0, 0.0]), F2([1.0, 0.0])], F2([-1.0, -2.0])),
        ("cross(a, b)", &[F3([1.0, 2.0, 3.0]), F3([4.0, 5.0, 7.0])], F3([-1.0, 5.0, -3.0])),
        ("reflect(a, b)", &[F2([3.0, -4.0]), F2([0.0, 1.0])], F2([3.0, 4.0])),
        ("a == b", &[F(0.0), F(-0.0)], B(true)),
        ("a != b", &[F(0.0), F(-0.0)], B(false)),
        ("a < b", &[F(-1.0), F(-0.5)], B(true)),
        ("a <= b", &[F2([1.0, 2.0]), F2([1.0, 1.0])], B2([true, false])),
    ];
    table(ROWS, all);
    constants(ROWS, all);
}

#[test]
fn pieces() {
    const ROWS: &[Row] = &[
        ("ldexp(a, b)", &[F(1.5), I(3)], F(12.0)),
        ("ldexp(a, b)", &[F(-1.5), I(-1)], F(-0.75)),
        ("ldexp(a, b)", &[F(1.0), I(127)], X(0x7f00_0000)),
        ("ldexp(a, b)", &[F(1.0), I(-126)], X(0x0080_0000)),
        ("ldexp(a, b)", &[F2([3.0, -1.0]), I2([0, 10])], F2([3.0, -1024.0])),
        ("frexp(a).fract", &[F(12.0)], F(0.75)),
        ("frexp(a).exp", &[F(12.0)], I(4)),
        ("frexp(a).fract", &[F(-0.375)], F(-0.75)),
        ("frexp(a).exp", &[F(-0.375)], I(-1)),
        ("frexp(a).fract", &[F(1.0)], F(0.5)),
        ("frexp(a).exp", &[F(1.0)], I(1)),
        ("frexp(a).fract", &[F(0.0)], F(0.0)),
        ("frexp(a).exp", &[F(0.0)], I(0)),
        ("frexp(a).fract", &[F3([8.0, -3.0, 0.5])], F3([0.5, -0.75, 0.5])),
        ("frexp(a).exp", &[F3([8.0, -3.0, 0.5])], I3([4, 2, 0])),
        ("modf(a).fract", &[F(3.75)], F(0.75)),
        ("modf(a).whole", &[F(3.75)], F(3.0)),
        ("modf(a).fract", &[F(-3.75)], F(-0.75)),
        ("modf(a).whole", &[F(-3.75)], F(-3.0)),
        ("modf(a).whole", &[F2([1.5, -2.5])], F2([1.0, -2.0])),
        ("quantizeToF16(a)", &[F(1.0)], F(1.0)),
        ("quantizeToF16(a)", &[F(-65504.0)], F(-65504.0)),
        ("quantizeToF16(a)", &[F(0.333_251_95)], F(0.333_251_95)),
        ("quantizeToF16(a)", &[F2([2048.0, -0.5])], F2([2048.0, -0.5])),
    ];
    table(ROWS, all);
    constants(ROWS, all);
}

#[test]
fn packing() {
    const ROWS: &[Row] = &[
        ("pack2x16float(a)", &[F2([1.0, -2.0])], U(0xc000_3c00)),
        ("pack2x16float(a)", &[F2([65504.0, 0.5])], U(0x3800_7bff)),
        ("pack2x16float(a)", &[F2([6.103_515_6e-5, 0.0])], U(0x0000_0400)),
        ("unpack2x16float(a)", &[U(0xc000_3c00)], F2([1.0, -2.0])),
        ("unpack2x16float(a)", &[U(0x7bff_0400)], F2([6.103_515_6e-5, 65504.0])),
        // Values that are not halfway between two: floor(0.5 + 65535 * x) has one answer.
        ("pack2x16unorm(a)", &[F2([0.0, 1.0])], U(0xffff_0000)),
        ("pack2x16unorm(a)", &[F2([-1.0, 2.0])], U(0xffff_0000)),
        ("pack2x16unorm(a)", &[F2([0.25, 0.75])], U(0xbfff_4000)),
        ("pack2x16snorm(a)", &[F2([1.0, -1.0])], U(0x8001_7fff)),
        ("pack2x16snorm(a)", &[F2([-7.0, 7.0])], U(0x7fff_8001)),
        ("pack2x16snorm(a)", &[F2([0.0, 0.25])], U(0x2000_0000)),
        ("pack4x8unorm(a)", &[F4([0.0, 1.0, 0.2, -3.0])], U(0x0033_ff00)),
        ("pack4x8snorm(a)", &[F4([0.0, 1.0, -1.0, 9.0])], U(0x7f81_7f00)),
        ("pack4x8snorm(a)", &[F4([0.25, -0.25, 0.75, -0.75])], U(0xa15f_e020)),
        ("unpack4x8unorm(a)", &[U(0x00ff_ff00)], F4([0.0, 1.0, 1.0, 0.0])),
        ("unpack4x8snorm(a)", &[U(0x8081_7f00)], F4([0.0, 1.0, -1.0, -1.0])),
        ("unpack2x16unorm(a)", &[U(0xffff_0000)], F2([0.0, 1.0])),
        ("unpack2x16snorm(a)", &[U(0x8000_7fff)], F2([1.0, -1.0])),
        ("unpack2x16snorm(a)", &[U(0x8001_0000)], F2([0.0, -1.0])),
    ];
    table(ROWS, all);
    // Mesa 22.3.6 folds these wrongly: the second half becomes 0, and a byte's sign reaches the bytes above it.
    constants(ROWS, |judge, row| judge.is("llvmpipe") && ["unpack2x16float(a)", "pack4x8snorm(a)"].contains(&row));
}
