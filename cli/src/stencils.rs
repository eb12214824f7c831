//! Steps of the heat equation on a square plate.

use super::Outcome;
use super::compare::random;
use super::measure::{Group, Row};
use crosslane::array::PadMode;
use crosslane::{Array, Device, Stencil};
use std::cell::OnceCell;

const SEED: u64 = 13;
/// Steps of a measurement, and of the check.
const STEPS: usize = 100;
const CHECKED: usize = 5;
const SAMPLES: usize = 200;

/// A square plate.
pub struct Plate {
    device: Device,
    side: usize,
    rule: Stencil,
    values: OnceCell<Array<f32>>,
}

fn value(i: usize) -> f32 {
    random(SEED, i)
}

impl Plate {
    pub fn new(device: &Device, quick: bool) -> Plate {
        let rule = Stencil::new("u + 0.2 * (left + right + up + down - 4.0 * u)").expect("it compiles");
        Plate { device: device.clone(), side: if quick { 1024 } else { 8192 }, rule, values: OnceCell::new() }
    }

    fn after(&self, steps: usize) -> crosslane::Result<Array<f32>> {
        let values = || {
            let values: Vec<f32> = (0..self.side * self.side).map(value).collect();
            Array::from_shape(&self.device, &[self.side, self.side], &values)
        };
        self.rule.run(self.values.get_or_init(values), steps, PadMode::Constant(0.0))
    }

    /// Samples, among them the corners, against steps in doubles of what is around each.
    fn check(&self) -> Outcome {
        let (got, side) = (self.after(CHECKED)?.to_vec()?, self.side as i64);
        for nth in 0..SAMPLES {
            let at = (random(SEED + 1, nth) as f64 * got.len() as f64) as usize % got.len();
            let at = [0, self.side - 1, got.len() - 1].get(nth).copied().unwrap_or(at);
            let (y, x, far) = (at as i64 / side, at as i64 % side, CHECKED as i64);
            let inside = |y: i64, x: i64| (0..side).contains(&y) && (0..side).contains(&x);
            let width = 2 * far + 1;
            let place = |i: i64| (y - far + i / width, x - far + i % width);
            let mut field: Vec<f64> = (0..width * width)
                .map(|i| match place(i) {
                    (y, x) if inside(y, x) => value((y * side + x) as usize) as f64,
                    _ => 0.0,
                })
                .collect();
            for step in 1..=far {
                let before = field.clone();
                for i in 0..width * width {
                    let (own_y, own_x) = (i / width, i % width);
                    let whole = (step..width - step).contains(&own_y) && (step..width - step).contains(&own_x);
                    if whole && inside(place(i).0, place(i).1) {
                        let near = |by: i64| before[(i + by) as usize];
                        let around = near(-1) + near(1) + near(-width) + near(width);
                        field[i as usize] = near(0) + 0.2 * (around - 4.0 * near(0));
                    }
                }
            }
            let wanted = field[(far * width + far) as usize];
            if (got[at] as f64 - wanted).abs() > 1e-5 {
                return Err(format!("heat: element {at} is {}, wanted {wanted}", got[at]).into());
            }
        }
        Ok(())
    }
}

/// The line of the table: as if each step read and wrote the plate once.
pub fn rows(plate: &Plate) -> Vec<Row<'_>> {
    vec![Row {
        op: "heat_2d_step_f32",
        n: plate.side,
        group: Group::Memory { bytes: (8 * plate.side * plate.side * STEPS) as u64 },
        before: None,
        check: Box::new(move || plate.check()),
        work: Box::new(move || plate.after(STEPS)?.eval()),
    }]
}
