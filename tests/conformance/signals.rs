//! Filters in time against SciPy's results, kept in `signals.json` (some are made by `signals.py`), and long recurrences against the definition in f64.

use crate::support::*;
use crosslane::array::{
    Band, PadMode, PeakOptions, Window, butterworth, chebyshev1, firwin, lfilter_zi, savgol_coefficients, sosfilt_zi,
};

use crosslane::{Array, Device, Part};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::Value;

pub const TABLE: &str = include_str!("signals.json");

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn shape(value: &Value) -> Vec<usize> {
    numbers(&value["shape"]).iter().map(|&extent| extent as usize).collect()
}

fn host(value: &Value) -> Vec<f64> {
    numbers(&value["values"])
}

fn array<R: Part>(device: &Device, value: &Value) -> Array<R> {
    Array::from_shape(device, &shape(value), &host(value).into_iter().map(of_f64).collect::<Vec<R>>())
}

fn of_f64<R: Part>(value: f64) -> R {
    R::rounded(value)
}

pub fn to_f64<R: Part>(array: &Array<R>) -> Vec<f64> {
    array.cast::<R>().to_vec().unwrap().into_iter().map(|value| parts(value)[0]).collect()
}

pub fn sections(value: &Value) -> Vec<[f64; 6]> {
    host(value).chunks(6).map(|section| section.try_into().unwrap()).collect()
}

/// A filter as the recurrence of its sections, in f64: `b[0..=order]`, `a[1..=order]` of each, divided by `a[0]`.
struct Filter {
    order: usize,
    sections: Vec<Vec<f64>>,
}

impl Filter {
    fn of(b: &[f64], a: &[f64]) -> Filter {
        let order = a.len().max(b.len()) - 1;
        let at = |values: &[f64], k: usize| values.get(k).copied().unwrap_or(0.0) / a[0];
        let section = (0..=order).map(|k| at(b, k)).chain((1..=order).map(|k| at(a, k))).collect();
        Filter { order, sections: vec![section] }
    }

    fn of_sections(sos: &[[f64; 6]]) -> Filter {
        let section = |s: &[f64; 6]| [s[0], s[1], s[2], s[4], s[5]].map(|value| value / s[3]).to_vec();
        Filter { order: 2, sections: sos.iter().map(section).collect() }
    }

    fn states(&self) -> usize {
        self.order * self.sections.len()
    }

    fn step(&self, z: &mut [f64], input: f64) -> f64 {
        let mut x = input;
        for (nth, section) in self.sections.iter().enumerate() {
            let z = &mut z[nth * self.order..(nth + 1) * self.order];
            let y = section[0] * x + z.first().copied().unwrap_or(0.0);
            for j in 0..self.order {
                let next = if j + 1 < self.order { z[j + 1] } else { 0.0 };
                z[j] = section[j + 1] * x + next - section[self.order + 1 + j] * y;
            }
            x = y;
        }
        x
    }

    /// The sums over `count` steps of the sizes of what one number, added once to the input or to a state, adds to the output, and
    /// to each state. The input is first.
    fn gains(&self, count: usize) -> Vec<Vec<f64>> {
        let start = |from: usize| {
            let mut z = vec![0.0; self.states()];
            let mut sums = vec![0.0; self.states() + 1];
            let mut input = if from == 0 { 1.0 } else { 0.0 };
            if from > 0 {
                z[from - 1] = 1.0;
            }
            for _ in 0..count {
                sums[0] += self.step(&mut z, input).abs();
                sums[1..].iter_mut().zip(&z).for_each(|(sum, z)| *sum += z.abs());
                input = 0.0;
            }
            sums
        };
        (0..=self.states()).map(start).collect()
    }

    /// How large results may be, and how far off, of inputs and initial states up to these sizes, where each step rounds by `unit`.
    ///
    /// A state is a sum of three terms, none above `size`: two roundings of sums, and those of two coefficients. What is carried
    /// from block to block is rounded by a product of so many terms as there are states, and by one for each power of two of
    /// blocks, at most once for each step. Each error goes on as by `gains`.
    fn bound(&self, count: usize, input: f64, initial: f64, unit: f64) -> (f64, f64) {
        let gains = self.gains(count);
        let most = |to: usize| gains[0][to] * input + gains[1..].iter().map(|from| from[to] * initial).sum::<f64>();
        let coefficient = self.sections.iter().flatten().fold(1.0f64, |most, value| most.max(value.abs()));
        let largest = (0..=self.states()).map(most).fold(input.max(initial), f64::max);
        let roundings = (4 + self.states()) as f64;
        let added = unit * roundings * coefficient * largest;
        // An error of each state at each step, and of the output.
        let gain: f64 = 1.0 + gains[1..].iter().map(|from| from[0]).sum::<f64>();
        (most(0), added * gain)
    }
}

