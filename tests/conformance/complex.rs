//! Complex numbers: functions against num-complex in double precision, infinities against C99's Annex G, sums and products against
//! loops on the host, what is printed against NumPy.

use crate::elementwise::{Outcome, values};
use crate::support::*;
use crosslane::array::has_kernel;
use crosslane::op::{Function, Value};
use crosslane::{Argument, Array, Complex, DType, Device, Part, einsum, s};
use rand::Rng;
use rand::rngs::StdRng;

type C32 = Complex<f32>;
type C64 = Complex<f64>;

fn c<R>(re: R, im: R) -> Complex<R> {
    Complex::new(re, im)
}

fn wide(z: C32) -> C64 {
    c(z.re as f64, z.im as f64)
}

/// Complex numbers whose moduli lie between powers of two, in all directions.
fn spread(rng: &mut StdRng, count: usize, powers: std::ops::Range<f64>) -> Vec<C32> {
    let one = |_| {
        let z = C64::from_polar(rng.random_range(powers.clone()).exp2(), rng.random_range(-3.2..3.2));
        c(z.re as f32, z.im as f32)
    };
    (0..count).map(one).collect()
}

/// The largest distance to what is wanted, in ULP of f32 of its modulus, and where it is.
fn worst(got: &[C32], wanted: impl Iterator<Item = C64>) -> (f64, usize) {
    let ulps = got.iter().zip(wanted).map(|(&got, wanted)| {
        let off = (wide(got) - wanted).norm() / (wanted.norm().max(f32::MIN_POSITIVE as f64) * 2f64.powi(-23));
        if off.is_nan() { f64::INFINITY } else { off }
    });
    ulps.zip(0..).fold((0.0, 0), |worst, new| if new.0 > worst.0 { new } else { worst })
}

#[track_caller]
fn within(bound: f64, got: &Array<C32>, args: &[C32], what: &str, exact: impl Fn(C64) -> C64) {
    let host = got.to_vec().unwrap();
    let (off, at) = worst(&host, args.iter().map(|&z| exact(wide(z))));
    let device = name(got.device());
    say(&format!("{what} on {device}: {off:.2} ULP"));
    assert!(off <= bound, "{what} on {device}: {off} ULP of {}, got {}", args[at], host[at]);
}

