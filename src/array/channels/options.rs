//! How convolutions over channels move their windows.

use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::Precision;

/// Windows, channels and precision of [`Array::conv`](crate::Array::conv) and its gradients.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::Array;
/// use crosslane::array::ConvOptions;
/// let x = Array::<f32>::ones(device, &[1, 3, 8, 8]);
/// let weights = Array::<f32>::ones(device, &[16, 3, 3, 3]);
/// assert_eq!(x.conv(&weights, &ConvOptions::default()).shape(), [1, 16, 6, 6]);
/// let halved = ConvOptions::default().padding([(1, 1)]).steps([2]);
/// assert_eq!(x.conv(&weights, &halved).shape(), [1, 16, 4, 4]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvOptions {
    pub(super) padding: Vec<(usize, usize)>,
    pub(super) steps: Vec<usize>,
    pub(super) dilations: Vec<usize>,
    pub(super) groups: usize,
    pub(super) channels_last: bool,
    pub(super) precision: Precision,
}

impl Default for ConvOptions {
    fn default() -> ConvOptions {
        ConvOptions {
            padding: vec![(0, 0)],
            steps: vec![1],
            dilations: vec![1],
            groups: 1,
            channels_last: false,
            precision: Precision::Exact,
        }
    }
}

impl ConvOptions {
    /// Zeros before and after each axis of the windows, or one pair for all: without it none.
    pub fn padding(self, padding: impl Into<Vec<(usize, usize)>>) -> ConvOptions {
        ConvOptions { padding: padding.into(), ..self }
    }

    /// Every so-many-th window only along each axis, or one number for all.
    #[doc(alias = "stride")]
    pub fn steps(self, steps: impl Into<Vec<usize>>) -> ConvOptions {
        ConvOptions { steps: steps.into(), ..self }
    }

    /// The weights meet values so far apart along each axis, or one number for all.
    pub fn dilations(self, dilations: impl Into<Vec<usize>>) -> ConvOptions {
        ConvOptions { dilations: dilations.into(), ..self }
    }

    /// Channels in so many groups, each with weights of its own: as many as channels for a depthwise convolution.
    pub fn groups(self, groups: usize) -> ConvOptions {
        ConvOptions { groups, ..self }
    }

    /// Channels along the last axis (NHWC) of the array and of the result, not along the second (NCHW). The weights keep their
    /// shape.
    pub fn channels_last(self) -> ConvOptions {
        ConvOptions { channels_last: true, ..self }
    }

    /// Whether products of f32 may be rounded: [`Precision::Tensor`].
    pub fn precision(self, precision: Precision) -> ConvOptions {
        ConvOptions { precision, ..self }
    }

    /// The numbers for each of so many axes.
    pub(super) fn of_axes(&self, operation: &'static str, axes: usize, at: CallSite) -> Result<Vec<AxisOptions>> {
        let numbers = [("steps", &self.steps), ("dilations", &self.dilations)];
        for (name, given) in numbers {
            if !(given.len() == 1 || given.len() == axes) || given.iter().any(|number| !(1..=REACH).contains(number)) {
                let wanted = format!("one number or {axes}, each of 1 to {REACH}");
                return Err(Error::argument(operation, name, wanted, format!("{given:?}"), at));
            }
        }
        let padding = &self.padding;
        let most = padding.iter().map(|&(before, after)| before.max(after)).max();
        if !(padding.len() == 1 || padding.len() == axes) || most > Some(REACH) {
            let wanted = format!("one pair or {axes}, each number at most {REACH}");
            return Err(Error::argument(operation, "padding", wanted, format!("{padding:?}"), at));
        }
        let axis = |axis: usize| AxisOptions {
            padding: padding[axis.min(padding.len() - 1)],
            step: self.steps[axis.min(self.steps.len() - 1)],
            dilation: self.dilations[axis.min(self.dilations.len() - 1)],
        };
        Ok((0..axes).map(axis).collect())
    }
}

/// The longest reach of a window, and the most zeros beside an axis.
pub(super) const REACH: usize = 1 << 28;

/// The options of one axis.
#[derive(Clone, Copy)]
pub(super) struct AxisOptions {
    pub padding: (usize, usize),
    pub step: usize,
    pub dilation: usize,
}
