//! The launches: the rows to lists, the lists to the result; before, a sample of long rows to a bound.

use super::TopK;
use super::shape::{SAMPLE_PARTS, Shape, parts, sample};
use super::wgsl::{Sink, Source};
use crate::clear::clear;
use crate::dense::{Field, Form, pieces, slot_of};
use crate::order::words;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Grid, Param, Pass, Plan, WINDOW};
use std::ops::Range;

/// Bytes of a window: it begins at an aligned byte before its first element.
fn window_bytes(caps: &Caps) -> u64 {
    caps.binding_bytes.min(WINDOW).saturating_sub(512)
}

/// Elements that a window has of an array; places in it and a little beyond are words.
fn window(caps: &Caps, dtype: DType) -> u64 {
    (window_bytes(caps) / dtype.size() as u64).min(1 << 31)
}

/// How many can be found of a row: twice as many fit a list, and those of all windows of the row one binding.
pub(super) fn most(caps: &Caps, dtype: DType, length: u64) -> usize {
    let words = words(dtype) + 1;
    let windows = length.div_ceil(window(caps, dtype)) + 1;
    let lists = window_bytes(caps) / (4 * words as u64 * windows);
    (Shape::most_list(caps, words) as u64 / 2).min(lists) as usize
}

/// Makes a plan, launch by launch.
struct Planner<'a> {
    op: &'a TopK,
    caps: &'a Caps,
    plan: Plan,
    /// How many items lists have: first those of samples, then those of rows.
    counts: [Binding; 2],
}

/// Rows that a set of launches works on.
struct Batch {
    rows: Range<u64>,
    /// The windows of a row.
    pieces: Vec<Range<u64>>,
}

/// Lists that launches hand on, and how many items they have.
#[derive(Clone, Copy)]
struct Lists {
    items: Binding,
    counts: Binding,
    /// Items for each row.
    capacity: u64,
}

/// Which elements of a row a launch takes, and by which kernel: parts of this many elements, and of those a run of a
/// workgroup each `step`.
#[derive(Clone, Copy)]
struct Cut {
    shape: Shape,
    span: u64,
    step: u64,
}

pub(super) fn plan(op: &TopK, caps: &Caps) -> Plan {
    if op.k * op.rows == 0 {
        return Plan::default();
    }
    debug_assert!(op.k <= op.length.min(TopK::most(caps, op.key_type(), op.length)));
    let window = window(caps, op.key_type());
    let pieces_of_row = pieces(0..op.length as u64, window);
    let rows = (window / op.length as u64).min(window_bytes(caps) / (4 * op.k as u64)).max(1);
    let words = |count: u64| (4 * count.min(op.rows as u64)).next_multiple_of(caps.offset_alignment.max(64));
    let count = |offset| Binding::new(op.output + 1, offset, words(rows));
    let plan = Plan { scratch: vec![2 * words(rows)], passes: vec![] };
    let mut planner = Planner { op, caps, plan, counts: [count(0), count(words(rows))] };
    for rows in pieces(0..op.rows as u64, rows) {
        planner.batch(&Batch { rows, pieces: pieces_of_row.clone() });
    }
    planner.plan
}