#[test]
fn functions_are_as_exact_as_they_say() {
    for device in drivers() {
        let mut rng = random(23);
        let all = spread(&mut rng, 4000, -100.0..100.0);
        let z = Array::from_slice(device, &all);
        within(4.0, &z.sqrt(), &all, "sqrt", |z| z.sqrt());
        within(4.0, &z.reciprocal(), &all, "reciprocal", |z| 1.0 / z);
        within(4.0, &z.ln(), &all, "ln", |z| c(z.norm().ln(), z.arg()));
        // Where the logarithm of the modulus is small, the angle is too.
        let near: Vec<C32> = all.iter().map(|z| c(1.0 + z.re.signum() * 1e-3, z.arg() * 1e-3)).collect();
        let exact = |z: C64| c(0.5 * ((z.re - 1.0) * (z.re + 1.0) + z.im * z.im).ln_1p(), z.arg());
        within(4.0, &Array::from_slice(device, &near).ln(), &near, "ln near 1", exact);
        let some: Vec<C32> = (0..4000).map(|_| c(rng.random_range(-80.0..88.0), rng.random_range(-9.0..9.0))).collect();
        within(6.0, &Array::from_slice(device, &some).exp(), &some, "exp", |z| z.exp());
        // e^x overflows, the result does not.
        let edge: Vec<C32> = (0..50).map(|i| c(89.0, 0.75 + i as f32 * 1e-3)).collect();
        within(6.0, &Array::from_slice(device, &edge).exp(), &edge, "exp past 88", |z| z.exp());

        let (a, b) = (spread(&mut rng, 4000, -60.0..60.0), spread(&mut rng, 4000, -60.0..60.0));
        let (x, y) = (Array::from_slice(device, &a), Array::from_slice(device, &b));
        let pairs = |f: fn(C64, C64) -> C64| a.iter().zip(&b).map(move |(&a, &b)| f(wide(a), wide(b)));
        for (what, got, f) in
            [("product", &x * &y, (|a, b| a * b) as fn(C64, C64) -> C64), ("quotient", &x / &y, |a, b| a / b)]
        {
            let (off, at) = worst(&got.to_vec().unwrap(), pairs(f));
            say(&format!("{what} on {}: {off:.2} ULP", name(device)));
            assert!(off <= 4.0, "{what} on {}: {off} ULP of {} and {}", name(device), a[at], b[at]);
        }
        // Nothing overflows on the way.
        let huge = Array::from_slice(device, &[c(1e38f32, 1e38), c(1e-37, -1e-37)]);
        let ones = (&huge / &huge).to_vec().unwrap();
        assert!(ones.iter().all(|z| (z - c(1.0, 0.0)).norm() < 1e-6), "{ones:?} on {}", name(device));
        assert!((huge.abs().to_vec().unwrap()[0] / 1.414_213_5e38 - 1.0).abs() < 1e-6, "on {}", name(device));

        let some = spread(&mut rng, 1000, -1.0..1.0);
        let z = Array::from_slice(device, &some);
        for n in [-7i32, -1, 0, 1, 2, 5, 12] {
            let bound = 2.0 * n.unsigned_abs() as f64 + 4.0;
            within(bound, &z.powi(n), &some, &format!("power {n}"), |z| z.powi(n));
        }
        let powers = [c(0.5f32, 0.0), c(2.0, 1.0), c(-1.5, 3.0)];
        for power in powers {
            let most = some.iter().map(|&z| (wide(power) * wide(z).ln()).norm()).fold(0.0, f64::max);
            within(10.0 + 2.0 * most, &z.pow(power), &some, &format!("power {power}"), |z| z.powc(wide(power)));
        }
        let moduli: Vec<f32> = some.iter().map(|z| z.norm()).collect();
        let angles: Vec<f32> = some.iter().map(|z| z.arg() * 3.0).collect();
        let polar = Array::polar(&Array::from_slice(device, &moduli), Array::from_slice(device, &angles));
        let exact = moduli.iter().zip(&angles).map(|(&r, &angle)| C64::from_polar(r as f64, angle as f64));
        assert!(worst(&polar.to_vec().unwrap(), exact).0 <= 3.0, "polar on {}", name(device));
    }
}

/// What is not a number is one NaN; the sign of zeros counts.
fn alike(got: C32, wanted: C32) -> bool {
    let part = |got: f32, wanted: f32| {
        got.is_nan() && wanted.is_nan() || got == wanted && got.is_sign_negative() == wanted.is_sign_negative()
    };
    part(got.re, wanted.re) && part(got.im, wanted.im)
}

