//! The text of a padding's kernel.

use crate::Boundary;
use crate::counted::bounded;
use crate::fuse::{SeveralSpec, pack};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Access, Draft, Spec};
use std::fmt::Write;

/// The kernel's variables: coordinates of axes that get longer, and of what lies between them.
pub(super) const VARIABLES: &[&str] = &["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"];

/// What the text depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct PadSpec {
    /// The values, and what stands outside.
    pub several: SeveralSpec,
    /// Which variables are axes that get longer.
    pub longer: Vec<bool>,
    pub boundary: Boundary,
}

impl PadSpec {
    fn dtype(&self) -> DType {
        self.several.0[0].dtype()
    }

    /// Elements that an invocation stores: neighbours, in whole words.
    pub fn per_unit(&self) -> usize {
        if self.dtype().is_complex() { 1 } else { 4 }
    }

    /// `padded(k0, k1, ..)`: the value at coordinates of the output.
    fn padded_text(&self) -> String {
        let all = |of: &dyn Fn(usize) -> String| (0..VARIABLES.len()).map(of).collect::<Vec<_>>().join(", ");
        let mut text = self.boundary.place_text();
        let arguments: Vec<String> = (0..self.longer.len()).map(|nth| format!("k{nth}: u32")).collect();
        writeln!(text, "fn padded({}) -> Element {{", arguments.join(", ")).expect("to a string");
        let longer = || (0..self.longer.len()).filter(|&nth| self.longer[nth]);
        for nth in longer() {
            writeln!(text, "    let p{nth} = place(i32(k{nth}) - i32(params.before{nth}), params.size{nth});")
                .expect("to a string");
        }
        if let Boundary::Constant(_) = self.boundary {
            let least = longer().fold("0".to_string(), |least, nth| format!("min(p{nth}, {least})"));
            let outside = all(&|_| "0u".into());
            write!(text, "    if ({least} < 0) {{\n        return outside_value({outside});\n    }}\n")
                .expect("to a string");
        }
        let place = |nth: usize| match self.longer.get(nth) {
            None => "0u".to_string(),
            Some(true) => format!("u32(p{nth})"),
            Some(false) => format!("k{nth}"),
        };
        text + &format!("    return x_value({});\n}}\n", all(&place))
    }

    /// `evaluate(unit)`: stores the elements of a unit. Past the last one it stores others again, into what follows the array.
    fn evaluate_text(&self) -> String {
        let (per, count) = (self.per_unit(), self.longer.len());
        let mut text = format!("fn evaluate(unit: u32) {{\n    var rest = unit * {per}u;\n");
        for nth in (0..count).rev() {
            writeln!(text, "    var k{nth} = rest % params.extent{nth};\n    rest /= params.extent{nth};")
                .expect("to a string");
        }
        let padded = format!("padded({})", VARIABLES[..count].join(", "));
        if per == 1 {
            return text + &format!("    y[unit] = {padded};\n}}\n");
        }
        text += "    var v: vec4<Element>;\n";
        for nth in 0..per {
            writeln!(text, "    v[{nth}] = {padded};").expect("to a string");
            if nth + 1 < per {
                text += &next(count);
            }
        }
        text + &format!("    y[unit] = {};\n}}\n", pack(self.dtype()))
    }
}

/// The coordinates of the next element, in row-major order; after the last those of the first.
fn next(count: usize) -> String {
    let mut text = String::new();
    for nth in (0..count).rev() {
        let indent = "    ".repeat(count - nth);
        write!(text, "{indent}k{nth} += 1u;\n{indent}if (k{nth} == params.extent{nth}) {{\n{indent}    k{nth} = 0u;\n")
            .expect("to a string");
    }
    for nth in 0..count {
        text += &("    ".repeat(count - nth) + "}\n");
    }
    text
}

impl Spec for PadSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let (several, dtype) = (&self.several, self.dtype());
        let of_variable = |nth: usize| [format!("extent{nth}"), format!("size{nth}"), format!("before{nth}")];
        let own = ["units".to_string()].into_iter().chain((0..self.longer.len()).flat_map(of_variable));
        let stored = match (dtype.per_word(), self.per_unit()) {
            (1, 1) => dtype.wgsl().to_string(),
            (1, _) => format!("vec4<{}>", dtype.wgsl()),
            (2, _) => "vec2<u32>".to_string(),
            _ => "u32".to_string(),
        };
        let output = format!(
            "alias Element = {};\n@group(0) @binding({}) var<storage, read_write> y: array<{stored}>;\n",
            dtype.wgsl(),
            several.access().len()
        );
        let draft = Draft {
            constants: vec![("WORKGROUP", caps.workgroup()), ("ITEMS", 1)],
            params: own.chain(several.param_names()).collect(),
            access: [several.access(), vec![Access::Write]].concat(),
            text: several.text() + &output + &self.padded_text() + &self.evaluate_text(),
            f16: several.uses_f16(),
            trusted: several.is_safe(),
            ..Draft::new(format!("pad of {dtype}"), shader("map"))
        };
        bounded(draft, &[("units", 1)], false)
    }
}