fn most(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, value| most.max(value.abs()))
}

pub fn band(row: &Value) -> Band {
    match (row["band"].as_str().unwrap(), &numbers(&row["bounds"])[..]) {
        ("low", &[bound]) => Band::LowPass(bound),
        ("high", &[bound]) => Band::HighPass(bound),
        ("band", &[low, high]) => Band::BandPass(low, high),
        (_, bounds) => Band::BandStop(bounds[0], bounds[1]),
    }
}

/// What the host computes, in f64: the results, and how far they may be off.
fn designed(row: &Value) -> Option<(Vec<f64>, f64)> {
    let index = |name: &str| row[name].as_u64().unwrap() as usize;
    let ba = || (numbers(&row["b"]), numbers(&row["a"]));
    Some(match row["what"].as_str().unwrap() {
        "lfilter_zi" => (lfilter_zi(&ba().0, &ba().1).unwrap(), 1e-12),
        "sosfilt_zi" => (sosfilt_zi(&sections(&row["sos"])).unwrap().concat(), 1e-11),
        // The poles of high orders are apart by what f64 tells apart.
        "butterworth" => (butterworth(index("order"), band(row), 1000.0).unwrap().concat(), 1e-11),
        "firwin" => {
            let window = match row["window"].as_str().unwrap() {
                "rectangular" => Window::Rectangular,
                "hamming" => Window::Hamming,
                "hann" => Window::Hann,
                "blackman" => Window::Blackman,
                _ => Window::Kaiser(6.5),
            };
            (firwin(index("taps"), band(row), 1000.0, window).unwrap(), 1e-13)
        }
        "savgol_coefficients" => {
            (savgol_coefficients(index("length"), index("degree"), index("derivative")).unwrap(), 1e-12)
        }
        _ => return None,
    })
}

#[test]
fn designs_as_scipy() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let mut count = 0;
    for row in table["rows"].as_array().unwrap() {
        let Some((got, bound)) = designed(row) else { continue };
        count += 1;
        let wanted = host(&row["results"][0]);
        assert_eq!(got.len(), wanted.len(), "{row}");
        let apart = got.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart <= bound * most(&wanted).max(1.0), "{row}: {apart:e}, {got:?}");
    }
    assert_eq!(count, 118);
}

/// Weights of a long window and a high degree, where SciPy's are off by 4e-7: of a polynomial of that degree they give the value,
/// or the derivative, in the middle.
#[test]
fn polynomials_stay() {
    let half = 25.0;
    for derivative in 0..=3 {
        let weights = savgol_coefficients(51, 9, derivative).unwrap();
        for power in 0..=9 {
            let terms = weights.iter().zip(-25i32..).map(|(weight, t)| weight * (t as f64 / half).powi(power));
            let wanted =
                if power as usize == derivative { (1..=derivative).map(|k| k as f64 / half).product() } else { 0.0 };
            let got: f64 = terms.sum();
            assert!((got - wanted).abs() < 1e-14, "derivative {derivative} of power {power}: {got:e}, {wanted:e}");
        }
    }
}

