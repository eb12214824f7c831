//! The text of a histogram's kernel: what `shaders/histogram.wgsl` leaves open.

use super::super::fuse::{FusionSpec, Several, SeveralSpec, cast, param};
use super::binning::{Binning, Rule, compared};
use super::{Fixed, Histogram, PREFIXES, Shape, WEIGHTS};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::{Class, DType, Scalar};
use crosslane_core::kernel::{Access, Draft, Spec};

/// What the text of a histogram depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct HistogramSpec {
    /// The samples, then the weights if there are any.
    several: SeveralSpec,
    /// How each sample finds its bin.
    finds: Vec<Finds>,
    /// The names of the axes' parameters.
    params: Vec<String>,
    /// Whether there are edges in memory.
    edges: bool,
    shape: Fixed,
}

/// How a sample finds its bin.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Finds {
    Even,
    Search,
    Number,
}

impl Spec for HistogramSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let HistogramSpec { several, shape, .. } = self;
        let inputs = several.access();
        let edges = self.edges.then_some(Access::Read);
        let mut text = several.text();
        text += &self.memory_text(inputs.len(), caps);
        for ((finds, sample), prefix) in self.finds.iter().zip(self.samples()).zip(PREFIXES) {
            text += &bin_text(*finds, sample.dtype(), prefix, if shape.near > 0 { "near" } else { "edges" });
        }
        text += &self.tally_text();
        let own = ["bins", "extent", "parts", "part_bins", "copies", "span"];
        Draft {
            constants: vec![
                ("WORKGROUP", caps.workgroup()),
                ("WIDTH", several.width()),
                ("UNROLL", shape.unroll),
                ("PRIVATE", shape.private as u32),
                ("COUNTERS", shape.counters),
            ],
            params: [own.map(String::from).to_vec(), self.params.clone(), several.param_names()].concat(),
            access: inputs.into_iter().chain(edges).chain([Access::Write]).collect(),
            text,
            width: several.width(),
            f16: several.uses_f16(),
            trusted: several.is_safe(),
            ..Draft::new(format!("histogram of {} axes", self.finds.len()), shader("histogram"))
        }
    }
}

impl Histogram {
    pub(super) fn spec(&self, several: &Several, shape: &Shape) -> HistogramSpec {
        let finds = |axis: &Binning| match axis.rule {
            Rule::Even { .. } => Finds::Even,
            Rule::Search { .. } => Finds::Search,
            Rule::Number => Finds::Number,
        };
        HistogramSpec {
            several: several.spec(),
            finds: self.axes.iter().map(finds).collect(),
            params: self.axes_params().into_iter().map(|(name, _)| name).collect(),
            edges: self.edges.is_some(),
            shape: shape.fixed,
        }
    }

    /// Names and words of the axes' parameters.
    pub(super) fn axes_params(&self) -> Vec<(String, u32)> {
        let mut first = 0;
        let mut params = vec![];
        for (axis, prefix) in self.axes.iter().zip(PREFIXES) {
            params.extend(axis_params(axis, first).into_iter().map(|(name, word)| (format!("{prefix}{name}"), word)));
            first += axis.thresholds() as u32;
        }
        params
    }
}

impl HistogramSpec {
    fn samples(&self) -> &[FusionSpec] {
        &self.several.0[..self.finds.len()]
    }

    /// The type of what each value adds, if that is not 1.
    fn weights(&self) -> Option<DType> {
        self.several.0.get(self.finds.len()).map(|weights| weights.dtype())
    }

    /// Whether f32 are added by an atomic of their own to memory that all share.
    fn native_add(&self, caps: &Caps) -> bool {
        caps.atomic_f32 && self.weights() == Some(DType::F32)
    }

    /// Edges and counters in memory, and additions to them.
    fn memory_text(&self, first: usize, caps: &Caps) -> String {
        let (shape, float) = (&self.shape, self.weights() == Some(DType::F32));
        let mut text = String::new();
        let mut begin = String::new();
        if self.edges {
            let element = compared(self.samples()[0].dtype()).wgsl();
            text += &format!("@group(0) @binding({first}) var<storage, read> edges: array<{element}>;\n");
            if shape.near > 0 {
                text += &format!("var<workgroup> near: array<{element}, {}>;\n", shape.near);
                let count = self.samples().iter().zip(PREFIXES).map(|(_, p)| format!("params.{p}bins + 1u"));
                let count = count.collect::<Vec<_>>().join(" + ");
                begin = format!(
                    "    for (var e = lane; e < {count}; e += WORKGROUP) {{\n        near[e] = edges[e];\n    }}\n"
                );
            }
        }
        let element = if self.native_add(caps) { "f32" } else { "u32" };
        let binding = first + self.edges as usize;
        text += &format!(
            "@group(0) @binding({binding}) var<storage, read_write> y: array<atomic<{element}>>;\n\
             fn begin(lane: u32) {{\n{begin}}}\n"
        );
        let sum = |a: &str, b: &str| match float {
            true => format!("bitcast<u32>(bitcast<f32>({a}) + bitcast<f32>({b}))"),
            false => format!("{a} + {b}"),
        };
        text += &format!("fn plus(a: u32, b: u32) -> u32 {{ return {}; }}\n", sum("a", "b"));
        text += &add_text("add_counter", "counters", float && shape.private);
        text += &match self.native_add(caps) {
            true => "fn add_output(at: u32, w: u32) { atomicAdd(&y[at], bitcast<f32>(w)); }\n".to_string(),
            false => add_text("add_output", "y", float),
        };
        text
    }

