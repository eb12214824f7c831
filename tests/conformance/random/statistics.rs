//! Whether draws have the distributions that they are named for: Kolmogorov-Smirnov and chi-square tests, moments and serial
//! correlation, against definitions in doubles. Seeds are fixed. Each bound would fail a right generator once in 10,000 seeds at
//! most.

use crosslane::array::eval_all;
use crosslane::random::{Generator, Halton, Sobol};
use crosslane::{Array, Device};
use references::distributions::{beta_below, gamma_below, normal_below};
use std::f64::consts::PI;

const COUNT: usize = 200_000;

/// Each test has a seed of its own.
fn generator(seed: u64) -> Generator {
    Generator::new(&Device::cpu().unwrap(), seed)
}

fn host(x: Array<f32>) -> Vec<f64> {
    x.to_vec().unwrap().into_iter().map(f64::from).collect()
}

/// The largest difference between how many values lie below a place and how many should, by the square root of their number:
/// past 2.23 with a chance of 1e-4 (Kolmogorov's distribution).
fn distance(mut values: Vec<f64>, below: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let apart = |(nth, &x): (usize, &f64)| {
        let wanted = below(x);
        (wanted - nth as f64 / count).abs().max((wanted - (nth + 1) as f64 / count).abs())
    };
    values.iter().enumerate().map(apart).fold(0.0, f64::max) * count.sqrt()
}

#[track_caller]
fn is_close(what: &str, values: Vec<f64>, below: impl Fn(f64) -> f64) {
    let found = distance(values, below);
    assert!(found < 2.23, "{what}: {found}");
}

/// Chi-square of counts against what is expected, in deviations from its mean. What is expected less than 10 times is put
/// together.
fn chi_square(counts: &[f64], expected: &[f64]) -> f64 {
    let (mut sum, mut cells, mut rest) = (0.0, 0.0, [0.0; 2]);
    let mut cell = |count: f64, wanted: f64| {
        sum += (count - wanted).powi(2) / wanted;
        cells += 1.0;
    };
    for (&count, &wanted) in counts.iter().zip(expected) {
        if wanted >= 10.0 {
            cell(count, wanted);
        } else {
            rest = [rest[0] + count, rest[1] + wanted];
        }
    }
    if rest[1] > 0.5 {
        cell(rest[0], rest[1]);
    }
    (sum - (cells - 1.0)) / (2.0f64 * (cells - 1.0).max(1.0)).sqrt()
}

/// A chi-square of many cells is past 5 deviations with a chance of 1e-5 to 1e-4.
#[track_caller]
fn are_as_likely(what: &str, counts: &[f64], expected: &[f64]) {
    let found = chi_square(counts, expected);
    assert!(found < 5.0, "{what}: {found} deviations");
}

/// How often each number came up.
fn tally(values: &[u32], bins: usize) -> Vec<f64> {
    let mut counts = vec![0.0; bins];
    values.iter().for_each(|&value| counts[(value as usize).min(bins - 1)] += 1.0);
    counts
}

#[test]
fn words_are_even() {
    let words = generator(1).words(&[COUNT]).to_vec().unwrap();
    for shift in [0, 8, 16, 24] {
        let bytes: Vec<u32> = words.iter().map(|word| word >> shift & 255).collect();
        are_as_likely(&format!("bytes at {shift}"), &tally(&bytes, 256), &[COUNT as f64 / 256.0; 256]);
    }
    // Each bit is 1 as often as 0, and independent of the bit of the next word.
    for bit in 0..32 {
        let ones = words.iter().filter(|word| *word >> bit & 1 == 1).count() as f64;
        let turns = words.windows(2).filter(|pair| (pair[0] ^ pair[1]) >> bit & 1 == 1).count() as f64;
        let deviation = (COUNT as f64).sqrt() / 2.0;
        assert!((ones - COUNT as f64 / 2.0).abs() < 4.5 * deviation, "bit {bit}: {ones}");
        assert!((turns - COUNT as f64 / 2.0).abs() < 4.5 * deviation, "bit {bit}: {turns} turns");
    }
}

