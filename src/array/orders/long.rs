//! Sorts of rows that are longer than one sort takes. Windows of a row are sorted. What lies between the same values in all of
//! them is then joined, as long as one sort takes it, and sorted again; equal elements are joined in the order of the windows,
//! which keeps the sort stable.

use crate::array::create::indices;
use crate::array::index::reach;
use crate::array::windows::{has_room, ranges};
use crate::array::{Array, ArrayIndex, Side, SortOptions};
use crate::element::{Class, Element, Number, Ordered, Scalar};
use crate::graph::{Node, axis_last, evaluate, view};
use crosslane_core::error::{CallSite, Result};
use crosslane_ops::Sort;
use std::ops::Range;
use std::sync::Arc;

/// Keys in ascending order, and the values that move with them.
struct Run<K: Ordered, V: Element> {
    keys: Array<K>,
    values: Option<Array<V>>,
}

impl<K: Ordered, V: Element> Run<K, V> {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn part(&self, start: usize, len: usize) -> Run<K, V> {
        let values = self.values.as_ref().map(|values| values.part(0, start, 1, len));
        Run { keys: self.keys.part(0, start, 1, len), values }
    }

    fn flipped(&self) -> Run<K, V> {
        Run { keys: self.keys.flip(0), values: self.values.as_ref().map(|values| values.flip(0)) }
    }
}

/// A sort of long rows as it is called.
struct Long {
    operation: &'static str,
    descending: bool,
    /// Elements of one sort at most.
    most: usize,
    at: CallSite,
}

impl Long {
    /// The runs one after the other along an axis.
    fn joined<K: Ordered, V: Element>(&self, runs: Vec<Run<K, V>>, axis: usize) -> Run<K, V> {
        let (keys, values): (Vec<_>, Vec<_>) = runs.into_iter().map(|run| (run.keys, run.values)).unzip();
        let values: Option<Vec<Array<V>>> = values.into_iter().collect();
        Run {
            keys: Array::joined(self.operation, &keys, axis, self.at),
            values: values.map(|values| Array::joined(self.operation, &values, axis, self.at)),
        }
    }

    /// No more elements than one sort takes, sorted now: what they are made of is then free.
    fn sorted<K: Ordered, V: Element>(&self, run: &Run<K, V>) -> Result<Run<K, V>> {
        let options = SortOptions::default();
        let sorted = match &run.values {
            None => Run { keys: run.keys.sorted(self.operation, &options, self.at), values: None },
            Some(values) => {
                let (keys, values) = run.keys.paired(self.operation, values, &options, self.at);
                Run { keys, values: Some(values) }
            }
        };
        let values = sorted.values.iter().map(|values| values.node.clone());
        evaluate(&[sorted.keys.node.clone()].into_iter().chain(values).collect::<Vec<_>>())?;
        Ok(sorted)
    }

    /// Appends the elements of sorted runs to `to`, in order.
    fn merge<K: Ordered, V: Element>(&self, mut runs: Vec<Run<K, V>>, to: &mut Vec<Run<K, V>>) -> Result<()> {
        runs.retain(|run| run.len() > 0);
        let total: usize = runs.iter().map(Run::len).sum();
        match runs.iter().max_by_key(|run| run.len()) {
            Some(longest) if runs.len() > 1 && total > self.most => {
                let pivot = longest.part(longest.len() / 2, 1).keys;
                let [less, equal, greater] = self.cut(runs, &pivot)?;
                self.merge(less, to)?;
                to.extend(equal);
                self.merge(greater, to)
            }
            Some(_) if runs.len() > 1 => {
                to.push(self.sorted(&self.joined(runs, 0))?);
                Ok(())
            }
            _ => {
                to.extend(runs);
                Ok(())
            }
        }
    }

    /// The elements of each run before a value, equal to it, and after it. Waits for the device.
    fn cut<K: Ordered, V: Element>(&self, runs: Vec<Run<K, V>>, pivot: &Array<K>) -> Result<[Vec<Run<K, V>>; 3]> {
        let places =
            runs.iter().flat_map(|run| [Side::Left, Side::Right].map(|side| run.keys.searchsorted(pivot, side)));
        let places: Vec<Array<u32>> = places.collect();
        let places = Array::read_all(&places.iter().collect::<Vec<_>>())?;
        let mut parts = [vec![], vec![], vec![]];
        for (run, ends) in runs.iter().zip(places.chunks_exact(2)) {
            let (first, last) = (ends[0][0] as usize, ends[1][0] as usize);
            parts[0].push(run.part(0, first));
            parts[1].push(run.part(first, last - first));
            parts[2].push(run.part(last, run.len() - last));
        }
        Ok(parts)
    }

