//! Kernels from expressions: against closures on the host, fused with what stands around them, and their mistakes.

mod support;

use crosslane::device::Backend;
use crosslane::{Array, Element, Elementwise, ErrorKind, Reduction, eval_all, f16, map};
use rand::{Rng, rngs::StdRng};
use support::*;

/// One kernel launch?
#[track_caller]
fn one_kernel<T: Element>(array: &Array<T>) -> String {
    let plan = array.explain().unwrap();
    assert_eq!((plan.steps.len(), plan.steps[0].kernels.len()), (1, 1), "{plan}");
    plan.steps[0].kernels[0].2.clone()
}

/// Random numbers, a length that is no multiple of four.
fn floats(rng: &mut StdRng) -> Vec<f32> {
    (0..1003).map(|_| rng.random_range(-4.0..4.0)).collect()
}

#[test]
fn floats_are_what_closures_give() {
    type Case = (&'static str, fn(f64, f64) -> f64);
    let cases: [Case; 10] = [
        ("z = x * y + 1.0", |x, y| x * y + 1.0),
        ("x - y / 2", |x, y| x - y / 2.0),
        ("let t = x + y; let u = t * t; z: f32 = u - t", |x, y| (x + y) * (x + y) - (x + y)),
        ("sqrt(abs(x)) + floor(y)", |x, y| x.abs().sqrt() + y.floor()),
        ("select(x, y, x < y)", |x, y| x.max(y)),
        // Not the same for each lane of a vector: a vector of its own, a branch, a loop.
        ("dot(vec3(x, y, 1.0), vec3(y, x, 2.0))", |x, y| 2.0 * x * y + 2.0),
        ("var t = x; if x > y { t = y * 2.0; } else if y > 2.0 { t = -1.0; } z = t", |x, y| {
            if x > y {
                y * 2.0
            } else if y > 2.0 {
                -1.0
            } else {
                x
            }
        }),
        ("var t = 0.0; for (var k = 0; k < i32(abs(y)) + 1; k++) { t += x; } t", |x, y| x * (y.abs().floor() + 1.0)),
        ("f32(i32(x)) // towards zero;\n + 0.0 /* y */", |x, _| x.trunc()),
        ("fma(x, y, -x)", |x, y| x * y - x),
    ];
    for device in apis() {
        spoil(device);
        let mut rng = random(5);
        let (a, b) = (floats(&mut rng), floats(&mut rng));
        let (x, y) = (Array::from_slice(device, &a), Array::from_slice(device, &b));
        for (text, closure) in cases {
            let kernel = Elementwise::new("x: f32, y: f32", text).unwrap();
            let got = kernel.call::<f32>((&x, &y)).unwrap().to_vec().unwrap();
            for (at, (&p, &q)) in a.iter().zip(&b).enumerate() {
                let wanted = closure(p as f64, q as f64);
                let error = (got[at] as f64 - wanted).abs();
                assert!(error <= 1e-5 * wanted.abs().max(1.0), "{text} of {p}, {q}: {} on {}", got[at], name(device));
            }
        }
    }
}

#[test]
fn integers_follow_wgsl() {
    type Case = (&'static str, fn(i32, i32) -> i32, fn(u32, u32) -> u32);
    let cases: [Case; 6] = [
        ("x * y - y", |x, y| x.wrapping_mul(y).wrapping_sub(y), |x, y| x.wrapping_mul(y).wrapping_sub(y)),
        ("x / y", |x, y| if y == 0 { x } else { x.wrapping_div(y) }, |x, y| x.checked_div(y).unwrap_or(x)),
        ("x % y", |x, y| if y == 0 { 0 } else { x.wrapping_rem(y) }, |x, y| x.checked_rem(y).unwrap_or(0)),
        ("x << (u32(y) & 31u)", |x, y| x.wrapping_shl(y as u32), |x, y| x.wrapping_shl(y)),
        ("min(x, y) ^ max(x, T(7))", |x, y| x.min(y) ^ x.max(7), |x, y| x.min(y) ^ x.max(7)),
        (
            "z: T = T(countOneBits(x)) + reverseBits(y)",
            |x, y| (x.count_ones() as i32).wrapping_add(y.reverse_bits()),
            |x, y| x.count_ones().wrapping_add(y.reverse_bits()),
        ),
    ];
    for device in apis() {
        let mut rng = random(6);
        let mut a: Vec<i32> = (0..1001).map(|_| rng.random()).collect();
        let mut b: Vec<i32> = (0..1001).map(|_| rng.random_range(-3..40)).collect();
        (a[0], b[0], a[1], b[1]) = (i32::MIN, -1, i32::MIN, 0);
        let (u, v): (Vec<u32>, Vec<u32>) = a.iter().zip(&b).map(|(&a, &b)| (a as u32, b as u32)).unzip();
        // naga's GLSL lacks WGSL's guards.
        let guarded = device.properties().backend != Backend::Gl;
        for (text, signed, unsigned) in cases.iter().filter(|case| guarded || !case.0.contains(['/', '%'])) {
            let kernel = Elementwise::new("x: T, y: T", text).unwrap();
            let got: Array<i32> =
                kernel.call((&Array::from_slice(device, &a), &Array::from_slice(device, &b))).unwrap();
            let wanted: Vec<i32> = a.iter().zip(&b).map(|(&x, &y)| signed(x, y)).collect();
            same_values(&got.to_vec().unwrap(), &wanted, &format!("{text} of i32 on {}", name(device)));
            let got: Array<u32> =
                kernel.call((&Array::from_slice(device, &u), &Array::from_slice(device, &v))).unwrap();
            let wanted: Vec<u32> = u.iter().zip(&v).map(|(&x, &y)| unsigned(x, y)).collect();
            same_values(&got.to_vec().unwrap(), &wanted, &format!("{text} of u32 on {}", name(device)));
        }
    }
}

/// `2x + y` in any type that has arithmetic.
fn twice<T: Element>(device: &crosslane::Device) {
    let host: Vec<T> = small(517);
    let kernel = Elementwise::new("x: T, y: T", "z: T = x + x + y").unwrap();
    let x = Array::from_slice(device, &host);
    let got: Array<T> = kernel.call((&x, of::<T>(3))).unwrap();
    let wanted: Vec<T> =
        host.iter().map(|&x| T::from_scalar(plus(value(x), value(x), of::<T>(3)).scalar(T::DTYPE))).collect();
    same_values(&got.to_vec().unwrap(), &wanted, &format!("2x + 3 of {} on {}", T::DTYPE, name(device)));
}

fn plus<T: Element>(x: crosslane::op::Value, y: crosslane::op::Value, z: T) -> crosslane::op::Value {
    crosslane::op::Value::Float(x.float() + y.float() + value(z).float())
}

#[test]
fn every_type() {
    for device in apis() {
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64], twice);
        // Bytes wrap when they are stored, and for what follows in the same kernel too.
        let bytes = Array::from_slice(device, &[200u8, 7, 255, 1, 0]);
        let more: Array<u8> = Elementwise::new("x: u8", "z: u8 = x + 100u").unwrap().call(&bytes).unwrap();
        assert_eq!(more.cast::<u32>().to_vec().unwrap(), [44, 107, 99, 101, 100]);
        assert_eq!(more.to_vec().unwrap(), [44, 107, 99, 101, 100]);
        let wide: Array<u32> = Elementwise::new("x: u8, y: u16", "x * y").unwrap().call((&bytes, 300u16)).unwrap();
        assert_eq!(wide.to_vec().unwrap(), [60_000, 2100, 76_500, 300, 0]);
        let mask = Array::from_slice(device, &[true, false, true]);
        let not: Array<bool> = Elementwise::new("x: bool, y: T", "x & (y > T(2))")
            .unwrap()
            .call((&mask, &Array::arange(device, 2, 5, 1)))
            .unwrap();
        assert_eq!(not.to_vec().unwrap(), [false, false, true]);
        if has(device, f16::DTYPE) {
            // A type that only the text uses.
            let half: Array<f32> =
                Elementwise::new("x: f32", "f32(f16(x))").unwrap().call(&Array::full(device, &[5], 0.1f32)).unwrap();
            // NVIDIA's Vulkan driver 580 drops a conversion there and back: 0.1 keeps its bits.
            let (got, rounded) = (half.to_vec().unwrap(), [f16::from_f32(0.1).to_f32(); 5]);
            let dropped = device.properties().vendor == "NVIDIA" && got == [0.1; 5];
            assert!(got == rounded || dropped, "{got:?} on {}", name(device));
        }
    }
}