#[test]
fn infinities_and_zeros() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let roots = [
        (c(0.0, 0.0), c(0.0, 0.0)),
        (c(-0.0, -0.0), c(0.0, -0.0)),
        (c(4.0, 0.0), c(2.0, 0.0)),
        (c(-4.0, 0.0), c(0.0, 2.0)),
        (c(-4.0, -0.0), c(0.0, -2.0)),
        (c(1.0, inf), c(inf, inf)),
        (c(nan, -inf), c(inf, -inf)),
        (c(-inf, 1.0), c(0.0, inf)),
        (c(inf, -1.0), c(inf, -0.0)),
        (c(nan, 1.0), c(nan, nan)),
    ];
    let powers = [
        (c(0.0, 0.0), c(1.0, 0.0)),
        (c(0.0, -0.0), c(1.0, -0.0)),
        (c(1.0, inf), c(nan, nan)),
        (c(inf, 0.0), c(inf, 0.0)),
        (c(-inf, 1.0), c(0.0, 0.0)),
        (c(-inf, inf), c(0.0, 0.0)),
        (c(inf, 1.0), c(inf, inf)),
        (c(inf, 2.0), c(-inf, inf)),
        (c(inf, inf), c(inf, nan)),
        (c(nan, 0.0), c(nan, 0.0)),
        (c(nan, 1.0), c(nan, nan)),
    ];
    let logarithms = [
        (c(0.0, 0.0), c(-inf, 0.0)),
        (c(1.0, inf), c(inf, std::f32::consts::FRAC_PI_2)),
        (c(inf, 1.0), c(inf, 0.0)),
        (c(inf, nan), c(inf, nan)),
    ];
    // By zero; by an infinity.
    let quotients = [
        (c(1.0, -2.0), c(0.0, 0.0), c(inf, -inf)),
        (c(1.0, 0.0), c(-0.0, 0.0), c(-inf, nan)),
        (c(1.0, -2.0), c(inf, 3.0), c(0.0, 0.0)),
        (c(0.0, 0.0), c(0.0, 0.0), c(nan, nan)),
    ];
    for device in drivers() {
        let check = |what: &str, got: Array<C32>, rows: &[(C32, C32)]| {
            for (got, (z, wanted)) in got.to_vec().unwrap().into_iter().zip(rows) {
                assert!(alike(got, *wanted), "{what} of {z} on {}: got {got}, wanted {wanted}", name(device));
            }
        };
        let given = |rows: &[(C32, C32)]| Array::from_slice(device, &rows.iter().map(|row| row.0).collect::<Vec<_>>());
        check("sqrt", given(&roots).sqrt(), &roots);
        check("exp", given(&powers).exp(), &powers);
        check("ln", given(&logarithms).ln(), &logarithms);
        for (a, b, wanted) in quotients {
            let got = (Array::from_slice(device, &[a]) / b).item().unwrap();
            assert!(alike(got, wanted), "{a} / {b} on {}: got {got}, wanted {wanted}", name(device));
        }
        let zero = Array::from_slice(device, &[c(0.0f32, 0.0)]);
        assert_eq!(zero.pow(c(0.0, 0.0)).item().unwrap(), c(1.0, 0.0));
        assert_eq!(zero.pow(c(2.0, 1.0)).item().unwrap(), c(0.0, 0.0));
        assert!(zero.pow(c(-2.0, 1.0)).is_nan().item().unwrap());
        let odd = Array::from_slice(device, &[c(1.0f32, nan), c(inf, nan), c(1.0, 2.0)]);
        assert_eq!(odd.is_nan().to_vec().unwrap(), [true, true, false]);
        assert_eq!(odd.is_infinite().to_vec().unwrap(), [false, true, false]);
        assert_eq!(odd.is_finite().to_vec().unwrap(), [false, false, true]);
        assert_eq!(odd.equal(&odd).to_vec().unwrap(), [false, false, true]);
        assert_eq!(odd.not_equal(&odd).to_vec().unwrap(), [true, true, false]);
    }
}