/// The results of a row on a device, and how far they may be off.
fn results<R: Part>(device: &Device, row: &Value) -> (Vec<Array<R>>, f64) {
    let x = array::<R>(device, &row["x"]);
    let unit = if R::DTYPE.size() == 4 { 2f64.powi(-24) } else { 2f64.powi(-53) };
    let input = most(&host(&row["x"]));
    let axis = row["axis"].as_i64().unwrap_or(0) as isize;
    let index = |name: &str| row[name].as_u64().unwrap() as usize;
    let (b, a) = match row["b"].is_null() {
        true => (vec![], vec![]),
        false => (numbers(&row["b"]), numbers(&row["a"])),
    };
    let sos = if row["sos"].is_null() { vec![] } else { sections(&row["sos"]) };
    let filter = || if sos.is_empty() { Filter::of(&b, &a) } else { Filter::of_sections(&sos) };
    let states = || array::<R>(device, &row["states"]);
    // Steps of the longest row.
    const STEPS: usize = 200;
    let once = |initial: f64| filter().bound(STEPS, input, initial, unit).1;
    let twice = || {
        // Continued at the ends by up to three times the size; what the first pass is off by goes through the second one. Settled
        // states are those of a constant of that size.
        let (size, off) = filter().bound(STEPS, 3.0 * input, 0.0, unit);
        let gain = filter().gains(STEPS)[0][0];
        4.0 * (off * gain.max(1.0) + filter().bound(STEPS, size, 0.0, unit).1)
    };
    // Sums of weights by values.
    let sums = |terms: usize, weight: f64| unit * (terms + 4) as f64 * weight * input;
    match row["what"].as_str().unwrap() {
        "lfilter" => (vec![x.lfilter(&b, &a, axis)], once(0.0)),
        "lfilter_from" => {
            let (y, left) = x.lfilter_from(&b, &a, axis, &states());
            (vec![y, left], once(most(&host(&row["states"]))))
        }
        "sosfilt" => (vec![x.sosfilt(&sos, axis)], once(0.0)),
        "sosfilt_from" => {
            let (y, left) = x.sosfilt_from(&sos, axis, &states());
            (vec![y, left], once(most(&host(&row["states"]))))
        }
        "filtfilt" => (vec![x.filtfilt(&b, &a, axis)], twice()),
        "sosfiltfilt" => (vec![x.sosfiltfilt(&sos, axis)], twice()),
        "savgol_filter" => {
            let (length, degree, derivative) = (index("length"), index("degree"), index("derivative"));
            let boundary = match row["mode"].as_str().unwrap() {
                "interp" => None,
                "edge" => Some(PadMode::Edge),
                "reflect" => Some(PadMode::Reflect),
                "constant" => Some(PadMode::Constant(of_f64(1.5))),
                _ => Some(PadMode::Wrap),
            };
            // No weight is above 3: those of the ends' derivatives. SciPy's fits at the ends are off by some 1e-14.
            (vec![x.savgol_filter(length, degree, derivative, axis, boundary)], sums(length, 3.0) + 1e-13)
        }
        // Transforms of up to 16 values.
        "resample" => (vec![x.resample(index("count"), axis)], unit * 64.0 * input),
        "resample_poly" => (vec![x.resample_poly(index("up"), index("down"), axis)], sums(150, 1.0)),
        "decimate" => (vec![x.decimate(index("factor"), axis)], sums(101, 0.5)),
        // What its documentation says, of values that the ends continue up to three times the size; SciPy's are off by as much.
        "decimate_iir" => {
            let off = unit * (16 * index("factor").max(5).pow(2)) as f64 * 3.0 * input;
            (vec![x.decimate_iir(index("factor"), axis)], off + off / unit * 2f64.powi(-53))
        }
        "medfilt" => (vec![x.median_filter(index("size"), .., PadMode::Constant(of_f64(0.0)))], 0.0),
        other => panic!("{other}"),
    }
}

fn as_scipy<R: Part>(device: &Device) -> usize {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let rows = table["rows"].as_array().unwrap();
    let others = ["find_peaks", "butterworth_response", "chebyshev1_response"];
    let on_devices = |row: &&Value| designed(row).is_none() && !others.iter().any(|other| row["what"] == *other);
    let rows: Vec<&Value> = rows.iter().filter(on_devices).collect();
    let every = if compiles_slowly(device) { 11 } else { 1 };
    for row in rows.iter().step_by(every) {
        let (got, bound) = results::<R>(device, row);
        let what = format!("{} of {} in {} on {}", row["what"], row, R::DTYPE, name(device));
        for (got, wanted) in got.iter().zip(row["results"].as_array().unwrap()) {
            got.check().unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(got.shape(), shape(wanted), "{what}");
            let (got, wanted) = (to_f64(got), host(wanted));
            let apart = got.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart <= bound, "{what}: {apart:e} is above {bound:e}, {got:?} for {wanted:?}");
        }
    }
    rows.len().div_ceil(every)
}

#[test]
fn filters_as_scipy() {
    for device in devices() {
        let count = as_scipy::<f32>(device);
        say(&format!("signals: {count} rows of SciPy on {}", name(device)));
        match device.caps().f64 {
            true => say(&format!("signals: {} rows in f64 on {}", as_scipy::<f64>(device), name(device))),
            false => say(&format!("signals of f64: not run on {}: it has no f64", name(device))),
        }
    }
}

