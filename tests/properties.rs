//! Random expressions over random views: the device against an evaluator on the host that knows nothing of it.

mod support;

use crosslane::array::{Slice, SortOptions, TopKOptions};
use crosslane::{Array, Device, Scan, s};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestRunner};
use support::*;

/// One step of a random program: it works on the newest array, and takes an older one as second argument.
#[derive(Clone, Debug)]
enum Act {
    Unary(u8),
    Binary(u8, usize),
    Scalar(u8, i32),
    Slice(usize, usize, usize, isize),
    Flip(usize),
    Permute(u64),
    Reshape(usize),
    Expand(usize),
    Broadcast(usize),
    Reduce(u8, u8, bool),
    Assign(usize, i32),
    Evaluate,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => any::<u8>().prop_map(Act::Unary),
        5 => (any::<u8>(), any::<usize>()).prop_map(|(f, other)| Act::Binary(f, other)),
        2 => (any::<u8>(), -4..5i32).prop_map(|(f, x)| Act::Scalar(f, x)),
        3 => (any::<usize>(), any::<usize>(), any::<usize>(), prop_oneof![1..4isize, -3..0isize])
            .prop_map(|(axis, a, b, step)| Act::Slice(axis, a, b, step)),
        1 => any::<usize>().prop_map(Act::Flip),
        2 => any::<u64>().prop_map(Act::Permute),
        2 => any::<usize>().prop_map(Act::Reshape),
        1 => any::<usize>().prop_map(Act::Expand),
        1 => (0..6usize).prop_map(Act::Broadcast),
        2 => (any::<u8>(), any::<u8>(), any::<bool>()).prop_map(|(f, axes, keep)| Act::Reduce(f, axes, keep)),
        1 => (any::<usize>(), -9..9i32).prop_map(|(at, x)| Act::Assign(at, x)),
        1 => Just(Act::Evaluate),
    ]
}

/// The same value on the device and on the host.
#[derive(Clone)]
struct Both<T: crosslane::Element> {
    device: Array<T>,
    host: Dense<T>,
}

/// What a reduction makes of a group on the host.
type Group<T> = fn(&[T]) -> T;

/// What differs between i32 and f32: a function on both sides, by number.
trait Kind: crosslane::Number {
    fn unary(f: u8, x: &Array<Self>, h: &Dense<Self>) -> (Array<Self>, Dense<Self>);
    fn binary(f: u8, a: &Array<Self>, b: &Array<Self>, x: &Dense<Self>, y: &Dense<Self>) -> (Array<Self>, Dense<Self>);
    fn reduce(f: u8, x: &Array<Self>, axes: &[isize], keep: bool) -> (Array<Self>, Group<Self>);
    fn close(got: Self, wanted: Self) -> bool;
}

impl Kind for i32 {
    fn unary(f: u8, x: &Array<i32>, h: &Dense<i32>) -> (Array<i32>, Dense<i32>) {
        match f % 6 {
            0 => (-x, h.map(i32::wrapping_neg)),
            1 => (x.abs(), h.map(i32::wrapping_abs)),
            2 => (x.square(), h.map(|x| x.wrapping_mul(x))),
            3 => (!x, h.map(|x| !x)),
            4 => (x.cast::<u8>().cast::<i32>(), h.map(|x| x as u8 as i32)),
            _ => (x.greater(0).cast::<i32>(), h.map(|x| (x > 0) as i32)),
        }
    }

    fn binary(f: u8, a: &Array<i32>, b: &Array<i32>, x: &Dense<i32>, y: &Dense<i32>) -> (Array<i32>, Dense<i32>) {
        match f % 7 {
            0 => (a + b, x.zip(y, i32::wrapping_add)),
            1 => (a - b, x.zip(y, i32::wrapping_sub)),
            2 => (a * b, x.zip(y, i32::wrapping_mul)),
            3 => (a / b, x.zip(y, |x, y| if y == 0 { x } else { x.wrapping_div(y) })),
            4 => (a.maximum(b), x.zip(y, i32::max)),
            5 => (a ^ b, x.zip(y, |x, y| x ^ y)),
            _ => (a.less(b).select(a, b), x.zip(y, i32::min)),
        }
    }

