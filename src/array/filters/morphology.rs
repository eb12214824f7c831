//! Morphology: erosion and dilation by footprints, and what is made of them.

use super::neighbours::Windows;
use super::{Footprint, PerAxis};
use crate::array::Array;
use crate::array::elementwise::call;
use crate::array::shapes::PadMode;
use crate::element::{DType, Ordered};
use crate::graph::{Expr, Node};
use crosslane_core::error::{CallSite, Result};
use crosslane_core::op::Function;
use crosslane_ops::neighbours::{Points, Rule};
use std::panic::Location;
use std::sync::Arc;

impl<T: Ordered> Array<T> {
    /// The least of a value's neighbours in a footprint, along the last axes; of a mask whether it is true at all of them. SciPy's
    /// `grey_erosion` and `binary_erosion`, OpenCV's `erode`. NaN where a neighbour is.
    ///
    /// Cost: a box of up to 25 values takes one launch, a larger one for each axis one up to 16 values and one more for each
    /// further factor of 16: windows of windows, as the minimum counts nothing twice (van Herk, 1992, has the bound of two
    /// passes). A mask takes one launch that loads each of its neighbours. Elementwise work on the array fuses.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Footprint, PadMode};
    /// let x = Array::from_slice(device, &[3u8, 1, 4, 1, 5]);
    /// assert_eq!(x.erode(&Footprint::of_box([2]), PadMode::Edge).to_vec()?, [3, 1, 1, 1, 1]);
    /// let mask = Array::from_slice(device, &[true, true, true, false, true]);
    /// let inner = mask.erode(&Footprint::of_box([3]), PadMode::Constant(false));
    /// assert_eq!(inner.to_vec()?, [false, true, false, false, false]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): a footprint of no axis, of more than three or than the array has, without neighbours, or whose
    /// mask has another shape, or that does not have the value; an axis without values; boundaries for another number of axes than
    /// the footprint's; a constant that f64 does not have; more bytes than a kernel binds.
    #[doc(alias = "grey_erosion")]
    #[doc(alias = "binary_erosion")]
    #[track_caller]
    pub fn erode(&self, footprint: &Footprint, boundary: impl Into<PerAxis<PadMode<T>>>) -> Array<T> {
        self.or_kept(self.by_footprint("erode", footprint, Rule::Minimum, &boundary.into(), Location::caller()))
    }

    /// The greatest of a value's neighbours in the mirrored footprint, along the last axes; of a mask whether it is true at one of
    /// them. SciPy's `grey_dilation` and `binary_dilation`. OpenCV's `dilate` does not mirror, which differs for footprints
    /// that are not symmetric. Cost as [`Array::erode`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Footprint, PadMode};
    /// let x = Array::from_slice(device, &[3, 1, 4, 1, 5]);
    /// assert_eq!(x.dilate(&Footprint::of_box([2]), PadMode::Edge).to_vec()?, [3, 4, 4, 5, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::erode`].
    #[doc(alias = "grey_dilation")]
    #[doc(alias = "binary_dilation")]
    #[track_caller]
    pub fn dilate(&self, footprint: &Footprint, boundary: impl Into<PerAxis<PadMode<T>>>) -> Array<T> {
        self.or_kept(self.by_footprint("dilate", footprint, Rule::Maximum, &boundary.into(), Location::caller()))
    }

    /// The dilation of the erosion, which removes bright parts that the footprint does not fit into: SciPy's `grey_opening`. Cost:
    /// of both.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Footprint, PadMode};
    /// let x = Array::from_slice(device, &[0, 5, 0, 5, 5, 5, 0]);
    /// let opened = x.open(&Footprint::of_box([3]), PadMode::Edge);
    /// assert_eq!(opened.to_vec()?, [0, 0, 0, 5, 5, 5, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::erode`].
    #[doc(alias = "grey_opening")]
    #[doc(alias = "binary_opening")]
    #[track_caller]
    pub fn open(&self, footprint: &Footprint, boundary: impl Into<PerAxis<PadMode<T>>>) -> Array<T> {
        self.or_kept(self.twice(
            "open",
            footprint,
            [Rule::Minimum, Rule::Maximum],
            &boundary.into(),
            Location::caller(),
        ))
    }

    /// The erosion of the dilation, which fills dark parts that the footprint does not fit into: SciPy's `grey_closing`. Cost: of
    /// both.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Footprint, PadMode};
    /// let x = Array::from_slice(device, &[5, 5, 0, 5, 5, 0, 0]);
    /// let closed = x.close(&Footprint::of_box([3]), PadMode::Edge);
    /// assert_eq!(closed.to_vec()?, [5, 5, 5, 5, 5, 0, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::erode`].
    #[doc(alias = "grey_closing")]
    #[doc(alias = "binary_closing")]
    #[track_caller]
    pub fn close(&self, footprint: &Footprint, boundary: impl Into<PerAxis<PadMode<T>>>) -> Array<T> {
        self.or_kept(self.twice(
            "close",
            footprint,
            [Rule::Maximum, Rule::Minimum],
            &boundary.into(),
            Location::caller(),
        ))
    }

