//! Convolutions over channels against their definition, and their gradients as its adjoints: sums of small integers, which are
//! exact in every order.

use crate::support::*;
use crosslane::array::ConvOptions;
use crosslane::{Array, DType, Device};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// A convolution of one or two axes, as numbers.
#[derive(Debug)]
struct Setting {
    batch: usize,
    groups: usize,
    inputs: usize,
    outputs: usize,
    extents: Vec<usize>,
    taps: Vec<usize>,
    padding: Vec<(usize, usize)>,
    steps: Vec<usize>,
    dilations: Vec<usize>,
    last: bool,
}

impl Setting {
    fn random(random: &mut StdRng) -> Setting {
        let axes = random.random_range(1..=3usize);
        let mut each = |most: usize| (0..axes).map(|_| random.random_range(1..=most)).collect::<Vec<_>>();
        let (taps, steps, dilations) = (each(4), each(3), each(3));
        let extents: Vec<usize> =
            each(9).iter().zip(&taps).zip(&dilations).map(|((e, t), d)| e + (t - 1) * d).collect();
        let padding = (0..axes).map(|_| (random.random_range(0..4), random.random_range(0..4))).collect();
        Setting {
            batch: random.random_range(1..4),
            groups: random.random_range(1..4),
            inputs: random.random_range(1..4),
            outputs: random.random_range(1..5),
            extents,
            taps,
            padding,
            steps,
            dilations,
            last: random.random(),
        }
    }

    fn options(&self) -> ConvOptions {
        let options = ConvOptions::default()
            .padding(self.padding.clone())
            .steps(self.steps.clone())
            .dilations(self.dilations.clone())
            .groups(self.groups);
        if self.last { options.channels_last() } else { options }
    }

    fn counts(&self) -> Vec<usize> {
        let count = |axis: usize| {
            let whole = self.extents[axis] + self.padding[axis].0 + self.padding[axis].1;
            (whole - (self.taps[axis] - 1) * self.dilations[axis] - 1) / self.steps[axis] + 1
        };
        (0..self.taps.len()).map(count).collect()
    }

    /// The shape of an array with so many channels in each group.
    fn shape(&self, of_group: usize, extents: &[usize]) -> Vec<usize> {
        let channels = [of_group * self.groups];
        match self.last {
            true => [&[self.batch], extents, &channels].concat(),
            false => [&[self.batch], &channels, extents].concat(),
        }
    }

    fn weights_shape(&self) -> Vec<usize> {
        [&[self.outputs * self.groups, self.inputs], &self.taps[..]].concat()
    }

    /// The row-major index in an array with so many channels.
    fn index(&self, of_group: usize, extents: &[usize], batch: usize, channel: usize, at: &[usize]) -> usize {
        let channels = of_group * self.groups;
        let inside = at.iter().zip(extents).fold(0, |sum, (&at, &extent)| sum * extent + at);
        let count: usize = extents.iter().product();
        match self.last {
            true => (batch * count + inside) * channels + channel,
            false => (batch * channels + channel) * count + inside,
        }
    }

    /// Which value a tap of a window meets; none in the padding.
    fn value(&self, place: &[usize], tap: &[usize]) -> Option<Vec<usize>> {
        let along = |axis: usize| {
            let at = place[axis] * self.steps[axis] + tap[axis] * self.dilations[axis];
            at.checked_sub(self.padding[axis].0).filter(|&at| at < self.extents[axis])
        };
        (0..tap.len()).map(along).collect()
    }

    /// By the definition.
    fn convolution(&self, x: &[i64], weights: &[i64]) -> Vec<i64> {
        let counts = self.counts();
        let mut result = vec![0; self.shape(self.outputs, &counts).iter().product()];
        let taps = points(&self.taps);
        for place in points(&counts) {
            let inside: Vec<(usize, Vec<usize>)> =
                taps.iter().enumerate().filter_map(|(nth, tap)| Some((nth, self.value(&place, tap)?))).collect();
            for batch in 0..self.batch {
                for output in 0..self.outputs * self.groups {
                    let to = self.index(self.outputs, &counts, batch, output, &place);
                    for input in 0..self.inputs {
                        let channel = output / self.outputs * self.inputs + input;
                        let weights = &weights[(output * self.inputs + input) * taps.len()..];
                        for (nth, at) in &inside {
                            result[to] += weights[*nth] * x[self.index(self.inputs, &self.extents, batch, channel, at)];
                        }
                    }
                }
            }
        }
        result
    }
}

