//! Convolutions over channels, as the peers': 64 channels of 112 x 112 by 3 x 3 weights, zeros around.

use super::compare::random;
use super::measure::{Group, Row};
use super::{Outcome, indices};
use crosslane::array::ConvOptions;
use crosslane::device::DeviceKind;
use crosslane::{Array, Device, Number, f16};
use std::cell::OnceCell;

const SEED: u64 = 12;
const CHANNELS: usize = 64;
const TAPS: usize = 3;
/// Results that are compared with the host's sums.
const SAMPLES: usize = 500;

/// A batch of arrays with channels, and weights.
pub struct Layers {
    device: Device,
    batch: usize,
    side: usize,
    singles: OnceCell<[Array<f32>; 2]>,
    halves: OnceCell<[Array<f16>; 2]>,
    depthwise: OnceCell<[Array<f32>; 2]>,
}

fn value(i: usize) -> f32 {
    random(SEED, i) - 0.5
}

fn weight(i: usize) -> f32 {
    (random(SEED + 1, i) - 0.5) / 24.0
}

impl Layers {
    pub fn new(device: &Device, quick: bool) -> Layers {
        let large = device.properties().kind == DeviceKind::Discrete;
        let (batch, side) = if large && !quick { (32, 112) } else { (2, 56) };
        let (singles, halves, depthwise) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Layers { device: device.clone(), batch, side, singles, halves, depthwise }
    }

    /// An array, and weights that meet so many channels.
    fn operands<T: Number + Default>(&self, met: usize, convert: fn(f32) -> T) -> [Array<T>; 2] {
        let array = |shape: [usize; 4], value: fn(usize) -> f32| {
            let host: Vec<T> = indices::map(shape.iter().product(), |i| convert(value(i)));
            Array::from_shape(&self.device, &shape, &host)
        };
        [array([self.batch, CHANNELS, self.side, self.side], value), array([CHANNELS, met, TAPS, TAPS], weight)]
    }

    fn singles(&self) -> Array<f32> {
        let [x, weights] = self.singles.get_or_init(|| self.operands(CHANNELS, |x| x));
        x.conv(weights, &ConvOptions::default().padding([(1, 1)]))
    }

    fn halves(&self) -> Array<f16> {
        let [x, weights] = self.halves.get_or_init(|| self.operands(CHANNELS, f16::from_f32));
        x.conv(weights, &ConvOptions::default().padding([(1, 1)]))
    }

    fn depthwise(&self) -> Array<f32> {
        let [x, weights] = self.depthwise.get_or_init(|| self.operands(1, |x| x));
        x.conv(weights, &ConvOptions::default().padding([(1, 1)]).groups(CHANNELS))
    }

    /// Samples of a result against sums over `met` channels of what `read` makes of the numbers, which may be off by `rounding` of
    /// themselves.
    fn check(&self, op: &str, met: usize, got: &[f64], read: fn(f32) -> f64, rounding: f64) -> Outcome {
        let side = self.side;
        for nth in 0..SAMPLES {
            let at = ((random(SEED + 2, nth) as f64 * got.len() as f64) as usize).min(got.len() - 1);
            let (image, output, y, x) =
                (at / side / side / CHANNELS, at / side / side % CHANNELS, at / side % side, at % side);
            let (mut sum, mut size) = (0.0, 0.0);
            for t in 0..met * TAPS * TAPS {
                let first = if met == 1 { output } else { 0 };
                let (channel, dy, dx) = (first + t / TAPS / TAPS, t / TAPS % TAPS, t % TAPS);
                if (1..=side).contains(&(y + dy)) && (1..=side).contains(&(x + dx)) {
                    let from = ((image * CHANNELS + channel) * side + y + dy - 1) * side + x + dx - 1;
                    let product = read(value(from)) * read(weight(output * met * TAPS * TAPS + t));
                    sum += product;
                    size += product.abs();
                }
            }
            let allowed = 8.0 * f32::EPSILON as f64 * size + rounding * sum.abs();
            if (got[at] - sum).abs() > allowed {
                return Err(format!("{op}: wrong result at {at}: wanted {sum}, got {}", got[at]).into());
            }
        }
        Ok(())
    }
}

/// The lines of the table.
pub fn rows(layers: &Layers) -> Vec<Row<'_>> {
    let results = layers.batch * CHANNELS * layers.side * layers.side;
    let flops = (2 * results * CHANNELS * TAPS * TAPS) as u64;
    let bytes = (2 * results * size_of::<f32>()) as u64;
    let depthwise = Row {
        op: "depthwise_3x3_n32_c64_112_f32",
        n: layers.side,
        group: Group::Memory { bytes },
        before: None,
        check: Box::new(move || {
            let got: Vec<f64> = layers.depthwise().to_vec()?.into_iter().map(f64::from).collect();
            layers.check("depthwise_3x3_n32_c64_112_f32", 1, &got, f64::from, 0.0)
        }),
        work: Box::new(move || layers.depthwise().eval()),
    };
    let mut all = vec![
        depthwise,
        Row {
            op: "conv2d_3x3_n32_c64_112_f32",
            n: layers.side,
            group: Group::Compute { flops },
            before: None,
            check: Box::new(move || {
                let got: Vec<f64> = layers.singles().to_vec()?.into_iter().map(f64::from).collect();
                layers.check("conv2d_3x3_n32_c64_112_f32", CHANNELS, &got, f64::from, 0.0)
            }),
            work: Box::new(move || layers.singles().eval()),
        },
    ];
    if layers.device.caps().f16 {
        all.push(Row {
            op: "conv2d_3x3_n32_c64_112_f16",
            n: layers.side,
            group: Group::Compute { flops },
            before: None,
            check: Box::new(move || {
                let got: Vec<f64> = layers.halves().to_vec()?.into_iter().map(f64::from).collect();
                layers.check("conv2d_3x3_n32_c64_112_f16", CHANNELS, &got, |x| f16::from_f32(x).to_f64(), 1.0 / 1024.0)
            }),
            work: Box::new(move || layers.halves().eval()),
        });
    }
    all
}