/// Exact on small integers: parts, arithmetic, comparisons, broadcasts, scalars on either side, in place.
fn arithmetic<R: Part>(device: &Device)
where
    Complex<R>: std::ops::Mul<Array<Complex<R>>, Output = Array<Complex<R>>>,
{
    if !has(device, R::DTYPE) {
        return;
    }
    let host: Vec<[i128; 2]> = (0..2003).map(|i| [i * 7919 % 11 - 5, i * 104_729 % 13 - 6]).collect();
    let of = |[re, im]: [i128; 2]| c(of::<R>(re), of::<R>(im));
    let z = Array::from_slice(device, &host.iter().map(|&z| of(z)).collect::<Vec<_>>());
    let exactly = |what: &str, got: &Array<Complex<R>>, wanted: &dyn Fn([i128; 2], usize) -> [i128; 2]| {
        let wanted: Vec<Complex<R>> = host.iter().enumerate().map(|(i, &z)| of(wanted(z, i))).collect();
        same_values(&got.to_vec().unwrap(), &wanted, &format!("{what} of {} on {}", R::DTYPE, name(device)));
    };
    let back = z.flip(0);
    let other = |i: usize| host[host.len() - 1 - i];
    exactly("sum", &(&z + &back), &|[a, b], i| [a + other(i)[0], b + other(i)[1]]);
    exactly("difference", &(&z - &back), &|[a, b], i| [a - other(i)[0], b - other(i)[1]]);
    exactly("product", &(&z * &back), &|[a, b], i| {
        let [c, d] = other(i);
        [a * c - b * d, a * d + b * c]
    });
    exactly("square", &z.square(), &|[a, b], _| [a * a - b * b, 2 * a * b]);
    exactly("product and sum", &z.multiply_add(&back, &z), &|[a, b], i| {
        let [c, d] = other(i);
        [a * c - b * d + a, a * d + b * c + b]
    });
    exactly("negative", &-&z, &|[a, b], _| [-a, -b]);
    exactly("conjugate", &z.conj(), &|[a, b], _| [a, -b]);
    exactly("scalar on the left", &(of([2, -1]) * z.clone()), &|[a, b], _| [2 * a + b, 2 * b - a]);
    exactly("quotient by a unit", &(&z / of([0, 1])), &|[a, b], _| [b, -a]);
    exactly("third power", &z.powi(3), &|[a, b], _| [a * a * a - 3 * a * b * b, 3 * a * a * b - b * b * b]);
    exactly("from parts", &Array::complex(&z.imag(), z.real()), &|[a, b], _| [b, a]);
    let mut changed = z.clone();
    changed += &back;
    changed -= &back;
    changed *= of([0, 1]);
    exactly("in place", &changed, &|[a, b], _| [-b, a]);
    // Strided views, and a fusion with real numbers in it.
    let (re, odd) = (z.real(), z.slice(s![1..;3]));
    exactly("scaled by its real part", &(&z * re.cast::<Complex<R>>()), &|[a, b], _| [a * a, a * b]);
    let wanted: Vec<Complex<R>> = host.iter().skip(1).step_by(3).map(|&[a, b]| of([a, -b])).collect();
    same_values(&odd.conj().to_vec().unwrap(), &wanted, "conjugate of a view");
    let sizes: Vec<R> = host.iter().map(|&[a, b]| crate::support::of(a * a + b * b)).collect();
    same_values(&z.norm_squared().to_vec().unwrap(), &sizes, "squared moduli");
    let equal: Vec<bool> = (0..host.len()).map(|i| host[i] == other(i)).collect();
    same_values(&z.equal(&back).to_vec().unwrap(), &equal, "equal");
    assert_eq!(z.not_equal(&back).count_nonzero().item().unwrap(), equal.iter().filter(|same| !**same).count() as u32);
}