    fn reduce(f: u8, x: &Array<i32>, axes: &[isize], keep: bool) -> (Array<i32>, Group<i32>) {
        match f % 4 {
            0 => (x.sum_axes(kept(axes, keep)), |g| g.iter().fold(0, |a, &b| a.wrapping_add(b))),
            1 => (x.max_axes(kept(axes, keep)), |g| *g.iter().max().unwrap()),
            2 => (x.product_axes(kept(axes, keep)), |g| g.iter().fold(1, |a, &b| a.wrapping_mul(b))),
            _ => (x.arg_min_axes(kept(axes, keep)).cast(), |g| (0..g.len()).min_by_key(|&i| (g[i], i)).unwrap() as i32),
        }
    }

    fn close(got: i32, wanted: i32) -> bool {
        got == wanted
    }
}

/// Floats keep to functions that do not magnify an error of their argument, so that one bound holds for all: values
/// stay within 1e3, and each step adds at most 4e-7 of that.
impl Kind for f32 {
    fn unary(f: u8, x: &Array<f32>, h: &Dense<f32>) -> (Array<f32>, Dense<f32>) {
        match f % 5 {
            0 => (-x, h.map(|x| -x)),
            1 => (x.abs(), h.map(f32::abs)),
            2 => (x.sin(), h.map(|x| (x as f64).sin() as f32)),
            3 => (x.tanh(), h.map(|x| (x as f64).tanh() as f32)),
            _ => (x.sigmoid(), h.map(|x| (1.0 / (1.0 + (-x as f64).exp())) as f32)),
        }
    }

    fn binary(f: u8, a: &Array<f32>, b: &Array<f32>, x: &Dense<f32>, y: &Dense<f32>) -> (Array<f32>, Dense<f32>) {
        let half = |x: f32, y: f32| (x as f64 * 0.5 + y as f64 * 0.5) as f32;
        match f % 4 {
            0 => (a * 0.5 + b * 0.5, x.zip(y, half)),
            1 => (a * 0.5 - b * 0.5, x.zip(y, |x, y| half(x, -y))),
            2 => (a.maximum(b), x.zip(y, f32::max)),
            _ => (a.minimum(b), x.zip(y, f32::min)),
        }
    }

    fn reduce(f: u8, x: &Array<f32>, axes: &[isize], keep: bool) -> (Array<f32>, Group<f32>) {
        match f % 3 {
            0 => {
                (x.mean_axes(kept(axes, keep)), |g| (g.iter().map(|&x| x as f64).sum::<f64>() / g.len() as f64) as f32)
            }
            1 => (x.max_axes(kept(axes, keep)), |g| g.iter().copied().fold(f32::MIN, f32::max)),
            _ => (x.min_axes(kept(axes, keep)), |g| g.iter().copied().fold(f32::MAX, f32::min)),
        }
    }

    fn close(got: f32, wanted: f32) -> bool {
        // Eleven steps of at most 4e-7 of values within 9 * 1.
        (got - wanted).abs() <= 11.0 * 4e-7 * 9.0
    }
}