#[test]
fn views_and_broadcasting() {
    for device in apis() {
        spoil(device);
        let kernel = Elementwise::new("x: i32, y: i32, z: i32", "x * 100 - y + z").unwrap();
        let host = Dense::new(&[6, 40], small::<i32>(240));
        let x = upload(device, &host);
        let row = Dense::new(&[40], small::<i32>(40));
        let column = host.slice(1, 3, 1, 1);
        let wanted =
            host.zip(&row.broadcast(&[6, 40]), |x, y| x * 100 - y).zip(&column.broadcast(&[6, 40]), |x, z| x + z);
        let got: Array<i32> = kernel.call((&x, &upload(device, &row), x.slice(crosslane::s![.., 3..4]))).unwrap();
        same(&got, &wanted, "rows and columns");
        let views = kernel.call::<i32>((&x.permute([1, 0]), x.flip(0).permute([1, 0]), 5)).unwrap();
        let wanted = host.permute(&[1, 0]).zip(&host.flip(0).permute(&[1, 0]), |x, y| x * 100 - y + 5);
        same(&views, &wanted, "transposed and flipped");
        // A view of what is called moves to its inputs: still one kernel.
        let part = views.slice(crosslane::s![1..30;3, -2]);
        one_kernel(&kernel.call::<i32>((&x.permute([1, 0]), x.flip(0).permute([1, 0]), 5)).unwrap().flip(1));
        let wanted = wanted.slice(0, 1, 3, 10);
        let wanted = Dense::new(&[10], wanted.slice(1, 4, 1, 1).data);
        same(&part, &wanted, "a view of the result");
    }
}