/// Sums, products, scans and matrix products of small integers, which are exact.
fn combined<R: Part>(device: &Device) {
    if !has(device, R::DTYPE) {
        return;
    }
    let of = |[re, im]: [i128; 2]| c(of::<R>(re), of::<R>(im));
    let what = format!("{} on {}", R::COMPLEX, name(device));
    let mut rng = random(5);
    let mut host = |len: usize| -> Vec<[i128; 2]> {
        (0..len).map(|_| [rng.random_range(-3..4), rng.random_range(-3..4)]).collect()
    };
    let up = |host: &[[i128; 2]]| Array::from_slice(device, &host.iter().map(|&z| of(z)).collect::<Vec<_>>());
    let times = |[a, b]: [i128; 2], [c, d]: [i128; 2]| [a * c - b * d, a * d + b * c];
    let plus = |[a, b]: [i128; 2], [c, d]: [i128; 2]| [a + c, b + d];
    for len in [1, 5, 1000, 40_003] {
        let (a, b) = (host(len), host(len));
        let (x, y) = (up(&a), up(&b));
        assert_eq!(x.sum().item().unwrap(), of(a.iter().copied().fold([0, 0], plus)), "sum of {len} {what}");
        let dot = a.iter().zip(&b).fold([0, 0], |sum, (&a, &b)| plus(sum, times(a, b)));
        assert_eq!(x.dot(&y).item().unwrap(), of(dot), "dot of {len} {what}");
        let vdot = a.iter().zip(&b).fold([0, 0], |sum, (&[re, im], &b)| plus(sum, times([re, -im], b)));
        assert_eq!(x.vdot(&y).item().unwrap(), of(vdot), "vdot of {len} {what}");
        let mut sum = [0, 0];
        let sums: Vec<Complex<R>> = a.iter().map(|&z| (sum = plus(sum, z), of(sum)).1).collect();
        same_values(&x.cumsum(0).to_vec().unwrap(), &sums, &format!("running sums of {len} {what}"));
    }
    let units = [[1, 0], [0, 1], [-1, 0], [0, -1]];
    let turns: Vec<[i128; 2]> = (0..3001usize).map(|i| units[i * i % 7 % 4]).collect();
    let product = turns.iter().copied().fold([1, 0], times);
    assert_eq!(up(&turns).product().item().unwrap(), of(product), "product, {what}");

    let (rows, inner, columns) = (35, 70, 41);
    let (a, b) = (host(rows * inner), host(inner * columns));
    let (x, y) = (up(&a).reshape(&[rows, inner]), up(&b).reshape(&[inner, columns]));
    let cell =
        |r: usize, k: usize| (0..inner).fold([0, 0], |sum, i| plus(sum, times(a[r * inner + i], b[i * columns + k])));
    let wanted: Vec<Complex<R>> = (0..rows * columns).map(|at| of(cell(at / columns, at % columns))).collect();
    let wanted = Dense::new(&[rows, columns], wanted);
    same(&x.matmul(&y), &wanted, &format!("matrix product, {what}"));
    same(&y.transpose().matmul(&x.transpose()), &wanted.permute(&[1, 0]), &format!("turned, {what}"));
    same(&einsum("ij,jk->ik", &[&x, &y]).unwrap(), &wanted, &format!("einsum, {what}"));
    let column = x.matvec(&y.slice(s![.., 3])).to_vec().unwrap();
    let wanted: Vec<Complex<R>> = (0..rows).map(|r| of(cell(r, 3))).collect();
    same_values(&column, &wanted, &format!("matrix and vector, {what}"));
    let wanted: Vec<Complex<R>> =
        (0..rows).map(|r| of(a[r * inner..][..inner].iter().copied().fold([0, 0], plus))).collect();
    same_values(&x.sum_axes(1).to_vec().unwrap(), &wanted, &format!("sums of rows, {what}"));
    let wanted: Vec<Complex<R>> =
        (0..inner).map(|k| of((0..rows).map(|r| a[r * inner + k]).fold([0, 0], plus))).collect();
    same_values(&x.sum_axes(0).to_vec().unwrap(), &wanted, &format!("sums of columns, {what}"));
    let mean = up(&[[1, 2], [3, -4], [5, 5]]).mean().item().unwrap();
    assert_eq!(mean, of([3, 1]), "mean, {what}");
    assert_eq!(
        Array::<Complex<R>>::eye(device, 2, 2, 0).to_vec().unwrap(),
        [of([1, 0]), of([0, 0]), of([0, 0]), of([1, 0])]
    );
}

#[test]
fn arithmetic_is_exact() {
    for device in drivers() {
        spoil(device);
        arithmetic::<f32>(device);
        arithmetic::<f64>(device);
    }
}

#[test]
fn sums_and_products() {
    for device in drivers() {
        spoil(device);
        combined::<f32>(device);
        combined::<f64>(device);
    }
}

