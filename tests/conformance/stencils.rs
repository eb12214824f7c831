//! Stencils against steps on the host: boundaries, many steps, several fields, types, mistakes.

use crate::support::*;
use crosslane::array::PadMode;
use crosslane::{Array, Stencil};
use rand::Rng;

/// The index that stands at an index of an axis, if any.
fn place<T>(index: i64, extent: usize, boundary: PadMode<T>) -> Option<usize> {
    let n = extent as i64;
    let at = match boundary {
        PadMode::Constant(_) => return (0..n).contains(&index).then_some(index as usize),
        PadMode::Edge => index.clamp(0, n - 1),
        PadMode::Wrap => index.rem_euclid(n),
        PadMode::Symmetric => {
            let at = index.rem_euclid(2 * n);
            at.min(2 * n - 1 - at)
        }
        _ if n == 1 => 0,
        _ => {
            let at = index.rem_euclid(2 * n - 2);
            at.min(2 * n - 2 - at)
        }
    };
    Some(at as usize)
}

/// A step of the heat equation in doubles.
fn heat(u: &[f64], [height, width]: [usize; 2], boundary: PadMode<f32>) -> Vec<f64> {
    let outside = if let PadMode::Constant(value) = boundary { value as f64 } else { 0.0 };
    let at = |y: i64, x: i64| match (place(y, height, boundary), place(x, width, boundary)) {
        (Some(y), Some(x)) => u[y * width + x],
        _ => outside,
    };
    let next = |i: usize| {
        let (y, x) = ((i / width) as i64, (i % width) as i64);
        let around = at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1);
        u[i] + 0.2 * (around - 4.0 * u[i]) + 0.05 * (at(y - 2, x + 1) - at(y, x))
    };
    (0..u.len()).map(next).collect()
}

#[test]
fn many_steps_with_every_boundary() {
    let rule = Stencil::new("u + 0.2 * (left + right + up + down - 4.0 * u) + 0.05 * (u[-2, 1] - u)").unwrap();
    for device in devices() {
        let mut random = random(242);
        let shape = [45, 77];
        let values: Vec<f32> = (0..shape[0] * shape[1]).map(|_| random.random_range(-1.0..1.0)).collect();
        let field = Array::from_shape(device, &shape, &values);
        for boundary in [PadMode::Constant(0.5), PadMode::Edge, PadMode::Reflect, PadMode::Symmetric, PadMode::Wrap] {
            let mut wanted: Vec<f64> = values.iter().map(|&value| value as f64).collect();
            for steps in [0, 1, 3, 11] {
                let mut now = wanted.clone();
                (0..steps).for_each(|_| now = heat(&now, shape, boundary));
                let got = rule.run(&field, steps, boundary).unwrap().to_vec().unwrap();
                let apart = got.iter().zip(&now).map(|(&a, &b)| (a as f64 - b).abs()).fold(0.0, f64::max);
                // Each step rounds some numbers of up to 1.
                assert!(apart <= 1e-6 * (steps + 1) as f64, "{boundary:?}, {steps} steps on {}: {apart}", name(device));
            }
            wanted.clear();
        }
    }
}

#[test]
fn a_thousand_steps_spread_and_keep_what_there_is() {
    let rule = Stencil::new("0.25 * (left + right + up + down)").unwrap();
    for device in devices() {
        let (side, steps) = if compiles_slowly(device) { (16, 300) } else { (40, 1500) };
        let mut start = vec![0.0f32; side * side];
        start[side * (side / 2) + side / 2] = 1024.0;
        let field = Array::from_shape(device, &[side, side], &start);
        let got = rule.run(&field, steps, PadMode::Wrap).unwrap().to_vec().unwrap();
        // On a board of even sides the value stays on the squares of one colour, where it spreads evenly.
        let even = 1024.0 / (side * side / 2) as f32;
        for (i, &value) in got.iter().enumerate() {
            let wanted = if (i / side + i % side + steps).is_multiple_of(2) { even } else { 0.0 };
            assert!((value - wanted).abs() <= 0.02 * even, "{i} is {value}, wanted {wanted}, on {}", name(device));
        }
    }
}

