//! Random numbers: the same bits on every device, bounds, edges and errors; their distributions.

mod statistics;

use crate::support::*;
use crosslane::random::{Generator, Halton, Sobol};
use crosslane::{Array, Device, Element, Result};

const COUNT: usize = 3001;

/// A hash of an array's bits (FNV-1a of 64 bits).
fn hash<T: Element>(array: Array<T>) -> Result<u64> {
    let byte = |hash: u64, byte: u8| (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3);
    let bits = array.to_vec()?.into_iter().flat_map(|x| x.scalar().bits.to_le_bytes());
    Ok(bits.fold(0xcbf2_9ce4_8422_2325, byte))
}

/// A name, the hash of what is drawn, and what it must be on every device.
type Row = (&'static str, fn(&mut Generator) -> Result<u64>, u64);

/// Parameters along an axis: from small to large.
fn ramp(random: &Generator, most: f32) -> Array<f32> {
    Array::linspace(random.device(), 0.01, most, COUNT)
}

const ROWS: &[Row] = &[
    ("words", |r| hash(r.words(&[COUNT])), 0xb3c0_2a73_102a_0e17),
    ("uniform", |r| hash(r.uniform::<f32>(&[COUNT])), 0x2532_21c5_5a60_1992),
    ("uniform_in", |r| hash(r.uniform_in(-3.0f32..0.1, &[COUNT])), 0xa7cd_fb38_35df_939a),
    ("integers", |r| hash(r.integers(-5..1_300_000_000, &[COUNT])), 0x5517_6222_3285_ccac),
    ("normal", |r| hash(r.normal::<f32>(&[COUNT])), 0x9a4b_6f4d_c52a_3c01),
    ("lognormal", |r| hash(r.lognormal(0.5, 3.0, &[COUNT])), 0x8b83_a40d_cce9_f025),
    ("exponential", |r| hash(r.exponential(&[COUNT])), 0x33c7_f682_db79_2515),
    ("gamma", |r| hash(r.gamma(ramp(r, 50.0), &[COUNT])), 0xb92a_e83e_0c54_3ad7),
    ("beta", |r| hash(r.beta(0.5, ramp(r, 20.0), &[COUNT])), 0x9d65_a54f_3cc7_0f27),
    ("bernoulli", |r| hash(r.bernoulli(0.25, &[COUNT])), 0x3577_7073_7b20_44a5),
    ("poisson", |r| hash(r.poisson(ramp(r, 200.0), &[COUNT])), 0xe71b_220a_f2a1_e50d),
    ("binomial", |r| hash(r.binomial(1000u32, ramp(r, 0.99), &[COUNT])), 0x19f9_d8e1_419b_96ee),
    ("geometric", |r| hash(r.geometric(0.01, &[COUNT])), 0x2325_03dc_ad20_2c90),
    ("categorical", |r| hash(r.categorical(&[0.5, 0.0, 1.5, 0.25], &[COUNT])), 0xb736_64e0_c650_c364),
    ("multinomial", |r| hash(r.multinomial(50, &[0.5, 1.5, 0.25], &[100])?), 0x1f52_8e4d_2aca_26ab),
    ("permutation, sorted", |r| hash(r.permutation(1000)), 0x5f5a_42e2_d8ba_ea5d),
    ("permutation, computed", |r| hash(r.permutation(5000)), 0x5e3c_af38_8721_ac41),
    ("sobol", |r| hash(Sobol::new(7)?.scrambled(3).points(r.device(), 300)), 0x1f15_fb2c_0b66_bee9),
    ("halton", |r| hash(Halton::new(7)?.scrambled(3).points(r.device(), 300)), 0x0b0a_effa_713c_f33a),
];

/// Types of 64 bits, on devices that have them.
const DOUBLES: &[Row] = &[("uniform of f64", |r| hash(r.uniform::<f64>(&[COUNT])), 0x4f02_342b_db10_7817)];
const LONG: &[Row] = &[
    ("integers of u64", |r| hash(r.integers::<u64>(.., &[COUNT])), 0x8bb5_c5f0_1209_3880),
    ("integers of i64", |r| hash(r.integers(-3i64..1 << 40, &[COUNT])), 0x1f36_6b68_a556_27af),
];
const HALVES: &[Row] = &[("uniform of f16", |r| hash(r.uniform::<crosslane::f16>(&[COUNT])), 0x5923_2702_d6e8_12ea)];

/// The rows of which a device has the types.
fn rows(device: &Device) -> impl Iterator<Item = &'static Row> {
    let caps = device.caps();
    let sets = [(true, ROWS), (caps.f64, DOUBLES), (caps.i64, LONG), (caps.f16, HALVES)];
    sets.into_iter().filter(|(there, _)| *there).flat_map(|(_, rows)| rows)
}

