//! The launches of a sort, and the windows that they see of arrays larger than one binding.

use super::merge::MergeTile;
use super::shape::{BINS, Shape};
use super::wgsl::{Flow, SortSpec, Values};
use super::{Payload, Sort};
use crate::counted::count_pass;
use crate::dense::{Field, Form, pieces, slot_of};
use crosslane_core::caps::Caps;
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Grid, Param, Pass, Plan, WINDOW};
use std::ops::Range;

/// Windows of one output that a kernel binds, at most: more are stored by further launches.
const MOST_WINDOWS: u64 = 3;

/// Makes a plan, launch by launch.
pub(super) struct Planner<'a> {
    pub sort: &'a Sort,
    pub caps: &'a Caps,
    pub shape: Shape,
    pub plan: Plan,
    /// Scratch buffers come after the slots.
    first_scratch: usize,
    /// Elements that a window may have of any array.
    pub window: u64,
}

/// The rows that one set of launches sorts.
struct Batch {
    /// The first element.
    first: u64,
    rows: u64,
    /// Tiles of a row.
    tiles: u64,
    /// Where the tiles' states lie, and the counts of all digits.
    state: usize,
    counts: usize,
}

pub(super) fn plan(sort: &Sort, caps: &Caps) -> Result<Plan> {
    if sort.len() == 0 {
        return Ok(Plan::default());
    }
    let words = [Form::carried(sort.key_type()), sort.carried_value()].map(|form| form.size() as u32 / 4);
    let value_words = if sort.value_type().is_some() { words[1] } else { 0 };
    let rows = Shape::rows(caps, words[0], value_words, sort.len() as u64);
    let merged = MergeTile::choose(sort, caps);
    let short = sort.length as u64 <= rows.tile();
    let shape = if short { rows } else { Shape::passes(caps, words[0], value_words) };
    // A window begins at an aligned byte before its first element.
    let bytes = caps.binding_bytes.min(WINDOW).saturating_sub(512);
    let window = bytes / (4 * words[0].max(words[1]) as u64) / shape.tile() * shape.tile();
    let first_scratch = sort.output + sort.output_types().len();
    let mut planner = Planner { sort, caps, shape, plan: Plan::default(), first_scratch, window };
    debug_assert!(sort.length <= Sort::MOST && window > 0 && (sort.rows == 1 || sort.count.is_none()));
    match merged {
        Some(tile) => planner.merged_rows(tile),
        None if short => planner.short_rows(),
        None => planner.long_rows(),
    }
    Ok(planner.plan)
}