#[test]
fn integers_and_batches() {
    // Conway's life: a glider moves by one along the diagonal in four steps.
    let life = Stencil::new(
        "let n = u[-1, -1] + up + u[-1, 1] + left + right + u[1, -1] + down + u[1, 1];
         select(0, 1, n == 3 || (n == 2 && u == 1))",
    )
    .unwrap();
    for device in devices() {
        let glider = [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)];
        let board = |down: usize, across: usize| {
            let mut board = vec![0i32; 64];
            glider.iter().for_each(|(y, x)| board[(y + down) % 8 * 8 + (x + across) % 8] = 1);
            board
        };
        let both = [board(0, 0), board(3, 1)].concat();
        let got = life.run(&Array::from_shape(device, &[2, 8, 8], &both), 20, PadMode::Wrap).unwrap();
        assert_eq!(got.to_vec().unwrap(), [board(5, 5), board(8, 6)].concat(), "{}", name(device));
    }
}

#[test]
fn several_fields() {
    // Leapfrog: a wave that meets its own past; with a speed of one a pulse moves without a change.
    let wave = Stencil::of_fields(&["now", "past"], &["now.left + now.right - past", "now"]).unwrap();
    for device in devices() {
        let pulse = |at: usize| (0..50).map(|i| if i == at % 50 { 1.0f32 } else { 0.0 }).collect::<Vec<_>>();
        let [now, past] = [10, 9].map(|at| Array::from_slice(device, &pulse(at)));
        let later = wave.run_fields(&[&now, &past], 123, PadMode::Wrap).unwrap();
        assert_eq!(later[0].to_vec().unwrap(), pulse(133), "{}", name(device));
        assert_eq!(later[1].to_vec().unwrap(), pulse(132), "{}", name(device));
        // A prologue, and both fields the same array.
        let doubled = &now * 2.0;
        let once = wave.run_fields(&[&doubled, &doubled], 1, PadMode::Constant(0.0)).unwrap();
        assert_eq!(once[0].slice(crosslane::s![9..12]).to_vec().unwrap(), [2.0, -2.0, 2.0]);
    }
}

#[test]
fn mistakes() {
    let wanted = |error: crosslane::Result<Vec<Array<f32>>>, wanted: &str| {
        let error = error.unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    };
    let text = |error: crosslane::Result<Stencil>, wanted: &str| {
        let error = error.unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    };
    text(Stencil::new("u +"), "Stencil");
    text(Stencil::new("u[0.5]"), "1 to 3 whole numbers");
    text(Stencil::of_fields(&["a", "a"], &["a"]), "names that differ");
    text(Stencil::of_fields(&["a b"], &["a"]), "names that differ");
    text(Stencil::of_fields(&["a"], &[]), "1 to 1");
    let plane = Stencil::new("0.5 * (up + u)").unwrap();
    for device in devices() {
        let (x, y) = (Array::<f32>::zeros(device, &[4]), Array::<f32>::zeros(device, &[2, 2]));
        wanted(plane.run_fields(&[&x], 1, PadMode::Edge), "at least 2 axes");
        wanted(plane.run_fields(&[&y, &y], 1, PadMode::Edge), "fields: wanted 1, got 2");
        wanted(plane.run_fields(&[&y], usize::MAX, PadMode::Edge), "at most 1048576");
        let two = Stencil::of_fields(&["a", "b"], &["a + b"]).unwrap();
        wanted(two.run_fields(&[&x, &y], 1, PadMode::Edge), "the first one's shape");
        // Nothing to do.
        let none = Array::<f32>::zeros(device, &[0, 3]);
        assert_eq!(plane.run(&none, 5, PadMode::Edge).unwrap().shape(), [0, 3]);
        // A remainder is of integers only: the text does not fit floats.
        let bits = Stencil::new("(left ^ right) & 1").unwrap();
        assert!(bits.run(&x, 1, PadMode::Edge).is_err());
        let ones = Array::from_slice(device, &[1u32, 0, 0, 1]);
        assert_eq!(bits.run(&ones, 1, PadMode::Constant(0)).unwrap().to_vec().unwrap(), [0, 1, 1, 0]);
    }
}
