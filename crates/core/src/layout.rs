//! The layout of an array's elements in memory: shape, strides and offset, all in elements.

/// A strided view of a buffer. Element `[i, j, ..]` is at `offset + i * strides[0] + j * strides[1] + ..`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The extent of each dimension.
    pub shape: Vec<usize>,
    /// The distance from one element to the next in each dimension; 0 repeats, negative goes backwards.
    pub strides: Vec<isize>,
    /// The index of the first element.
    pub offset: usize,
}

impl Layout {
    /// Row-major without gaps.
    pub fn contiguous(shape: &[usize]) -> Layout {
        let mut strides = vec![0; shape.len()];
        let mut step = 1isize;
        for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
            *stride = step;
            step = step.saturating_mul(extent.max(1) as isize);
        }
        Layout { shape: shape.to_vec(), strides, offset: 0 }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        count(&self.shape)
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the elements are contiguous in row-major order (from `offset` on).
    pub fn is_contiguous(&self) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut step = 1isize;
        for (&extent, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if extent != 1 && stride != step {
                return false;
            }
            step *= extent as isize;
        }
        true
    }

    /// Whether two elements may lie in one place, as repeated ones do; never false if they do.
    #[doc(hidden)]
    pub fn repeats(&self) -> bool {
        let mut steps: Vec<(usize, usize)> =
            self.strides.iter().map(|stride| stride.unsigned_abs()).zip(self.shape.iter().copied()).collect();
        steps.retain(|&(_, extent)| extent > 1);
        steps.sort_unstable();
        let mut reach = 0;
        !self.is_empty()
            && steps.iter().any(|&(stride, extent)| {
                let meets = stride <= reach;
                reach += stride * (extent - 1);
                meets
            })
    }

    /// The address of a row-major element number.
    pub fn address(&self, mut index: usize) -> usize {
        let mut at = self.offset as isize;
        for (&extent, &stride) in self.shape.iter().zip(&self.strides).rev() {
            at += (index % extent) as isize * stride;
            index /= extent;
        }
        at as usize
    }

    /// Dimensions in another order.
    pub fn permute(&self, axes: &[usize]) -> Layout {
        Layout {
            shape: axes.iter().map(|&a| self.shape[a]).collect(),
            strides: axes.iter().map(|&a| self.strides[a]).collect(),
            offset: self.offset,
        }
    }

    /// From `start` on, `len` elements of a dimension, `step` apart.
    pub fn slice(&self, axis: usize, start: usize, step: isize, len: usize) -> Layout {
        let mut view = self.clone();
        if len > 0 {
            view.offset = (self.offset as isize + start as isize * self.strides[axis]) as usize;
        }
        view.shape[axis] = len;
        // Past all bounds only where there is one element.
        view.strides[axis] = view.strides[axis].saturating_mul(step);
        view
    }

    /// Repeated to a larger shape by NumPy's rule; `None` if the shapes do not fit.
    pub fn broadcast(&self, shape: &[usize]) -> Option<Layout> {
        let extra = shape.len().checked_sub(self.shape.len())?;
        let mut strides = vec![0; shape.len()];
        for (axis, (&from, &stride)) in self.shape.iter().zip(&self.strides).enumerate() {
            let to = shape[extra + axis];
            match (from == to, from) {
                (true, _) => strides[extra + axis] = stride,
                (false, 1) => {}
                _ => return None,
            }
        }
        Some(Layout { shape: shape.to_vec(), strides, offset: self.offset })
    }

    /// The same elements in row-major order under another shape, if strides can say it; `None` if a copy is needed.
    ///
    /// NumPy's rule: groups of old and new dimensions with equal products must each be free of gaps.
    pub fn reshape(&self, shape: &[usize]) -> Option<Layout> {
        if self.is_empty() {
            return Some(Layout { offset: self.offset, ..Layout::contiguous(shape) });
        }
        let old: Vec<(usize, isize)> =
            self.shape.iter().copied().zip(self.strides.iter().copied()).filter(|(extent, _)| *extent != 1).collect();
        let mut strides = vec![0; shape.len()];
        let (mut old_from, mut new_from) = (0, 0);
        while new_from < shape.len() && old_from < old.len() {
            let (mut old_to, mut new_to) = (old_from + 1, new_from + 1);
            let (mut have, mut want) = (old[old_from].0, shape[new_from]);
            while have != want {
                if want < have {
                    want *= shape[new_to];
                    new_to += 1;
                } else {
                    have *= old[old_to].0;
                    old_to += 1;
                }
            }
            if old[old_from..old_to].windows(2).any(|pair| pair[0].1 != pair[1].1 * pair[1].0 as isize) {
                return None;
            }
            let mut step = old[old_to - 1].1;
            for axis in (new_from..new_to).rev() {
                strides[axis] = step;
                step *= shape[axis] as isize;
            }
            (old_from, new_from) = (old_to, new_to);
        }
        Some(Layout { shape: shape.to_vec(), strides, offset: self.offset })
    }
}