impl Planner<'_> {
    fn scratch(&mut self, bytes: u64) -> Binding {
        let bytes = bytes.next_multiple_of(64);
        self.plan.scratch.push(bytes);
        Binding::new(self.op.output + self.plan.scratch.len(), 0, bytes)
    }

    fn batch(&mut self, batch: &Batch) {
        let (rows, length, k) = (batch.len(), self.op.length as u64, self.op.k as u64);
        let most = window_bytes(self.caps) / (4 * self.op.item_words() as u64 * k * rows);
        let most = most.saturating_sub(batch.pieces.len() as u64).max(1);
        let parts = parts(rows, length, k).min(most);
        if parts == 1 && batch.pieces.len() == 1 {
            let shape = Shape::alone(self.caps, self.op.item_words(), k, length);
            let whole = Cut { shape, span: length, step: shape.workgroup as u64 };
            return self.search(batch, 0, whole, None, None);
        }
        self.plan.passes.push(clear(self.counts[0].buffer, self.plan.scratch[0] / 4, self.caps));
        let bounds = sample(rows, length, k, batch.pieces.len() > 1)
            .filter(|_| parts > 1)
            .map(|sparse| self.bounds(batch, sparse, most));
        let shape = match bounds {
            Some(_) => Shape::lean(self.caps, self.op.item_words(), k),
            None => self.wide(),
        };
        let cut = Cut::tiles(shape, length.div_ceil(parts), 1);
        let lists = self.lists(batch, cut, 1);
        for piece in 0..batch.pieces.len() {
            self.search(batch, piece, cut, bounds, Some(lists));
        }
        self.merge(batch, lists, Sink::Indices, self.indices(batch));
    }

    /// Bounds of the rows: the k-th of a sample of each.
    fn bounds(&mut self, batch: &Batch, sparse: u64, most: u64) -> Binding {
        let span = self.op.length as u64 / SAMPLE_PARTS.min(most);
        let cut = Cut::tiles(self.wide(), span, sparse);
        let lists = self.lists(batch, cut, 0);
        let bounds = self.scratch(batch.len() * 4 * self.op.item_words() as u64);
        for piece in 0..batch.pieces.len() {
            self.search(batch, piece, cut, None, Some(lists));
        }
        self.merge(batch, lists, Sink::Bound, (bounds, 0));
        bounds
    }

    fn wide(&self) -> Shape {
        Shape::wide(self.caps, self.op.item_words())
    }

    /// Memory for the first k of each part, none of them there yet.
    fn lists(&mut self, batch: &Batch, cut: Cut, nth: usize) -> Lists {
        let parts: u64 = batch.pieces.iter().map(|piece| (piece.end - piece.start).div_ceil(cut.span)).sum();
        let capacity = parts * self.op.k as u64;
        let items = self.scratch(batch.len() * capacity * 4 * self.op.item_words() as u64);
        Lists { items, counts: self.counts[nth], capacity }
    }

    /// Where a batch's indices go.
    fn indices(&self, batch: &Batch) -> (Binding, u32) {
        let k = self.op.k as u64;
        let field = Field { buffer: self.op.output, form: Form::Words(1) };
        field.window(batch.rows.start * k..batch.rows.end * k, self.caps)
    }

    /// A window of the rows to lists, or to the result.
    fn search(&mut self, batch: &Batch, piece: usize, cut: Cut, bounds: Option<Binding>, lists: Option<Lists>) {
        let (length, piece) = (self.op.length as u64, batch.pieces[piece].clone());
        let keys = Field { buffer: slot_of(&self.op.keys), form: Form::held(self.op.key_type()) };
        let first = batch.rows.start * length + piece.start;
        let (keys, keys_first) = keys.window(first..(batch.rows.end - 1) * length + piece.end, self.caps);
        let count = piece.end - piece.start;
        let cut = Cut { span: cut.span.min(count), ..cut };
        let source = if bounds.is_some() { Source::Bounded } else { Source::Rows };
        let read = [vec![keys], bounds.into_iter().collect()].concat();
        let (sink, written, capacity, indices_first) = match lists {
            Some(lists) => (Sink::List, vec![lists.items, lists.counts], lists.capacity, 0),
            None => (Sink::Indices, vec![self.indices(batch).0], 0, self.indices(batch).1),
        };
        let at = [keys_first, length as u32, piece.start as u32, capacity as u32, indices_first];
        self.launch(batch, (source, sink), [read, written].concat(), (cut, count), at);
    }

    /// The lists of each row to its bound, or to its result.
    fn merge(&mut self, batch: &Batch, lists: Lists, sink: Sink, (to, first): (Binding, u32)) {
        let shape = self.wide();
        let cut = Cut { shape, span: lists.capacity, step: shape.workgroup as u64 };
        let at = [0, 0, 0, lists.capacity as u32, first];
        self.launch(batch, (Source::Lists, sink), vec![lists.items, lists.counts, to], (cut, lists.capacity), at);
    }

    fn launch(
        &mut self,
        batch: &Batch,
        (source, sink): (Source, Sink),
        buffers: Vec<Binding>,
        (cut, count): (Cut, u64),
        at: [u32; 5],
    ) {
        let parts = count.div_ceil(cut.span);
        let groups = batch.len() * parts;
        let k = self.op.k as u64;
        let own = [groups, parts, cut.span, cut.step, count, k, k.next_power_of_two()].map(|word| word as u32);
        self.plan.passes.push(Pass {
            kernel: Kernel::of(self.op.spec(source, sink, &cut.shape), self.caps),
            buffers,
            params: Param::all([own.to_vec(), at.to_vec()].concat()),
            grid: Grid::Count(groups),
        });
    }
}

impl Cut {
    /// Parts of whole tiles, of which one run in this many is sampled.
    fn tiles(shape: Shape, span: u64, sparse: u64) -> Cut {
        Cut { shape, span: span.next_multiple_of(shape.tile() * sparse), step: shape.workgroup as u64 * sparse }
    }
}

impl Batch {
    fn len(&self) -> u64 {
        self.rows.end - self.rows.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enough_are_found_everywhere() {
        for (name, caps) in Caps::presets() {
            for dtype in DType::ALL.into_iter().filter(|dtype| !dtype.is_complex()) {
                assert!(most(&caps, dtype, 1 << 31) >= 256, "{name}: {dtype}");
            }
        }
    }
}
