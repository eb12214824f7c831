//! Properties that hold for any input, and random programs on every device.

#[path = "fuzz/programs.rs"]
mod programs;
mod support;
#[expect(dead_code, reason = "the other targets of `fuzz` use the rest")]
#[path = "fuzz/tape.rs"]
mod tape;

use crosslane::array::{Slice, SortOptions, TopKOptions};
use crosslane::{Array, Scan, s};
use programs::Program;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestRunner};
use support::*;

/// Random programs of `tests/fuzz`, here a number of them on each device and as each kind of hardware.
fn run<T: programs::Kind>(cases: u32) {
    for device in apis() {
        spoil(device);
        let config = Config {
            cases,
            rng_algorithm: RngAlgorithm::ChaCha,
            rng_seed: RngSeed::Fixed(2026),
            failure_persistence: None,
            max_shrink_iters: 200,
            ..Config::default()
        };
        let strategy = prop::collection::vec(any::<u8>(), 8..60);
        let agree = |bytes: Vec<u8>| programs::agree::<T>(device, &Program::read(&bytes)).map_err(TestCaseError::fail);
        TestRunner::new(config).run(&strategy, agree).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn random_integer_expressions() {
    run::<i32>(60);
}

#[test]
fn random_float_expressions() {
    run::<f32>(40);
}

/// Moves that come to nothing: twice transposed, cut and brought together, rolled all the way round.
#[test]
fn moves_there_and_back_change_nothing() {
    let extents = (1..90usize, 1..90usize, 1..5usize);
    let strategy = (extents, any::<u64>(), 1..6usize, 0..2isize, any::<i16>());
    for device in quick() {
        spoil(device);
        let config = Config {
            cases: 16,
            rng_algorithm: RngAlgorithm::ChaCha,
            rng_seed: RngSeed::Fixed(10),
            failure_persistence: None,
            ..Config::default()
        };
        let result = TestRunner::new(config).run(&strategy, |((rows, columns, depth), seed, parts, axis, shift)| {
            let shape = [rows, columns, depth];
            let host: Vec<u16> =
                (0..rows * columns * depth).map(|i| (i as u64).wrapping_mul(seed | 1) as u16).collect();
            let x = Array::from_shape(device, &shape, &host);
            let fail = |error: crosslane::Error| TestCaseError::fail(error.to_string());
            let orders: [[isize; 3]; 3] = [[1, 0, 2], [2, 1, 0], [1, 2, 0]];
            for order in orders {
                let back: Vec<isize> =
                    (0..3).map(|axis| order.iter().position(|&o| o == axis).unwrap() as isize).collect();
                let there = x.permute(order).copy();
                there.eval().map_err(fail)?;
                prop_assert_eq!(&there.permute(&back).copy().to_vec().map_err(fail)?, &host, "{:?}", order);
            }
            let cut = x.array_split(parts, axis).map_err(fail)?;
            let whole = Array::concatenate(&cut.iter().collect::<Vec<_>>(), axis).map_err(fail)?;
            prop_assert_eq!(&whole.to_vec().map_err(fail)?, &host);
            let (shift, extent) = (shift as isize, shape[axis as usize] as isize);
            let rolled = x.roll_axes(&[shift, extent - shift], [axis, axis]).roll(shift).roll(-shift);
            prop_assert_eq!(&rolled.to_vec().map_err(fail)?, &host);
            let padded = x.pad(&[(parts, 1)], crosslane::array::PadMode::Wrap);
            let inner = parts as isize..-1;
            let inner = padded.slice(&[Slice::from(inner.clone()), Slice::from(inner.clone()), Slice::from(inner)]);
            prop_assert_eq!(&inner.to_vec().map_err(fail)?, &host);
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Whatever the numbers, bins and range: each finite one in the range is in one bin, and bins lie where their edges say.
#[test]
fn histograms_sum_to_what_they_count() {
    for device in apis() {
        spoil(device);
        let config = Config {
            cases: 40,
            rng_algorithm: RngAlgorithm::ChaCha,
            rng_seed: RngSeed::Fixed(2026),
            failure_persistence: None,
            max_shrink_iters: 200,
            ..Config::default()
        };
        let value = prop_oneof![8 => -10.0..10f32, 1 => Just(f32::NAN), 1 => Just(f32::INFINITY), 1 => (-3..4i8).prop_map(f32::from)];
        let strategy = (prop::collection::vec(value, 0..400), 1..40usize, -8.0..8f64, 0.01..9f64);
        let result = TestRunner::new(config).run(&strategy, |(values, bins, low, width)| {
            let fail = |error: crosslane::Error| TestCaseError::fail(error.to_string());
            let (counts, edges) = Array::from_slice(device, &values).histogram(bins, low..low + width).map_err(fail)?;
            let counts = counts.to_vec().map_err(fail)?;
            let inside = |low: f64, high: f64| values.iter().filter(|&&x| x as f64 >= low && (x as f64) < high).count();
            let last = values.iter().filter(|&&x| x as f64 == edges[bins]).count();
            prop_assert_eq!(counts.iter().sum::<u32>() as usize, inside(edges[0], edges[bins]) + last);
            let up_to = |bin: usize| counts[..bin].iter().sum::<u32>() as usize;
            for bin in 0..bins {
                prop_assert_eq!(up_to(bin), inside(edges[0], edges[bin]), "bin {} on {}", bin, name(device));
            }
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Runs are decoded to what they are of; by key sums come to the whole; each element is one of the distinct ones.
#[test]
fn groups_cover_what_they_are_of() {
    let strategy = prop::collection::vec(prop_oneof![4 => 0..3i32, 1 => any::<i32>()], 0..600);
    for device in quick() {
        let config = Config {
            cases: 8,
            rng_algorithm: RngAlgorithm::ChaCha,
            rng_seed: RngSeed::Fixed(9),
            failure_persistence: None,
            ..Config::default()
        };
        let result = TestRunner::new(config).run(&strategy, |host| {
            let x = Array::from_slice(device, &host);
            let fail = |error: crosslane::Error| TestCaseError::fail(error.to_string());
            let (values, lengths) = x.run_lengths();
            let again = values.or(0).repeat_to(&lengths.or(0), host.len()).to_vec().map_err(fail)?;
            prop_assert_eq!(&again, &host);
            let sums = Scan::sum().reduce_by_key::<_, _, i32>(&x, &x).1;
            let all = host.iter().fold(0i32, |a, &b| a.wrapping_add(b));
            prop_assert_eq!(sums.or(0).sum().item().map_err(fail)?, all);
            let unique = x.unique_all();
            let distinct = unique.values.to_vec().map_err(fail)?;
            prop_assert!(distinct.is_sorted_by(|a, b| a < b));
            let inverse = unique.inverse.to_vec().map_err(fail)?;
            prop_assert!(inverse.iter().zip(&host).all(|(&at, &x)| distinct[at as usize] == x));
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// A sort is the stable permutation that orders the keys; the indices say which.
#[test]
fn sorts_are_stable_permutations() {
    let key = prop_oneof![3 => any::<u32>().prop_map(f32::from_bits), 2 => (-3..4i32).prop_map(|x| x as f32)];
    let strategy = (prop::collection::vec(key, 0..3000), any::<bool>());
    for device in apis() {
        spoil(device);
        let config = Config {
            cases: 8,
            rng_algorithm: RngAlgorithm::ChaCha,
            rng_seed: RngSeed::Fixed(7),
            failure_persistence: None,
            ..Config::default()
        };
        let result = TestRunner::new(config).run(&strategy, |(keys, descending)| {
            let options = SortOptions::default();
            let options = if descending { options.descending() } else { options };
            let x = Array::from_slice(device, &keys);
            let fail = |error: crosslane::Error| TestCaseError::fail(error.to_string());
            let order = x.argsort_with(&options).to_vec().map_err(fail)?;
            let sorted = x.sort_with(&options).to_vec().map_err(fail)?;
            let mut seen = vec![false; keys.len()];
            order.iter().for_each(|&i| seen[i as usize] = true);
            prop_assert!(seen.iter().all(|&seen| seen), "an index is missing");
            let same = order.iter().zip(&sorted).all(|(&i, x)| keys[i as usize].to_bits() == x.to_bits());
            prop_assert!(same && sorted.len() == keys.len(), "keys are not where the indices say");
            let before = |a: f32, b: f32| if descending { a > b } else { a < b };
            for two in order.windows(2) {
                let (a, b) = (keys[two[0] as usize], keys[two[1] as usize]);
                let equal = a == b || (a.is_nan() && b.is_nan());
                prop_assert!(before(a, b) || (b.is_nan() && !a.is_nan()) || (equal && two[0] < two[1]));
            }
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// The first k are in order, and none of the others is before the last of them; its value is that of its place.
#[test]
fn the_first_k_are_before_the_others() {
    let key = prop_oneof![3 => any::<u32>().prop_map(f32::from_bits), 2 => (-3..4i32).prop_map(|x| x as f32)];
    let strategy = (prop::collection::vec(key, 64..3000), 1..64usize, any::<bool>());
    for device in apis() {
        spoil(device);
        let config = Config {
            cases: 5,
            rng_algorithm: RngAlgorithm::ChaCha,
            rng_seed: RngSeed::Fixed(8),
            failure_persistence: None,
            ..Config::default()
        };
        let result = TestRunner::new(config).run(&strategy, |(keys, k, smallest)| {
            let options = TopKOptions::default();
            let options = if smallest { options.smallest() } else { options };
            let x = Array::from_slice(device, &keys);
            let fail = |error: crosslane::Error| TestCaseError::fail(error.to_string());
            let first = x.top_k_with(k, &options).1.to_vec().map_err(fail)?;
            // NaN is larger than all others, and equals are in the order of their indices.
            let less = |a: f32, b: f32| a < b || (b.is_nan() && !a.is_nan());
            let before = |i: u32, j: u32| {
                let (a, b) = (keys[i as usize], keys[j as usize]);
                let (a, b) = if smallest { (a, b) } else { (b, a) };
                less(a, b) || (!less(b, a) && i < j)
            };
            prop_assert!(first.len() == k && first.windows(2).all(|two| before(two[0], two[1])), "in order");
            let after = (0..keys.len() as u32).filter(|&j| before(first[k - 1], j)).count();
            prop_assert_eq!(after, keys.len() - k, "others come after the last");
            let place = if smallest { k - 1 } else { keys.len() - k };
            let (nth, last) = (x.nth(place).item().map_err(fail)?, keys[first[k - 1] as usize]);
            prop_assert!(nth == last || (nth.is_nan() && last.is_nan()), "place {}: {} and {}", place, nth, last);
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// (A B) C = A (B C), (B A)^T = A^T B^T, and a product is made of the products of its blocks: exactly, of integers that wrap.
#[test]
fn products_are_associative_and_made_of_blocks() {
    let size = || 1..40usize;
    let strategy = ((size(), size(), size(), size()), any::<u64>(), any::<prop::sample::Index>());
    for device in drivers() {
        let config = Config {
            cases: if compiles_slowly(device) { 3 } else { 12 },
            rng_algorithm: RngAlgorithm::ChaCha,
            rng_seed: RngSeed::Fixed(9),
            failure_persistence: None,
            ..Config::default()
        };
        let result = TestRunner::new(config).run(&strategy, |((m, k, l, n), seed, cut)| {
            let mut rng = random(seed);
            let mut matrix = |rows: usize, columns: usize| {
                let elements: Vec<i32> = (0..rows * columns).map(|_| bits(&mut rng)).collect();
                Array::from_shape(device, &[rows, columns], &elements)
            };
            let (a, b, c) = (matrix(m, k), matrix(k, l), matrix(l, n));
            let same = |x: Array<i32>, y: Array<i32>, what: &str| {
                let both = x.to_vec().and_then(|x| y.to_vec().map(|y| (x, y)));
                let (x, y) = both.map_err(|error| TestCaseError::fail(error.to_string()))?;
                prop_assert!(x == y, "{} of {m} x {k} x {l} x {n}", what);
                Ok(())
            };
            let whole = a.matmul(&b);
            same(whole.matmul(&c), a.matmul(&b.matmul(&c)), "association")?;
            same(whole.transpose(), b.transpose().matmul(&a.transpose()), "transposition")?;
            let cut = cut.index(k + 1) as isize;
            let (left, right) = (a.slice(s![.., ..cut]), a.slice(s![.., cut..]));
            let blocks = left.matmul(&b.slice(s![..cut])) + right.matmul(&b.slice(s![cut..]));
            same(whole.clone(), blocks, "blocks")
        });
        result.unwrap_or_else(|error| panic!("on {}: {error}", name(device)));
    }
}

/// Shares add up to 1 and do not change where all is moved by one number; layer normalisation leaves mean 0 and variance 1.
#[test]
fn shares_add_up_and_layers_are_normal() {
    let strategy = (1..400usize, 1..6usize, prop::collection::vec(-9.0..9.0f32, 2400), -50..50i32, any::<bool>());
    for device in quick() {
        spoil(device);
        let config = Config {
            cases: 8,
            rng_algorithm: RngAlgorithm::ChaCha,
            rng_seed: RngSeed::Fixed(10),
            failure_persistence: None,
            ..Config::default()
        };
        let result = TestRunner::new(config).run(&strategy, |(len, rows, values, shift, along)| {
            let fail = |error: crosslane::Error| TestCaseError::fail(error.to_string());
            let (shape, axis) = if along { ([rows, len], 1) } else { ([len, rows], 0) };
            let x = Array::from_shape(device, &shape, &values[..rows * len]);
            let shares = x.softmax(axis);
            for sum in shares.sum_axes(axis).to_vec().map_err(fail)? {
                prop_assert!((sum - 1.0).abs() < 1e-5, "shares add up to {}", sum);
            }
            let moved = (&x + shift as f32).softmax(axis).to_vec().map_err(fail)?;
            for (a, b) in shares.to_vec().map_err(fail)?.into_iter().zip(moved) {
                // The sum is rounded to the units of a number of 59.
                prop_assert!((a - b).abs() <= a * 2e-5, "{} and {}", a, b);
            }
            if len > 1 {
                let (mean, variance) = x.layer_norm(axis, None, None, 0.0).mean_variance(axis, 0);
                prop_assert!(mean.to_vec().map_err(fail)?.iter().all(|mean| mean.abs() < 1e-5));
                prop_assert!(variance.to_vec().map_err(fail)?.iter().all(|variance| (variance - 1.0).abs() < 1e-4));
            }
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{error}"));
    }
}