#[test]
fn index_and_length() {
    for device in apis() {
        let kernel = Elementwise::new("x: f32", "x + f32(i) / f32(n)").unwrap();
        let x = Array::<f32>::zeros(device, &[4, 2]);
        let ramp: Array<f32> = kernel.call(&x).unwrap();
        assert_eq!(ramp.to_vec().unwrap(), [0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875]);
        let turned = kernel.call::<f32>(&x).unwrap().permute([1, 0]);
        assert_eq!(turned.to_vec().unwrap(), [0.0, 0.25, 0.5, 0.75, 0.125, 0.375, 0.625, 0.875]);
        // Of the shape that the arguments broadcast to.
        let index: Array<u32> = Elementwise::new("x, y", "i")
            .unwrap()
            .call((&x.slice(crosslane::s![.., ..1]), &Array::<i32>::zeros(device, &[3])))
            .unwrap();
        assert_eq!((index.shape(), index.to_vec().unwrap()), (&[4, 3][..], (0..12).collect()));
    }
}

#[test]
fn fuses_with_what_stands_around_it() {
    let kernel = Elementwise::new("x: f32, y: f32", "x * y + 1.0").unwrap();
    for device in apis() {
        let (a, b) = (small::<f32>(4096), small::<f32>(4099)[3..].to_vec());
        let (x, y) = (Array::from_slice(device, &a), Array::from_slice(device, &b));
        eval_all(&[&x, &y]).unwrap();
        let sum = (kernel.call::<f32>((&x.abs(), &y)).unwrap() * 2.0).cast::<i32>();
        let text = one_kernel(&sum);
        assert!(text.contains("fn formula0(x: f32, y: f32) -> f32"), "{text}");
        // Four elements at once, one call for each, but on a processor, whose vectors are neighbouring invocations.
        let is_wide = text.contains("vec4<f32>(formula0(") && text.contains("array<vec4<f32>>");
        assert_eq!(is_wide, device.caps().processor.is_none(), "{text}");
        let wanted: Vec<i32> = a.iter().zip(&b).map(|(x, y)| ((x.abs() * y + 1.0) * 2.0) as i32).collect();
        assert_eq!(sum.to_vec().unwrap(), wanted);
        // Into a reduction, and twice in one kernel, the text once.
        let nested = kernel.call::<f32>((&kernel.call::<f32>((&x, &y)).unwrap(), &x)).unwrap();
        // Threads of a processor share a reduction, which is then two kernels.
        let text = one_kernel(&if device.caps().processor.is_none() { nested.max() } else { nested.clone() });
        assert_eq!(text.matches("fn formula").count(), 1, "{text}");
        let wanted = a.iter().zip(&b).map(|(x, y)| (x * y + 1.0) * x + 1.0);
        assert_eq!(nested.max().item().unwrap(), wanted.fold(f32::MIN, f32::max));
        // Two texts in one kernel.
        let other = Elementwise::new("a: f32", "a - 3.0").unwrap().call::<f32>(&x).unwrap();
        let both = &other * &kernel.call::<f32>((&x, &other)).unwrap();
        assert!(one_kernel(&both).contains("fn formula1(x: f32, y: f32)"));
        let wanted: Vec<f32> = a.iter().map(|x| (x - 3.0) * (x * (x - 3.0) + 1.0)).collect();
        assert_eq!(both.to_vec().unwrap(), wanted);
    }
}