#[test]
fn neighbours_do_not_depend_on_each_other() {
    for lag in [1, 2, 3, 4, 5, 8, 64] {
        for (what, x) in [("uniform", generator(2).uniform::<f32>(&[COUNT])), ("normal", generator(3).normal(&[COUNT]))]
        {
            let x = host(x);
            let mean = x.iter().sum::<f64>() / COUNT as f64;
            let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
            let together: f64 = (lag..COUNT).map(|at| (x[at] - mean) * (x[at - lag] - mean)).sum();
            let correlation = together / variance * (COUNT as f64).sqrt();
            assert!(correlation.abs() < 4.5, "{what} by {lag}: {correlation}");
        }
    }
}

#[test]
fn continuous_distributions() {
    let r = &mut generator(4);
    is_close("uniform", host(r.uniform::<f32>(&[COUNT])), |x| x);
    let doubles = r.uniform::<f64>(&[COUNT]).to_vec().unwrap();
    is_close("uniform of f64", doubles, |x| x);
    is_close("uniform_in", host(r.uniform_in(-2.0f32..6.0, &[COUNT])), |x| (x + 2.0) / 8.0);
    is_close("normal", host(r.normal::<f32>(&[COUNT])), normal_below);
    is_close("lognormal", host(r.lognormal(1.0, 0.5, &[COUNT])), |x| normal_below((x.ln() - 1.0) / 0.5));
    is_close("exponential", host(r.exponential(&[COUNT])), |x| 1.0 - (-x).exp());
    for shape in [0.1, 0.5, 1.0, 2.5, 30.0, 1000.0] {
        is_close(&format!("gamma {shape}"), host(r.gamma(shape, &[COUNT])), |x| gamma_below(shape, x));
    }
    is_close("chi_square", host(r.chi_square(5.0, &[COUNT])), |x| gamma_below(2.5, x / 2.0));
    for (a, b) in [(0.5, 0.5), (2.0, 6.0), (30.0, 3.0)] {
        is_close(&format!("beta {a} {b}"), host(r.beta(a, b, &[COUNT])), |x| beta_below(a, b, x));
    }
}

/// Large shapes, whose distributions are nearly normal: skewness is corrected for (Wilson and Hilferty).
#[test]
fn gammas_of_large_shapes() {
    let shape = 1e6f64;
    let cube = |x: f64| ((x / shape).cbrt() - (1.0 - 1.0 / (9.0 * shape))) * (9.0 * shape).sqrt();
    is_close("gamma 1e6", host(generator(5).gamma(1e6, &[COUNT])), |x| normal_below(cube(x)));
}

#[test]
fn parts_of_dirichlet() {
    let x = host(generator(6).dirichlet(&[0.05, 1.0, 3.0], &[COUNT]));
    for (part, weight) in [(0, 0.05), (1, 1.0), (2, 3.0)] {
        let mean = x.iter().skip(part).step_by(3).sum::<f64>() / COUNT as f64;
        let wanted = weight / 4.05;
        let deviation = (wanted * (1.0 - wanted) / 5.05 / COUNT as f64).sqrt();
        assert!((mean - wanted).abs() < 4.5 * deviation, "part {part}: {mean}");
    }
    assert!(x.chunks(3).all(|parts| (parts.iter().sum::<f64>() - 1.0).abs() < 1e-5));
    is_close("a part", x.iter().skip(1).step_by(3).copied().collect(), |x| beta_below(1.0, 3.05, x));
}