    /// The open functions that take values: loads first, then their bins, then the additions.
    fn tally_text(&self) -> String {
        let (width, unroll) = (self.several.width(), self.shape.unroll);
        let lane = |lane: u32| if width == 1 { "" } else { [".x", ".y", ".z", ".w"][lane as usize] };
        let weight = |u: u32, lane: &str| match self.weights() {
            None => "1u".to_string(),
            Some(DType::U32) => format!("{WEIGHTS}v{u}{lane}"),
            Some(_) => format!("bitcast<u32>({WEIGHTS}v{u}{lane})"),
        };
        let loaded = self.several.0.iter().map(|fusion| fusion.prefix);
        let load = |u: u32, at: &str| -> String {
            loaded.clone().map(|p| format!("    let {p}v{u} = {p}value({at});\n")).collect()
        };
        let bin = |function: &str, u: u32, lane: &str| {
            let bins = self.samples().iter().map(|sample| {
                let p = sample.prefix;
                format!("{p}{function}({})", lift(&format!("{p}v{u}{lane}"), sample.dtype()))
            });
            match bins.collect::<Vec<_>>().as_slice() {
                [one] => one.clone(),
                both if function == "near" => both.join(" | "),
                both => format!("joined({})", both.join(", ")),
            }
        };
        let mut body: String = (0..unroll).map(|u| load(u, &format!("i + {u}u * (WORKGROUP * WIDTH)"))).collect();
        let each = || (0..unroll).flat_map(|u| (0..width).map(move |l| (u, l)));
        let bins = |start: &str, function: &str| -> String {
            each().map(|(u, l)| format!("{start}b{u}_{l} = {};\n", bin(function, u, lane(l)))).collect()
        };
        if self.finds.contains(&Finds::Even) {
            let near: Vec<String> = each().map(|(u, l)| bin("near", u, lane(l))).collect();
            body += &bins("    var ", "guess");
            let exact = |(near, (u, l)): (&String, _)| {
                format!("        if ({near}) {{ b{u}_{l} = {}; }}\n", bin("bin", u, lane(l)))
            };
            let exact: String = near.iter().zip(each()).map(exact).collect();
            body += &format!("    if ({}) {{\n{exact}    }}\n", near.join(" | "));
        } else {
            body += &bins("    let ", "bin");
        }
        let add = |(u, l)| format!("    count(b{u}_{l}, first_bin, lane, {});\n", weight(u, lane(l)));
        body += &each().map(add).collect::<String>();
        // A loop: at the end speed matters less than the text, which costs software drivers a tenth of a second a value.
        let tail = match width {
            1 => format!("    count({}, first_bin, lane, {});\n", bin("bin", 0, ""), weight(0, "")),
            _ => format!(
                "    for (var l = 0u; l < WIDTH && i + l < end; l++) {{\n        \
                 count({}, first_bin, lane, {});\n    }}\n",
                bin("bin", 0, "[l]"),
                weight(0, "[l]")
            ),
        };
        let joined = match self.finds.len() {
            1 => "",
            _ => {
                "fn joined(row: u32, column: u32) -> u32 {\n    \
                 return select(0xffffffffu, row * params.y_bins + column, (row < params.x_bins) & (column < params.y_bins));\n}\n"
            }
        };
        format!(
            "{joined}fn tally(i: u32, first_bin: u32, lane: u32) {{\n{body}}}\n\
             fn tally_tail(i: u32, end: u32, first_bin: u32, lane: u32) {{\n{}{tail}}}\n",
            load(0, "i")
        )
    }
}

/// A function that adds to a counter: f32 by comparing and swapping, as its bits.
fn add_text(name: &str, array: &str, float: bool) -> String {
    let body = match float {
        false => format!("    atomicAdd(&{array}[at], w);\n"),
        true => format!(
            "    var old = atomicLoad(&{array}[at]);\n    loop {{\n        \
             let swap = atomicCompareExchangeWeak(&{array}[at], old, plus(old, w));\n        \
             if (swap.exchanged) {{ break; }}\n        old = swap.old_value;\n    }}\n"
        ),
    };
    format!("fn {name}(at: u32, w: u32) {{\n{body}}}\n")
}

/// A loaded value in the type that is compared.
fn lift(v: &str, dtype: DType) -> String {
    match dtype {
        DType::F16 => format!("f32({v})"),
        DType::U8 | DType::U16 => format!("bitcast<i32>({v})"),
        DType::Bool => format!("select(0i, 1i, {v})"),
        _ if dtype.is_stored() => cast(v, dtype, dtype.compute(), 1),
        _ => v.to_string(),
    }
}

