//! The text.

use super::body::Body;
use super::{Neighbours, Points, Rule};
use crate::Boundary;
use crate::fuse::{FusionSpec, bits, cast, param};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, word_suffixes};
use crosslane_core::kernel::{Access, Draft, Spec};

/// What is made of which values.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Way {
    /// The least of a box of so many values, or the greatest.
    Box { taps: [u32; 3], greatest: bool },
    /// The least of listed values, or the greatest.
    Listed { greatest: bool },
    /// Those of these values with these ranks.
    Ranks { points: Vec<[i32; 3]>, ranks: [usize; 2] },
    /// A bilateral mean of a box.
    Bilateral { taps: [u32; 3] },
}

impl Way {
    pub fn of(op: &Neighbours) -> Way {
        let greatest = op.rule == Rule::Maximum;
        match (op.rule, &op.points) {
            (Rule::Rank(low, high), Points::Fixed(list)) => Way::Ranks { points: list.clone(), ranks: [low, high] },
            (Rule::Bilateral { .. }, Points::Box { taps, .. }) => Way::Bilateral { taps: taps.map(|n| n as u32) },
            (Rule::Minimum | Rule::Maximum, Points::Box { taps, .. }) => {
                Way::Box { taps: taps.map(|n| n as u32), greatest }
            }
            (Rule::Minimum | Rule::Maximum, Points::Listed(..)) => Way::Listed { greatest },
            _ => unreachable!("ranks are of fixed points, means of boxes, ends of boxes or lists"),
        }
    }
}

/// What a kernel's text depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct NeighboursSpec {
    pub values: FusionSpec,
    /// Where the windows' places are listed.
    pub list: Option<FusionSpec>,
    pub way: Way,
    /// Without its number.
    pub boundary: Boundary,
    /// The axes along which places may be past the ends.
    pub moves: [bool; 3],
    /// The step from window to window along x, if a workgroup has results of one row: `shaders/neighbours_rows.wgsl`.
    pub rows: Option<usize>,
}

/// Results of a workgroup that has some of one row.
pub(super) const WIDE: usize = 512;

pub(super) const AXES: [&str; 3] = ["z", "y", "x"];

impl NeighboursSpec {
    pub fn dtype(&self) -> DType {
        self.values.dtype()
    }

    /// The type of what is computed with.
    pub(super) fn real(&self) -> DType {
        self.dtype().compute()
    }

    fn param_names(&self) -> Vec<String> {
        let each = |name: &str| AXES.map(|axis| format!("{name}_{axis}")).to_vec();
        let mut names = vec!["units".to_string(), "count".to_string()];
        names.extend(["out", "size", "first", "step"].iter().flat_map(|name| each(name)));
        match &self.way {
            Way::Box { .. } | Way::Bilateral { .. } => names.extend([each("jump"), each("last")].concat()),
            Way::Listed { .. } => names.push("listed".into()),
            Way::Ranks { .. } => {}
        }
        if self.rows.is_some() {
            names.extend(["across", "from_x", "to_x"].map(String::from));
        }
        let number = |name: &str, dtype: DType| word_suffixes(dtype).map(|end| format!("{name}{end}")).collect();
        if let Way::Bilateral { .. } = self.way {
            let both: Vec<Vec<String>> = ["space", "range"].iter().map(|name| number(name, self.dtype())).collect();
            names.extend(both.concat());
            names.push("radius_squared".into());
        }
        if let Boundary::Constant(_) = self.boundary {
            let outside: Vec<String> = number("outside", self.real());
            names.extend(outside);
        }
        names.extend(self.values.param_names());
        names.extend(self.list.iter().flat_map(|list| list.param_names()));
        names
    }

    /// `lifted`, `place`, `outside`, `evaluate` and the result's binding.
    fn text(&self, bindings: usize) -> String {
        let (dtype, real) = (self.dtype(), self.real());
        let outside = match self.boundary {
            Boundary::Constant(_) => param("outside", real),
            _ => format!("{}()", real.wgsl()),
        };
        let element = if dtype.per_word() == 1 { dtype.wgsl() } else { "u32" };
        let evaluate = match dtype.per_word() {
            1 => "    result[unit] = result_at(unit);\n".to_string(),
            per_word => format!(
                "    var word = 0u;\n    for (var j = 0u; j < {per_word}u; j++) {{\n        \
                 let i = unit * {per_word}u + j;\n        if (i < params.count) {{\n            \
                 let v = {};\n            word |= {} << (j * {}u);\n        }}\n    }}\n    result[unit] = word;\n",
                cast("result_at(i)", real, dtype, 1),
                bits("v", dtype),
                32 / per_word
            ),
        };
        format!(
            "alias Real = {};\n\
             @group(0) @binding({bindings}) var<storage, read_write> result: array<{element}>;\n\
             fn lifted(v: {}) -> Real {{\n    return {};\n}}\n\
             fn outside() -> Real {{\n    return {outside};\n}}\n\
             {}",
            real.wgsl(),
            dtype.wgsl(),
            cast("v", dtype, real, 1),
            self.boundary.place_text()
        ) + &match self.rows {
            Some(_) => String::new(),
            None => format!("fn evaluate(unit: u32) {{\n{evaluate}}}\n"),
        }
    }

    /// `combined`, and what it uses; for rows a `combined_within` too, of windows that reach past no end along x.
    fn combined_text(&self) -> String {
        let whole = Body { spec: self, moves: self.moves, end: "" };
        let [z, y, _] = self.moves;
        let within = Body { spec: self, moves: [z, y, false], end: "_within" };
        let within = if self.rows.is_some() { within.text() } else { String::new() };
        whole.helpers() + &whole.text() + &within
    }
}

impl Spec for NeighboursSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let inputs = [self.values.access(), self.list.iter().flat_map(|list| list.access()).collect()].concat();
        let list = self.list.as_ref().map_or(String::new(), |list| list.text(self.values.access().len()));
        let rows = self.rows.map_or(vec![], |step| vec![("WIDE", WIDE as u32), ("STEP_X", step as u32)]);
        Draft {
            constants: [("WORKGROUP", caps.workgroup())].into_iter().chain(rows).collect(),
            params: self.param_names(),
            access: [inputs.clone(), vec![Access::Write]].concat(),
            text: self.values.text(0) + &list + &self.combined_text() + &self.text(inputs.len()),
            f16: self.values.uses_f16() || self.dtype() == DType::F16,
            trusted: self.values.is_safe(),
            ..Draft::new(
                format!("neighbours of {}", self.dtype()),
                shader(if self.rows.is_some() { "neighbours_rows" } else { "neighbours" }),
            )
        }
    }
}