#[test]
fn scalars_share_a_kernel() {
    let kernel = Elementwise::new("x: f32, k: u32, s: bool", "select(-x, x * f32(k), s)").unwrap();
    for device in apis() {
        let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
        let call = |k: u32, s: bool| kernel.call::<f32>((&x, k, s)).unwrap();
        assert_eq!(one_kernel(&call(2, true)), one_kernel(&call(3, false)));
        assert_eq!(call(2, true).to_vec().unwrap(), [2.0, 4.0, 6.0]);
        assert_eq!(call(5, true).to_vec().unwrap(), [5.0, 10.0, 15.0]);
        assert_eq!(call(5, false).to_vec().unwrap(), [-1.0, -2.0, -3.0]);
    }
}

#[test]
fn as_many_arguments_as_a_kernel_binds() {
    let kernel = Elementwise::new("a: T, b: T, c: T, d: T, e: T, f: T, g: T, h: T", "a+b+c+d+e+f+g+h").unwrap();
    for device in apis() {
        let x: Vec<Array<i32>> = (0..8).map(|k| Array::from_slice(device, &small::<i32>(50 + k)[k..])).collect();
        let sum = kernel.call::<i32>((&x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7]));
        let host: Vec<i32> = (0..50).map(|at| (0..8).map(|k| small::<i32>(50 + k)[k + at]).sum()).collect();
        match device.caps().bindings > 8 {
            true => assert_eq!(sum.unwrap().to_vec().unwrap(), host),
            false => assert!(sum.unwrap_err().to_string().contains("at most 7 arrays"), "on {}", name(device)),
        }
        // Inputs that are expressions of several arrays are computed first where they are too many.
        let y: Vec<Array<i32>> = (0..6).map(|k| &x[k] * &x[k + 1] + &x[k + 2]).collect();
        let deep = kernel.call::<i32>((&y[0], &y[1], &y[2], &y[3], &y[4], &y[5], 1, 2)).unwrap();
        let at = |k: usize, at: usize| small::<i32>(50 + k)[k + at];
        let wanted: Vec<i32> =
            (0..50).map(|p| 3 + (0..6).map(|k| at(k, p) * at(k + 1, p) + at(k + 2, p)).sum::<i32>()).collect();
        assert_eq!(deep.to_vec().unwrap(), wanted, "on {}", name(device));
    }
}