/// In double precision the errors are of double precision.
#[test]
fn doubles_are_doubles() {
    for device in drivers() {
        if !has(device, DType::Complex64) {
            say(&format!("not run on {}: it has no f64", name(device)));
            continue;
        }
        let mut rng = random(29);
        let mut one = || C64::from_polar(rng.random_range(-900.0f64..900.0).exp2(), rng.random_range(-3.2..3.2));
        let host: Vec<C64> = (0..2000).map(|_| one()).collect();
        let z = Array::from_slice(device, &host);
        let near = |what: &str, got: Array<C64>, wanted: &dyn Fn(C64) -> C64| {
            for (&z, got) in host.iter().zip(got.to_vec().unwrap()) {
                let off = (got - wanted(z)).norm() / wanted(z).norm();
                assert!(off <= 4.0 * f64::EPSILON, "{what} of {z:e} on {}: {got:e}, off by {off:e}", name(device));
            }
        };
        near("quotient", &z / &z, &|_| c(1.0, 0.0));
        near("modulus", z.abs().cast(), &|z| c(z.re.hypot(z.im), 0.0));
        // Scaled by a power of two, whose root is one: nothing overflows in the reference.
        near("root", z.sqrt(), &|z| {
            let even = libm::ilogb(z.re.abs().max(z.im.abs())) & !1;
            let scaled = c(libm::scalbn(z.re, -even), libm::scalbn(z.im, -even)).sqrt();
            c(libm::scalbn(scaled.re, even / 2), libm::scalbn(scaled.im, even / 2))
        });
    }
}

/// The function, arguments and the exact results' nearest f64, all as bits: by mpmath 1.3.0 in 200 bits.
const TABLE: &str = include_str!("complex_doubles.txt");

#[test]
fn functions_of_doubles() {
    let rows: Vec<(&str, [f64; 6])> = TABLE
        .lines()
        .map(|line| {
            let (what, numbers) = line.split_once(' ').expect("a name and numbers");
            let mut bits =
                numbers.split(' ').map(|word| f64::from_bits(u64::from_str_radix(word, 16).expect("hexadecimal")));
            (what, std::array::from_fn(|_| bits.next().expect("six numbers")))
        })
        .collect();
    for device in drivers() {
        if !has(device, DType::Complex64) {
            say(&format!("not run on {}: it has no f64", name(device)));
            continue;
        }
        for what in ["exp", "ln", "pow", "polar"] {
            let of: Vec<[f64; 6]> = rows.iter().filter(|row| row.0 == what).map(|row| row.1).collect();
            assert!(of.len() > 30, "{what}");
            let side = |at: usize| {
                Array::from_slice(device, &of.iter().map(|row| c(row[at], row[at + 1])).collect::<Vec<C64>>())
            };
            let (a, b) = (side(0), side(2));
            let got = match what {
                "exp" => a.exp(),
                "ln" => a.ln(),
                "pow" => a.pow(&b),
                _ => Array::polar(&a.real(), a.imag()),
            };
            for (row, got) in of.iter().zip(got.to_vec().unwrap()) {
                let [ar, ai, br, bi, re, im] = *row;
                let wanted = c(re, im);
                // What is stated, and half an ULP of the table's rounding.
                let bound = 0.5
                    + match what {
                        "exp" => 6.0,
                        "ln" => 4.0,
                        "pow" => 10.0 + 2.0 * (c(br, bi) * c(ar, ai).ln()).norm(),
                        _ => 3.0,
                    };
                let off = (got - wanted).norm() / (wanted.norm() * f64::EPSILON);
                assert!(off <= bound, "{what} of {ar:e} {ai:e}, {br} {bi} on {}: {got:e}, off by {off}", name(device));
            }
        }
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let ends = [(c(-inf, nan), c(0.0, 0.0)), (c(0.0, -0.0), c(1.0, -0.0)), (c(nan, 0.0), c(nan, 0.0))];
        let got = Array::from_slice(device, &ends.map(|end| end.0)).exp().to_vec().unwrap();
        for (got, (z, wanted)) in got.iter().zip(ends) {
            let part = |a: f64, b: f64| a.is_nan() && b.is_nan() || a.to_bits() == b.to_bits();
            assert!(part(got.re, wanted.re) && part(got.im, wanted.im), "exp of {z} on {}: {got}", name(device));
        }
        let powers = Array::from_slice(device, &[c(0.0, 0.0), c(0.0, 0.0)])
            .pow(Array::from_slice(device, &[c(0.0, 0.0), c(2.0, 1.0)]));
        assert_eq!(powers.to_vec().unwrap(), [c(1.0, 0.0), c(0.0, 0.0)], "on {}", name(device));
    }
}