impl Planner<'_> {
    fn scratch(&mut self, bytes: u64) -> usize {
        self.plan.scratch.push(bytes.next_multiple_of(64));
        self.first_scratch + self.plan.scratch.len() - 1
    }

    /// The last launch takes no more keys than the device says, if the sort is one of those.
    pub(super) fn bound(&mut self, from: u64) {
        let pass = self.plan.passes.last_mut().expect("a launch was planned");
        if let Some(count) = &self.sort.count {
            count_pass(pass, count, from);
        }
    }

    fn words(&mut self, form: Form) -> Field {
        let bytes = self.sort.len() as u64 * form.size();
        Field { buffer: self.scratch(bytes), form }
    }

    pub(super) fn keys_in(&self) -> Field {
        Field { buffer: slot_of(&self.sort.keys), form: Form::held(self.sort.key_type()) }
    }

    pub(super) fn values_in(&self) -> Option<Field> {
        match &self.sort.payload {
            Payload::Array(values) => Some(Field { buffer: slot_of(values), form: Form::held(values.dtype()) }),
            _ => None,
        }
    }

    /// Where the last pass stores the keys and the values: the outputs, or scratch where those are packed.
    pub(super) fn homes(&mut self) -> [Option<Field>; 2] {
        let sort = self.sort;
        let types = [sort.gives_keys.then(|| sort.key_type()), sort.value_type()];
        let mut slot = sort.output;
        types.map(|dtype| {
            dtype.map(|dtype| {
                let output = slot;
                slot += 1;
                match Form::held(dtype) {
                    Form::Packed(_) => self.words(Form::carried(dtype)),
                    form => Field { buffer: output, form },
                }
            })
        })
    }

    /// Packs the outputs whose elements are smaller than a word.
    pub(super) fn pack(&mut self, homes: [Option<Field>; 2]) {
        let sort = self.sort;
        let types = [sort.gives_keys.then(|| sort.key_type()), sort.value_type()];
        let outputs = types.into_iter().zip(homes).filter_map(|(dtype, home)| dtype.zip(home));
        for (slot, (dtype, home)) in (sort.output..).zip(outputs) {
            let Form::Packed(per_word) = Form::held(dtype) else { continue };
            let kernel = Kernel::of(SortSpec::Pack { per_word, counted: sort.count.is_some() }, self.caps);
            let packed = Field { buffer: slot, form: Form::held(dtype) };
            for elements in pieces(0..sort.len() as u64, self.window) {
                let count = elements.end - elements.start;
                let groups = count.div_ceil(per_word as u64).div_ceil(self.caps.workgroup() as u64);
                self.plan.passes.push(Pass {
                    kernel: kernel.clone(),
                    buffers: [home, packed].map(|field| field.window(elements.clone(), self.caps).0).to_vec(),
                    params: vec![Param::of(count)],
                    grid: Grid::Count(groups),
                });
                self.bound(elements.start);
            }
        }
    }

    /// What each of the launches of a pass stores, as windows of the keys and of the values: one launch stores both
    /// where the device can bind as much. A launch that does not store the values does not read them.
    pub(super) fn launches(
        &self,
        stored: [Option<Field>; 2],
        values: Values,
        state: bool,
        windows: u64,
    ) -> Vec<([u32; 2], Values)> {
        let bindings = self.caps.bindings as u64 - 1 - state as u64 - self.sort.count.is_some() as u64;
        let from = matches!(values, Values::Of(_)) as u64;
        let fits = |arrays: u64, from: u64| (bindings.saturating_sub(from) / arrays).min(windows).min(MOST_WINDOWS);
        match stored.map(|field| field.is_some()) {
            [true, true] if fits(2, from) >= 1 => vec![([fits(2, from) as u32; 2], values)],
            [true, true] => vec![([0, fits(1, from) as u32], values), ([fits(1, 0) as u32, 0], Values::None)],
            [false, true] => vec![([0, fits(1, from) as u32], values)],
            _ => vec![([fits(1, 0) as u32, 0], Values::None)],
        }
    }

    /// Rows of several tiles: as many at a time as a window holds, or one in several windows.
    fn long_rows(&mut self) {
        let (rows, length) = (self.sort.rows as u64, self.sort.length as u64);
        let mut homes = self.homes();
        if self.sort.places() > 2 && homes[0].is_none() {
            homes[0] = Some(self.words(Form::carried(self.sort.key_type())));
        }
        let others = self.others(homes);
        let tiles = length.div_ceil(self.shape.tile());
        let most = (self.state_words() / BINS / self.places()).saturating_sub(1) / (tiles + 1);
        let many = (self.window / length).min(most).max(1).min(rows);
        let state = self.scratch(self.places() * Batch::place_words(many, tiles) * 4);
        let counts = self.scratch(many * self.places() * BINS * 4);
        for batch in pieces(0..rows, many) {
            let batch = Batch { first: batch.start * length, rows: batch.end - batch.start, tiles, state, counts };
            self.clear(&batch);
            self.histogram(&batch);
            self.seed(&batch);
            let mut from = (self.keys_in(), self.values_in());
            for place in 0..self.sort.places() {
                let left = self.sort.places() - 1 - place;
                let to = if left.is_multiple_of(2) { homes } else { others };
                let to = [to[0].filter(|_| left > 0 || self.sort.gives_keys), to[1]];
                self.scatter(&batch, place, from, to);
                from = (to[0].unwrap_or(from.0), to[1]);
            }
        }
        self.pack(homes);
    }

    /// Where every second pass stores, counted from the last but one.
    fn others(&mut self, homes: [Option<Field>; 2]) -> [Option<Field>; 2] {
        if self.sort.places() == 1 {
            return [None; 2];
        }
        let keys = self.words(Form::carried(self.sort.key_type()));
        [Some(keys), homes[1].map(|home| self.words(home.form))]
    }

    fn clear(&mut self, batch: &Batch) {
        let kernel = Kernel::of(SortSpec::Clear, self.caps);
        let words = batch.state_words(self.places());
        let count_words = self.places() * batch.rows * BINS;
        for piece in pieces(0..words, self.state_words()) {
            let state = Field { buffer: batch.state, form: Form::Words(1) }.window(piece.clone(), self.caps).0;
            let counts = Field { buffer: batch.counts, form: Form::Words(1) }.window(0..count_words, self.caps).0;
            let words = piece.end - piece.start;
            self.plan.passes.push(Pass {
                kernel: kernel.clone(),
                buffers: vec![state, counts],
                params: [words / 4, count_words / 4].map(Param::of).to_vec(),
                grid: Grid::Count((words.max(count_words) / 4).div_ceil(self.caps.workgroup() as u64)),
            });
        }
    }

    fn histogram(&mut self, batch: &Batch) {
        let sort = self.sort;
        let (keys, form) = (sort.keys(), self.keys_in().form);
        let spec = SortSpec::Histogram { keys, form, places: sort.places(), shape: self.shape };
        let kernel = Kernel::of(spec, self.caps);
        let counts = Field { buffer: batch.counts, form: Form::Words(1) };
        let counts = counts.window(0..self.places() * batch.rows * BINS, self.caps).0;
        let (begin, _) = sort.digit(0);
        let (_, last_mask) = sort.digit(sort.places() - 1);
        let workgroup = self.caps.workgroup() as u64;
        for part in self.parts() {
            let length = part.end - part.start;
            let most = self.shape.histogram_groups.div_ceil(batch.rows);
            let chunks = length.div_ceil(workgroup * self.shape.unroll as u64).min(most);
            let span = length.div_ceil(chunks).next_multiple_of(workgroup);
            let (keys, keys_first) = self.keys_in().window(batch.elements(&part, sort), self.caps);
            let groups = batch.rows * chunks;
            let own = [groups, chunks, span, length, sort.length as u64, keys_first as u64].map(|word| word as u32);
            self.plan.passes.push(Pass {
                kernel: kernel.clone(),
                buffers: vec![keys, counts],
                params: Param::all([own.to_vec(), vec![begin, last_mask]].concat()),
                grid: Grid::Count(groups),
            });
            self.bound(part.start);
        }
    }

    /// In one launch if a binding holds all states, else in one a place.
    fn seed(&mut self, batch: &Batch) {
        let kernel = Kernel::of(SortSpec::Seed { places: self.sort.places(), shape: self.shape }, self.caps);
        let (places, chain) = (self.places(), (batch.tiles + 1) * BINS);
        let state = Field { buffer: batch.state, form: Form::Words(1) };
        let counts = Field { buffer: batch.counts, form: Form::Words(1) };
        let counts = counts.window(0..places * batch.rows * BINS, self.caps).0;
        let whole = batch.state_words(places) <= self.state_words();
        for first in (0..places).step_by(if whole { places as usize } else { 1 }) {
            let start = batch.state_words(first);
            let words = if whole { 0..batch.state_words(places) } else { start..start + BINS };
            let groups = if whole { places * batch.rows } else { 1 };
            self.plan.passes.push(Pass {
                kernel: kernel.clone(),
                buffers: vec![counts, state.window(words, self.caps).0],
                params: [groups, batch.rows, first, chain].map(Param::of).to_vec(),
                grid: Grid::Count(groups),
            });
        }
    }

    /// One digit: a launch for each window of what is read and each few windows of what is written. All after the first
    /// that read the same window find its tiles' states there.
    fn scatter(&mut self, batch: &Batch, place: u32, from: (Field, Option<Field>), to: [Option<Field>; 2]) {
        let (sort, parts) = (self.sort, self.parts());
        let values = match from.1 {
            Some(field) => Values::Of(field.form),
            None => sort.values(),
        };
        let length = sort.length as u64;
        let windows = parts.len() as u64;
        let launches = self.launches(to, values, true, windows);
        // Software drivers give each of their threads a part of the tiles: the first of a part would have to count
        // thousands of tiles that have not started. One without subgroups may be such a driver, as llvmpipe through GL.
        let software = self.caps.short_vectors() || self.caps.subgroups.is_none();
        // Tickets are counted once.
        let once = windows == 1 && launches.len() == 1;
        let tickets = software && once && batch.state_words(1) <= self.state_words();
        for part in &parts {
            for &(most, values) in &launches {
                let step = most[0].max(most[1]) as u64;
                for first in (0..windows).step_by(step as usize) {
                    let bound = step.min(windows - first) as u32;
                    let stores = most.map(|count| count.min(bound));
                    let flow = Flow { keys: from.0.form, values, stores, cut: windows > 1 };
                    let elements = batch.elements(part, sort);
                    let (keys, keys_first) = from.0.window(elements.clone(), self.caps);
                    let (mut buffers, mut firsts) = (vec![keys], vec![keys_first, 0, part.start as u32, 0, 0]);
                    if let (Values::Of(_), Some(field)) = (values, from.1) {
                        let (values, first) = field.window(elements, self.caps);
                        buffers.push(values);
                        firsts[1] = first;
                    }
                    let (states, ticket) = match tickets {
                        true => self.states_and_ticket(batch, place),
                        false => (self.states(batch, place, part), u32::MAX),
                    };
                    buffers.push(states);
                    for (nth, (field, count)) in to.into_iter().zip(stores).enumerate() {
                        for window in (first..windows).take(count as usize) {
                            let elements = batch.elements(&parts[window as usize], sort);
                            let (out, at) = field.expect("it is stored").window(elements, self.caps);
                            buffers.push(out);
                            firsts[3 + nth] = at;
                        }
                    }
                    let row_tiles = (part.end - part.start).div_ceil(self.shape.tile());
                    let groups = batch.rows * row_tiles;
                    let (shift, mask) = sort.digit(place);
                    let own = [groups, row_tiles, part.end - part.start, length].map(|word| word as u32);
                    let base = first * self.window;
                    let limit = length.min(base + bound as u64 * self.window) - base;
                    let out = [(base as u32).wrapping_neg(), limit as u32, self.window as u32];
                    self.plan.passes.push(Pass {
                        kernel: Kernel::of(SortSpec::Scatter { keys: sort.keys(), flow, shape: self.shape }, self.caps),
                        buffers,
                        params: Param::all(
                            [own.to_vec(), vec![shift, mask], firsts, out.to_vec(), vec![ticket]].concat(),
                        ),
                        grid: Grid::Count(groups),
                    });
                    self.bound(part.start);
                }
            }
        }
    }

    /// The states of the tiles of a part of each row, and of the tile before.
    fn states(&self, batch: &Batch, place: u32, part: &Range<u64>) -> Binding {
        let row = |row: u64| batch.state_words(place as u64) / BINS + row * (batch.tiles + 1);
        let (first, last) = (part.start / self.shape.tile(), part.end.div_ceil(self.shape.tile()));
        let tiles = row(0) + first..row(batch.rows - 1) + last + 1;
        Field { buffer: batch.state, form: Form::Words(1) }.window(tiles.start * BINS..tiles.end * BINS, self.caps).0
    }

    /// The states of all tiles of a place, and which word counts the tiles that are begun.
    fn states_and_ticket(&self, batch: &Batch, place: u32) -> (Binding, u32) {
        let words = [place, place + 1].map(|place| batch.state_words(place as u64));
        let field = Field { buffer: batch.state, form: Form::Words(1) };
        (field.window(words[0]..words[1], self.caps).0, (words[1] - words[0] - BINS) as u32)
    }

    /// The windows of a row.
    fn parts(&self) -> Vec<Range<u64>> {
        pieces(0..self.sort.length as u64, self.window)
    }

    fn places(&self) -> u64 {
        self.sort.places() as u64
    }

    /// Words of the states that a binding holds.
    fn state_words(&self) -> u64 {
        (self.caps.binding_bytes.min(WINDOW) / 4096) * 1024
    }
}

impl Batch {
    /// Words of the states of a place: for each row what is before its first tile, then its tiles'; at the end a count
    /// of the tiles that are begun.
    fn place_words(rows: u64, tiles: u64) -> u64 {
        (rows * (tiles + 1) + 1) * BINS
    }

    /// Words of the states of this many places.
    fn state_words(&self, places: u64) -> u64 {
        places * Batch::place_words(self.rows, self.tiles)
    }

    /// The elements of a part of each row.
    fn elements(&self, part: &Range<u64>, sort: &Sort) -> Range<u64> {
        self.first + part.start..self.first + (self.rows - 1) * sort.length as u64 + part.end
    }
}