#[test]
fn reductions_along_axes() {
    let dot = Reduction::new("x: T, y: T", "x * y", "a + b", "0", "").unwrap();
    let length = Reduction::new("x: f32", "x * x", "a + b", "0", "r = sqrt(a)").unwrap();
    let largest = Reduction::new("x: T", "abs(x)", "max(a, b)", "T(0)", "a > T(4)").unwrap();
    for device in apis() {
        spoil(device);
        let host = Dense::new(&[7, 33, 5], small::<i32>(7 * 33 * 5));
        let x = upload(device, &host);
        for (axes, reduced) in
            [(vec![0isize], [true, false, false]), (vec![1], [false, true, false]), (vec![-1, 0], [true, false, true])]
        {
            let got = dot.call_axes::<i32>((&x, &x.flip(1)), kept(&axes, true)).unwrap();
            let product = host.zip(&host.flip(1), |x, y| x * y);
            let wanted: Vec<i32> = product.groups(&reduced).iter().map(|group| group.iter().sum()).collect();
            assert_eq!(got.to_vec().unwrap(), wanted, "{axes:?} on {}", name(device));
            assert_eq!(got.rank(), 3);
            let over = largest.call_axes::<bool>(&x, &axes).unwrap();
            let wanted: Vec<bool> =
                host.groups(&reduced).iter().map(|group| group.iter().any(|x| x.abs() > 4)).collect();
            assert_eq!(over.to_vec().unwrap(), wanted, "{axes:?} on {}", name(device));
        }
        let y = x.cast::<f32>();
        let text = one_kernel(&length.call_axes::<f32>(&y, 2).unwrap());
        assert!(text.contains("fn post(a: f32)") && text.contains("fn formula0(x: f32)"), "{text}");
        let (wanted, got) = (host.data.iter().map(|x| x * x).sum::<i32>() as f32, length.call::<f32>(&y).unwrap());
        assert!((got.item().unwrap() - wanted.sqrt()).abs() < 1e-3);
        // Of long rows, in two launches; and what follows.
        let long = Array::from_slice(device, &small::<i32>(300_000));
        let wanted: i32 = small::<i32>(300_000).iter().map(|x| x * 2).sum();
        assert_eq!((dot.call::<i32>((&long, 2)).unwrap() + 1).item().unwrap(), wanted + 1);
        let mixed = Reduction::new("x: T", "f32(x) + f32(i)", "max(a, b)", "-inf", "i32(a)").unwrap();
        let wanted = small::<i32>(300_000).iter().enumerate().map(|(i, x)| i as i32 + x).max();
        assert_eq!(mixed.call::<i32>(&long).unwrap().item().unwrap(), wanted.unwrap());
        // Nothing: what `post` makes of the identity.
        let empty = Array::<f32>::zeros(device, &[2, 0]);
        let cosine = Reduction::new("x: f32", "x", "a + b", "0", "cos(a)").unwrap();
        assert_eq!(cosine.call_axes::<f32>(&empty, 1).unwrap().to_vec().unwrap(), [1.0, 1.0]);
    }
}

#[test]
fn expressions_of_rust() {
    for device in apis() {
        let x = Array::from_slice(device, &[1.0f32, 4.0, 9.0]);
        let (y, factor) = (&x + 1.0, 2.0f32);
        let call = |x: &Array<f32>| -> Array<f32> { map!([x, y, factor] => sqrt(x) * factor - y).unwrap() };
        assert_eq!(call(&x).to_vec().unwrap(), [0.0, -1.0, -4.0]);
        let mask: Array<bool> = map!([x] => x > 2.0 && x < 5.0).unwrap();
        assert_eq!(mask.to_vec().unwrap(), [false, true, false]);
        let wrong: crosslane::Result<Array<f32>> = map!([x] => x as f64);
        assert!(wrong.unwrap_err().to_string().contains("does not compile"));
    }
}

/// The message of a text that does not compile.
#[track_caller]
fn refused(parameters: &str, text: &str) -> String {
    let line = std::panic::Location::caller().line();
    let error = Elementwise::new(parameters, text).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Compile { .. }), "{error}");
    assert_eq!(error.call_site().unwrap().line(), line, "{error}");
    error.to_string()
}

