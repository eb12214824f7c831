//! The text of what is made of one window.

use super::ranks::{Keys, ends_text};
use super::wgsl::{AXES, NeighboursSpec, Way};
use crate::fuse::param;
use crosslane_core::op::Function;
use std::fmt::Write;

/// The most values of a box whose loops become straight lines.
const UNROLLED: u32 = 25;

/// What is made of a window some of whose places may be past the ends along some axes.
pub(super) struct Body<'a> {
    pub spec: &'a NeighboursSpec,
    /// These axes.
    pub moves: [bool; 3],
    /// What its functions' names end with.
    pub end: &'static str,
}

impl Body<'_> {
    /// The place along an axis of what is an index there.
    pub fn place(&self, axis: usize, index: &str) -> String {
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
        format!("near{}(k, {}, {}, {})", self.end, place(0), place(1), place(2))
    }

    /// What `combined` compares values by.
    pub fn helpers(&self) -> String {
        match &self.spec.way {
            Way::Box { greatest, .. } | Way::Listed { greatest } => ends_text(self.spec.real(), *greatest),
            Way::Ranks { .. } => Keys::of(self.spec.real()).text(),
            Way::Bilateral { .. } => String::new(),
        }
    }

    /// `near`, the value at places of which none is -1 but for what stands outside, and `combined`.
    pub fn text(&self) -> String {
        let end = self.end;
        let head = format!("fn combined{end}(k: u32, z: i32, y: i32, x: i32) -> Real {{\n");
        self.near_text()
            + &match &self.spec.way {
                Way::Box { taps, .. } => {
                    let body = format!("    all = better(all, end_key(near{end}(k, at_z, at_y, at_x)));\n");
                    let (first, loops) = (self.at(["0"; 3]), self.over_box(*taps, &body));
                    format!("{head}    var all = end_key({first});\n{loops}    return of_end(all);\n}}\n")
                }
                Way::Listed { .. } => {
                    let listed = |at: &str| ["", " + 1u", " + 2u"].map(|end| format!("p_value({at}{end})"));
                    let near = |[z, y, x]: [String; 3]| self.at([&z, &y, &x]);
                    format!(
                        "{head}    var all = end_key({});\n    for (var j = 1u; j < params.listed; j++) {{\n        \
                         let at = 3u * j;\n        all = better(all, end_key({}));\n    }}\n    return of_end(all);\n}}\n",
                        near(listed("0u")),
                        near(listed("at"))
                    )
                }
                Way::Ranks { points, ranks } => self.ranks_text(&head, points, *ranks),
                Way::Bilateral { taps } => self.bilateral_text(&head, *taps),
            }
    }

    fn near_text(&self) -> String {
        let index = |axis: usize| match self.moves[axis] {
            true => format!("u32(max({}, 0))", AXES[axis]),
            false => format!("u32({})", AXES[axis]),
        };
        let there = format!("lifted(value(k, {}, {}, {}))", index(0), index(1), index(2));
        let moving: Vec<&str> = (0..3).filter(|&axis| self.moves[axis]).map(|axis| AXES[axis]).collect();
        let least = moving.iter().fold(String::new(), |least, axis| match least.is_empty() {
            true => axis.to_string(),
            false => format!("min({axis}, {least})"),
        });
        let near = if moving.is_empty() { there } else { format!("select(outside(), {there}, {least} >= 0)") };
        format!("fn near{}(k: u32, z: i32, y: i32, x: i32) -> Real {{\n    return {near};\n}}\n", self.end)
    }

    fn bilateral_text(&self, head: &str, taps: [u32; 3]) -> String {
        let middle = taps.map(|taps| (taps / 2).to_string());
        let (dtype, end) = (self.spec.dtype(), self.end);
        let apart = AXES.map(|axis| {
            format!(
                "let e{axis} = i32(d{axis}) - i32({}u);",
                middle[AXES.iter().position(|a| *a == axis).expect("it is one")]
            )
        });
        let weight = Function::Exp.wgsl(dtype, 1, ["power", "", ""]);
        let body = format!(
            "    {}\n    let distance = ez * ez + ey * ey + ex * ex;\n    if (u32(distance) <= params.radius_squared) {{\n        \
             let there = near{end}(k, at_z, at_y, at_x);\n        let apart = there - middle;\n        \
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
}
