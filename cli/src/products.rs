//! Products of matrices and vectors; the names are those of `benches/peers`.

use super::compare::normal;
use super::measure::{Group, Row};
use super::{Outcome, indices};
use crosslane::array::Precision;
use crosslane::device::DeviceKind;
use crosslane::{Array, Device, Number, f16};
use std::cell::OnceCell;

const LEFT: u64 = 30;
const RIGHT: u64 = 31;
/// Elements of a result that are compared with the host's sums.
const SAMPLES: usize = 200;

/// `batch` products of `rows` x `inner` by `inner` x `columns`, whose sides are made at their first use.
pub struct Product {
    device: Device,
    op: &'static str,
    n: usize,
    kind: Of,
    batch: usize,
    extents: [usize; 3],
    singles: OnceCell<[Array<f32>; 2]>,
    halves: OnceCell<[Array<f16>; 2]>,
}

/// What is multiplied, and the unit of its rate.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Singles,
    /// f32 that tensor cores may round.
    Rounded,
    Halves,
    Vector,
    /// Including the wait for it.
    Small,
}

/// All products that a device computes quickly.
pub fn products(device: &Device, quick: bool) -> Vec<Product> {
    let large = device.properties().kind == DeviceKind::Discrete;
    let sides: &[usize] = match (large, quick) {
        (true, false) => &[256, 1024, 4096, 8192],
        (true, true) => &[256, 1024, 2048],
        (false, false) => &[256, 512],
        (false, true) => &[256],
    };
    let vectors: &[usize] = if large { &[4096, 16384] } else { &[2048] };
    let batch = if large { 4096 } else { 64 };
    let new = |op, n, kind, batch, extents| {
        let (singles, halves) = (OnceCell::new(), OnceCell::new());
        Product { device: device.clone(), op, n, kind, batch, extents, singles, halves }
    };
    let mut all: Vec<Product> = sides.iter().map(|&n| new("matmul_f32", n, Of::Singles, 1, [n; 3])).collect();
    if device.caps().f16 {
        all.extend(sides.iter().map(|&n| new("matmul_f16", n, Of::Halves, 1, [n; 3])));
    }
    if device.caps().tensor.is_some() {
        all.extend(sides.iter().map(|&n| new("matmul_tensor_f32", n, Of::Rounded, 1, [n; 3])));
    }
    all.push(new("matmul_batched_f32_64", batch, Of::Singles, batch, [64; 3]));
    all.push(new("matmul_batched_f32_2", 10_000, Of::Small, 10_000, [2; 3]));
    all.extend(vectors.iter().map(|&n| new("matvec_f32", n, Of::Vector, 1, [n, n, 1])));
    all.push(new("matmul_256x512x256", 256, Of::Small, 1, [256, 512, 256]));
    all
}

/// The products that decide which tiles are the fastest, one of each type, large enough to fill the device.
pub fn large(device: &Device, quick: bool) -> Vec<Product> {
    let all = products(device, quick);
    let sides = |product: &Product| matches!(product.kind, Of::Singles | Of::Halves) && product.batch == 1;
    let most = all.iter().filter(|product| sides(product)).map(|product| product.n.min(4096)).max();
    all.into_iter().filter(|product| sides(product) && Some(product.n) == most).collect()
}

/// The lines of the table.
pub fn rows(products: &[Product]) -> Vec<Row<'_>> {
    products.iter().map(Product::row).collect()
}

impl Product {
    /// Normally distributed, as the peers' are: a card that its power limits is faster on tamer numbers.
    fn sides<T: Number + Default>(&self, convert: fn(f32) -> T) -> [Array<T>; 2] {
        let [rows, inner, columns] = self.extents;
        let side = |seed: u64, shape: [usize; 3]| {
            let host: Vec<T> = indices::map(shape.iter().product(), |i| convert(normal(seed, i)));
            Array::from_shape(&self.device, &shape, &host)
        };
        [side(LEFT, [self.batch, rows, inner]), side(RIGHT, [self.batch, inner, columns])]
    }

    fn singles(&self) -> Array<f32> {
        let [a, b] = self.singles.get_or_init(|| self.sides(|x| x));
        let precision = if self.kind == Of::Rounded { Precision::Tensor } else { Precision::Exact };
        a.matmul_with(b, precision)
    }

    fn halves(&self) -> Array<f16> {
        let [a, b] = self.halves.get_or_init(|| self.sides(f16::from_f32));
        a.matmul(b)
    }

    fn row(&self) -> Row<'_> {
        let [rows, inner, columns] = self.extents;
        let flops = 2 * (self.batch * rows * inner * columns) as u64;
        let group = match self.kind {
            Of::Vector => Group::Memory { bytes: 4 * (rows * inner) as u64 },
            Of::Small => Group::Latency,
            _ => Group::Compute { flops },
        };
        let work = move || match self.kind {
            Of::Halves => self.halves().eval(),
            Of::Small => self.singles().eval().and_then(|()| self.device.synchronize()),
            _ => self.singles().eval(),
        };
        Row { op: self.op, n: self.n, group, before: None, check: Box::new(move || self.check()), work: Box::new(work) }
    }

    /// Samples of the result against sums in f64, within what the type of the elements and `inner` roundings allow.
    fn check(&self) -> Outcome {
        let [rows, inner, columns] = self.extents;
        let half = self.kind == Of::Halves;
        let got: Vec<f64> = match half {
            true => self.halves().to_vec()?.into_iter().map(f64::from).collect(),
            false => self.singles().to_vec()?.into_iter().map(f64::from).collect(),
        };
        let read = |seed, i| {
            let x = normal(seed, i);
            if half { f16::from_f32(x).to_f64() } else { x as f64 }
        };
        let step = (got.len() / SAMPLES).max(1) | 1;
        for at in (0..got.len()).step_by(step) {
            let (row, column) = (at / columns, at % columns);
            let first = row / rows * inner * columns + column;
            let terms = (0..inner).map(|k| read(LEFT, row * inner + k) * read(RIGHT, first + k * columns));
            let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + f64::abs(term)));
            // Either side may be rounded by 2^-11 of itself.
            let rounded = if self.kind == Of::Rounded { size / 1024.0 } else { 0.0 };
            // Roundings of a sum are random: of `inner` ones about the square root adds up, each of a sum of that size.
            let allowed =
                rounded + 8.0 * f32::EPSILON as f64 * size + if half { sum.abs() / 1024.0 + 1e-4 } else { 0.0 };
            if (got[at] - sum).abs() > allowed {
                return Err(format!("{}: wrong result at {at}: wanted {sum}, got {}", self.op, got[at]).into());
            }
        }
        Ok(())
    }
}