#[test]
fn mistakes_in_the_text() {
    let points = |error: &str, place: &str, marked: &str| {
        assert!(error.contains(&format!("┌─ {place}\n")), "{place}: {error}");
        let lines: Vec<&str> = error.lines().collect();
        let at = lines.iter().position(|line| line.contains('^')).unwrap_or_else(|| panic!("no mark: {error}"));
        let column = lines[at].chars().position(|c| c == '^').unwrap();
        let length = lines[at].chars().filter(|&c| c == '^').count();
        let under: String = lines[at - 1].chars().skip(column).take(length).collect();
        assert_eq!(under, marked, "{error}");
    };
    points(&refused("x: f32", "y = x * speed"), "expression:1:9", "speed");
    points(&refused("x: f32", "let t = x;\n  y = t + q(t)"), "expression:2:11", "q");
    points(&refused("x: T, y: T", "let ä = T(1); z = x * T(y) + w"), "expression:1:30", "w");
    points(&refused("x: f32", "(x"), "expression:1:1", "(");
    points(&refused("x: f32", "x } fn f() {"), "expression:1:3", "}");
    points(&refused("x: f32", "return x;"), "expression:1:1", "return");
    points(&refused("x: f32", "z = vec2(x, x)"), "expression:1:5", "vec2(x, x)");
    points(&refused("x: f32", "z: vec2<f32> = vec2(x, x)"), "expression:1:4", "vec2<f32>");
    points(&refused("x: f32, y: f33", "x"), "parameters:1:12", "f33");
    points(&refused("x: f32, x: f32", "x"), "parameters:1:9", "x");
    points(&refused("x y: f32", "x"), "parameters:1:1", "x y");
    points(&refused("n: f32", "n"), "parameters:1:1", "n");
    for (parameters, text, wanted) in [
        ("x: f32", "", "without a value"),
        ("x: f32", "z = 1.0; if z > 0.0 { }", "without a value"),
        ("x: f32", "z: i32 = x", "i32"),
        ("x: f32", "x + 1u", ""),
        ("x: f32", "workgroupBarrier(); x", "barrier has no place"),
        ("x: f32", "subgroupAdd(x)", "other invocations"),
        ("x: f32", "m_tanh(x)", "m_tanh"),
        ("x: f32", "value(i)", "value"),
        ("x: f32", "params.count", "params"),
        ("x: f32", "/* never closed", ""),
        ("x: f32", "x +* 1.0", ""),
        ("struct: f32", "1.0", ""),
        ("x: f32", "discard; x", "no place"),
        ("x: f32", "\0", ""),
        ("x: T", "x.y.z", ""),
    ] {
        let error = refused(parameters, text);
        assert!(error.contains(wanted) && error.contains("does not compile"), "{text}: {error}");
    }
    let reduction =
        |map, combine, identity, post| Reduction::new("x: f32", map, combine, identity, post).unwrap_err().to_string();
    points(&reduction("x * q", "a + b", "0", ""), "map:1:5", "q");
    points(&reduction("x", "a + c", "0", ""), "combine:1:5", "c");
    points(&reduction("x", "a + b", "zero", ""), "identity:1:1", "zero");
    points(&reduction("x", "a + b", "0", "sqrt(b)"), "post:1:6", "b");
    assert!(reduction("x", "a < b", "0", "").contains("f32"));
    assert!(reduction("x > 1.0", "a & b", "0", "").contains("u32(..)"));
    assert!(reduction("x", "a + b", "1u", "").contains("identity"));
}

