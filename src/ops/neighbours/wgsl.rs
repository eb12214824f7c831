//! The text.

use super::ranks::ends_text;
use super::{Neighbours, Points, Rule};
use crate::caps::Caps;
use crate::element::{DType, word_suffixes};
use crate::kernel::{Access, Draft, Spec};
use crate::op::Function;
use crate::ops::Boundary;
use crate::ops::fuse::{FusionSpec, bits, cast, param};
use std::fmt::Write;

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
}

/// The most values of a box whose loops become straight lines.
const UNROLLED: u32 = 25;

pub(super) const AXES: [&str; 3] = ["z", "y", "x"];

impl NeighboursSpec {
    fn dtype(&self) -> DType {
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

    /// The place along an axis of what is an index there.
    pub(super) fn place(&self, axis: usize, index: &str) -> String {
        match self.moves[axis] {
            true => format!("place({index}, params.size_{})", AXES[axis]),
            false => index.to_string(),
        }
    }

    /// Loops over a box around a body, in which `at_z`, `at_y` and `at_x` are places.
    fn over_box(&self, taps: [u32; 3], body: &str) -> String {
        let mut text = String::new();
        let unroll = if taps.iter().product::<u32>() <= UNROLLED { "    unroll();\n" } else { "" };
        for (axis, name) in AXES.iter().enumerate() {
            let index = format!("{name} + i32(min(d{name} * params.jump_{name}, params.last_{name}))");
            writeln!(text, "    for (var d{name} = 0u; d{name} < {}u; d{name}++) {{", taps[axis]).expect("to a string");
            text += unroll;
            writeln!(text, "    let at_{name} = {};", self.place(axis, &index)).expect("to a string");
        }
        text + body + "    }\n    }\n    }\n"
    }

    /// The value at an offset from where the window begins.
    fn at(&self, offsets: [&str; 3]) -> String {
        let place = |axis: usize| self.place(axis, &format!("{} + {}", AXES[axis], offsets[axis]));
        format!("near(k, {}, {}, {})", place(0), place(1), place(2))
    }

    /// `combined`, and what it uses.
    fn combined_text(&self) -> String {
        let head = "fn combined(k: u32, z: i32, y: i32, x: i32) -> Real {\n";
        match &self.way {
            Way::Box { taps, greatest } => {
                let body = "    all = better(all, end_key(near(k, at_z, at_y, at_x)));\n";
                let (first, loops) = (self.at(["0"; 3]), self.over_box(*taps, body));
                ends_text(self.real(), *greatest)
                    + &format!("{head}    var all = end_key({first});\n{loops}    return of_end(all);\n}}\n")
            }
            Way::Listed { greatest } => {
                let listed = |at: &str| ["", " + 1u", " + 2u"].map(|end| format!("p_value({at}{end})"));
                let near = |[z, y, x]: [String; 3]| self.at([&z, &y, &x]);
                ends_text(self.real(), *greatest)
                    + &format!(
                        "{head}    var all = end_key({});\n    for (var j = 1u; j < params.listed; j++) {{\n        \
                         let at = 3u * j;\n        all = better(all, end_key({}));\n    }}\n    return of_end(all);\n}}\n",
                        near(listed("0u")),
                        near(listed("at"))
                    )
            }
            Way::Ranks { points, ranks } => self.ranks_text(head, points, *ranks),
            Way::Bilateral { taps } => self.bilateral_text(head, *taps),
        }
    }

    fn bilateral_text(&self, head: &str, taps: [u32; 3]) -> String {
        let middle = taps.map(|taps| (taps / 2).to_string());
        let dtype = self.dtype();
        let apart = AXES.map(|axis| {
            format!(
                "let e{axis} = i32(d{axis}) - i32({}u);",
                middle[AXES.iter().position(|a| *a == axis).expect("it is one")]
            )
        });
        let weight = Function::Exp.wgsl(dtype, 1, ["power", "", ""]);
        let body = format!(
            "    {}\n    let distance = ez * ez + ey * ey + ex * ex;\n    if (u32(distance) <= params.radius_squared) {{\n        \
             let there = near(k, at_z, at_y, at_x);\n        let apart = there - middle;\n        \
             let power = -(Real(distance) * {}) - apart * apart * {};\n        let weight = {weight};\n        \
             sum += weight * there;\n        total += weight;\n    }}\n",
            apart.join("\n    "),
            param("space", dtype),
            param("range", dtype),
        );
        let first = self.at([&middle[0], &middle[1], &middle[2]]);
        let loops = self.over_box(taps, &body);
        format!(
            "{head}    let middle = {first};\n    var sum = Real(0);\n    var total = Real(0);\n{loops}    return sum / total;\n}}\n"
        )
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
             {}\
             fn evaluate(unit: u32) {{\n{evaluate}}}\n",
            real.wgsl(),
            dtype.wgsl(),
            cast("v", dtype, real, 1),
            self.boundary.place_text()
        )
    }
}

impl Spec for NeighboursSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let inputs = [self.values.access(), self.list.iter().flat_map(|list| list.access()).collect()].concat();
        let list = self.list.as_ref().map_or(String::new(), |list| list.text(self.values.access().len()));
        Draft {
            constants: vec![("WORKGROUP", caps.workgroup())],
            params: self.param_names(),
            access: [inputs.clone(), vec![Access::Write]].concat(),
            text: self.values.text(0) + &list + &self.combined_text() + &self.text(inputs.len()),
            f16: self.values.uses_f16() || self.dtype() == DType::F16,
            trusted: self.values.is_safe(),
            ..Draft::new(format!("neighbours of {}", self.dtype()), "neighbours")
        }
    }
}