/// All points of a space, in row-major order.
fn points(extents: &[usize]) -> Vec<Vec<usize>> {
    extents.iter().fold(vec![vec![]], |points, &extent| {
        points.iter().flat_map(|point| (0..extent).map(|at| [&point[..], &[at]].concat())).collect()
    })
}

fn integers(random: &mut StdRng, shape: &[usize]) -> Vec<i64> {
    (0..shape.iter().product::<usize>()).map(|_| random.random_range(-4..=4)).collect()
}

fn array(device: &Device, shape: &[usize], values: &[i64]) -> Array<f32> {
    Array::from_shape(device, shape, &values.iter().map(|&value| value as f32).collect::<Vec<_>>())
}

/// Windows whose rows are longer and shorter than a tile of a processor's registers, that fill tiles, and are less than one; more
/// rows than a tile, and fewer; steps from row to row of windows; weights of each group; `f32` and `f64`.
#[test]
fn windows_of_all_widths() {
    // Batch, groups, inputs and outputs of each; extents, taps, steps, dilations.
    let shapes: [([usize; 4], [&[usize]; 4]); 9] = [
        ([2, 1, 3, 9], [&[14, 61], &[3, 3], &[1, 1], &[1, 1]]),
        ([1, 1, 5, 70], [&[7, 7], &[3, 3], &[1, 1], &[1, 1]]),
        ([3, 2, 4, 8], [&[9, 50], &[2, 3], &[2, 1], &[1, 2]]),
        ([1, 1, 2, 5], [&[48], &[1], &[1], &[1]]),
        ([1, 1, 2, 16], [&[200], &[9], &[1], &[3]]),
        ([1, 3, 2, 4], [&[4, 6, 18], &[2, 1, 3], &[1, 2, 1], &[1, 1, 1]]),
        ([1, 1, 4, 12], [&[3, 20], &[3, 4], &[1, 1], &[1, 1]]),
        ([1, 1, 1, 4], [&[40, 9], &[3, 3], &[1, 1], &[1, 1]]),
        ([2, 1, 700, 4], [&[2, 30], &[1, 1], &[1, 1], &[1, 1]]),
    ];
    for device in devices() {
        let mut random = StdRng::seed_from_u64(243);
        let shapes = &shapes[..if compiles_slowly(device) { 3 } else { shapes.len() }];
        for &([batch, groups, inputs, outputs], sizes) in shapes {
            let [extents, taps, steps, dilations] = sizes.map(<[usize]>::to_vec);
            let padding = vec![(0, 0); taps.len()];
            let last = false;
            let setting = Setting { batch, groups, inputs, outputs, extents, taps, padding, steps, dilations, last };
            let shapes = [setting.shape(inputs, &setting.extents), setting.weights_shape()];
            let [x, w] = [0, 1].map(|nth: usize| integers(&mut random, &shapes[nth]));
            let wanted = setting.convolution(&x, &w);
            let what = format!("{setting:?} on {}", name(device));
            let [xs, ws] = [(&x, 0), (&w, 1)].map(|(values, nth): (_, usize)| array(device, &shapes[nth], values));
            assert_eq!(of(&xs.conv(&ws, &setting.options())), wanted, "{what}");
            if has(device, DType::F64) {
                let doubles = xs.cast::<f64>().conv(&ws.cast::<f64>(), &setting.options());
                assert_eq!(of(&doubles.cast()), wanted, "{what} of f64");
            }
        }
        say(&format!("channels: {} widths of windows on {}", shapes.len(), name(device)));
    }
}

fn of(array: &Array<f32>) -> Vec<i64> {
    array.to_vec().unwrap().iter().map(|&value| value as i64).collect()
}