#[test]
fn mistakes_in_the_call() {
    let same = Elementwise::new("x: T, y: T", "x + y").unwrap();
    let floats = Elementwise::new("x: f32, y: f32", "x + y").unwrap();
    for device in apis() {
        let (x, k) = (Array::<f32>::ones(device, &[3]), Array::<i32>::ones(device, &[3]));
        let says = |result: crosslane::Result<Array<f32>>, line: u32, words: &[&str]| {
            let error = result.unwrap_err();
            assert!(words.iter().all(|word| error.to_string().contains(word)), "{error}");
            assert_eq!(error.call_site().unwrap().line(), line, "{error}");
        };
        says(floats.call(&x), line!(), &["wanted 2: x, y", "got 1"]);
        says(floats.call((&x, &k)), line!(), &["y: wanted f32", "got i32"]);
        says(floats.call((&x, 2.0f64)), line!(), &["y: wanted f32", "got f64"]);
        says(same.call((&x, &k)), line!(), &["y: wanted f32, which T is by x", "got i32"]);
        says(same.call((&k, &k)), line!(), &["result", "Array<i32>", "got Array<f32>"]);
        says(floats.call((1.0f32, 2.0f32)), line!(), &["an array among them"]);
        says(floats.call((&x, &Array::<f32>::ones(device, &[4]))), line!(), &["[3] and [4]"]);
        says(floats.call((&x, x.sum_axes(5))), line!(), &["axis"]);
        let elsewhere = crosslane::Device::cpu_as(crosslane::cpu::Profile::webgpu()).unwrap();
        says(floats.call((&x, &Array::<f32>::ones(&elsewhere, &[3]))), line!(), &["device"]);
        let dot = Reduction::new("x: T, y: T", "x * y", "a + b", "0", "").unwrap();
        says(dot.call((&x, &k)), line!(), &["which T is by x"]);
        says(dot.call_axes((&x, &x), 1), line!(), &["axis"]);
        // A type that a letter does not fit comes out at the call.
        let bits = Elementwise::new("x: T", "x << 1u").unwrap();
        says(bits.call(&x), line!(), &["does not compile", "expression:1:1"]);
        for missing in ["f16", "f64"] {
            if !has(device, if missing == "f16" { f16::DTYPE } else { f64::DTYPE }) {
                let text = format!("f32({missing}(x))");
                let unfit = Elementwise::new("x: f32", &text).unwrap();
                says(unfit.call(&x), line!(), &["does not have", missing.trim_start_matches('f')]);
            }
        }
        assert_eq!(floats.call::<f32>((&x, 2.0f32)).unwrap().to_vec().unwrap(), [3.0; 3]);
    }
}

#[cfg(feature = "macros")]
mod structures {
    use crate::support::*;
    use bytemuck::{Pod, Zeroable};
    use crosslane::{Array, Kernel, Parameters, f16};

    #[derive(Clone, Copy, Pod, Zeroable, Parameters)]
    #[repr(C)]
    struct Body {
        turn: [[f32; 4]; 2],
        place: [f32; 3],
        mass: f32,
        cell: [i32; 2],
        r#loop: u32,
        _end: u32,
    }

    #[derive(Clone, Copy, Pod, Zeroable, Parameters)]
    #[repr(C)]
    struct Other {
        turn: [f32; 8],
        place: [f32; 3],
        mass: u32,
    }

    #[derive(Clone, Copy, Pod, Zeroable, Parameters)]
    #[repr(C)]
    struct Small {
        scale: f32,
        offset: i32,
    }

    const WGSL: &str = "
        struct Body { turn: mat2x4<f32>, place: vec3<f32>, mass: f32, cell: vec2<i32>, loop_: u32 }
        @group(0) @binding(0) var<uniform> body: Body;
        @group(0) @binding(1) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(1) fn main() {
            y[0] = body.turn[1].z; y[1] = body.place.y; y[2] = body.mass;
            y[3] = f32(body.cell.y); y[4] = f32(body.loop_);
        }
    ";

