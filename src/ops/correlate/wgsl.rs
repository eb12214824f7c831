//! The text of a correlation.

use super::Boundary;
use super::tile::Tile;
use crate::caps::Caps;
use crate::element::DType;
use crate::kernel::{Access, Draft, Spec};
use crate::ops::fuse::{FusionSpec, param};

/// What a kernel's text depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct CorrelateSpec {
    pub values: FusionSpec,
    pub weights: FusionSpec,
    pub lanes: [u32; 2],
    pub per: u32,
    pub along_x: bool,
    pub rounds: u32,
    pub chunk: u32,
    /// Values and weights in workgroup memory.
    pub held: [u32; 2],
    /// Without its number.
    pub boundary: Boundary,
}

/// The parameters before those of the expressions, without the number that stands outside.
pub(super) const PARAMS: [&str; 26] = [
    "count",
    "tiles_x",
    "tiles_y",
    "out_x",
    "out_y",
    "out_z",
    "size_x",
    "size_y",
    "size_z",
    "first_x",
    "first_y",
    "first_z",
    "step_x",
    "step_y",
    "step_z",
    "dilation_z",
    "taps_z",
    "taps_along",
    "taps_across",
    "step_along",
    "dilation_along",
    "dilation_across",
    "chunked",
    "columns",
    "rows",
    "pitch",
];

impl CorrelateSpec {
    pub fn of(
        values: FusionSpec,
        weights: FusionSpec,
        tile: Tile,
        held: [usize; 2],
        boundary: Boundary,
    ) -> CorrelateSpec {
        let boundary = if let Boundary::Constant(_) = boundary { Boundary::Constant(0) } else { boundary };
        CorrelateSpec {
            values,
            weights,
            lanes: tile.lanes.map(|lanes| lanes as u32),
            per: tile.per as u32,
            along_x: tile.along_x,
            rounds: tile.rounds as u32,
            chunk: tile.chunk as u32,
            held: held.map(|count| count as u32),
            boundary,
        }
    }

    /// `place`: the value that stands at an index, or -1 for what is no value.
    fn place_text(&self) -> &'static str {
        match self.boundary {
            Boundary::Constant(_) => "return select(-1, i, (i >= 0) & (i < n));",
            Boundary::Edge => "return clamp(i, 0, n - 1);",
            // Without remainders of negative numbers, which llvmpipe gets wrong.
            Boundary::Wrap => {
                "let at = i32(u32(select(i, -1 - i, i < 0)) % u32(n));\n    return select(at, n - 1 - at, i < 0);"
            }
            Boundary::Symmetric => {
                "let at = i32(u32(select(i, -1 - i, i < 0)) % u32(2 * n));\n    return min(at, 2 * n - 1 - at);"
            }
            Boundary::Reflect => {
                "let turn = max(2 * n - 2, 1);\n    let at = i32(u32(abs(i)) % u32(turn));\n    return min(at, turn - at);"
            }
        }
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
             @group(0) @binding({bindings}) var<storage, read_write> result: array<Real>;\n\
             fn multiply_add(a: Real, b: Real, c: Real) -> Real {{\n    return {sum};\n}}\n\
             fn outside() -> Real {{\n    return {outside};\n}}\n\
             fn place(i: i32, extent: u32) -> i32 {{\n    let n = i32(extent);\n    {}\n}}\n",
            self.along_x,
            self.place_text()
        )
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
        let (along, [lanes_x, lanes_y]) = (|along: bool| if along { self.per } else { 1 }, self.lanes);
        let [per_x, per_y] = [along(self.along_x), along(!self.along_x)];
        Draft {
            constants: vec![
                ("WORKGROUP", lanes_x * lanes_y),
                ("LANES_X", lanes_x),
                ("LANES_Y", lanes_y),
                ("PER", self.per),
                ("PER_X", per_x),
                ("PER_Y", per_y),
                ("ROUND", lanes_x * per_x),
                ("ROUNDS", self.rounds),
                ("TILE_X", lanes_x * per_x * self.rounds),
                ("TILE_Y", lanes_y * per_y),
                ("SUMS", self.per * self.rounds),
                ("CHUNK", self.chunk),
                ("SPAN", self.per + self.chunk - 1),
                ("HELD", self.held[0]),
                ("WEIGHTS", self.held[1]),
            ],
            params: self.param_names(),
            access: [access.clone(), vec![Access::Write]].concat(),
            text: self.values.text(0)
                + &self.weights.text(self.values.access().len())
                + &self.text(access.len()),
            f16: self.values.uses_f16() || self.weights.uses_f16(),
            trusted: self.values.is_safe() && self.weights.is_safe(),
            ..Draft::new(format!("correlate of {}", self.values.dtype()), "correlate")
        }
    }
}
