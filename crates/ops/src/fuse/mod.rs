//! From a fused expression to WGSL: loads, steps and stores over a strided index space.

mod cast;
mod several;
mod spec;
mod wgsl;

pub(crate) use cast::cast;
pub(crate) use several::{Several, flat, read_bytes, read_slots};
pub(crate) use spec::{FusionSpec, SeveralSpec, Stride};
pub(crate) use wgsl::{atomic_store, bits, pack, param, wide};

use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{self, Binding, Expression, LeafSource, Param, Space, Walk};
use std::ops::Range;

/// A dimension of the index space, after merging what can be merged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dim {
    /// The kernel variable it is part of: 0 or 1.
    pub group: usize,
    pub extent: u64,
}

/// How an array's elements are loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// One element at a time.
    Scalar,
    /// Four neighbours at once, aligned.
    Vector,
    /// One element for all four lanes.
    Splat,
    /// Four loads for four lanes.
    Gather,
}

/// How the output is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    /// One element, or four with width 4.
    Element,
    /// All elements of one 32-bit word: types smaller than a word, output without gaps.
    Word,
    /// One element inside a word that others write too.
    Atomic,
}

/// An expression over an index space whose coordinates come from the variables of a kernel.
#[derive(Clone)]
pub(crate) struct Fusion<'a> {
    pub expression: &'a Expression,
    /// What its names begin with: kernels may have several.
    pub prefix: &'static str,
    /// The kernel's variables, slowest first.
    pub variables: &'static [&'static str],
    pub dims: Vec<Dim>,
    /// The leaves, then the output if there is one.
    pub walks: Vec<Walk>,
    pub modes: Vec<Mode>,
    /// 1 or 4.
    pub width: u32,
    /// The variable along which four lanes lie.
    pub lanes: usize,
    /// Whether extents are constants of the text, which then is compiled for each shape: coordinates are divided by them.
    pub constant: bool,
    /// The output: its slot, type and how it is stored.
    pub output: Option<(usize, DType, Store)>,
}

/// Merges neighbouring dimensions of one group that every array walks without a gap; drops extents of 1.
pub fn collapse(dims: &mut Vec<Dim>, walks: &mut [Walk]) {
    let mut axis = dims.len();
    while axis > 0 {
        axis -= 1;
        if dims[axis].extent == 1 {
            dims.remove(axis);
            for walk in walks.iter_mut() {
                walk.strides.remove(axis);
            }
        }
    }
    let mut axis = dims.len();
    while axis > 1 {
        axis -= 1;
        let inner = dims[axis].extent as i64;
        let joined = walks.iter().all(|walk| walk.strides[axis - 1] == walk.strides[axis] * inner);
        if joined && dims[axis - 1].group == dims[axis].group {
            dims[axis - 1].extent *= dims[axis].extent;
            dims.remove(axis);
            for walk in walks.iter_mut() {
                walk.strides.remove(axis - 1);
            }
        }
    }
}

impl<'a> Fusion<'a> {
    /// The index space, to be cut into windows.
    pub fn space(&self) -> Space {
        let arrays =
            self.walks.iter().enumerate().filter(|(i, _)| self.slot(*i).is_some()).map(|(_, w)| w.clone()).collect();
        Space { extents: self.dims.iter().map(|dim| dim.extent).collect(), arrays }
    }

    /// The slot that an array is in.
    pub fn slot(&self, array: usize) -> Option<usize> {
        match self.expression.leaves.get(array) {
            Some(leaf) => match leaf.source {
                LeafSource::Slot(slot) => Some(slot),
                LeafSource::Index | LeafSource::Given | LeafSource::Tile(_) => None,
            },
            None => self.output.map(|output| output.0),
        }
    }

    /// Whether it is no array: what the kernel hands over.
    fn is_given(&self, array: usize) -> bool {
        self.expression.leaves.get(array).is_some_and(|leaf| leaf.source == LeafSource::Given)
    }

    /// The tile that holds a leaf's values.
    fn tile(&self, array: usize) -> Option<usize> {
        match self.expression.leaves.get(array).map(|leaf| leaf.source) {
            Some(LeafSource::Tile(tile)) => Some(tile),
            _ => None,
        }
    }

    /// The arrays that have an address: the others are handed over or kept by the kernel.
    fn placed(&self) -> impl Iterator<Item = (usize, &Walk)> {
        let walks = self.walks.iter().enumerate();
        walks.filter(|(array, _)| !self.is_given(*array) && self.tile(*array).is_none())
    }

    fn dtype(&self, array: usize) -> DType {
        self.expression
            .leaves
            .get(array)
            .map_or_else(|| self.output.expect("arrays past the leaves are the output").1, |leaf| leaf.dtype)
    }