    /// How many keys are NaN, which are the last of a sorted run.
    fn nans<K: Ordered, V: Element>(&self, run: &Run<K, V>) -> Result<usize> {
        if K::DTYPE.class() != Class::Float {
            return Ok(0);
        }
        let nan = Array::full(run.keys.device(), &[1], K::from_scalar(Scalar::from_f64(K::DTYPE, f64::NAN)));
        Ok(run.len() - run.keys.searchsorted(&nan, Side::Left).item()? as usize)
    }

    /// A row of so many elements, of which `part` gives those of a range.
    fn row<K: Ordered, V: Element>(&self, len: usize, part: impl Fn(Range<usize>) -> Run<K, V>) -> Result<Run<K, V>> {
        let (mut runs, mut nans) = (vec![], 0);
        for range in ranges(self.operation, len, self.most, self.at)? {
            // Backwards the same: equal elements keep their order, and NaNs move to the end afterwards.
            let run = match self.descending {
                true => part(len - range.end..len - range.start).flipped(),
                false => part(range),
            };
            let run = self.sorted(&run)?;
            nans += if self.descending { self.nans(&run)? } else { 0 };
            runs.push(run);
        }
        let mut parts = vec![];
        self.merge(runs, &mut parts)?;
        let whole = self.joined(parts, 0);
        if !self.descending {
            return Ok(whole);
        }
        let back = whole.flipped();
        Ok(self.joined(vec![back.part(nans, back.len() - nans), back.part(0, nans)], 0))
    }
}

impl<K: Ordered> Array<K> {
    /// Whether rows along an axis are longer than one sort takes.
    pub(super) fn is_long(&self, axis: usize) -> bool {
        self.shape()[axis] > self.device().most_numbered(Sort::MOST)
    }

    /// Long rows along an axis sorted, with values of the same shape and device. Waits for the device.
    pub(super) fn sorted_long<V: Element>(
        &self,
        operation: &'static str,
        values: Option<&Array<V>>,
        options: &SortOptions,
        axis: usize,
        at: CallSite,
    ) -> Result<(Array<K>, Option<Array<V>>)> {
        if let Some(bits) = options.some_bits(K::DTYPE) {
            return self.sorted_long_by(operation, values, options, (&bits, axis), at);
        }
        let moved = values.map(|values| Array::<V>::of(axis_last(&values.node, axis).0).flatten());
        let length = self.shape()[axis];
        self.sorted_rows(operation, options, axis, at, |row, range| {
            moved.as_ref().map(|moved| moved.part(0, row * length + range.start, 1, range.len()))
        })
    }

    /// As [`Array::sorted_long`], with the place in its row that each element comes from.
    pub(super) fn sorted_long_with_places<I: ArrayIndex + Number>(
        &self,
        operation: &'static str,
        options: &SortOptions,
        axis: usize,
        at: CallSite,
    ) -> Result<(Array<K>, Array<I>)> {
        reach::<I>(operation, "axis", self.shape()[axis], at)?;
        if let Some(bits) = options.some_bits(K::DTYPE) {
            return self.sorted_long_by_with_places(operation, options, (&bits, axis), at);
        }
        let places = |_, range| Some(indices(self.device(), &range));
        let (keys, places) = self.sorted_rows(operation, options, axis, at, places)?;
        Ok((keys, places.expect("places move with the keys")))
    }

    /// Long rows sorted. `moved` gives what moves with a range of a row.
    fn sorted_rows<V: Element>(
        &self,
        operation: &'static str,
        options: &SortOptions,
        axis: usize,
        at: CallSite,
        moved: impl Fn(usize, Range<usize>) -> Option<Array<V>>,
    ) -> Result<(Array<K>, Option<Array<V>>)> {
        has_room(operation, self.device(), K::DTYPE, self.len(), at)?;
        let most = self.device().most_numbered(Sort::MOST);
        let long = Long { operation, descending: options.is_descending(), most, at };
        let (last, back) = axis_last(&self.node, axis);
        let (shape, length) = (last.shape.clone(), self.shape()[axis]);
        let keys = Array::<K>::of(last).flatten();
        let rows = (0..self.len() / length).map(|row| {
            long.row(length, |range| Run {
                keys: keys.part(0, row * length + range.start, 1, range.len()),
                values: moved(row, range),
            })
        });
        let sorted = long.joined(rows.collect::<Result<_>>()?, 0);
        let turned = |node: &Arc<Node>| {
            view(&view(node, &|layout| layout.reshape(&shape)), &|layout| Some(layout.permute(&back)))
        };
        let values = sorted.values.map(|values| Array::of(turned(&values.node)));
        Ok((Array::of(turned(&sorted.keys.node)), values))
    }
}
