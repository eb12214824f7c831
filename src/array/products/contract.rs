//! Sums of products over nodes, to which all products of linear algebra are lowered.

use crate::array::create::fits;
use crate::array::elementwise::call;
use crate::element::{DType, Scalar};
use crate::graph::{Expr, Node, Take, Task, view};
use crosslane_core::error::{CallSite, Result};
use crosslane_core::op::{Expression, Function, Op};
use crosslane_ops::{Matmul, Operator, Precision};
use std::sync::Arc;

/// How many axes of each kind a product has, in this order: of both sides and the result (batch), of the left side and the
/// result (rows), of the right side and the result (columns), of both sides only (inner).
#[derive(Clone, Copy)]
pub(crate) struct Kinds {
    pub batch: usize,
    pub rows: usize,
    pub columns: usize,
    pub inner: usize,
}

impl Kinds {
    /// The places of a side's axes among all.
    fn of_side(self, left: bool) -> Vec<usize> {
        let outer = if left { self.batch } else { self.batch + self.rows };
        let outer = outer..outer + if left { self.rows } else { self.columns };
        let inner = self.batch + self.rows + self.columns;
        let inner = inner..inner + self.inner;
        // The right side has its columns last.
        let own: Vec<usize> = if left { outer.chain(inner).collect() } else { inner.chain(outer).collect() };
        (0..self.batch).chain(own).collect()
    }
}

/// The product of `a` (batch, rows, inner) and `b` (batch, inner, columns), whose shared axes are as long: an array (batch,
/// rows, columns) of this type. Its sums are rounded once. Where either side is a vector nothing else is rounded, whatever the
/// precision: memory is what such products wait for.
pub(crate) fn contract(
    operation: &'static str,
    [a, b]: [&Arc<Node>; 2],
    kinds: Kinds,
    dtype: DType,
    precision: Precision,
    at: CallSite,
) -> Result<Arc<Node>> {
    let mut shape = vec![0; kinds.batch + kinds.rows + kinds.columns + kinds.inner];
    for (node, left) in [(a, true), (b, false)] {
        kinds.of_side(left).into_iter().zip(&node.shape).for_each(|(place, &extent)| shape[place] = extent);
    }
    let kept = shape.len() - kinds.inner;
    fits(operation, dtype, &shape[..kept], at)?;
    if shape.contains(&0) {
        let zero = Scalar { dtype, bits: 0 };
        return Ok(Node::lazy(&a.device, shape[..kept].to_vec(), dtype, Expr::Constant(zero)));
    }
    let many = |from: usize, count: usize| shape[from..from + count].iter().any(|&extent| extent > 1);
    let (rows, columns) = (many(kinds.batch, kinds.rows), many(kinds.batch + kinds.rows, kinds.columns));
    Ok(match rows && columns {
        true if a.dtype.is_complex() => {
            let product = complex_product([a, b], kinds, &shape, precision, at);
            converted(&product, dtype)
        }
        true => multiplied([a, b], kinds, &shape, dtype, precision),
        false => reduced([a, b], kinds, &shape, dtype, columns, at),
    })
}

/// By the operation of its own.
fn multiplied([a, b]: [&Arc<Node>; 2], kinds: Kinds, shape: &[usize], dtype: DType, precision: Precision) -> Arc<Node> {
    let kept = shape.len() - kinds.inner;
    let (rows, columns) = (kinds.batch, kinds.batch + kinds.rows);
    let extents = [&shape[..rows], &shape[rows..columns], &shape[columns..kept], &shape[kept..]].map(<[usize]>::to_vec);
    let (rank, places) = (shape.len(), [kinds.of_side(true), kinds.of_side(false)]);
    let make = move |mut expressions: Vec<Expression>, output: usize| {
        let epilogue = spread(expressions.pop().expect("the epilogue"), &(0..kept).collect::<Vec<_>>(), rank);
        let b = spread(expressions.pop().expect("the right side"), &places[1], rank);
        let a = spread(expressions.pop().expect("the left side"), &places[0], rank);
        Box::new(Matmul { extents: extents.clone(), sides: [a, b], epilogue, precision, output }) as Box<dyn Op>
    };
    let (inputs, result) = ([(a, Take::Strided), (b, Take::Strided)], (shape[..kept].to_vec(), dtype));
    Task::going_on(&inputs, result, Matmul::sums(a.dtype), 2, make)
}

/// A product of complex numbers as four of real ones, whose kernels are the fast ones.
fn complex_product(
    [a, b]: [&Arc<Node>; 2],
    kinds: Kinds,
    shape: &[usize],
    precision: Precision,
    at: CallSite,
) -> Arc<Node> {
    let part = |node: &Arc<Node>, part: Function| call(part, std::slice::from_ref(node), at);
    let [a, b] = [a, b].map(|node| [Function::Real, Function::Imag].map(|of| part(node, of)));
    let real = a[0].dtype;
    let product = |p: usize, q: usize| multiplied([&a[p], &b[q]], kinds, shape, real, precision);
    let re = call(Function::Subtract, &[product(0, 0), product(1, 1)], at);
    let im = call(Function::Add, &[product(0, 1), product(1, 0)], at);
    call(Function::Complex, &[re, im], at)
}

/// An expression over some of the axes as one over all.
fn spread(mut expression: Expression, places: &[usize], rank: usize) -> Expression {
    for leaf in &mut expression.leaves {
        let mut strides = vec![0; rank];
        places.iter().zip(&leaf.strides).for_each(|(&place, &stride)| strides[place] = stride);
        leaf.strides = strides;
    }
    expression
}

/// Where a side is a vector, or many: a reduction of products reads the matrix once, as fast as memory is.
fn reduced(
    [a, b]: [&Arc<Node>; 2],
    kinds: Kinds,
    shape: &[usize],
    dtype: DType,
    columns: bool,
    at: CallSite,
) -> Arc<Node> {
    let sums = Matmul::sums(a.dtype);
    let side = |node: &Arc<Node>, left: bool| {
        let places = kinds.of_side(left);
        // All axes in order, those that it lacks with an extent of 1.
        let spread = view(node, &|layout| {
            let mut order: Vec<usize> = (0..places.len()).collect();
            order.sort_by_key(|&axis| places[axis]);
            let sorted = layout.permute(&order);
            let mut full = vec![1; shape.len()];
            places.iter().for_each(|&place| full[place] = shape[place]);
            let (mut strides, mut next) = (vec![0; shape.len()], sorted.strides.iter());
            (0..shape.len()).filter(|place| places.contains(place)).for_each(|place| {
                strides[place] = *next.next().expect("as many as it has places");
            });
            Some(crosslane_core::layout::Layout { shape: full, strides, offset: sorted.offset })
        });
        converted(&spread, sums)
    };
    let (a, b) = (side(a, true), side(b, false));
    // The matrix first: a reduction takes the order of its first array.
    let product = call(Function::Multiply, &if columns { [b, a] } else { [a, b] }, at);
    let kept = shape.len() - kinds.inner;
    let reduced = (0..shape.len()).map(|axis| axis >= kept).collect();
    let expr = Expr::Reduce { operator: Operator::Sum, input: product.clone(), reduced };
    converted(&Node::lazy(&product.device, shape[..kept].to_vec(), sums, expr), dtype)
}

fn converted(node: &Arc<Node>, dtype: DType) -> Arc<Node> {
    match node.dtype == dtype {
        true => node.clone(),
        false => Node::lazy(&node.device, node.shape.clone(), dtype, Expr::Cast(node.clone())),
    }
}
