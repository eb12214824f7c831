// Complex numbers of f64 for Fourier transforms.

alias Pair = vec2<f64>;

fn f_multiply(a: Pair, b: Pair) -> Pair {
    return Pair(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// exp(-2 pi i of a part of a turn): `part` of `whole`. Absolute error 2e-16. The polynomials are those of fdlibm's sine and cosine.
fn f_factor(part: u32, whole: u32, _rest: f32) -> Pair {
    let quarters = f64(part) * 4.0lf / f64(whole);
    // An eighth of a turn to either side of the nearest quarter.
    let quarter = u32(quarters + 0.5lf);
    let x = (quarters - f64(quarter)) * 1.5707963267948966lf;
    let z = x * x;
    let s5 = 2.7557313707070068e-06lf + z * (-2.5050760253406863e-08lf + z * 1.58969099521155e-10lf);
    let s = x + x * z * (-0.16666666666666632lf + z * (0.00833333333332249lf + z * (-0.0001984126982985795lf + z * s5)));
    let c4 = -2.7557314351390663e-07lf + z * (2.087572321298175e-09lf + z * -1.1359647557788195e-11lf);
    let c3 = 0.0416666666666666lf + z * (-0.001388888888887411lf + z * (2.480158728947673e-05lf + z * c4));
    let c = 1.0lf - (0.5lf * z - z * z * c3);
    let turned = select(Pair(c, -s), Pair(-s, -c), (quarter & 1u) != 0u);
    return select(turned, -turned, (quarter & 2u) != 0u);
}