#[test]
fn peaks_as_scipy() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let rows = table["rows"].as_array().unwrap().iter().filter(|row| row["what"] == "find_peaks");
    for device in quick() {
        for row in rows.clone() {
            let x = array::<f32>(device, &row["x"]);
            let mut options = PeakOptions::default();
            for (name, value) in row["options"].as_object().unwrap() {
                let value = value.as_f64().unwrap();
                options = match name.as_str() {
                    "height" => options.height(value),
                    "threshold" => options.threshold(value),
                    "distance" => options.distance(value),
                    _ => options.prominence(value),
                };
            }
            let peaks = x.find_peaks(&options).unwrap();
            let places: Vec<f64> = peaks.places.iter().map(|&place| place as f64).collect();
            let of = |values: &[f32]| values.iter().map(|&value| value as f64).collect::<Vec<f64>>();
            let what = format!("{row} on {}", name(device));
            assert_eq!(places, host(&row["results"][0]), "{what}");
            assert_eq!(of(&peaks.heights), host(&row["results"][1]), "{what}");
            // Sums of values by eighths are exact; others are rounded.
            let wanted = if row["results"][2].is_null() { vec![] } else { host(&row["results"][2]) };
            assert_eq!(of(&peaks.prominences), wanted, "{what}");
        }
    }
}

/// A filter along an axis of a host's values by rows, in f64.
fn direct(filter: &Filter, shape: &[usize], axis: usize, x: &[f64]) -> Vec<f64> {
    let inner: usize = shape[axis + 1..].iter().product();
    let mut y = vec![0.0; x.len()];
    for row in 0..x.len() / shape[axis] {
        let mut z = vec![0.0; filter.states()];
        for n in 0..shape[axis] {
            let at = (row / inner * shape[axis] + n) * inner + row % inner;
            y[at] = filter.step(&mut z, x[at]);
        }
    }
    y
}

fn long_rows<R: Part>(device: &Device) {
    let low = [[0.0200833656, 0.0401667311, 0.0200833656, 1.0, -1.56101808, 0.6413515381]];
    let wide = butterworth(7, Band::BandPass(0.2, 0.5), 2.0).unwrap();
    let (b, a) = ([0.25, 0.5, 0.25], [1.0, -1.2, 0.8, -0.3]);
    let mut random = StdRng::seed_from_u64(11);
    let unit = if R::DTYPE.size() == 4 { 2f64.powi(-24) } else { 2f64.powi(-53) };
    let shapes: [(&[usize], usize); 9] = [
        (&[17], 0),
        (&[4097], 0),
        (&[100_000], 0),
        (&[3, 5000], 1),
        (&[5000, 3], 0),
        (&[300, 70], 1),
        (&[70, 300], 0),
        (&[4, 600, 5], 1),
        (&[2000, 33], 1),
    ];
    for (shape, axis) in shapes {
        let count = shape.iter().product();
        let values: Vec<f64> = (0..count).map(|_| random.random_range(-1.0f32..1.0) as f64).collect();
        let x = Array::from_shape(device, shape, &values.iter().map(|&value| of_f64(value)).collect::<Vec<R>>());
        let along = axis as isize;
        for (what, filter, got) in [
            ("low-pass", Filter::of_sections(&low), x.sosfilt(&low, along)),
            ("band-pass", Filter::of_sections(&wide), x.sosfilt(&wide, along)),
            ("lfilter", Filter::of(&b, &a), x.lfilter(&b, &a, along)),
        ] {
            let wanted = direct(&filter, shape, axis, &values);
            let bound = filter.bound(2000, 1.0, 0.0, unit).1;
            let got = to_f64(&got);
            let apart = got.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let what = format!("{what} along {axis} of {shape:?}, {}, on {}", R::DTYPE, name(device));
            assert!(apart <= bound, "{what}: {apart:e} is above {bound:e}");
        }
        // In two pieces, with what the first one leaves.
        let cut = shape[axis] / 3;
        let parts = x.split_at(&[cut as isize], along).unwrap();
        let mut states = shape.to_vec();
        states[axis] = 3;
        let (first, left) = parts[0].lfilter_from(&b, &a, along, &Array::zeros(device, &states));
        let (second, _) = parts[1].lfilter_from(&b, &a, along, &left);
        let both = to_f64(&Array::concatenate(&[&first, &second], along).unwrap());
        let filter = Filter::of(&b, &a);
        let wanted = direct(&filter, shape, axis, &values);
        let apart = both.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart <= filter.bound(2000, 1.0, 0.0, unit).1, "in pieces: {shape:?} on {}: {apart:e}", name(device));
    }
}

