//! Sample: images read at coordinates that an expression gives for each result; `shaders/sample.wgsl`.
//!
//! One launch, bound by memory where neighbours read neighbours: pixels come by way of the caches, 1, 4 or 16 for each result.
//! Error: that of a sum of so many products, and of the weights, which are polynomials of the coordinates' fractions.

#[cfg(feature = "cases")]
pub mod cases;
mod plan;
mod wgsl;

use super::Boundary;
use super::fuse::{read_bytes, read_slots};
use super::map::{buffer_bytes, points};
use super::pixels::Extents;
use super::resample::Resampling;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::op::{Expression, Host, Op, Plan, Slot, Value, Vary};

/// Images read at coordinates.
#[derive(Clone, Debug, Hash)]
pub struct Sample {
    /// The pixels, as f32 or f64, in which they are added up.
    pub expression: Expression,
    /// Their index space.
    #[doc(hidden)]
    pub extents: Extents,
    /// The row and the column that each result reads, counted from the middle of the first pixel: in the pixels' type over
    /// the results' index space.
    pub coordinates: [Expression; 2],
    /// The image that each result reads, a u32 over the results' index space; without it its own.
    pub images: Option<Expression>,
    /// The results' index space.
    #[doc(hidden)]
    pub results: Extents,
    /// How pixels are weighed: the nearest, linearly, or by Keys' cubic convolution.
    pub by: Resampling,
    /// What stands past the edges.
    pub boundary: Boundary,
    /// What becomes of each result: over the results' index space.
    pub epilogue: Expression,
    /// The output's slot, after all inputs: fresh and without gaps.
    pub output: usize,
}

/// Keys' parameter: OpenCV's.
const KEYS: f64 = -0.75;

/// Pixels along each axis, and how many of them come before the coordinate's own.
fn taps(by: Resampling) -> [usize; 2] {
    match by {
        Resampling::Nearest => [1, 0],
        Resampling::Bicubic => [4, 1],
        _ => [2, 0],
    }
}

/// The weights of the pixels for a coordinate's fraction.
fn weights(by: Resampling, at: f64) -> Vec<f64> {
    let near = |x: f64| ((KEYS + 2.0) * x - (KEYS + 3.0)) * x * x + 1.0;
    let far = |x: f64| ((KEYS * x - 5.0 * KEYS) * x + 8.0 * KEYS) * x - 4.0 * KEYS;
    match by {
        Resampling::Nearest => vec![1.0],
        Resampling::Bicubic => vec![far(1.0 + at), near(at), near(1.0 - at), far(2.0 - at)],
        _ => vec![1.0 - at, at],
    }
}

impl Sample {
    /// The type that pixels are added up in.
    fn sums(&self) -> DType {
        self.expression.dtype()
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        [&self.expression].into_iter().chain(&self.coordinates).chain(&self.images).chain([&self.epilogue])
    }

    /// Bytes of a slot, or of scratch after them.
    fn bytes_of(&self, slot: usize, scratch: &[u64]) -> u64 {
        match slot.checked_sub(self.output) {
            None => read_bytes(self.expressions(), slot).expect("a binding is a leaf"),
            Some(0) => buffer_bytes(self.epilogue.dtype(), self.results.len()),
            Some(after) => scratch[after - 1],
        }
    }

    /// The pixels that a coordinate reads along an axis, `None` outside, and their weights.
    fn window(&self, axis: usize, at: f64) -> Vec<(Option<usize>, f64)> {
        let [_, before] = taps(self.by);
        let at = if self.by == Resampling::Nearest { (at + 0.5).floor() } else { at };
        let extent = self.extents.size()[axis] as i64;
        let first = at.floor() as i64 - before as i64;
        let place = |pixel: i64| self.boundary.place(pixel, extent).map(|place| place as usize);
        (first..).map(place).zip(weights(self.by, at - at.floor())).collect()
    }
}

impl Op for Sample {
    fn name(&self) -> &'static str {
        "sample"
    }

    fn slots(&self) -> Vec<Slot> {
        let (dtype, len) = (self.epilogue.dtype(), self.results.len());
        let output = Slot::write("output", dtype, len);
        [read_slots(self.expressions()), vec![output]].concat()
    }

    fn vary(&mut self, by: &mut dyn Vary) {
        let coordinates = self.coordinates.iter_mut().chain(&mut self.images);
        let all = [&mut self.expression].into_iter().chain(coordinates).chain([&mut self.epilogue]);
        all.for_each(|expression| by.expression(expression));
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        if self.results.len() == 0 || self.extents.len() == 0 {
            return Ok(Plan::default());
        }
        plan::plan(self, caps)
    }

    fn flops(&self) -> u64 {
        let ([taps, _], [rows, columns]) = (taps(self.by), &self.coordinates);
        let pixel = 2 + self.expression.flops();
        let images = self.images.as_ref().map_or(0, Expression::flops);
        let each = (taps * taps) as u64 * pixel + rows.flops() + columns.flops() + images + self.epilogue.flops();
        self.results.len() as u64 * each
    }

    fn bytes(&self) -> u64 {
        let of = |extents: &Extents| -> Vec<u64> { extents.shape.iter().map(|&extent| extent as u64).collect() };
        let results = of(&self.results);
        let written = (self.results.len() * self.epilogue.dtype().size()) as u64;
        let over: u64 = self.expressions().skip(1).map(|expression| expression.bytes(&results)).sum();
        self.expression.bytes(&of(&self.extents)) + over + written
    }

    fn reference(&self, host: &mut Host) {
        for (at, point) in points(&self.results.shape).enumerate() {
            let image = self.images.as_ref().map(|images| images.meaning(host, &point).int() as usize);
            let [rows, columns] =
                [0, 1].map(|axis| self.window(axis, self.coordinates[axis].meaning(host, &point).float()));
            let mut sum = 0.0;
            for (y, down) in &rows {
                for (x, along) in columns.iter().filter(|(_, along)| down * along != 0.0) {
                    let pixel = match (y, x) {
                        (Some(y), Some(x)) => {
                            let point = match image {
                                Some(image) => self.extents.point(image.min(self.extents.images() - 1), [*y, *x]),
                                None => self.extents.moved(&point, [*y, *x]),
                            };
                            self.expression.meaning(host, &point).float()
                        }
                        _ => self.boundary.outside(),
                    };
                    sum += down * along * pixel;
                }
            }
            let value = self.epilogue.meaning_of(host, &point, Some(Value::Float(sum)));
            host.set(self.output, at, value);
        }
    }
}