    /// Of what is combined along the dimensions of group 1: whether neighbours in memory belong to neighbouring results
    /// rather than to one.
    pub fn by_columns(&self) -> bool {
        let innermost = |group: usize| self.dims.iter().rposition(|dim| dim.group == group);
        let main = self.walks.iter().zip(&self.expression.leaves).find(|(_, leaf)| leaf.len > 1);
        match (main, innermost(0), innermost(1)) {
            (Some((walk, _)), Some(kept), Some(reduced)) => {
                let step = |dim: usize| walk.strides[dim].unsigned_abs();
                step(kept) != 0 && (step(kept) < step(reduced) || step(reduced) == 0)
            }
            _ => false,
        }
    }

    /// Takes four lanes along variable `lanes` if the device wants that, and it is possible with windows of these chunk lengths.
    ///
    /// `pad`: the last unit may run past the end of the space, into the padding that every buffer has.
    pub fn widen(&mut self, chunk: &[u64], lanes: usize, pad: bool, caps: &Caps) -> bool {
        let mut arrays = (0..self.walks.len()).filter(|&array| self.slot(array).is_some());
        // What reads and writes no array is as wide as what it is part of.
        let together = self.expression.formulas().into_iter().any(|formula| formula.is_cheaper_together());
        let is_wide = caps.processor.is_none() || together || arrays.any(|array| caps.wide(self.dtype(array)));
        is_wide && self.widen_each(chunk, lanes, pad)
    }

    /// Takes one lane.
    pub fn narrow(&mut self) {
        self.modes.fill(Mode::Scalar);
        (self.width, self.lanes) = (1, 1);
    }

    /// Whether complex numbers occur: each is a vector itself, and there are none of four vectors.
    fn has_complex(&self) -> bool {
        self.expression.steps.iter().any(|step| step.dtype.is_complex())
    }

    /// As [`Fusion::widen`], whatever the device prefers.
    pub fn widen_each(&mut self, chunk: &[u64], lanes: usize, pad: bool) -> bool {
        if self.expression.formulas().into_iter().any(|formula| formula.is_long()) {
            return false;
        }
        let Some(inner) = self.dims.iter().rposition(|dim| dim.group == lanes) else { return false };
        if self.has_complex() {
            return false;
        }
        let extent = self.dims[inner].extent;
        let alone = self.dims.iter().filter(|dim| dim.group == lanes).count() == 1;
        let tail = !extent.is_multiple_of(4);
        if tail && !(alone && pad) || chunk[inner] != extent && !chunk[inner].is_multiple_of(4) {
            return false;
        }
        let mode = |array: usize| {
            let walk = &self.walks[array];
            let others = walk.strides.iter().enumerate().filter(|(axis, _)| *axis != inner);
            let aligned = walk.offset % 4 == 0 && others.clone().all(|(_, stride)| stride % 4 == 0);
            match walk.strides[inner] {
                _ if self.tile(array).is_some() => Mode::Vector,
                0 => Mode::Splat,
                1 if self.slot(array).is_none() || aligned => Mode::Vector,
                _ => Mode::Gather,
            }
        };
        let leaves = self.expression.leaves.len();
        let modes: Vec<Mode> = (0..self.walks.len()).map(mode).collect();
        let stored = modes[leaves..].iter().all(|mode| *mode == Mode::Vector);
        let worth =
            modes[..leaves].iter().zip(0..).all(|(mode, i)| *mode != Mode::Gather || (self.slot(i).is_some() && !tail));
        if stored && worth {
            (self.modes, self.width, self.lanes) = (modes, 4, lanes);
        }
        stored && worth
    }

    /// Dimensions that are not the first of their variable: their extents divide it.
    fn inner_dims(&self) -> impl Iterator<Item = usize> + '_ {
        (1..self.dims.len()).filter(|&dim| self.dims[dim].group == self.dims[dim - 1].group)
    }

    /// The parameters ([`FusionSpec::param_names`]) and the windows for one box of the index space.
    pub fn params(
        &self,
        cut: &[Range<u64>],
        alignment: u64,
        buffer_bytes: &dyn Fn(usize) -> u64,
    ) -> (Vec<Param>, Vec<Binding>) {
        let mut params: Vec<Param> = self.inner_dims().map(|dim| Param::of(cut[dim].end - cut[dim].start)).collect();
        let mut bindings = Vec::new();
        for (array, walk) in self.placed() {
            let slot = self.slot(array);
            // A multiple of 64 bytes keeps four elements of any type aligned.
            let window = slot.map(|slot| (slot, alignment.max(64), buffer_bytes(slot)));
            let (start, binding) = op::start(walk, cut, window);
            bindings.extend(binding);
            params.push(start);
            params.extend(strided(walk).map(|(_, stride)| Param::Is(stride as u32)));
        }
        params.extend(op::scalars(self.expression, self.prefix));
        (params, bindings)
    }
}

fn strided(walk: &Walk) -> impl Iterator<Item = (usize, i64)> + '_ {
    walk.strides.iter().copied().enumerate().filter(|(_, stride)| !(0..2).contains(stride))
}