fn dot(a: &[i64], b: &[i64]) -> i64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A convolution by its definition, and its gradients as its adjoints.
fn verify(device: &Device, setting: &Setting, random: &mut StdRng) {
    let (counts, options) = (setting.counts(), setting.options());
    let shapes = [
        setting.shape(setting.inputs, &setting.extents),
        setting.weights_shape(),
        setting.shape(setting.outputs, &counts),
    ];
    let [x, w, y] = [0, 1, 2].map(|nth: usize| integers(random, &shapes[nth]));
    let [xs, ws, ys] = [(&x, 0), (&w, 1), (&y, 2)].map(|(values, nth): (_, usize)| array(device, &shapes[nth], values));
    let what = format!("{setting:?} on {}", name(device));

    let result = xs.conv(&ws, &options);
    assert_eq!(result.shape(), shapes[2], "{what}");
    let wanted = setting.convolution(&x, &w);
    assert_eq!(of(&result), wanted, "{what}");

    // <conv(x, w), y> is <x, gradient for x> and <w, gradient for w>: for random numbers that holds of no other gradient.
    let for_x = ys.conv_gradient(&ws, &setting.extents, &options);
    assert_eq!(for_x.shape(), shapes[0], "{what}");
    let of_x = of(&for_x);
    assert_eq!(dot(&of_x, &x), dot(&wanted, &y), "{what}: for the array");
    let for_w = xs.conv_weights_gradient(&ys, &setting.taps, &options);
    assert_eq!(for_w.shape(), shapes[1], "{what}");
    assert_eq!(dot(&of(&for_w), &w), dot(&wanted, &y), "{what}: for the weights");

    // The transposed convolution is the gradient for the shortest array of that many windows.
    let transposed = ys.conv_transposed(&ws, &options);
    if let Ok(shortest) = transposed.to_vec() {
        let first = if setting.last { 1 } else { 2 };
        let extents = &transposed.shape()[first..first + counts.len()];
        let same = ys.conv_gradient(&ws, extents, &options).to_vec().unwrap();
        assert_eq!(shortest, same, "{what}: transposed");
    }
}

#[test]
fn as_defined_and_adjoint() {
    for device in devices() {
        let tried = if compiles_slowly(device) { 4 } else { 24 };
        let mut random = StdRng::seed_from_u64(240);
        for _ in 0..tried {
            let setting = Setting::random(&mut random);
            verify(device, &setting, &mut random);
        }
        say(&format!("channels: {tried} settings on {}", name(device)));
    }
}

/// Each channel has filters of its own: one, with rows of whole vectors, and several, with steps and gaps; along one to three axes.
#[test]
fn depthwise() {
    for device in devices() {
        let mut random = StdRng::seed_from_u64(242);
        for (outputs, extents, taps, step, dilation) in [
            (1, vec![9, 260], vec![3, 3], 1, 1),
            (3, vec![11, 14], vec![3, 2], 2, 2),
            (2, vec![40], vec![5], 1, 3),
            (1, vec![5, 6, 7], vec![2, 3, 3], 1, 1),
        ] {
            let axes = taps.len();
            let (padding, steps, dilations) = (vec![(1, 2); axes], vec![step; axes], vec![dilation; axes]);
            let (batch, groups, inputs, last) = (2, 3, 1, false);
            let setting = Setting { batch, groups, inputs, outputs, extents, taps, padding, steps, dilations, last };
            verify(device, &setting, &mut random);
        }
        say(&format!("channels: 4 depthwise settings on {}", name(device)));
    }
}