    #[test]
    fn lie_where_wgsl_has_them() {
        let body = Body {
            turn: [[0.0; 4], [1.0, 2.0, 3.0, 4.0]],
            place: [5.0, 6.0, 7.0],
            mass: 8.0,
            cell: [9, -10],
            r#loop: 11,
            _end: 12,
        };
        let padded = Kernel::wgsl(
            &WGSL.replace("loop_", "loops").replace("loops: u32", "_loop: u32").replace(".loops", "._loop"),
        )
        .unwrap();
        let named = Kernel::wgsl(WGSL).unwrap();
        for device in apis() {
            let mut y = Array::<f32>::zeros(device, &[5]);
            let says = |result: crosslane::Result<()>, words: &str| {
                let error = result.unwrap_err().to_string();
                assert!(error.contains(words), "{words}: {error}");
            };
            // A member that is padding by its name is none to compare: `loop` is one too many.
            says(padded.grid([1]).args((&body, &mut y)).launch(device), "Body.loop is not in the WGSL structure");
            says(
                named.grid([1]).args((&body, &mut y)).launch(device),
                "`loop_: u32` at byte 56, where Body has `loop`",
            );
            says(
                named.grid([1]).args((&Other::zeroed(), &mut y)).launch(device),
                "Other.mass: f32 in WGSL, u32 in Rust",
            );
            says(named.grid([1]).args((&Small::zeroed(), &mut y)).launch(device), "where Small has `scale`");
            says(named.grid([1]).args((&[0u32; 4], &mut y)).launch(device), "a structure is wanted, not vec4<u32>");
            let wgsl = WGSL.replace("loop_: u32", "@size(8) sum: u32").replace("loop_", "sum");
            let wgsl = wgsl.replace("struct", "alias A = u32; struct");
            says(Kernel::wgsl(&wgsl).unwrap().grid([1]).args((&body, &mut y)).launch(device), "where Body has `loop`");
        }
    }

    #[test]
    fn as_uniforms_and_immediates() {
        let uniform = Kernel::wgsl(
            "struct Small { scale: f32, offset: i32 }
            @group(0) @binding(0) var<uniform> small: Small;
            @group(0) @binding(1) var<uniform> turn: mat2x4<f32>;
            @group(0) @binding(2) var<storage, read_write> y: array<f32>;
            @compute @workgroup_size(1) fn main() { y[0] = small.scale * turn[1].x + f32(small.offset); }",
        )
        .unwrap();
        let immediate = Kernel::wgsl(
            "struct Small { scale: f32, offset: i32 }
            @group(0) @binding(0) var<storage, read_write> y: array<f32>;
            var<immediate> small: Small;
            @compute @workgroup_size(1) fn main() { y[0] = small.scale + f32(small.offset); }",
        )
        .unwrap();
        let small = Small { scale: 2.5, offset: -1 };
        for device in apis() {
            let mut y = Array::<f32>::zeros(device, &[1]);
            uniform.grid([1]).args((&small, &[[1.0f32; 4], [3.0; 4]], &mut y)).launch(device).unwrap();
            assert_eq!(y.item().unwrap(), 6.5, "on {}", name(device));
            let error = uniform.grid([1]).args((&small, &[1.0f32, 2.0], &mut y)).launch(device).unwrap_err();
            assert!(error.to_string().contains("mat2x4<f32> in WGSL, vec2<f32> in Rust"), "{error}");
            if device.caps().immediate_bytes > 0 {
                immediate.grid([1]).args((&mut y, &small)).launch(device).unwrap();
                assert_eq!(y.item().unwrap(), 1.5, "on {}", name(device));
                let error = immediate.grid([1]).args((&mut y, &Other::zeroed())).launch(device).unwrap_err();
                assert!(error.to_string().contains("`scale: f32` at byte 0, where Other has `turn`"), "{error}");
            }
        }
    }

    #[test]
    fn are_described() {
        assert_eq!((Body::TYPE.bytes(), <[f16; 3]>::TYPE.bytes()), (64, 6));
        let crosslane::kernel::HostType::Structure { fields, .. } = Body::TYPE else { panic!("{:?}", Body::TYPE) };
        let found: Vec<_> = fields.iter().map(|field| (field.name, field.offset)).collect();
        assert_eq!(found, [("turn", 0), ("place", 32), ("mass", 44), ("cell", 48), ("loop", 56)]);
    }
}
