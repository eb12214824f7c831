//! The text of a histogram's kernel: what `shaders/histogram.wgsl` leaves open.

use super::super::fuse::{Several, param};
use super::binning::{Binning, Rule, compared};
use super::{Histogram, PREFIXES, Shape, WEIGHTS};
use crate::caps::Caps;
use crate::element::{Class, DType, Scalar};
use crate::kernel::{Access, Draft, Kernel};

impl Histogram {
    pub(super) fn kernel(&self, several: &Several, shape: &Shape, caps: &Caps) -> Kernel {
        let mut key = b"histogram".to_vec();
        several.key(&mut key);
        for axis in &self.axes {
            key.push(match axis.rule {
                Rule::Even { .. } => 0,
                Rule::Search { .. } => 1,
                Rule::Number => 2,
            });
        }
        key.extend(format!("{:?}{}", shape.fixed(), self.native_add(caps)).bytes());
        Kernel::cached(key, caps, || self.draft(several, shape, caps))
    }

    fn draft(&self, several: &Several, shape: &Shape, caps: &Caps) -> Draft {
        let inputs = several.access();
        let edges = self.edges.is_some().then_some(Access::Read);
        let mut text = several.text();
        text += &self.memory_text(inputs.len(), shape, caps);
        for (axis, (sample, prefix)) in self.axes.iter().zip(self.samples.iter().zip(PREFIXES)) {
            text += &bin_text(axis, sample.dtype(), prefix, if shape.near > 0 { "near" } else { "edges" });
        }
        text += &self.tally_text(several.width(), shape.unroll);
        let own = ["bins", "extent", "parts", "part_bins", "copies", "span"];
        let axes = self.axes_params().into_iter().map(|(name, _)| name).collect();
        Draft {
            constants: vec![
                ("WORKGROUP", caps.workgroup()),
                ("WIDTH", several.width()),
                ("UNROLL", shape.unroll),
                ("PRIVATE", shape.private as u32),
                ("COUNTERS", shape.counters),
            ],
            params: [own.map(String::from).to_vec(), axes, several.param_names()].concat(),
            access: inputs.into_iter().chain(edges).chain([Access::Write]).collect(),
            text,
            width: several.width(),
            f16: several.uses_f16(),
            trusted: several.is_safe(),
            ..Draft::new(format!("histogram of {} axes", self.axes.len()), "histogram")
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

    /// Whether f32 are added by an atomic of their own to memory that all share.
    fn native_add(&self, caps: &Caps) -> bool {
        caps.atomic_f32 && self.weights.as_ref().is_some_and(|weights| weights.dtype() == DType::F32)
    }

    /// Edges and counters in memory, and additions to them.
    fn memory_text(&self, first: usize, shape: &Shape, caps: &Caps) -> String {
        let float = self.weights.as_ref().is_some_and(|weights| weights.dtype() == DType::F32);
        let mut text = String::new();
        let mut begin = String::new();
        if self.edges.is_some() {
            let element = compared(self.samples[0].dtype()).wgsl();
            text += &format!("@group(0) @binding({first}) var<storage, read> edges: array<{element}>;\n");
            if shape.near > 0 {
                text += &format!("var<workgroup> near: array<{element}, {}>;\n", shape.near);
                let count = self.axes.iter().zip(PREFIXES).map(|(_, p)| format!("params.{p}bins + 1u"));
                let count = count.collect::<Vec<_>>().join(" + ");
                begin = format!(
                    "    for (var e = lane; e < {count}; e += WORKGROUP) {{\n        near[e] = edges[e];\n    }}\n"
                );
            }
        }
        let element = if self.native_add(caps) { "f32" } else { "u32" };
        let binding = first + self.edges.is_some() as usize;
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
    fn tally_text(&self, width: u32, unroll: u32) -> String {
        let lane = |lane: u32| if width == 1 { "" } else { [".x", ".y", ".z", ".w"][lane as usize] };
        let weight = |u: u32, l: u32| match &self.weights {
            None => "1u".to_string(),
            Some(weights) if weights.dtype() == DType::U32 => format!("{WEIGHTS}v{u}{}", lane(l)),
            Some(_) => format!("bitcast<u32>({WEIGHTS}v{u}{})", lane(l)),
        };
        let prefixes: Vec<&str> = PREFIXES.iter().copied().take(self.samples.len()).collect();
        let loaded = prefixes.iter().copied().chain(self.weights.is_some().then_some(WEIGHTS));
        let load = |u: u32, at: &str| -> String {
            loaded.clone().map(|p| format!("    let {p}v{u} = {p}value({at});\n")).collect()
        };
        let bin = |function: &str, u: u32, l: u32| {
            let bins = prefixes
                .iter()
                .zip(&self.samples)
                .map(|(p, sample)| format!("{p}{function}({})", lift(&format!("{p}v{u}{}", lane(l)), sample.dtype())));
            match bins.collect::<Vec<_>>().as_slice() {
                [one] => one.clone(),
                both if function == "near" => both.join(" | "),
                both => format!("joined({})", both.join(", ")),
            }
        };
        let mut body: String = (0..unroll).map(|u| load(u, &format!("i + {u}u * (WORKGROUP * WIDTH)"))).collect();
        let each = || (0..unroll).flat_map(|u| (0..width).map(move |l| (u, l)));
        let bins = |start: &str, function: &str| -> String {
            each().map(|(u, l)| format!("{start}b{u}_{l} = {};\n", bin(function, u, l))).collect()
        };
        if self.axes.iter().any(|axis| matches!(axis.rule, Rule::Even { .. })) {
            let near: Vec<String> = each().map(|(u, l)| bin("near", u, l)).collect();
            body += &bins("    var ", "guess");
            let exact =
                |(near, (u, l)): (&String, _)| format!("        if ({near}) {{ b{u}_{l} = {}; }}\n", bin("bin", u, l));
            let exact: String = near.iter().zip(each()).map(exact).collect();
            body += &format!("    if ({}) {{\n{exact}    }}\n", near.join(" | "));
        } else {
            body += &bins("    let ", "bin");
        }
        let add = |(u, l)| format!("    count(b{u}_{l}, first_bin, lane, {});\n", weight(u, l));
        body += &each().map(add).collect::<String>();
        // A loop: at the end speed matters less than the text, which costs software drivers a tenth of a second a value.
        let tail = match width {
            1 => format!("    count({}, first_bin, lane, {});\n", bin("bin", 0, 0), weight(0, 0)),
            _ => format!(
                "    for (var l = 0u; l < WIDTH && i + l < end; l++) {{\n        \
                 count({}, first_bin, lane, {});\n    }}\n",
                bin("bin", 0, 0).replace(".x", "[l]"),
                weight(0, 0).replace(".x", "[l]")
            ),
        };
        let joined = match self.axes.len() {
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
    let word = |bits: u64| Scalar { dtype: DType::U32, bits };
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
fn bin_text(axis: &Binning, dtype: DType, p: &str, edges: &str) -> String {
    let compared = compared(dtype);
    let (element, float) = (compared.wgsl(), float_of(compared).wgsl());
    let [least, most] = ["least", "most"].map(|name| param(&format!("{p}{name}"), compared));
    let edge = |at: &str| format!("{edges}[params.{p}first + {at}]");
    let outside = format!("    if (!((v >= {least}) & (v <= {most}))) {{\n        return 0xffffffffu;\n    }}\n");
    let body = match (&axis.rule, compared.class()) {
        (Rule::Number, Class::Signed | Class::Unsigned) => {
            let wide = if compared.size() == 8 { "u64" } else { "u32" };
            let v = if compared.wgsl() == wide { "v".to_string() } else { format!("bitcast<{wide}>(v)") };
            format!("    return select(0xffffffffu, u32({v}), {v} < {wide}(params.{p}bins));\n")
        }
        (Rule::Number, _) => unreachable!("the array's method takes integers only"),
        (Rule::Search { .. }, _) => format!(
            "{outside}    var b = 0u;\n    for (var step = params.{p}stride; step > 0u; step /= 2u) {{\n        \
             if (b + step < params.{p}bins && {} <= v) {{\n            b += step;\n        }}\n    }}\n    return b;\n",
            edge("b + step")
        ),
        (Rule::Even { .. }, class) => {
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