#[test]
fn bits_are_the_same_on_every_device() {
    let mut wrong = vec![];
    for device in devices() {
        for (what, drawn, wanted) in rows(device) {
            let mut random = Generator::new(device, 0x0123_4567_89ab_cdef);
            // Blocks whose numbers pass 32 bits.
            random.jump((1 << 32) - 50);
            let got = drawn(&mut random).unwrap_or_else(|error| panic!("{what} on {}: {error}", name(device)));
            if got != *wanted {
                wrong.push(format!("{what} on {}: {got:#018x}", name(device)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn draws_continue_where_others_end() {
    for device in devices() {
        let all = Generator::new(device, 5).words(&[4000]).to_vec().unwrap();
        let mut random = Generator::new(device, 5);
        let parts: Vec<Vec<u32>> =
            [400, 1200, 2400].map(|count| random.words(&[count]).to_vec().unwrap()).into_iter().collect();
        assert_eq!(parts.concat(), all, "on {}", name(device));
        let shaped = Generator::new(device, 5).words(&[8, 20, 25]).to_vec().unwrap();
        assert_eq!(shaped, all, "on {}", name(device));
        let mut later = Generator::new(device, 5);
        later.jump(100);
        assert_eq!(later.words(&[1200]).to_vec().unwrap(), all[400..1600], "on {}", name(device));
    }
}

/// A view is taken of the expression: other indices than those of the draw's own kernel, four together and apart.
#[test]
fn views_before_evaluation_are_views_after_it() {
    for device in devices() {
        let drawn = || Generator::new(device, 9).normal::<f32>(&[60, 52]);
        let kept = drawn();
        kept.eval().unwrap();
        type View = fn(&Array<f32>) -> Array<f32>;
        let views: [View; 4] = [
            |x| x.slice(&[(1..).into(), (3..).into()]),
            |x| x.transpose(),
            |x| x.flip(1),
            |x| x.slice(&[(5..6).into(), (..).into()]).broadcast_to(&[4, 52]),
        ];
        for (nth, view) in views.iter().enumerate() {
            let (got, wanted) = (view(&drawn()).to_vec().unwrap(), view(&kept).to_vec().unwrap());
            assert_eq!(got, wanted, "view {nth} on {}", name(device));
        }
    }
}

#[test]
fn bounds_hold() {
    for device in devices() {
        let mut random = Generator::new(device, 11);
        let within = |x: Array<f32>, low: f32, high: f32| {
            let (least, most) = (x.min().item().unwrap(), x.max().item().unwrap());
            assert!(low <= least && most <= high, "{low} <= {least}, {most} <= {high} on {}", name(device));
        };
        within(random.uniform(&[COUNT]), 0.0, 1.0 - f32::EPSILON / 2.0);
        // A range of one step of f32 has one number.
        within(random.uniform_in(1.0..1.0 + f32::EPSILON, &[COUNT]), 1.0, 1.0);
        within(random.uniform_in(-f32::MAX..0.0, &[COUNT]), -f32::MAX, -f32::MIN_POSITIVE * 0.0);
        within(random.exponential(&[COUNT]), 0.0, 22.3);
        within(random.gamma(1e-3, &[COUNT]), 0.0, 100.0);
        within(random.beta(1e-3, 2e-3, &[COUNT]), 0.0, 1.0);
        let counts = |x: Array<u32>, low: u32, high: u32| {
            let (least, most) = (x.min().item().unwrap(), x.max().item().unwrap());
            assert!(low <= least && most <= high, "{low} <= {least}, {most} <= {high} on {}", name(device));
        };
        counts(random.binomial(3u32, 0.99, &[COUNT]), 0, 3);
        counts(random.binomial(7u32, 1.0, &[COUNT]), 7, 7);
        counts(random.binomial(7u32, 0.0, &[COUNT]), 0, 0);
        counts(random.poisson(0.0, &[COUNT]), 0, 0);
        counts(random.geometric(1.0, &[COUNT]), 1, 1);
        counts(random.integers(41..42u32, &[COUNT]), 41, 41);
        counts(random.integers(u32::MAX - 1.., &[COUNT]), u32::MAX - 1, u32::MAX);
        let order = random.permutation(6000).sort().to_vec().unwrap();
        assert_eq!(order, (0..6000).collect::<Vec<u32>>(), "on {}", name(device));
    }
}

#[test]
fn nothing_is_drawn_of_nothing() {
    for device in quick() {
        let mut random = Generator::new(device, 1);
        assert!(random.normal::<f32>(&[0, 4]).to_vec().unwrap().is_empty());
        assert!(random.permutation(0).to_vec().unwrap().is_empty());
        assert_eq!(random.permutation(1).to_vec().unwrap(), [0]);
        assert!(random.shuffle(&device.array(Vec::<f32>::new())).to_vec().unwrap().is_empty());
        assert_eq!(random.uniform::<f32>(&[]).to_vec().unwrap().len(), 1);
        assert!(Sobol::new(3).unwrap().points(device, 0).to_vec().unwrap().is_empty());
        let none = random.choice_without_replacement(&device.array([1, 2]), 0).unwrap();
        assert!(none.to_vec().unwrap().is_empty());
    }
}

/// Random numbers are expressions: one kernel, and none is planned anew for another seed.
#[test]
fn draws_fuse() {
    let device = Device::cpu().unwrap();
    let pi = |seed| {
        let mut random = Generator::new(&device, seed);
        let (x, y) = (random.uniform::<f32>(&[COUNT]), random.uniform::<f32>(&[COUNT]));
        (x.square() + y.square()).less(1.0).cast::<f32>().mean()
    };
    let steps = |seed| pi(seed).explain().unwrap().steps;
    let kernels =
        |seed| steps(seed).into_iter().flat_map(|step| step.kernels).map(|kernel| kernel.2).collect::<Vec<_>>();
    assert_eq!(steps(1)[0].bytes, 4, "a reduction that reads nothing, and what divides its result");
    assert_eq!(kernels(1), kernels(2));
}

/// Long draws are in maps only, one in each: not in reductions, and not in epilogues.
#[test]
fn long_draws_are_maps() {
    let device = Device::cpu().unwrap();
    let gamma = |seed| Generator::new(&device, seed).gamma(2.5, &[20, 30]);
    let steps = |x: &Array<f32>| x.explain().unwrap().steps.iter().map(|step| step.operation).collect::<Vec<_>>();
    assert_eq!(steps(&(gamma(1) * 2.0 + 1.0)), ["map"]);
    assert_eq!(steps(&gamma(1).max()), ["map", "reduce"]);
    assert_eq!(steps(&(gamma(1) + gamma(2))), ["map", "map", "map"]);
    let ones = Array::from_slice(&device, &[1.0f32; 800]).reshape(&[20, 40]);
    let product = || ones.matmul(&Array::ones(&device, &[40, 30]));
    assert_eq!(steps(&(product() + gamma(1))), ["matmul", "map"]);
    let wanted: Vec<f32> = gamma(1).to_vec().unwrap().into_iter().map(|x| x + 40.0).collect();
    assert_eq!((product() + gamma(1)).to_vec().unwrap(), wanted);
}

/// A draw that cannot be made takes nothing from the generator.
#[test]
fn failed_draws_take_nothing() {
    let (device, other) = (Device::cpu().unwrap(), Device::cpu().unwrap());
    let mut random = Generator::new(&device, 1);
    held(&random.gamma(Array::<f32>::ones(&other, &[4]), &[4]));
    held(&random.uniform::<f32>(&[1 << 33]));
    assert_eq!(random.words(&[4]).to_vec().unwrap(), Generator::new(&device, 1).words(&[4]).to_vec().unwrap());
}

#[test]
fn mistakes_are_told() {
    let device = Device::cpu().unwrap();
    let mut random = Generator::new(&device, 1);
    let told = |error: crosslane::Error, words: &[&str]| {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}: {words:?}");
    };
    told(held(&random.gamma(-1.0, &[4])), &["gamma", "shape", "above 0", "-1"]);
    told(held(&random.gamma(f32::NAN, &[4])), &["gamma", "shape", "NaN"]);
    told(held(&random.gamma(device.array([1.0f32, 2.0, 3.0]), &[4])), &["gamma", "[4]", "[3]"]);
    told(held(&random.gamma(device.array([1.0f32, 2.0]), &[])), &["gamma", "[]", "[2]"]);
    told(held(&random.poisson(-0.5, &[4])), &["poisson", "rate", "-0.5"]);
    told(held(&random.binomial(1 << 25, 0.5, &[4])), &["binomial", "trials", "33554432"]);
    told(held(&random.binomial(10, 1.5, &[4])), &["binomial", "chance", "1.5"]);
    told(held(&random.uniform_in(1.0f32..1.0, &[4])), &["uniform_in", "range", "1..1"]);
    told(held(&random.uniform_in(0.0f32..f32::INFINITY, &[4])), &["uniform_in", "range", "inf"]);
    told(held(&random.integers(5..5u32, &[4])), &["integers", "range", "5..=4"]);
    told(held(&random.categorical(&[0.0, 0.0], &[4])), &["categorical", "weights"]);
    told(held(&random.categorical(&[-1.0, 2.0], &[4])), &["categorical", "weights", "-1"]);
    told(held(&random.dirichlet(&[], &[4])), &["dirichlet", "weights"]);
    told(held(&random.xavier_normal::<f32>(&[4])), &["xavier_normal", "shape", "[4]"]);
    told(held(&random.choice(&device.array(Vec::<f32>::new()), &[4])), &["choice", "[0]"]);
    let x = device.array([1, 2, 3]);
    told(random.choice_without_replacement(&x, 4).unwrap_err(), &["choice_without_replacement", "4", "[3]"]);
    told(random.choice_by_weights(&x, &[1.0, 0.0, 0.0], 2).unwrap_err(), &["choice_by_weights", "2 above 0", "1"]);
    told(random.choice_by_weights(&x, &[1.0], 1).unwrap_err(), &["choice_by_weights", "weights", "3"]);
    told(Sobol::new(1025).unwrap_err(), &["sobol", "1024", "1025"]);
    // A draw that failed takes nothing from the generator, and it goes on.
    assert_eq!(random.words(&[4]).to_vec().unwrap(), Generator::new(&device, 1).words(&[4]).to_vec().unwrap());
}

#[test]
fn generators_are_apart() {
    let device = Device::cpu().unwrap();
    let mut random = Generator::new(&device, 1);
    let words = |mut random: Generator| random.words(&[4]).to_vec().unwrap();
    let mut all =
        vec![words(random.clone()), words(random.fork(0)), words(random.fork(1)), words(random.fork(1).fork(0))];
    all.extend(random.split(3).into_iter().map(words));
    all.extend(random.split(2).into_iter().map(words));
    all.push(words(random.clone()));
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
    assert_eq!(words(random.fork(1)), words(Generator::new(&device, 1).fork(1)));
}

/// NumPy's and SciPy's answers: `scipy.stats.qmc.Sobol(5, scramble=False).random(8)`, and `Halton`.
#[test]
fn sequences_are_scipys() {
    for device in quick() {
        let points = Sobol::new(5).unwrap().points(device, 8).to_vec().unwrap();
        let wanted = [
            [0.0, 0.0, 0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25, 0.25, 0.75],
            [0.25, 0.75, 0.75, 0.75, 0.25],
            [0.375, 0.375, 0.625, 0.875, 0.375],
            [0.875, 0.875, 0.125, 0.375, 0.875],
            [0.625, 0.125, 0.875, 0.625, 0.625],
            [0.125, 0.625, 0.375, 0.125, 0.125],
        ];
        assert_eq!(points, wanted.concat(), "on {}", name(device));
        let far = Sobol::new(1024).unwrap().starting(12345).points(device, 1).to_vec().unwrap();
        assert_eq!([far[0], far[100], far[1023]], SOBOL_FAR, "on {}", name(device));
        let halton = Halton::new(100).unwrap().starting(1000).points(device, 2).to_vec().unwrap();
        for (at, wanted) in [(0, HALTON_FAR[0]), (50, HALTON_FAR[1]), (99, HALTON_FAR[2]), (199, HALTON_FAR[3])] {
            assert!((halton[at] - wanted).abs() < 2e-7, "{at}: {} for {wanted} on {}", halton[at], name(device));
        }
    }
}

/// Coordinates 0, 100 and 1023 of point 12345.
const SOBOL_FAR: [f32; 3] = [0.640_930_2, 0.539_489_75, 0.577_087_4];
/// Coordinates 0, 50 and 99 of point 1000, and 99 of point 1001.
const HALTON_FAR: [f32; 4] = [0.092_773_44, 0.291_919_17, 0.848_432_25, 0.850_280_7];