#[test]
fn integers_are_even() {
    let r = &mut generator(7);
    for range in [2u32, 3, 7, 10, 100, 255] {
        let values = r.integers(0..range, &[COUNT]).to_vec().unwrap();
        are_as_likely(
            &format!("below {range}"),
            &tally(&values, range as usize),
            &vec![COUNT as f64 / range as f64; range as usize],
        );
    }
    // A range for which plain multiplication favours each third number by a third.
    let range = 3 << 30;
    let values = r.integers(0..range, &[COUNT]).to_vec().unwrap();
    let thirds: Vec<u32> = values.iter().map(|value| value % 3).collect();
    are_as_likely("thirds", &tally(&thirds, 3), &[COUNT as f64 / 3.0; 3]);
    let wide = r.integers(-6i64..6, &[COUNT]).to_vec().unwrap();
    let wide: Vec<u32> = wide.iter().map(|value| (value + 6) as u32).collect();
    are_as_likely("below 12, of 64 bits", &tally(&wide, 12), &[COUNT as f64 / 12.0; 12]);
    let wide = r.integers(0..5u64 << 60, &[COUNT]).to_vec().unwrap();
    let fifths: Vec<u32> = wide.iter().map(|value| (value >> 60) as u32).collect();
    are_as_likely("fifths of 5 << 60", &tally(&fifths, 5), &[COUNT as f64 / 5.0; 5]);
}

/// Chances of 0, 1, .. by a start and the quotient of neighbours.
fn chances(first: f64, bins: usize, quotient: impl Fn(f64) -> f64) -> Vec<f64> {
    let next = |chance: &mut f64, k: usize| {
        let now = *chance;
        *chance *= quotient(k as f64);
        Some(now * COUNT as f64)
    };
    (0..bins).scan(first, next).collect()
}

#[test]
fn counts() {
    let r = &mut generator(8);
    for rate in [0.3f64, 4.0, 9.99, 10.0, 25.0, 150.0] {
        let values = r.poisson(rate, &[COUNT]).to_vec().unwrap();
        are_as_likely(
            &format!("poisson {rate}"),
            &tally(&values, 400),
            &chances((-rate).exp(), 400, |k| rate / (k + 1.0)),
        );
    }
    for (trials, chance) in [(1u32, 0.3f64), (20, 0.1), (20, 0.5), (30, 0.9), (100, 0.5), (1000, 0.02), (400, 0.75)] {
        let values = r.binomial(trials, chance, &[COUNT]).to_vec().unwrap();
        let (n, odds) = (trials as f64, chance / (1.0 - chance));
        let wanted = chances((1.0 - chance).powf(n), 1001, |k| (n - k).max(0.0) / (k + 1.0) * odds);
        are_as_likely(&format!("binomial {trials} {chance}"), &tally(&values, 1001), &wanted);
    }
    for chance in [0.9f64, 0.3, 0.05] {
        let values = r.geometric(chance, &[COUNT]).to_vec().unwrap();
        let values: Vec<u32> = values.iter().map(|value| value - 1).collect();
        are_as_likely(&format!("geometric {chance}"), &tally(&values, 400), &chances(chance, 400, |_| 1.0 - chance));
    }
    let wanted = [0.1, 0.0, 0.6, 0.3].map(|chance| chance * COUNT as f64);
    let values = r.categorical(&[1.0, 0.0, 6.0, 3.0], &[COUNT]).to_vec().unwrap();
    are_as_likely("categorical", &tally(&values, 4), &wanted);
    let heads = r.bernoulli(0.1, &[COUNT]).to_vec().unwrap().iter().filter(|happens| **happens).count() as f64;
    are_as_likely("bernoulli", &[heads, COUNT as f64 - heads], &[0.1, 0.9].map(|chance| chance * COUNT as f64));
}