/// Every function has a kernel for complex numbers exactly where it has a method.
#[test]
fn every_kernel_has_a_method() {
    fn both<R: Part>(f: Function, a: &Array<Complex<R>>) -> Option<Outcome> {
        let (re, n) = (a.real(), Array::<i32>::zeros(a.device(), &[0]));
        let got = |array: crosslane::Result<Vec<Value>>| Some(array);
        use Function::*;
        match f {
            Add => got(Ok(values(&(a + a)))),
            Subtract => got(Ok(values(&(a - a)))),
            Multiply => got(Ok(values(&(a * a)))),
            Divide => got(Ok(values(&(a / a)))),
            Negate => got(Ok(values(&-a))),
            Absolute => got(Ok(values(&a.abs()))),
            Square => got(Ok(values(&a.square()))),
            Reciprocal => got(Ok(values(&a.reciprocal()))),
            Sqrt => got(Ok(values(&a.sqrt()))),
            MultiplyAdd => got(Ok(values(&a.multiply_add(a, a)))),
            Equal => got(Ok(values(&a.equal(a)))),
            NotEqual => got(Ok(values(&a.not_equal(a)))),
            Complex => got(Ok(values(&Array::complex(&re, &re)))),
            Real => got(Ok(values(&re))),
            Imag => got(Ok(values(&a.imag()))),
            Conj => got(Ok(values(&a.conj()))),
            PowI => got(Ok(values(&a.powi(&n)))),
            IsNan => got(Ok(values(&a.is_nan()))),
            IsInfinite => got(Ok(values(&a.is_infinite()))),
            IsFinite => got(Ok(values(&a.is_finite()))),
            Select => got(Ok(values(&a.is_nan().select(a, a)))),
            Polar => got(Ok(values(&Array::polar(&re, &re)))),
            Arg => got(Ok(values(&a.arg()))),
            Exp => got(Ok(values(&a.exp()))),
            Ln => got(Ok(values(&a.ln()))),
            Pow => got(Ok(values(&a.pow(a)))),
            _ => None,
        }
    }
    for device in quick() {
        for &f in Function::ALL {
            let makes = matches!(f, Function::Complex | Function::Polar);
            let of = |part: DType, whole: DType| has_kernel(f, if makes { part } else { whole });
            let none = Array::<C32>::zeros(device, &[0]);
            assert_eq!(both(f, &none).is_some(), of(DType::F32, DType::Complex32), "{}", f.name());
            if has(device, DType::Complex64) {
                let none = Array::<C64>::zeros(device, &[0]);
                assert_eq!(both(f, &none).is_some(), of(DType::F64, DType::Complex64), "{}", f.name());
            }
        }
    }
}

/// As NumPy 2.4 prints them.
#[test]
fn printed_as_numpy_does() {
    for device in quick() {
        let printed = |host: &[C32]| Array::from_slice(device, host).to_string();
        assert_eq!(printed(&[c(1.0, 2.0), c(3.0, -4.5)]), "[1.+2.j  3.-4.5j]");
        assert_eq!(printed(&[c(1.0, 2.0), c(3.0, -10.0)]), "[1. +2.j 3.-10.j]");
        assert_eq!(printed(&[c(1e10, 1.0), c(2.0, -3.0)]), "[1.e+10+1.j 2.e+00-3.j]");
        assert_eq!(printed(&[c(-0.5, f32::NAN), c(f32::INFINITY, 0.25)]), "[-0.5 +nanj  inf+0.25j]");
        assert_eq!(Array::from_slice(device, &[c(1.5f32, -2.0)]).reshape(&[0usize; 0]).to_string(), "(1.5-2j)");
        assert_eq!(Array::<C32>::zeros(device, &[0]).to_string(), "[]");
    }
}