#[test]
fn of_large_arrays() {
    for device in devices() {
        let small = compiles_slowly(device);
        let (batch, channels, side) = if small { (1, 5, 13) } else { (2, 20, 19) };
        for last in [false, true] {
            let setting = Setting {
                batch,
                groups: 1,
                inputs: channels,
                outputs: channels + 7,
                extents: vec![side, side + 3],
                taps: vec![3, 3],
                padding: vec![(1, 1), (1, 1)],
                steps: vec![1, 2],
                dilations: vec![1, 1],
                last,
            };
            let mut random = StdRng::seed_from_u64(241);
            let shape = setting.shape(channels, &setting.extents);
            let (x, w) = (integers(&mut random, &shape), integers(&mut random, &setting.weights_shape()));
            let bias: Vec<i64> = (0..channels as i64 + 7).map(|channel| channel - 20).collect();
            let biases = array(device, &if last { vec![channels + 7] } else { vec![channels + 7, 1, 1] }, &bias);
            let weights = array(device, &setting.weights_shape(), &w);
            let sums = array(device, &shape, &x).conv(&weights, &setting.options());
            let got = of(&(&sums + &biases).relu());
            let per = setting.counts().iter().product::<usize>();
            let wanted: Vec<i64> = setting
                .convolution(&x, &w)
                .iter()
                .enumerate()
                .map(|(at, &sum)| {
                    let channel = if last { at % (channels + 7) } else { at / per % (channels + 7) };
                    (sum + bias[channel]).max(0)
                })
                .collect();
            assert_eq!(got, wanted, "channels last: {last}, on {}", name(device));
        }
    }
}

#[test]
fn nothing_and_mistakes() {
    for device in devices() {
        let zeros = |shape: &[usize]| Array::<f32>::zeros(device, shape);
        let plain = ConvOptions::default();
        // No batch, no channel (sums of nothing), windows longer than the array.
        assert_eq!(zeros(&[0, 2, 5]).conv(&zeros(&[3, 2, 3]), &plain).shape(), [0, 3, 3]);
        assert_eq!(zeros(&[2, 0, 5]).conv(&zeros(&[3, 0, 3]), &plain).to_vec().unwrap(), [0.0; 18]);
        assert_eq!(zeros(&[2, 1, 2]).conv(&zeros(&[3, 1, 3]), &plain).shape(), [2, 3, 0]);
        assert_eq!(zeros(&[2, 1, 2]).conv(&zeros(&[3, 1, 3]), &plain).to_vec().unwrap(), [0.0f32; 0]);
        let fails = |array: Array<f32>, wanted: &str| {
            let error = array.to_vec().unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        };
        fails(zeros(&[2, 3, 5]).conv(&zeros(&[3, 2, 3]), &plain), "2 channels for each of 1 groups");
        fails(zeros(&[2, 5]).conv(&zeros(&[3, 2]), &plain), "3 to 5");
        fails(zeros(&[2, 3, 5]).conv(&zeros(&[3, 3, 0]), &plain), "weights along each axis");
        fails(zeros(&[2, 3, 5]).conv(&zeros(&[3, 3, 1]), &plain.clone().groups(2)), "a divisor of 3");
        fails(zeros(&[2, 3, 5]).conv(&zeros(&[3, 3, 1]), &plain.clone().groups(0)), "a divisor of 3");
        fails(zeros(&[2, 3, 5]).conv(&zeros(&[3, 3, 1]), &plain.clone().steps([0])), "steps");
        fails(zeros(&[2, 3, 5]).conv(&zeros(&[3, 3, 1]), &plain.clone().dilations([usize::MAX])), "dilations");
        fails(zeros(&[2, 3, 5]).conv(&zeros(&[3, 3, 1]), &plain.clone().padding([(1, 1); 2])), "padding");
        if let Some(other) = devices().iter().find(|other| *other != device) {
            let there = Array::<f32>::zeros(other, &[3, 3, 3]);
            fails(zeros(&[2, 3, 5]).conv(&there, &plain), "device");
            fails(zeros(&[3, 3, 5]).conv_weights_gradient(&there, &[3], &plain), "device");
        }
        fails(zeros(&[2, 3, 5]).conv_gradient(&zeros(&[3, 3, 2]), &[5], &plain), "[4] along the axes");
        fails(zeros(&[2, 3, 5]).conv_weights_gradient(&zeros(&[2, 3, 5]), &[2], &plain), "[4] along the axes");
        fails(zeros(&[2, 3, 1]).conv_transposed(&zeros(&[3, 3, 2]), &plain.clone().padding([(2, 1)])), "padding");
    }
}