/// Where distributions are nearly normal: means and variances of large counts.
#[test]
fn large_counts() {
    let r = &mut generator(9);
    let moments = |x: Vec<u32>| {
        let mean = x.iter().map(|&x| x as f64).sum::<f64>() / COUNT as f64;
        (mean, x.iter().map(|&x| (x as f64 - mean).powi(2)).sum::<f64>() / COUNT as f64)
    };
    let are = |what: &str, (mean, variance): (f64, f64), wanted: (f64, f64)| {
        let unit = (wanted.1 / COUNT as f64).sqrt();
        assert!((mean - wanted.0).abs() < 4.5 * unit, "{what}: mean {mean}");
        // The variance of a normal's variance is 2 v^2 / n.
        let spread = wanted.1 * (2.0 / COUNT as f64).sqrt();
        assert!((variance - wanted.1).abs() < 4.5 * spread, "{what}: variance {variance}");
    };
    for rate in [1e3, 1e5, 4e6] {
        are(&format!("poisson {rate}"), moments(r.poisson(rate, &[COUNT]).to_vec().unwrap()), (rate, rate));
    }
    for (trials, chance) in [(1u32 << 24, 0.25), (1_000_000, 1e-4), (50_000, 0.6)] {
        let (n, p) = (trials as f64, chance);
        let found = moments(r.binomial(trials, chance, &[COUNT]).to_vec().unwrap());
        are(&format!("binomial {trials} {chance}"), found, (n * p, n * p * (1.0 - p)));
    }
}

#[test]
fn multinomials() {
    let x = generator(10).multinomial(60, &[1.0, 0.0, 2.0, 3.0], &[20_000]).unwrap().to_vec().unwrap();
    assert!(x.chunks(4).all(|counts| counts.iter().sum::<u32>() == 60 && counts[1] == 0));
    for (at, chance) in [(0, 1.0 / 6.0), (2, 1.0 / 3.0), (3, 0.5f64)] {
        let values: Vec<u32> = x.iter().skip(at).step_by(4).copied().collect();
        let odds = chance / (1.0 - chance);
        let wanted = chances((1.0 - chance).powi(60), 61, |k| (60.0 - k) / (k + 1.0) * odds);
        let wanted: Vec<f64> = wanted.iter().map(|count| count * 20_000.0 / COUNT as f64).collect();
        are_as_likely(&format!("category {at}"), &tally(&values, 61), &wanted);
    }
}

/// All 24 orders of four things; and in a large permutation where things go, and which come beside each other.
#[test]
fn orders_are_equally_likely() {
    let r = &mut generator(11);
    let orders: Vec<Array<u32>> = (0..4800).map(|_| r.permutation(4)).collect();
    eval_all(&orders.iter().map(|order| order as _).collect::<Vec<_>>()).unwrap();
    let mut counts = [0.0; 256];
    for order in orders {
        let code = order.to_vec().unwrap().iter().fold(0, |code, &x| 4 * code + x as usize);
        counts[code] += 1.0;
    }
    let found: Vec<f64> = counts.into_iter().filter(|count| *count > 0.0).collect();
    assert_eq!(found.len(), 24);
    are_as_likely("orders of four", &found, &[200.0; 24]);
    let (count, parts) = (COUNT as u32, 20);
    for _ in 0..4 {
        let order = r.permutation(COUNT).to_vec().unwrap();
        let part = |x: u32| x as usize * parts / count as usize;
        let (mut from, mut beside) = (vec![0.0; parts * parts], vec![0.0; parts * parts]);
        for (at, &x) in order.iter().enumerate() {
            from[part(at as u32) * parts + part(x)] += 1.0;
            let step = (order[(at + 1) % COUNT] + count - x) % count;
            beside[step as usize * parts * parts / COUNT] += 1.0;
        }
        // A permutation's counts have 19 x 19 degrees of freedom in 20 x 20 cells: chi-square is less by a tenth.
        let expected = vec![COUNT as f64 / (parts * parts) as f64; parts * parts];
        are_as_likely("where things go", &from, &expected);
        are_as_likely("what comes next", &beside, &expected);
        let even = order.windows(2).filter(|pair| pair[0] < pair[1]).count() as f64;
        assert!((even - COUNT as f64 / 2.0).abs() < 4.5 * (COUNT as f64 / 12.0).sqrt(), "{even} ascents");
    }
}