/// A kernel of a program's own takes them as `vec2<f32>`.
#[test]
fn a_kernel_of_the_programs_own() {
    let text = "@group(0) @binding(0) var<storage, read_write> z: array<vec2<f32>>;
        @compute @workgroup_size(64) fn turn(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x < arrayLength(&z) { z[id.x] = vec2<f32>(-z[id.x].y, z[id.x].x); }
        }";
    let kernel = crosslane::Kernel::wgsl(text).unwrap();
    for device in drivers() {
        let z = Array::from_slice(device, &[c(1.0f32, 2.0), c(3.0, -4.0)]);
        kernel.grid([1, 1, 1]).args([Argument::in_place(&z)]).launch(device).unwrap();
        assert_eq!(z.to_vec().unwrap(), [c(-2.0, 1.0), c(4.0, 3.0)], "on {}", name(device));
    }
}

/// What has no order or no such kernel is refused with a message.
#[test]
fn refusals() {
    for device in quick() {
        let z = Array::from_slice(device, &[c(1.0f32, 2.0)]);
        let scanned: Array<C32> = crosslane::Scan::product().call(&z);
        let error = scanned.to_vec().unwrap_err().to_string();
        assert!(error.contains("a sum, of complex numbers"), "{error}");
        let error = (&z + &Array::from_slice(device, &[c(1.0f32, 2.0); 3]).slice(s![..2])).to_vec();
        assert!(error.is_ok(), "one element is broadcast");
    }
}

/// Angles past 8192 pi, of which mpmath has the cosine and the sine in 300 bits.
#[test]
fn large_angles_are_reduced() {
    let known: [(f32, f64, f64); 7] = [
        (25736.5, 0.840_288_164_093_298_9, 0.542_140_019_999_181_7),
        (1e5, -0.999_360_807_438_212_4, 0.035_748_797_972_016_51),
        (123_456.79, 0.051_734_949_118_582_69, -0.998_660_850_859_638_7),
        (6e6, -0.543_489_564_518_324_9, -0.839_415_923_877_836_4),
        (1e10, 0.873_119_622_676_856, -0.487_506_025_087_510_7),
        (3.3e20, -0.971_752_519_339_121_8, -0.236_002_205_833_059_4),
        (3e38, -0.484_294_783_541_906_9, 0.874_904_887_764_434_4),
    ];
    for device in drivers() {
        let (mut angles, mut wanted) = (vec![], vec![]);
        for (angle, cosine, sine) in known {
            angles.extend([angle, -angle]);
            wanted.extend([[cosine, sine], [cosine, -sine]]);
        }
        let y = Array::from_slice(device, &angles);
        let (zero, one) = (y.zeros_like(), y.ones_like());
        let check = |what: &str, got: Vec<C32>| {
            for ((got, wanted), angle) in got.into_iter().zip(&wanted).zip(&angles) {
                let far = (got.re as f64 - wanted[0]).hypot(got.im as f64 - wanted[1]);
                assert!(far <= 4e-7, "{what} of {angle:e} on {}: {got}, wanted {wanted:?}", name(device));
            }
        };
        check("exp", Array::complex(&zero, &y).exp().to_vec().unwrap());
        check("polar", Array::polar(&one, &y).to_vec().unwrap());
        let (cosine, sine) = (y.cos().to_vec().unwrap(), y.sin().to_vec().unwrap());
        check("cos and sin", cosine.iter().zip(&sine).map(|(&re, &im)| c(re, im)).collect());
        for ((got, wanted), angle) in y.tan().to_vec().unwrap().into_iter().zip(&wanted).zip(&angles) {
            let tangent = wanted[1] / wanted[0];
            let far = (got as f64 - tangent).abs();
            assert!(far <= 4e-7 * tangent.abs(), "tan of {angle:e} on {}: {got}, wanted {tangent}", name(device));
        }
    }
}
