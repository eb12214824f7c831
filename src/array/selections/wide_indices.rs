//! Indices of 64 bits. Where 32 reach every element they become such; past that they are places, which windows compare with.

use super::gather::{Call, Extents};
use crate::array::Array;
use crate::element::{DType, Number};
use crate::graph::Node;
use crosslane_core::error::Result;
use crosslane_ops::OutOfRange;
use std::fmt::Display;
use std::sync::Arc;

/// Indices in place of given ones, and the treatment of those past the axis.
type Narrowed = (Arc<Node>, OutOfRange);

impl Call<'_> {
    /// The same indices in 32 bits, or, along more than `most` elements, as places in u64 of which those past the axis are dropped.
    /// `None` where they are so already.
    pub(super) fn narrowed(&self, most: usize) -> Result<Option<Narrowed>> {
        if !matches!(self.indices.dtype, DType::U64 | DType::I64) {
            return Ok(None);
        }
        let extent = self.extents()?.extent;
        let is_long = extent > most;
        match self.indices.dtype {
            DType::U64 if is_long && self.outside == OutOfRange::Drop => Ok(None),
            DType::U64 => self.unsigned(Array::of(self.indices.clone()), extent, is_long).map(Some),
            _ => self.signed(Array::of(self.indices.clone()), extent, is_long).map(Some),
        }
    }

    fn unsigned(&self, x: Array<u64>, extent: usize, is_long: bool) -> Result<Narrowed> {
        let x = match self.outside {
            OutOfRange::Wrap if extent > 0 => x % extent as u64,
            OutOfRange::Clamp if is_long => x.minimum(extent as u64 - 1),
            OutOfRange::Error if is_long => self.inside(x, 0, extent as u64 - 1)?,
            _ => x,
        };
        Ok(match is_long {
            true => (x.into_node(), OutOfRange::Drop),
            // An index past 32 bits is past the axis.
            false => (x.minimum(u32::MAX as u64).cast::<u32>().into_node(), self.outside),
        })
    }

    fn signed(&self, x: Array<i64>, extent: usize, is_long: bool) -> Result<Narrowed> {
        let len = extent as i64;
        if !is_long && extent <= i32::MAX as usize {
            let x = if self.outside == OutOfRange::Wrap && len > 0 { x % len } else { x };
            let x = x.maximum(i32::MIN as i64).minimum(i32::MAX as i64);
            return Ok((x.cast::<i32>().into_node(), self.outside));
        }
        let from_end = |x: Array<i64>| x.less(0).select(&x + len, &x);
        let places = match self.outside {
            OutOfRange::Clamp => x.maximum(0).minimum(len - 1),
            OutOfRange::Wrap => from_end(x % len),
            OutOfRange::Error => from_end(self.inside(x, -len, len - 1)?),
            OutOfRange::Drop => from_end(x),
        };
        let places = places.less(0).select(u64::MAX, places.cast::<u64>());
        Call { outside: OutOfRange::Drop, ..*self }.unsigned(places, extent, is_long)
    }

    /// That the indices lie in the range, where an index out of range is an error and no element is gathered or scattered: no
    /// kernel runs that would report one.
    pub(super) fn check_without_results(&self) -> Result<()> {
        let Extents { space, extent, .. } = self.extents()?;
        if self.outside != OutOfRange::Error || !space.contains(&0) || self.indices.len() == 0 {
            return Ok(());
        }
        if extent == 0 {
            return self.mistake(
                "indices",
                "no index, as there is no element",
                format!("shape {:?}", self.indices.shape),
            );
        }
        let (node, last) = (self.indices.clone(), extent as u64 - 1);
        let signed = i64::try_from(last).unwrap_or(i64::MAX);
        let short = i32::try_from(last).unwrap_or(i32::MAX);
        match node.dtype {
            DType::I32 => self.inside(Array::<i32>::of(node), -short - 1, short).map(drop),
            DType::I64 => self.inside(Array::<i64>::of(node), -signed - 1, signed).map(drop),
            DType::U32 => self.inside(Array::<u32>::of(node), 0, u32::try_from(last).unwrap_or(u32::MAX)).map(drop),
            _ => self.inside(Array::<u64>::of(node), 0, last).map(drop),
        }
    }

    /// The indices, if all lie in the range. The host waits: a kernel's report of an index has 32 bits, and there is
    /// none where no kernel runs.
    fn inside<I: Number + Display + PartialOrd>(&self, x: Array<I>, low: I, high: I) -> Result<Array<I>> {
        if x.is_empty() {
            return Ok(x);
        }
        let ends = Array::read_all(&[&x.min(), &x.max()])?;
        match [ends[0][0], ends[1][0]].into_iter().find(|end| !(low..=high).contains(end)) {
            Some(end) => self.mistake("indices", format!("{low} to {high}"), end.to_string()),
            None => Ok(x),
        }
    }
}
