//! The text of a correlation.

use super::tile::Tile;
use super::{Boundary, Window};
use crate::fuse::{FusionSpec, param};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Access, Contract, Correlation, Draft, Spec, Word};

/// What a kernel's text depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct CorrelateSpec {
    pub values: FusionSpec,
    pub weights: FusionSpec,
    pub tile: Tile,
    /// The windows along x, y and z, without their counts.
    pub windows: [Window; 3],
    /// Without its number.
    pub boundary: Boundary,
    /// Whether a workgroup is one vector of a processor.
    pub vector: bool,
    /// Whether values and weights are arrays without gaps.
    pub plain: bool,
}

/// The parameters before those of the expressions, without the number that stands outside.
pub(super) const PARAMS: [&str; 13] = [
    "filters", "count", "tiles_x", "tiles_y", "out_x", "out_y", "out_z", "size_x", "size_y", "size_z", "first_x",
    "first_y", "first_z",
];

/// Loads of an invocation that wait together. An H200 through Vulkan, 2026-11-26, windows of 3 x 3 and 5 x 5: 3,070 and 2,340 GB/s;
/// of 8 loads 2,600 and 2,090.
const LOADS: usize = 12;

impl CorrelateSpec {
    fn constants(&self) -> Vec<(&'static str, u32)> {
        let (tile, [x, y, z]) = (&self.tile, &self.windows);
        let ([lanes_x, lanes_y], [per_x, per_y]) = (tile.lanes, tile.per_axis());
        let ([tile_x, tile_y], [columns, rows]) = (tile.extents(), tile.halo([x, y]));
        let (along, across) = if tile.along_x { (x, y) } else { (y, x) };
        // Windows with gaps have no neighbours in common.
        let neighbours = along.step == 1 && along.dilation == 1 && across.dilation == 1;
        let chunked = if neighbours { along.taps / tile.chunk * tile.chunk } else { 0 };
        let loads = (columns * rows).div_ceil(lanes_x * lanes_y);
        let [held, weights] = tile.held([x, y]);
        let all = [
            ("WORKGROUP", lanes_x * lanes_y),
            ("LANES_X", lanes_x),
            ("PER", tile.per),
            ("PER_X", per_x),
            ("PER_Y", per_y),
            ("ROUNDS", tile.rounds),
            ("SUMS", tile.per * tile.rounds),
            ("TILE_X", tile_x),
            ("TILE_Y", tile_y),
            ("COLUMNS", columns),
            ("ROWS", rows),
            ("LOADS", loads.div_ceil(loads.div_ceil(LOADS))),
            ("HELD", held),
            ("WEIGHTS", weights),
            ("CHUNK", tile.chunk),
            ("CHUNKED", chunked),
            ("SPAN", tile.per + tile.chunk - 1),
            ("TAPS_ALONG", along.taps),
            ("TAPS_ACROSS", across.taps),
            ("TAPS_Z", z.taps),
            ("STEP_X", x.step),
            ("STEP_Y", y.step),
            ("STEP_Z", z.step),
            ("STEP_ALONG", along.step),
            ("DILATION_ALONG", along.dilation),
            ("DILATION_ACROSS", across.dilation),
            ("DILATION_Z", z.dilation),
        ];
        all.map(|(name, value)| (name, value as u32)).to_vec()
    }

    fn text(&self, bindings: usize) -> String {
        let (dtype, real) = (self.values.dtype(), self.values.dtype().wgsl());
        let outside = match self.boundary {
            Boundary::Constant(_) => param("outside", dtype),
            _ => format!("{real}(0)"),
        };
        let sum = if dtype == DType::F32 { "fma(a, b, c)" } else { "a * b + c" };
        format!(
            "alias Real = {real};\n\
             const ALONG_X = {};\n\
             const BY_ROWS = {};\n\
             @group(0) @binding({bindings}) var<storage, read_write> result: array<Real>;\n\
             fn multiply_add(a: Real, b: Real, c: Real) -> Real {{\n    return {sum};\n}}\n\
             fn outside() -> Real {{\n    return {outside};\n}}\n\
             {}",
            self.tile.along_x,
            self.vector,
            self.boundary.place_text()
        )
    }

    fn contract(&self) -> Option<Contract> {
        let names = self.param_names();
        let param = |name: &str| names.iter().position(|other| other == name).map(Word::Param);
        Some(Contract::Correlation(Correlation {
            dtype: self.values.dtype(),
            taps: self.windows.map(|window| window.taps),
            steps: self.windows.map(|window| window.step),
            dilations: self.windows.map(|window| window.dilation),
            boundary: self.boundary,
            values: param("offset0")?,
            weights: param("w_offset0")?,
        }))
    }

    fn param_names(&self) -> Vec<String> {
        let outside: &[&str] = match (self.boundary, self.values.dtype()) {
            (Boundary::Constant(_), DType::F64) => &["outside", "outside_high"],
            (Boundary::Constant(_), _) => &["outside"],
            _ => &[],
        };
        let own = PARAMS.iter().chain(outside).map(|name| name.to_string()).collect();
        [own, self.values.param_names(), self.weights.param_names()].concat()
    }
}

impl Spec for CorrelateSpec {
    fn draft(&self, _: &Caps) -> Draft {
        let access = [self.values.access(), self.weights.access()].concat();
        Draft {
            constants: self.constants(),
            params: self.param_names(),
            access: [access.clone(), vec![Access::Write]].concat(),
            text: self.values.text(0) + &self.weights.text(self.values.access().len()) + &self.text(access.len()),
            f16: self.values.uses_f16() || self.weights.uses_f16(),
            contract: if self.plain { self.contract() } else { None },
            trusted: self.values.is_safe() && self.weights.is_safe(),
            ..Draft::new(format!("correlate of {}", self.values.dtype()), shader("correlate"))
        }
    }
}