#[test]
fn long_recurrences() {
    for device in quick() {
        long_rows::<f32>(device);
        if device.caps().f64 {
            long_rows::<f64>(device);
        }
    }
}

/// Rates so far apart that the weights fit no tile, on both sides of where a product takes over.
#[test]
fn far_rates() {
    let mut random = StdRng::seed_from_u64(12);
    let values: Vec<f64> = (0..6000).map(|_| random.random_range(-1.0f32..1.0) as f64).collect();
    for device in quick() {
        let x = Array::from_slice(device, &values.iter().map(|&value| value as f32).collect::<Vec<f32>>());
        for factor in [74, 75, 400] {
            let half = 10 * factor as i64;
            let weights = firwin(20 * factor + 1, Band::LowPass(0.5 / factor as f64), 1.0, Window::Hamming).unwrap();
            let got = x.decimate(factor, 0).to_vec().unwrap();
            assert_eq!(got.len(), 6000usize.div_ceil(factor));
            for (nth, &got) in got.iter().enumerate() {
                let value = |t: i64| {
                    let at = (nth * factor) as i64 + t - half;
                    usize::try_from(at).ok().and_then(|at| values.get(at)).copied().unwrap_or(0.0)
                };
                let wanted: f64 = weights.iter().zip(0..).map(|(weight, t)| weight * value(t)).sum();
                // The sizes of the weights add up to less than 2.
                assert!((got as f64 - wanted).abs() < 1e-5, "{factor}, {nth} on {}: {got}, {wanted}", name(device));
            }
        }
    }
}

/// A filter that grows past all powers that can be carried, and one that adds up: as one step after the other.
#[test]
fn growing_recurrences() {
    for device in quick() {
        let x = Array::<f32>::ones(device, &[2, 3000]);
        let sums = x.lfilter(&[1.0], &[1.0, -1.0], 1).to_vec().unwrap();
        assert!(sums.iter().zip(0..).all(|(&sum, at)| sum == (at % 3000 + 1) as f32), "on {}", name(device));
        let zero = Array::<f32>::zeros(device, &[1, 3000]);
        let mut values = vec![0.0f32; 3000];
        values[2990] = 1.0;
        let late = Array::from_shape(device, &[1, 3000], &values);
        let both = Array::concatenate(&[&zero, &late], 0).unwrap().lfilter(&[1.0], &[1.0, -2.0], 1).to_vec().unwrap();
        assert!(both[..5990].iter().all(|&value| value == 0.0), "on {}", name(device));
        assert!(both[5990..].iter().zip(0..).all(|(&value, at)| value == 2f32.powi(at)), "on {}", name(device));
        // NaN reaches what follows, and nothing before.
        values[100] = f32::NAN;
        let got = Array::from_shape(device, &[3000], &values).lfilter(&[1.0], &[1.0, -0.5], 0).to_vec().unwrap();
        assert!(got[..100].iter().all(|&value| value == 0.0) && got[100..].iter().all(|value| value.is_nan()));
    }
}

