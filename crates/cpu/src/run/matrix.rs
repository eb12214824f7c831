//! Cooperative matrices, by definition.

use super::*;
use crate::check::Piece;
use crate::scalar::{bits, float, half, half_bits};
use std::iter::once;

/// Bytes of an element.
fn width(kind: Kind) -> u8 {
    if kind == Kind::F16 { 2 } else { 4 }
}

fn number(kind: Kind, word: u32) -> f32 {
    if kind == Kind::F16 { half(word) } else { float(word) }
}

/// Whether an element lies in the variable that its matrix was to be in.
fn lies_within([start, end]: [u32; 2], address: u32, width: u8) -> bool {
    address >= start && address.checked_add(width as u32).is_some_and(|after| after <= end)
}

impl Machine {
    /// First lane of each subgroup that is active: its address and stride stand for all.
    fn leaders(&self, context: &Context) -> Vec<usize> {
        let size = context.program.subgroup as usize;
        let first = |start: usize| (start..(start + size).min(self.lanes)).find(|&lane| self.active.has(lane));
        (0..self.lanes).step_by(size).filter_map(first).collect()
    }

    /// Where element (row, column) lies: register of the list, and lane.
    fn element(&self, context: &Context, shape: Shape, row: u32, column: u32, leader: usize) -> (usize, usize) {
        let size = context.program.subgroup as usize;
        let element = (column * shape.rows + row) as usize;
        // A last subgroup that is short cannot hold its share: those elements wrap onto lanes that exist.
        let lane = leader / size * size + element % size;
        (element / size, lane.min(self.lanes - 1))
    }

    /// Every element of the matrices of all subgroups: its address in memory, register of the list, and lane.
    fn elements(
        &self,
        context: &Context,
        at: Address,
        stride: Reg,
        row_major: bool,
        shape: Shape,
    ) -> Vec<(u32, usize, usize)> {
        let mut elements = vec![];
        for leader in self.leaders(context) {
            let stride = self.regs[stride as usize][leader];
            for (column, row) in (0..shape.columns).flat_map(|column| (0..shape.rows).map(move |row| (column, row))) {
                let (line, place) = if row_major { (row, column) } else { (column, row) };
                let byte = line.wrapping_mul(stride).wrapping_add(place * width(shape.kind) as u32);
                let (k, lane) = self.element(context, shape, row, column, leader);
                elements.push((self.address(at, leader).wrapping_add(byte), k, lane));
            }
        }
        elements
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one instruction")]
    pub(super) fn matrix_load(
        &mut self,
        context: &Context,
        checker: &mut Option<Checker>,
        step: u32,
        to: List,
        (at, within): (Address, [u32; 2]),
        stride: Reg,
        row_major: bool,
        shape: Shape,
    ) {
        let width = width(shape.kind);
        for (address, k, lane) in self.elements(context, at, stride, row_major, shape) {
            let view = self.view(context, at.space);
            let inside = lies_within(within, address, width);
            match checker {
                Some(checker) if inside => {
                    let piece = Piece { space: at.space, address, width: width as u32, view };
                    let strays = checker.read(&self.who(context, step, lane), &piece, 1, once((lane, address)));
                    // A matrix is of all invocations.
                    strays.into_iter().for_each(|(.., mut stray)| {
                        checker.matters(context, self.group, &mut stray, None);
                    });
                }
                Some(checker) => checker.leaves(&self.who(context, step, lane), within, address),
                None => {}
            }
            let word = if inside { view.load(address, width) } else { 0 };
            self.regs[context.program.lists[to as usize][k] as usize][lane] = word;
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one instruction")]
    pub(super) fn matrix_store(
        &mut self,
        context: &Context,
        checker: &mut Option<Checker>,
        step: u32,
        from: List,
        (at, within): (Address, [u32; 2]),
        stride: Reg,
        row_major: bool,
        shape: Shape,
    ) {
        let width = width(shape.kind);
        self.changes += 1;
        for (address, k, lane) in self.elements(context, at, stride, row_major, shape) {
            let view = self.view(context, at.space);
            let inside = lies_within(within, address, width);
            match checker {
                Some(checker) if inside => {
                    let piece = Piece { space: at.space, address, width: width as u32, view };
                    checker.write(&self.who(context, step, lane), &piece, 1, once((lane, address)));
                }
                Some(checker) => checker.leaves(&self.who(context, step, lane), within, address),
                None => {}
            }
            if inside {
                view.store(address, width, self.regs[context.program.lists[from as usize][k] as usize][lane]);
            }
        }
    }

    pub(super) fn matrix_multiply_add(
        &mut self,
        context: &Context,
        to: List,
        [a, b, c]: [List; 3],
        [shape_a, shape_b, shape_c]: [Shape; 3],
    ) {
        let lists = &context.program.lists;
        for leader in self.leaders(context) {
            let numbers = |list: List, shape: Shape| -> Vec<f64> {
                let at = (0..shape.rows).flat_map(|row| (0..shape.columns).map(move |column| (row, column)));
                let value = |(row, column)| {
                    let (k, lane) = self.element(context, shape, row, column, leader);
                    number(shape.kind, self.regs[lists[list as usize][k] as usize][lane]) as f64
                };
                at.map(value).collect()
            };
            let (a, b, c) = (numbers(a, shape_a), numbers(b, shape_b), numbers(c, shape_c));
            let (inner, columns) = (shape_a.columns as usize, shape_c.columns as usize);
            let mut results = vec![];
            for column in 0..columns {
                for row in 0..shape_c.rows as usize {
                    let sum: f64 = (0..inner).map(|k| a[row * inner + k] * b[k * columns + column]).sum();
                    results.push((sum + c[row * columns + column]) as f32);
                }
            }
            let mut next = results.into_iter();
            for column in 0..shape_c.columns {
                for row in 0..shape_c.rows {
                    let (k, lane) = self.element(context, shape_c, row, column, leader);
                    let result = next.next().unwrap_or_default();
                    let word = if shape_c.kind == Kind::F16 { half_bits(result) } else { bits(result) };
                    self.regs[lists[to as usize][k] as usize][lane] = word;
                }
            }
        }
    }
}
