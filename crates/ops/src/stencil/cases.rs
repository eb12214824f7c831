//! Stencils: one to three axes, all boundaries, one to nine steps, several fields, small arrays, several types.

use super::{Neighbour, Stencil};
use crate::Boundary;
use crate::cases::{Case, expression, leaf};
use crate::map::points;
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, Scalar};
use crosslane_core::error::Result;
use crosslane_core::op::{Fill, Formula, Host, Op, Plan, Slot, Text, Value};
use std::panic::Location;

const BOUNDARIES: [Boundary; 5] =
    [Boundary::Constant(0), Boundary::Edge, Boundary::Reflect, Boundary::Symmetric, Boundary::Wrap];

/// The next values of the updated fields, from those of the neighbours.
type Update = fn(&[f64]) -> Vec<f64>;

/// A stencil with the meaning of its formulas on the host.
#[derive(Clone, Hash)]
struct Meant(Stencil, Update);

impl Stencil {
    /// The next values of the updated fields, from those of all.
    fn next(&self, fields: &[Vec<f64>], update: &dyn Fn(&[f64]) -> Vec<f64>) -> Vec<Vec<f64>> {
        let extents = self.extents();
        let mut next = vec![vec![]; self.formulas.len()];
        for point in points(&extents) {
            let near = |neighbour: &Neighbour| {
                let places = (0..3).map(|axis| {
                    let extent = extents[1 + axis] as i64;
                    self.boundary.place(point[1 + axis] as i64 + neighbour.offset[axis] as i64, extent)
                });
                let places: Option<Vec<i64>> = places.collect();
                let outside = self.outside.to_f64();
                places.map_or(outside, |places| {
                    let at =
                        places.iter().zip(&extents[1..]).fold(point[0] as usize, |at, (&p, &n)| at * n + p as usize);
                    fields[neighbour.field][at]
                })
            };
            let values: Vec<f64> = self.neighbours.iter().map(near).collect();
            next.iter_mut().zip(update(&values)).for_each(|(next, value)| next.push(value));
        }
        next
    }
}

impl Op for Meant {
    fn name(&self) -> &'static str {
        "stencil"
    }

    fn slots(&self) -> Vec<Slot> {
        self.0.slots()
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        self.0.plan(caps)
    }

    fn flops(&self) -> u64 {
        self.0.flops()
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn reference(&self, host: &mut Host) {
        let Meant(stencil, update) = self;
        let field = |nth: usize| (0..stencil.len()).map(|at| host.get(nth, at).float()).collect();
        let mut fields: Vec<Vec<f64>> = (0..stencil.fields.len()).map(field).collect();
        for _ in 0..stencil.steps {
            let next = stencil.next(&fields, update);
            next.into_iter().enumerate().for_each(|(nth, values)| fields[nth] = values);
        }
        for (nth, values) in fields.iter().take(stencil.formulas.len()).enumerate() {
            for (at, &value) in values.iter().enumerate() {
                host.set(stencil.output + nth, at, Value::Float(value));
            }
        }
    }
}

/// Formulas over `n0`, `n1`, .. of this type.
fn formulas(dtype: DType, count: usize, texts: &[&str]) -> Vec<Formula> {
    let parameters: Vec<(String, DType)> = (0..count).map(|nth| (format!("n{nth}"), dtype)).collect();
    let formula = |text: &&str| {
        let (parameters, at) = (parameters.clone(), Location::caller());
        let text = Text { operation: "stencil", what: "text", text, parameters, letters: &[], result: Some(dtype), at };
        text.formula().expect("it compiles")
    };
    texts.iter().map(formula).collect()
}

struct Kind {
    axes: usize,
    offsets: &'static [(usize, [i32; 3])],
    texts: &'static [&'static str],
    update: Update,
    fields: usize,
}