    /// The dilation less the erosion; of a mask where they differ. SciPy's `morphological_gradient`, OpenCV's `MORPH_GRADIENT`.
    /// Cost: of both, and a launch.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Footprint, PadMode};
    /// let x = Array::from_slice(device, &[1u8, 1, 9, 9, 9]);
    /// let edges = x.morphological_gradient(&Footprint::of_box([3]), PadMode::Edge);
    /// assert_eq!(edges.to_vec()?, [0, 8, 8, 0, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::erode`].
    #[track_caller]
    pub fn morphological_gradient(&self, footprint: &Footprint, boundary: impl Into<PerAxis<PadMode<T>>>) -> Array<T> {
        let (name, at, boundary) = ("morphological_gradient", Location::caller(), boundary.into());
        let both = [Rule::Maximum, Rule::Minimum].map(|rule| self.by_footprint(name, footprint, rule, &boundary, at));
        let [greatest, least] = both;
        self.or_kept(greatest.and_then(|greatest| Ok(greatest.without(&least?, at))))
    }

    /// The array less its opening: bright parts that the footprint does not fit into. SciPy's `white_tophat`, OpenCV's
    /// `MORPH_TOPHAT`; of a mask where they differ. Cost: of the opening, and a launch.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Footprint, PadMode};
    /// let x = Array::from_slice(device, &[0, 5, 0, 5, 5, 5, 0]);
    /// assert_eq!(x.top_hat(&Footprint::of_box([3]), PadMode::Edge).to_vec()?, [0, 5, 0, 0, 0, 0, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::erode`].
    #[doc(alias = "white_tophat")]
    #[track_caller]
    pub fn top_hat(&self, footprint: &Footprint, boundary: impl Into<PerAxis<PadMode<T>>>) -> Array<T> {
        let at = Location::caller();
        let opened = self.twice("top_hat", footprint, [Rule::Minimum, Rule::Maximum], &boundary.into(), at);
        self.or_kept(opened.map(|opened| self.without(&opened, at)))
    }

    /// The array's closing less the array: dark parts that the footprint does not fit into. SciPy's `black_tophat`, OpenCV's
    /// `MORPH_BLACKHAT`; of a mask where they differ. Cost: of the closing, and a launch.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// use crosslane::array::{Footprint, PadMode};
    /// let x = Array::from_slice(device, &[5, 5, 0, 5, 5, 0, 0]);
    /// assert_eq!(x.black_hat(&Footprint::of_box([3]), PadMode::Edge).to_vec()?, [0, 0, 5, 0, 0, 0, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::erode`].
    #[doc(alias = "black_tophat")]
    #[track_caller]
    pub fn black_hat(&self, footprint: &Footprint, boundary: impl Into<PerAxis<PadMode<T>>>) -> Array<T> {
        let at = Location::caller();
        let closed = self.twice("black_hat", footprint, [Rule::Maximum, Rule::Minimum], &boundary.into(), at);
        self.or_kept(closed.map(|closed| closed.without(self, at)))
    }

    fn or_kept(&self, made: Result<Array<T>>) -> Array<T> {
        Array::kept(self.device(), made)
    }

    /// The least of the neighbours in a footprint, or the greatest in the mirrored one.
    pub(super) fn by_footprint(
        &self,
        operation: &'static str,
        footprint: &Footprint,
        rule: Rule,
        boundary: &PerAxis<PadMode<T>>,
        at: CallSite,
    ) -> Result<Array<T>> {
        let rank = self.check()?.rank();
        let mut sides = footprint.sides(operation, rank, at)?;
        let axes = rank - sides.len()..rank;
        super::ranks::has_values(operation, self.shape(), axes.clone(), at)?;
        let boundaries = boundary.of(operation, "boundary", sides.len(), at)?;
        let mut points = if footprint.is_box() { vec![] } else { footprint.points(&sides) };
        if rule == Rule::Maximum {
            sides.iter_mut().for_each(|sides| sides.reverse());
            points.iter_mut().for_each(|point| *point = point.map(|offset| -offset));
        }
        if footprint.is_box() {
            let sides: Vec<_> =
                axes.zip(sides).zip(boundaries).map(|((axis, sides), own)| (axis, sides, own)).collect();
            return self.extreme(operation, &sides, rule, at);
        }
        let list = Array::from_slice(self.device(), points.as_flattened());
        let windows = Windows::of_last(self.shape(), &vec![0; sides.len()], Points::Fixed(points), rule);
        self.of_last_windows(operation, windows, &sides, Some(&list), &boundaries, at)
    }

    fn twice(
        &self,
        operation: &'static str,
        footprint: &Footprint,
        rules: [Rule; 2],
        boundary: &PerAxis<PadMode<T>>,
        at: CallSite,
    ) -> Result<Array<T>> {
        let once = self.by_footprint(operation, footprint, rules[0], boundary, at)?;
        once.by_footprint(operation, footprint, rules[1], boundary, at)
    }

    /// The difference, in the type that computes; of masks where they differ.
    fn without(&self, other: &Array<T>, at: CallSite) -> Array<T> {
        if T::DTYPE == DType::Bool {
            return Array::of(call(Function::Xor, &[self.node.clone(), other.node.clone()], at));
        }
        let to = |node: Arc<Node>, dtype: DType| match node.dtype == dtype {
            true => node,
            false => Node::lazy(self.device(), node.shape.clone(), dtype, Expr::Cast(node)),
        };
        let sides = [self, other].map(|side| to(side.node.clone(), T::DTYPE.compute()));
        Array::of(to(call(Function::Subtract, &sides, at), T::DTYPE))
    }
}