/// Number of elements. Saturates: only with an extent of 0 can the other extents be past all bounds.
pub fn count(shape: &[usize]) -> usize {
    shape.iter().fold(1, |count, &extent| count.saturating_mul(extent))
}

/// The shape that all of `shapes` broadcast to, by NumPy's rule; `None` if they do not fit.
///
/// ```
/// assert_eq!(crosslane::array::broadcast_shapes(&[&[3, 1], &[4]]), Some(vec![3, 4]));
/// assert_eq!(crosslane::array::broadcast_shapes(&[&[3], &[4]]), None);
/// ```
pub fn broadcast_shapes(shapes: &[&[usize]]) -> Option<Vec<usize>> {
    let rank = shapes.iter().map(|s| s.len()).max()?;
    let mut out = vec![1; rank];
    for shape in shapes {
        for (to, &from) in out[rank - shape.len()..].iter_mut().zip(shape.iter()) {
            match (*to, from) {
                (a, b) if a == b => {}
                (1, b) => *to = b,
                (_, 1) => {}
                _ => return None,
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn addresses(layout: &Layout) -> Vec<usize> {
        (0..layout.len()).map(|i| layout.address(i)).collect()
    }

    #[test]
    fn reshape_keeps_order_or_refuses() {
        let a = Layout::contiguous(&[2, 3, 4]);
        assert_eq!(addresses(&a.reshape(&[6, 4]).unwrap()), (0..24).collect::<Vec<_>>());
        assert_eq!(a.permute(&[1, 0, 2]).reshape(&[6, 4]), None);
        let kept = a.permute(&[1, 0, 2]).reshape(&[3, 2, 2, 2]).unwrap();
        assert_eq!(addresses(&kept), addresses(&a.permute(&[1, 0, 2])));
        assert!(a.slice(2, 3, -1, 4).reshape(&[24]).is_none());
        assert!(Layout::contiguous(&[]).reshape(&[1, 1]).is_some());
    }

    proptest! {
        #[test]
        fn reshape_never_lies(
            shape in prop::collection::vec(1usize..5, 0..4),
            order in prop::collection::vec(any::<u32>(), 4),
            cut in prop::collection::vec(1usize..5, 0..4),
            reverse in any::<bool>(),
        ) {
            let base = Layout::contiguous(&shape);
            let mut axes: Vec<usize> = (0..shape.len()).collect();
            axes.sort_by_key(|&a| order[a]);
            let mut view = base.permute(&axes);
            if reverse && !shape.is_empty() {
                let extent = view.shape[0];
                view = view.slice(0, extent - 1, -1, extent);
            }
            let mut target: Vec<usize> = Vec::new();
            let mut left = view.len();
            for c in cut {
                if left.is_multiple_of(c) {
                    target.push(c);
                    left /= c;
                }
            }
            target.push(left);
            match view.reshape(&target) {
                Some(reshaped) => prop_assert_eq!(addresses(&reshaped), addresses(&view)),
                None => prop_assert!(!view.is_contiguous()),
            }
        }
    }
}