const LINE: Kind = Kind {
    axes: 1,
    offsets: &[(0, [0, 0, -1]), (0, [0, 0, 0]), (0, [0, 0, 2])],
    texts: &["0.5 * n0 + 0.25 * n1 - 0.25 * n2"],
    update: |n| vec![0.5 * n[0] + 0.25 * n[1] - 0.25 * n[2]],
    fields: 1,
};
const HEAT: Kind = Kind {
    axes: 2,
    offsets: &[(0, [0, -1, 0]), (0, [0, 0, -1]), (0, [0, 0, 0]), (0, [0, 0, 1]), (0, [0, 1, 0])],
    texts: &["n2 + 0.125 * (n0 + n1 - 4.0 * n2 + n3 + n4)"],
    update: |n| vec![n[2] + 0.125 * (n[0] + n[1] - 4.0 * n[2] + n[3] + n[4])],
    fields: 1,
};
/// Two fields that depend on each other, and one that stays.
const FIELDS: Kind = Kind {
    axes: 2,
    offsets: &[(0, [0, 0, 0]), (1, [0, -1, 1]), (1, [0, 0, 0]), (0, [0, 1, 0]), (2, [0, 0, -1])],
    texts: &["0.5 * n0 + 0.25 * n1 + 0.125 * n4", "0.5 * n2 - 0.25 * n3"],
    update: |n| vec![0.5 * n[0] + 0.25 * n[1] + 0.125 * n[4], 0.5 * n[2] - 0.25 * n[3]],
    fields: 3,
};
const SPACE: Kind = Kind {
    axes: 3,
    offsets: &[(0, [-1, 0, 0]), (0, [1, 0, 0]), (0, [0, -2, 0]), (0, [0, 0, 1]), (0, [0, 0, 0])],
    texts: &["0.25 * (n0 + n1) + 0.125 * (n2 + n3 + n4)"],
    update: |n| vec![0.25 * (n[0] + n[1]) + 0.125 * (n[2] + n[3] + n[4])],
    fields: 1,
};

fn case(kind: &Kind, dtype: DType, shape: &[usize], boundary: Boundary, steps: usize) -> Case {
    let len: usize = shape.iter().product();
    let field = |slot: usize| expression(None, leaf(slot, dtype, len, 0, &[1]));
    let neighbours = kind.offsets.iter().map(|&(field, offset)| Neighbour { field, offset }).collect();
    let op = Stencil {
        fields: (0..kind.fields).map(field).collect(),
        shape: shape.to_vec(),
        axes: kind.axes,
        neighbours,
        formulas: formulas(dtype, kind.offsets.len(), kind.texts),
        boundary,
        outside: Scalar::from_f64(dtype, 2.5),
        steps,
        output: kind.fields,
    };
    let what = format!("{:?} of {dtype}, {shape:?}, {boundary:?}, {steps} steps", kind.texts);
    let meaning = Meant(op.clone(), kind.update);
    let case = Case::new(what, op).means(meaning);
    // Each step is off by some roundings of numbers up to 3.
    (0..kind.fields).fold(case, |case, slot| case.fill(slot, Fill::Numbers)).scale(3.0 * steps as f64)
}

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    for boundary in BOUNDARIES {
        for steps in [1, 2, 9] {
            all.push(case(&LINE, DType::F32, &[2, 300], boundary, steps));
            all.push(case(&HEAT, DType::F32, &[70, 90], boundary, steps));
            all.push(case(&FIELDS, DType::F32, &[2, 19, 67], boundary, steps));
        }
        all.push(case(&SPACE, DType::F32, &[2, 4, 7, 70], boundary, 3));
        // Tiles that are not at the ends.
        all.push(case(&HEAT, DType::F32, &[130, 150], boundary, 6));
        all.push(case(&LINE, DType::F32, &[5000], boundary, 6));
        // Shorter than the reach.
        all.push(case(&LINE, DType::F32, &[1], boundary, 5));
        all.push(case(&HEAT, DType::F32, &[1, 3], boundary, 4));
        all.push(case(&SPACE, DType::F32, &[1, 1, 2], boundary, 2));
    }
    for dtype in [DType::F16, DType::F64].into_iter().filter(|&dtype| caps.lacks(dtype).is_none()) {
        all.push(case(&HEAT, dtype, &[40, 50], Boundary::Reflect, 4));
        all.push(case(&FIELDS, dtype, &[40, 50], Boundary::Constant(0), 5));
    }
    all.push(case(&HEAT, DType::F32, &[0, 5], Boundary::Wrap, 3));
    // A device that binds fewer arrays refuses.
    all.retain(|case| case.op.slots().len() <= caps.bindings as usize);
    all
}