/// Names and words of the parameters of an axis whose edges lie from `first` on.
fn axis_params(axis: &Binning, first: u32) -> Vec<(String, u32)> {
    let mut params = vec![("bins".to_string(), axis.bins as u32)];
    let mut add = |name: &str, scalar: Scalar| {
        let names = [name.to_string(), format!("{name}_high")];
        params.extend(names.into_iter().zip(scalar.words()));
    };
    let word = |bits: u64| Scalar { dtype: DType::U32, bits: bits as u128 };
    if let Rule::Even { low, high, .. } | Rule::Search { low, high } = &axis.rule {
        add("first", word(first as u64));
        add("least", *low);
        add("most", *high);
    }
    match &axis.rule {
        Rule::Even { low, scale, shift, inner, .. } => {
            add("scale", Scalar::from_f64(float_of(low.dtype), *scale));
            add("shift", Scalar::from_f64(DType::F32, *shift));
            add("inner", Scalar::from_f64(DType::F32, *inner as f64));
        }
        // The largest power of two below `bins`.
        Rule::Search { .. } => {
            add("stride", word((axis.bins as u64 - 1).checked_ilog2().map_or(0, |power| 1 << power)))
        }
        Rule::Number => {}
    }
    params
}

/// The type that products are computed in.
fn float_of(compared: DType) -> DType {
    if compared == DType::F64 { DType::F64 } else { DType::F32 }
}

/// `bin(v)`: the bin of a value, or 2^32 - 1. `guess(v)`: the same, or any number past the bins, in few instructions,
/// but where `near(v)`: next to an edge, or no number. The guesses of several values have no branch but one for all.
fn bin_text(finds: Finds, dtype: DType, p: &str, edges: &str) -> String {
    let compared = compared(dtype);
    let (element, float) = (compared.wgsl(), float_of(compared).wgsl());
    let [least, most] = ["least", "most"].map(|name| param(&format!("{p}{name}"), compared));
    let edge = |at: &str| format!("{edges}[params.{p}first + {at}]");
    let outside = format!("    if (!((v >= {least}) & (v <= {most}))) {{\n        return 0xffffffffu;\n    }}\n");
    let body = match (finds, compared.class()) {
        (Finds::Number, Class::Signed | Class::Unsigned) => {
            let wide = if compared.size() == 8 { "u64" } else { "u32" };
            let v = if compared.wgsl() == wide { "v".to_string() } else { format!("bitcast<{wide}>(v)") };
            format!("    return select(0xffffffffu, u32({v}), {v} < {wide}(params.{p}bins));\n")
        }
        (Finds::Number, _) => unreachable!("the array's method takes integers only"),
        (Finds::Search, _) => format!(
            "{outside}    var b = 0u;\n    for (var step = params.{p}stride; step > 0u; step /= 2u) {{\n        \
             if (b + step < params.{p}bins && {} <= v) {{\n            b += step;\n        }}\n    }}\n    return b;\n",
            edge("b + step")
        ),
        (Finds::Even, class) => {
            let distance = match (class, compared.size()) {
                (Class::Float, _) => format!("(v - {least})"),
                // Wraps to the right distance for signed types too.
                (_, 8) => format!("(f32(u64(v) - u64({least})) + {})", param(&format!("{p}shift"), DType::F32)),
                _ => format!(
                    "(f32(bitcast<u32>(v) - bitcast<u32>({least})) + {})",
                    param(&format!("{p}shift"), DType::F32)
                ),
            };
            let scale = param(&format!("{p}scale"), float_of(compared));
            let place = format!("let place = {distance} * {scale};\n");
            // The last edge belongs to the last bin. Of floats it is near, of integers it may lie in a bin's middle.
            let last = if class == Class::Float { String::new() } else { format!(" | (v == {most})") };
            return format!(
                "fn {p}guess(v: {element}) -> u32 {{\n    {place}    return bitcast<u32>(i32(place));\n}}\n\
                 fn {p}near(v: {element}) -> bool {{\n    {place}    \
                 return !(abs(f32(place - {float}(i32(place))) - 0.5) <= bitcast<f32>(params.{p}inner)){last};\n}}\n\
                 fn {p}bin(v: {element}) -> u32 {{\n{outside}    {place}    \
                 let b = min(u32(place), params.{p}bins - 1u);\n    \
                 if (b > 0u && v < {}) {{\n        return b - 1u;\n    }}\n    \
                 if (b + 1u < params.{p}bins && v >= {}) {{\n        return b + 1u;\n    }}\n    \
                 return b;\n}}\n",
                edge("b"),
                edge("b + 1u")
            );
        }
    };
    // Right as it is.
    format!(
        "fn {p}guess(v: {element}) -> u32 {{\n{body}}}\nfn {p}near(v: {element}) -> bool {{ return false; }}\n\
         fn {p}bin(v: {element}) -> u32 {{ return {p}guess(v); }}\n"
    )
}