/// What is no filter, no axis or no state is said so.
#[test]
fn mistakes() {
    let device = quick().next().expect("there is a device");
    let x = Array::<f32>::ones(device, &[2, 30]);
    let says = |error: crosslane::Error, words: &[&str]| {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    says(held(&x.lfilter(&[1.0], &[1.0; 10], 0)), &["lfilter", "sosfilt", "order 9"]);
    says(held(&x.lfilter(&[1.0], &[0.0, 1.0], 0)), &["lfilter", "a"]);
    says(held(&x.lfilter(&[], &[1.0], 0)), &["lfilter", "b"]);
    says(held(&x.lfilter(&[f64::NAN], &[1.0], 0)), &["lfilter", "b"]);
    says(held(&x.lfilter(&[1.0], &[1.0, 0.5], 2)), &["lfilter", "axis"]);
    let states = Array::zeros(device, &[2, 2]);
    says(held(&x.lfilter_from(&[1.0], &[1.0, 0.5], 1, &states).1), &["lfilter_from", "states", "[2, 1]"]);
    says(held(&x.sosfilt(&[], 0)), &["sosfilt", "sos"]);
    says(held(&x.sosfilt(&[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]], 0)), &["sosfilt", "a0"]);
    says(held(&x.sosfilt_from(&[[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]], 1, &Array::zeros(device, &[3])).0), &["states"]);
    says(held(&x.filtfilt(&[1.0], &[1.0, 0.5], 0)), &["filtfilt", "more than 6"]);
    says(held(&x.filtfilt(&[1.0], &[1.0, -1.0], 1)), &["filtfilt", "pole at 1"]);
    says(butterworth(0, Band::LowPass(0.1), 1.0).unwrap_err(), &["butterworth", "order"]);
    says(butterworth(2, Band::LowPass(0.6), 1.0).unwrap_err(), &["butterworth", "band"]);
    says(butterworth(2, Band::BandPass(0.4, 0.3), 1.0).unwrap_err(), &["butterworth", "band"]);
    says(firwin(4, Band::HighPass(0.1), 1.0, Window::Hann).unwrap_err(), &["firwin", "taps", "odd"]);
    says(savgol_coefficients(4, 1, 0).unwrap_err(), &["length", "odd"]);
    says(savgol_coefficients(5, 5, 0).unwrap_err(), &["degree"]);
    says(held(&x.savgol_filter(5, 2, 0, 0, None)), &["savgol_filter", "boundary"]);
    says(held(&x.resample(0, 0)), &["resample", "count"]);
    says(held(&x.resample_poly(0, 1, 0)), &["resample_poly", "up, down"]);
    says(held(&x.resample_poly(1 << 20, (1 << 20) - 1, 0)), &["resample_poly", "matrix"]);
    says(held(&x.decimate(0, 0)), &["decimate", "factor"]);
    says(held(&x.decimate_iir(0, 1)), &["decimate_iir", "factor", "1 to 256"]);
    says(held(&x.decimate_iir(257, 1)), &["decimate_iir", "factor", "257"]);
    says(held(&x.decimate_iir(2, 2)), &["decimate_iir", "axis"]);
    says(held(&x.decimate_iir(2, 0)), &["decimate_iir", "more than 27"]);
    says(chebyshev1(0, 1.0, Band::LowPass(0.1), 1.0).unwrap_err(), &["chebyshev1", "order"]);
    says(chebyshev1(2, 1.0, Band::LowPass(0.5), 1.0).unwrap_err(), &["chebyshev1", "band"]);
    for ripple in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        says(chebyshev1(2, ripple, Band::LowPass(0.1), 1.0).unwrap_err(), &["chebyshev1", "ripple"]);
    }
    // Gains below the least f64.
    says(butterworth(200, Band::LowPass(1e-3), 1.0).unwrap_err(), &["butterworth", "order 200", "range"]);
    says(chebyshev1(3, 1e4, Band::LowPass(0.1), 1.0).unwrap_err(), &["chebyshev1", "range"]);
    says(x.find_peaks(&PeakOptions::default()).unwrap_err(), &["find_peaks", "one axis"]);
    let row = x.reshape(&[60]);
    says(row.find_peaks(&PeakOptions::default().distance(0.5)).unwrap_err(), &["find_peaks", "distance"]);
    for empty in [[0, 30], [2, 0]] {
        let x = Array::<f32>::zeros(device, &empty);
        let same = [x.lfilter(&[1.0], &[1.0, 0.5], 1), x.sosfilt(&[[1.0, 0.0, 0.0, 1.0, 0.5, 0.0]], 0)];
        assert!(same.iter().all(|y| y.shape() == empty && y.to_vec().unwrap().is_empty()));
        if empty[1] > 0 {
            assert_eq!(x.resample(4, 1).shape(), [0, 4]);
            assert!(x.resample(4, 1).to_vec().unwrap().is_empty());
        }
        if empty[1] > 0 {
            assert_eq!(x.decimate_iir(4, 1).shape(), [0, 8]);
            assert!(x.decimate_iir(4, 1).to_vec().unwrap().is_empty());
        }
        for (y, extent) in [(x.decimate(2, 1), empty[1] / 2), (x.resample_poly(3, 2, 1), empty[1] * 3 / 2)] {
            assert_eq!(y.shape(), [empty[0], extent]);
            assert!(y.to_vec().unwrap().is_empty());
        }
    }
}

/// SciPy's `get_window` of no value, and of one, is the same for all windows.
#[test]
fn windows_of_one_value() {
    for window in [Window::Rectangular, Window::Hann, Window::Hamming, Window::Blackman, Window::Kaiser(6.5)] {
        assert_eq!(window.values(0), [0.0; 0]);
        assert_eq!(window.values(1), [1.0], "{window:?}");
    }
    // Two values: SciPy 1.17.
    assert_eq!(Window::Hann.values(2), [0.0, 1.0]);
}
