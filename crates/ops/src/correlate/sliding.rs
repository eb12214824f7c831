//! Short windows over arrays in memory: `shaders/correlate_sliding.wgsl`.

use super::wgsl::PARAMS;
use super::{Boundary, Window};
use crate::fuse::{FusionSpec, param};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Access, Draft, Spec};
use crosslane_core::tuning::Tunable;

/// Weights along an axis, and in all. An invocation's registers hold all weights, a row of values and the sums of as many rows as
/// there are weights along y.
const MOST_TAPS: usize = 16;
const MOST_WEIGHTS: usize = 49;
/// The share of its registers that these may fill: compilers load rows ahead. With 89 and 79 of 128, Intel's in Mesa 26.1 spills 46 and
/// 173, with 57 none.
const SHARE: usize = 2;
/// Invocations of a workgroup along x and y, each with four columns: what those above and below load too, they find in the cache of
/// their multiprocessor. An H200, 2026-11-27, GB/s, Vulkan / CUDA, of 3 x 3, 5 x 5 and a bell of 15: 64 x 1 3,670 / 3,725, 3,138 / 3,065
/// and 2,596 / 3,152, 64 x 2 3,712 / 3,728, 3,195 / 3,152 and 2,638 / 3,107, 32 x 4 3,698 / 3,770, 3,220 / 3,113 and 2,695 / 3,141, 32 x 8
/// 3,690 / 3,747, 3,219 / 3,144 and 2,584 / 2,685.
///
/// The first that has rows enough.
const WORKGROUPS: [[usize; 2]; 3] = [[32, 4], [32, 2], [64, 1]];
/// Rows of values of an invocation: so many times the weights along y, or so many where there is one weight. An H200 through Vulkan,
/// 2026-11-27, GB/s: windows of 3 x 3 and 5 x 5, twice 3,709 and 3,201, three times 3,532 and 2,879.
const ROUNDS: usize = 2;
const ROWS: usize = 4;
/// Weights along y up to which all rows are unrolled, so that their loads are under way together. With 15 weights, 30 rows unrolled
/// run at 2,742 GB/s through Vulkan and 3,200 through CUDA on an H200, and two rounds of 15 rows at 2,862 and 3,007.
const UNROLLED: usize = 7;

/// Whether each store asks if its result is wanted where all are. NVRTC makes faster kernels of it, but for long columns, and NVIDIA's
/// Vulkan slower ones; why is not known. One H200, 2026-11-27, GB/s without and with, of 3 x 3, 5 x 5 and a
/// bell of 15: Vulkan 3,751 and 3,698, 3,271 and 3,220, 2,926 and 2,695; CUDA 3,439 and 3,770, 3,020 and 3,113, 3,184 and 3,141.
pub(crate) const GUARDS: Tunable =
    Tunable { name: "correlate_sliding", numbers: &["guards"], candidates: &[&[0], &[1]] };

/// How windows slide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sliding {
    /// Invocations of a workgroup along x and y.
    pub invocations: [usize; 2],
    /// Weights along x and y.
    taps: [usize; 2],
    /// Values before the first window of an invocation, since vectors are aligned.
    shift: usize,
    /// Values of a row that an invocation holds.
    values: usize,
    /// Rows of values: rounds of so many steps, which are unrolled.
    rounds: usize,
    steps: usize,
    /// As [`GUARDS`] has it.
    guards: u32,
}

impl Sliding {
    /// For windows along x and y over rows of so many values; `None` where there are too many weights for registers, where windows
    /// have steps or gaps, and where rows are not whole vectors or shorter than a workgroup.
    pub fn choose([x, y]: [&Window; 2], row: usize, caps: &Caps) -> Option<Sliding> {
        let neighbours =
            [x, y].iter().all(|window| window.step == 1 && window.dilation == 1 && window.taps <= MOST_TAPS);
        let weights = x.taps * y.taps;
        let held = weights + values(x) + 4 * y.taps;
        let few = weights <= MOST_WEIGHTS && held * SHARE <= caps.registers as usize;
        let (rounds, steps) = match y.taps {
            1 => (1, ROWS.min(y.count)),
            taps @ ..=UNROLLED => (1, ROUNDS * taps),
            taps => (ROUNDS, taps),
        };
        let rows = rounds * steps - (y.taps - 1);
        let fits = |[along, down]: &[usize; 2]| {
            (*down == 1 || down * rows <= y.count) && along * down <= caps.workgroup_invocations as usize
        };
        let invocations = WORKGROUPS.into_iter().find(fits)?;
        let vectors = x.count.is_multiple_of(4) && row.is_multiple_of(4) && x.count >= 4 * invocations[0];
        (caps.processor.is_none() && neighbours && vectors && few).then(|| Sliding {
            invocations,
            taps: [x.taps, y.taps],
            shift: shift(x),
            values: values(x),
            rounds,
            steps,
            guards: caps.tuning.get(&GUARDS)[0],
        })
    }

    /// Rows of results of an invocation.
    fn rows(&self) -> usize {
        self.rounds * self.steps - (self.taps[1] - 1)
    }

    /// Results of a workgroup along x and y.
    pub fn extents(&self) -> [usize; 2] {
        let [along, down] = self.invocations;
        [4 * along, down * self.rows()]
    }
}

/// Values before the first window of an invocation.
fn shift(x: &Window) -> usize {
    x.first.rem_euclid(4) as usize
}

/// Values of a row for four windows, in whole vectors.
fn values(x: &Window) -> usize {
    (shift(x) + x.taps - 1 + 4).next_multiple_of(4)
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
        let Sliding { invocations: [along, down], taps: [x, y], shift, values, rounds, steps, guards } = self.sliding;
        let all = [
            ("WORKGROUP", along * down),
            ("ALONG", along),
            ("DOWN", down),
            ("TAPS_X", x),
            ("TAPS_Y", y),
            ("WEIGHTS", x * y),
            ("SHIFT", shift),
            ("VALUES", values),
            ("ROUNDS", rounds),
            ("STEPS", steps),
            ("ROWS", self.sliding.rows()),
            ("GUARDS", guards as usize),
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
            ..Draft::new("correlate of f32, sliding", shader("correlate_sliding"))
        }
    }
}