fn perform<T: Kind>(act: &Act, all: &mut Vec<Both<T>>) {
    let Both { mut device, mut host } = all.last().unwrap().clone();
    let rank = host.shape.len();
    match *act {
        Act::Unary(f) => (device, host) = T::unary(f, &device, &host),
        Act::Binary(f, other) => {
            let other = all[other % all.len()].clone();
            let Some(shape) = crosslane::array::broadcast_shapes(&[&host.shape, &other.host.shape]) else { return };
            if shape.iter().product::<usize>() > 5000 {
                return;
            }
            let (x, y) = (host.broadcast(&shape), other.host.broadcast(&shape));
            (device, host) = T::binary(f, &device, &other.device, &x, &y);
        }
        Act::Scalar(f, x) => {
            let scalar = Dense::new(&[], vec![of::<T>(x as i128)]);
            let array = Array::full(device.device(), &[], scalar.data[0]);
            (device, host) = T::binary(f, &device, &array, &host, &scalar.broadcast(&host.shape));
        }
        Act::Slice(axis, a, b, step) if rank > 0 => {
            let axis = axis % rank;
            let (a, b) = (a % (host.shape[axis] + 1), b % (host.shape[axis] + 1));
            let (start, end) = (a.min(b), a.max(b));
            let len = (end - start).div_ceil(step.unsigned_abs());
            let mut slices = vec![Slice::from(..); axis];
            slices.push(Slice::from(start as isize..end as isize).step(step));
            device = device.slice(&slices);
            host = host.slice(axis, if step > 0 || len == 0 { start } else { end - 1 }, step, len);
        }
        Act::Flip(axis) if rank > 0 => {
            (device, host) = (device.flip((axis % rank) as isize), host.flip(axis % rank));
        }
        Act::Permute(seed) => {
            let mut order: Vec<usize> = (0..rank).collect();
            order.sort_by_key(|&axis| seed.wrapping_mul(axis as u64 * 2 + 1).rotate_left(17));
            device = device.permute(order.iter().map(|&axis| axis as isize).collect::<Vec<_>>());
            host = host.permute(&order);
        }
        Act::Reshape(seed) => {
            let len = host.data.len();
            let divisors: Vec<usize> = (1..=len).filter(|d| len.is_multiple_of(*d)).collect();
            let Some(&first) = divisors.get(seed.checked_rem(divisors.len()).unwrap_or(0)) else { return };
            let shape = if seed.is_multiple_of(3) { vec![len / first, first] } else { vec![first, 1, len / first] };
            (device, host) = (device.reshape(&shape), host.reshape(&shape));
        }
        Act::Expand(before) if rank < 5 => {
            let mut shape = host.shape.clone();
            shape.insert(before % (rank + 1), 1);
            (device, host) = (device.expand_dims((before % (rank + 1)) as isize), host.reshape(&shape));
        }
        Act::Broadcast(extent) if rank < 4 && host.data.len() < 500 => {
            let shape = [vec![extent], host.shape.clone()].concat();
            (device, host) = (device.broadcast_to(&shape), host.broadcast(&shape));
        }
        Act::Reduce(f, axes, keep) if !host.data.is_empty() => {
            let which: Vec<bool> = (0..rank).map(|axis| axes >> axis & 1 == 1).collect();
            let axes: Vec<isize> = (0..rank as isize).filter(|&axis| which[axis as usize]).collect();
            let (result, meaning) = T::reduce(f, &device, &axes, keep);
            let data = host.groups(&which).iter().map(|group| meaning(group)).collect();
            let extents = host.shape.iter().zip(&which);
            let shape: Vec<usize> =
                extents.filter(|(_, r)| keep || !**r).map(|(&e, &r)| if r { 1 } else { e }).collect();
            (device, host) = (result, Dense::new(&shape, data));
        }
        Act::Assign(at, x) if rank > 0 && host.shape[0] > 0 => {
            let row = at % host.shape[0];
            device.slice_mut(&[Slice::from(row as isize)]).assign(of::<T>((x % 3) as i128)).unwrap();
            let stride = host.data.len() / host.shape[0];
            host.data[row * stride..(row + 1) * stride].fill(of((x % 3) as i128));
        }
        Act::Evaluate => device.eval().unwrap(),
        _ => return,
    }
    all.push(Both { device, host });
}

fn agree<T: Kind>(device: &Device, shapes: &[Vec<usize>], acts: &[Act]) -> Result<(), TestCaseError> {
    let start = |(i, shape): (usize, &Vec<usize>)| {
        let len: usize = shape.iter().product();
        let host = Dense::new(shape, small::<T>(len + i)[i..].to_vec());
        Both { device: upload(device, &host), host }
    };
    let mut all: Vec<Both<T>> = shapes.iter().enumerate().map(start).collect();
    acts.iter().for_each(|act| perform(act, &mut all));
    // Newest first: what is older is then partly computed, partly not.
    for (nth, both) in all.iter().enumerate().rev() {
        let got = both.device.to_vec().map_err(|error| TestCaseError::fail(format!("value {nth}: {error}")))?;
        prop_assert_eq!(both.device.shape(), both.host.shape.as_slice(), "value {} on {}", nth, name(device));
        let wrong = got.iter().zip(&both.host.data).position(|(&g, &w)| !T::close(g, w));
        prop_assert!(
            wrong.is_none() && got.len() == both.host.data.len(),
            "value {nth} at {wrong:?} on {}: got {got:?}, wanted {:?}",
            name(device),
            both.host.data
        );
    }
    Ok(())
}

fn run<T: Kind>(cases: u32) {
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
        let shape = || prop::collection::vec(prop_oneof![4 => 1..9usize, 1 => Just(1usize), 1 => Just(33usize)], 0..4);
        let strategy = (prop::collection::vec(shape(), 1..4), prop::collection::vec(act(), 1..12));
        let result = TestRunner::new(config).run(&strategy, |(shapes, acts)| agree::<T>(device, &shapes, &acts));
        result.unwrap_or_else(|error| panic!("{error}"));
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
