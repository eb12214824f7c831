//! Short windows over arrays in memory: `shaders/correlate_sliding.wgsl`.

use super::wgsl::PARAMS;
use super::{Boundary, Window};
use crate::caps::Caps;
use crate::element::DType;
use crate::kernel::{Access, Draft, Spec};
use crate::ops::fuse::{FusionSpec, param};

/// Weights along an axis, and in all. An invocation's registers hold all weights, a row of values and the sums of as many rows as
/// there are weights along y.
const MOST_TAPS: usize = 16;
const MOST_WEIGHTS: usize = 49;
/// Invocations of a workgroup, each with four columns: twice as many take 0 to 4 % longer.
const WORKGROUP: usize = 64;
/// Rows of values of an invocation: so many times the weights along y, or so many where there is one weight. An H200 through Vulkan,
/// 2026-11-27, GB/s: windows of 3 x 3 and 5 x 5, twice 3,709 and 3,201, three times 3,532 and 2,879.
const ROUNDS: usize = 2;
const ROWS: usize = 4;
/// Weights along y up to which all rows are unrolled, so that their loads are under way together. With 15 weights, 30 rows unrolled
/// run at 2,742 GB/s through Vulkan and 3,200 through CUDA on an H200, and two rounds of 15 rows at 2,862 and 3,007.
const UNROLLED: usize = 7;

/// How windows slide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sliding {
    pub workgroup: usize,
    /// Weights along x and y.
    taps: [usize; 2],
    /// Values before the first window of an invocation, since vectors are aligned.
    shift: usize,
    /// Rows of values: rounds of so many steps, which are unrolled.
    rounds: usize,
    steps: usize,
}

impl Sliding {
    /// For windows along x and y over rows of so many values; `None` where there are too many weights for registers, where windows
    /// have steps or gaps, and where rows are not whole vectors or shorter than a workgroup.
    pub fn choose([x, y]: [&Window; 2], row: usize, caps: &Caps) -> Option<Sliding> {
        let workgroup = WORKGROUP.min(caps.workgroup_invocations as usize);
        let neighbours =
            [x, y].iter().all(|window| window.step == 1 && window.dilation == 1 && window.taps <= MOST_TAPS);
        let vectors = x.count.is_multiple_of(4) && row.is_multiple_of(4) && x.count >= 4 * workgroup;
        let few = x.taps * y.taps <= MOST_WEIGHTS;
        let (rounds, steps) = match y.taps {
            1 => (1, ROWS.min(y.count)),
            taps @ ..=UNROLLED => (1, ROUNDS * taps),
            taps => (ROUNDS, taps),
        };
        (caps.processor.is_none() && neighbours && vectors && few).then(|| Sliding {
            workgroup,
            taps: [x.taps, y.taps],
            shift: x.first.rem_euclid(4) as usize,
            rounds,
            steps,
        })
    }

    /// Results of a workgroup along x and y.
    pub fn extents(&self) -> [usize; 2] {
        [4 * self.workgroup, self.rounds * self.steps - (self.taps[1] - 1)]
    }
}

/// What a kernel's text depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct SlidingSpec {
    /// Four values at a time.
    pub values: FusionSpec,
    pub weights: FusionSpec,
    pub sliding: Sliding,
    /// Without its number.
    pub boundary: Boundary,
}

impl SlidingSpec {
    fn constants(&self) -> Vec<(&'static str, u32)> {
        let Sliding { workgroup, taps: [x, y], shift, rounds, steps } = self.sliding;
        let all = [
            ("WORKGROUP", workgroup),
            ("TAPS_X", x),
            ("TAPS_Y", y),
            ("WEIGHTS", x * y),
            ("SHIFT", shift),
            ("VALUES", (shift + x - 1 + 4).next_multiple_of(4)),
            ("ROUNDS", rounds),
            ("STEPS", steps),
            ("ROWS", self.sliding.extents()[1]),
        ];
        all.map(|(name, value)| (name, value as u32)).to_vec()
    }
}

impl Spec for SlidingSpec {
    fn draft(&self, _: &Caps) -> Draft {
        let access = [self.values.access(), self.weights.access()].concat();
        let (outside, more) = match self.boundary {
            Boundary::Constant(_) => (param("outside", DType::F32), Some("outside")),
            _ => ("0.0".into(), None),
        };
        let own = PARAMS.iter().copied().chain(more).map(String::from).collect();
        let text = format!(
            "@group(0) @binding({}) var<storage, read_write> result: array<vec4<f32>>;\n\
             fn outside() -> f32 {{\n    return {outside};\n}}\n{}",
            access.len(),
            self.boundary.place_text()
        );
        Draft {
            constants: self.constants(),
            params: [own, self.values.param_names(), self.weights.param_names()].concat(),
            text: self.values.text(0) + &self.weights.text(self.values.access().len()) + &text,
            access: [access, vec![Access::Write]].concat(),
            trusted: self.values.is_safe() && self.weights.is_safe(),
            ..Draft::new("correlate of f32, sliding", "correlate_sliding")
        }
    }
}