#[test]
fn weights_choose_without_replacement() {
    let mut random = generator(12);
    let x = Array::arange(random.device(), 0u32, 4, 1);
    let weights = [1.0, 2.0, 0.0, 5.0];
    let drawn: Vec<Array<u32>> = (0..4000).map(|_| random.choice_by_weights(&x, &weights, 2).unwrap()).collect();
    let (mut counts, mut expected) = ([0.0; 16], [0.0; 16]);
    for pair in drawn {
        let pair = pair.to_vec().unwrap();
        counts[4 * pair[0] as usize + pair[1] as usize] += 1.0;
    }
    for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        expected[4 * a + b] = 4000.0 * weights[a] / 8.0 * weights[b] / (8.0 - weights[a]);
    }
    assert!(counts.iter().zip(&expected).all(|(count, wanted)| *count == 0.0 || *wanted > 0.0));
    are_as_likely("pairs", &counts, &expected);
}

#[test]
fn choices_are_even() {
    let mut random = generator(13);
    let x = Array::arange(random.device(), 0u32, 10, 1);
    let values = random.choice(&x, &[COUNT]).to_vec().unwrap();
    are_as_likely("choice", &tally(&values, 10), &[COUNT as f64 / 10.0; 10]);
    let drawn: Vec<u32> =
        (0..2000).flat_map(|_| random.choice_without_replacement(&x, 3).unwrap().to_vec().unwrap()).collect();
    assert!(drawn.chunks(3).all(|three| three[0] != three[1] && three[1] != three[2] && three[0] != three[2]));
    are_as_likely("choice without replacement", &tally(&drawn, 10), &[600.0; 10]);
}

/// Points fill the cube evenly: of every first 2^k Sobol points one in each interval of length 2^-k, of every coordinate; and
/// integrals are far closer than those of random points.
#[test]
fn sequences_are_spread_evenly() {
    let device = Device::cpu().unwrap();
    for seed in [None, Some(1), Some(2)] {
        let sobol = Sobol::new(6).unwrap();
        let sobol = seed.map_or(sobol.clone(), |seed| sobol.scrambled(seed));
        let points = host(sobol.points(&device, 1024));
        for dimension in 0..6 {
            let mut taken = [false; 1024];
            points.iter().skip(dimension).step_by(6).for_each(|x| taken[(x * 1024.0) as usize] = true);
            assert!(taken.iter().all(|taken| *taken), "dimension {dimension}, {seed:?}");
        }
    }
    // The mean of prod (pi / 2 sin(pi x)) is 1.
    let error = |points: Vec<f64>, dimensions: usize| {
        let product = |point: &[f64]| point.iter().map(|x| PI / 2.0 * (PI * x).sin()).product::<f64>();
        let count = points.len() / dimensions;
        (points.chunks(dimensions).map(product).sum::<f64>() / count as f64 - 1.0).abs()
    };
    let random = error(host(generator(14).uniform(&[16384, 6])), 6);
    let sobol = error(host(Sobol::new(6).unwrap().scrambled(3).points(&device, 16384)), 6);
    let plain = error(host(Sobol::new(6).unwrap().points(&device, 16384)), 6);
    let halton = error(host(Halton::new(6).unwrap().points(&device, 16384)), 6);
    let scrambled = error(host(Halton::new(6).unwrap().scrambled(3).points(&device, 16384)), 6);
    assert!(random < 0.05, "{random}");
    // Plain points begin in the cube's corner.
    assert!(sobol < 1e-3 && plain < 5e-3 && halton < 1e-2 && scrambled < 1e-2, "{sobol} {plain} {halton} {scrambled}");
    // Scrambled points are uniform by themselves.
    for dimension in [0, 3, 5] {
        let firsts: Vec<f64> =
            (0..2000).map(|seed| host(Sobol::new(6).unwrap().scrambled(seed).points(&device, 1))[dimension]).collect();
        is_close("a scrambled point", firsts, |x| x);
    }
}
