//! The text of a fusion: loads, steps, conversions and stores.

use super::cast::cast;
use super::spec::Place;
use super::{FusionSpec, Mode, Store, Stride};
use crosslane_core::element::DType;
use crosslane_core::op::StepKind;
use std::fmt::Write;

impl FusionSpec {
    /// Bindings from `first` on, `value(..)`, and `store(..)` if there is an output.
    pub fn text(&self, first: usize) -> String {
        let p = self.prefix;
        let mut text = String::new();
        let mut binding = first;
        for array in 0..self.arrays.len() {
            if self.in_memory(array) {
                let access = if array < self.leaves().len() { "read" } else { "read_write" };
                let element = self.memory_type(array);
                writeln!(text, "@group(0) @binding({binding}) var<storage, {access}> {p}x{array}: array<{element}>;")
                    .expect("to a string");
                binding += 1;
            }
        }
        for (index, formula) in self.formulas().into_iter().enumerate() {
            text += &formula.definition(&format!("{p}formula{index}"));
        }
        text += &self.value_text();
        if let Some(store) = self.store {
            text += &self.store_text(store);
        }
        text
    }

    fn memory_type(&self, array: usize) -> String {
        let dtype = self.arrays[array].dtype;
        let atomic = self.store == Some(Store::Atomic) && array >= self.leaves().len();
        match (dtype.per_word(), self.arrays[array].mode) {
            _ if atomic && dtype.per_word() > 1 => "atomic<u32>".into(),
            (1, Mode::Vector) => format!("vec4<{}>", dtype.wgsl()),
            (1, _) => dtype.wgsl().into(),
            (2, Mode::Vector) => "vec2<u32>".into(),
            _ => "u32".into(),
        }
    }

    fn wide(&self, dtype: DType) -> String {
        wide(dtype.wgsl(), self.width)
    }

    fn arguments(&self) -> String {
        self.variables.iter().map(|v| format!("{v}: u32")).collect::<Vec<_>>().join(", ")
    }

    /// `let` lines for the coordinate of each dimension.
    fn coordinates(&self) -> String {
        let p = self.prefix;
        let mut text = String::new();
        for (group, variable) in self.variables.iter().enumerate() {
            let dims: Vec<usize> = (0..self.groups.len()).filter(|&dim| self.groups[dim] == group).collect();
            let mut rest = variable.to_string();
            for (nth, dim) in dims.iter().enumerate().rev() {
                if nth == 0 {
                    writeln!(text, "    let c{dim} = {rest};").expect("to a string");
                } else {
                    let extent = match &self.extents {
                        Some(extents) => format!("{}u", extents[*dim]),
                        None => format!("params.{p}extent{dim}"),
                    };
                    writeln!(text, "    let c{dim} = {rest} % {extent};").expect("to a string");
                    writeln!(text, "    let rest{dim} = {rest} / {extent};").expect("to a string");
                    rest = format!("rest{dim}");
                }
            }
        }
        text
    }

    /// The address of an array's element at the coordinates.
    fn address(&self, array: usize) -> String {
        let p = self.prefix;
        let mut sum = format!("params.{p}offset{array}");
        for (dim, stride) in self.arrays[array].strides.iter().enumerate() {
            match stride {
                Stride::Zero => {}
                Stride::One => write!(sum, " + c{dim}").expect("to a string"),
                Stride::Param => write!(sum, " + c{dim} * params.{p}stride{array}_{dim}").expect("to a string"),
            }
        }
        sum
    }

    /// A function of the variables that returns an array's address.
    pub fn address_text(&self, name: &str, array: usize) -> String {
        format!(
            "fn {name}({}) -> u32 {{\n{}    return {};\n}}\n",
            self.arguments(),
            self.coordinates(),
            self.address(array)
        )
    }

    fn value_text(&self) -> String {
        let p = self.prefix;
        let result = self.wide(self.dtype());
        let given = (0..self.arrays.len()).find(|&leaf| self.arrays[leaf].place == Place::Given);
        let given = given.map_or(String::new(), |leaf| format!(", given: {}", self.wide(self.arrays[leaf].dtype)));
        let mut text = format!("fn {p}value({}{given}) -> {result} {{\n{}", self.arguments(), self.coordinates());
        let mut rounds = false;
        let formulas = self.formulas();
        for (index, step) in self.steps.iter().enumerate() {
            let value = match &step.what {
                StepKind::Leaf(leaf) if self.arrays[*leaf].place == Place::Given => "given".to_string(),
                StepKind::Leaf(leaf) => match self.arrays[*leaf].place {
                    Place::Tile(tile) => format!("kept{tile}({})", self.variables.join(", ")),
                    _ => {
                        writeln!(text, "    let a{leaf} = {};", self.address(*leaf)).expect("to a string");
                        self.load(*leaf)
                    }
                },
                StepKind::Scalar(scalar) => self.scalar(*scalar),
                StepKind::Cast(from) => cast(&format!("v{from}"), self.steps[*from].dtype, step.dtype, self.width),
                StepKind::Call(function, args) => {
                    let names: Vec<String> = args.iter().map(|arg| format!("v{arg}")).collect();
                    let name = |i: usize| names.get(i).map_or("", |n| n.as_str());
                    let dtype = self.steps[*args.last().expect("a function has arguments")].dtype;
                    function.wgsl(dtype, self.width, [name(0), name(1), name(2)])
                }
                StepKind::Formula(formula, args) => {
                    let arguments: Vec<String> = args.iter().map(|arg| format!("v{arg}")).collect();
                    let index = formulas.iter().position(|other| *other == formula).expect("it is one of them");
                    formula.call(&format!("{p}formula{index}"), &arguments, self.width)
                }
            };
            let rounded = self.is_rounded(index);
            let value = if rounded { format!("{p}rounded({value})") } else { value };
            rounds |= rounded;
            writeln!(text, "    let v{index} = {value};").expect("to a string");
        }
        writeln!(text, "    return v{};\n}}", self.steps.len() - 1).expect("to a string");
        if rounds { rounded_text(p, self.width) + &text } else { text }
    }

    /// Whether a step is a half that another type was rounded to, and something is computed with it.
    fn is_rounded(&self, index: usize) -> bool {
        let (step, last) = (&self.steps[index], index + 1 == self.steps.len());
        let narrowed = match &step.what {
            StepKind::Cast(from) => !matches!(self.steps[*from].dtype, DType::F16 | DType::Bool),
            StepKind::Call(function, _) => function.through_f32(step.dtype),
            _ => false,
        };
        step.dtype == DType::F16 && narrowed && !(last && self.store.is_some())
    }

    fn load(&self, leaf: usize) -> String {
        let p = self.prefix;
        let dtype = self.arrays[leaf].dtype;
        let vector = self.wide(dtype);
        let inner = self.groups.iter().rposition(|&group| group == self.lanes);
        if !self.in_memory(leaf) {
            return match (self.width, self.arrays[leaf].mode) {
                (1, _) => format!("a{leaf}"),
                (_, Mode::Vector) => format!("(vec4<u32>(a{leaf}) + vec4<u32>(0u, 1u, 2u, 3u))"),
                (_, Mode::Splat) => format!("vec4<u32>(a{leaf})"),
                _ => unreachable!("an index is not gathered: widen() refuses"),
            };
        }
        match self.arrays[leaf].mode {
            Mode::Vector => self.load_vector(leaf, dtype),
            Mode::Scalar => self.load_one(leaf, dtype, &format!("a{leaf}")),
            Mode::Splat => format!("{vector}({})", self.load_one(leaf, dtype, &format!("a{leaf}"))),
            Mode::Gather => {
                let inner = inner.expect("lanes lie along a dimension");
                let step = match self.arrays[leaf].strides[inner] {
                    Stride::One => "1u".to_string(),
                    _ => format!("params.{p}stride{leaf}_{inner}"),
                };
                let lanes: Vec<String> =
                    (0..4).map(|lane| self.load_one(leaf, dtype, &format!("(a{leaf} + {lane}u * {step})"))).collect();
                format!("{vector}({})", lanes.join(", "))
            }
        }
    }

    fn load_one(&self, leaf: usize, dtype: DType, at: &str) -> String {
        let p = self.prefix;
        match dtype.per_word() {
            1 => format!("{p}x{leaf}[{at}]"),
            2 => format!("(({p}x{leaf}[{at} >> 1u] >> (({at} & 1u) * 16u)) & 0xffffu)"),
            _ => {
                let byte = format!("(({p}x{leaf}[{at} >> 2u] >> (({at} & 3u) * 8u)) & 0xffu)");
                if dtype == DType::Bool { format!("({byte} != 0u)") } else { byte }
            }
        }
    }

    fn load_vector(&self, leaf: usize, dtype: DType) -> String {
        let p = self.prefix;
        let word = format!("{p}x{leaf}[a{leaf} >> 2u]");
        match dtype.per_word() {
            1 => word,
            2 => format!("vec4<u32>({word}.x & 0xffffu, {word}.x >> 16u, {word}.y & 0xffffu, {word}.y >> 16u)"),
            _ => {
                let bytes = format!("((vec4<u32>({word}) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu))");
                if dtype == DType::Bool { format!("({bytes} != vec4<u32>(0u))") } else { bytes }
            }
        }
    }

    fn scalar(&self, index: usize) -> String {
        let dtype = self.scalars[index];
        let value = param(&format!("{}scalar{index}", self.prefix), dtype);
        if self.width == 1 { value } else { format!("{}({value})", self.wide(dtype)) }
    }

    /// `stored(..)`: what was stored, of elements that are words.
    pub fn stored_text(&self) -> String {
        let (p, array) = (self.prefix, self.arrays.len() - 1);
        let at = if self.width == 1 { "at" } else { "at >> 2u" };
        format!(
            "fn stored({}) -> {} {{\n{}    let at = {};\n    return {p}x{array}[{at}];\n}}\n",
            self.arguments(),
            self.wide(self.arrays[array].dtype),
            self.coordinates(),
            self.address(array)
        )
    }

    fn store_text(&self, store: Store) -> String {
        let p = self.prefix;
        let array = self.arrays.len() - 1;
        let dtype = self.arrays[array].dtype;
        let (coordinates, address) = (self.coordinates(), self.address(array));
        let head = format!(
            "fn store({}, v: {}) {{\n{coordinates}    let at = {address};\n",
            self.arguments(),
            self.wide(dtype)
        );
        let body = match (store, self.width) {
            (Store::Word, _) => return String::new(),
            (Store::Atomic, _) => atomic_store(&format!("{p}x{array}"), dtype),
            (Store::Element, 1) => format!("    {p}x{array}[at] = v;\n"),
            (Store::Element, _) => format!("    {p}x{array}[at >> 2u] = {};\n", pack(dtype)),
        };
        format!("{head}{body}}}\n")
    }
}

/// A function that returns f16 unchanged. NVIDIA's Vulkan driver (580) takes f32(f16(x)) for x, also by way of
/// `pack2x16float`, as long as it knows all bits that come between: one of them depends on a NaN here, which stays a
/// NaN.
fn rounded_text(prefix: &str, width: u32) -> String {
    let packed = |pair: &str, first: &str, second: &str| {
        format!(
            "unpack2x16float(pack2x16float({pair}) ^ select(0u, 1u, {first} == 0x7fa54000u) ^ \
             select(0u, 0x10000u, {second} == 0x7fa54000u))"
        )
    };
    let (half, single) = (wide("f16", width), wide("f32", width));
    let value = match width {
        1 => packed("vec2<f32>(x, 0.0)", "bits", "bits") + ".x",
        _ => format!("vec4<f32>({}, {})", packed("x.xy", "bits.x", "bits.y"), packed("x.zw", "bits.z", "bits.w")),
    };
    format!(
        "fn {prefix}rounded(h: {half}) -> {half} {{\n    let x = {single}(h);\n    let bits = bitcast<{}>(x);\n    \
         return {half}({value});\n}}\n",
        wide("u32", width)
    )
}

/// WGSL that stores `v` at element `at` of `array` without touching its neighbours in the word.
pub(crate) fn atomic_store(array: &str, dtype: DType) -> String {
    if dtype.per_word() == 1 {
        return format!("    {array}[at] = v;\n");
    }
    let (bits, mask) = if dtype.per_word() == 4 { (8, "0xffu") } else { (16, "0xffffu") };
    let word = format!("at / {}u", dtype.per_word());
    let value = if dtype == DType::Bool { "select(0u, 1u, v)".to_string() } else { format!("(v & {mask})") };
    format!(
        "    let shift = (at % {}u) * {bits}u;\n    atomicAnd(&{array}[{word}], ~({mask} << shift));\n    \
         atomicOr(&{array}[{word}], {value} << shift);\n",
        dtype.per_word()
    )
}

/// Four values `v` as what memory holds.
pub fn pack(dtype: DType) -> String {
    match dtype.per_word() {
        _ if dtype == DType::Bool => {
            "dot(select(vec4<u32>(0u), vec4<u32>(1u, 0x100u, 0x10000u, 0x1000000u), v), vec4<u32>(1u))".into()
        }
        4 => "(v.x & 0xffu) | ((v.y & 0xffu) << 8u) | ((v.z & 0xffu) << 16u) | (v.w << 24u)".into(),
        2 => "vec2<u32>((v.x & 0xffffu) | (v.y << 16u), (v.z & 0xffffu) | (v.w << 16u))".into(),
        _ => "v".into(),
    }
}

/// The bits of one value `v` inside a word.
pub fn bits(v: &str, dtype: DType) -> String {
    match dtype.per_word() {
        _ if dtype == DType::Bool => format!("select(0u, 1u, {v})"),
        4 => format!("({v} & 0xffu)"),
        _ => format!("({v} & 0xffffu)"),
    }
}

/// A parameter's value: its words are `params.name` and, for more than 32 bits, `params.name_high` and so on.
pub fn param(name: &str, dtype: DType) -> String {
    let low = format!("params.{name}");
    let long = |low: &str, high: &str| format!("((u64(params.{name}{high}) << 32u) | u64(params.{name}{low}))");
    match dtype {
        DType::F32 => format!("bitcast<f32>({low})"),
        DType::F16 => format!("f16(bitcast<f32>({low}))"),
        DType::I32 => format!("bitcast<i32>({low})"),
        DType::Bool => format!("({low} != 0u)"),
        DType::U64 => long("", "_high"),
        DType::I64 => format!("bitcast<i64>{}", long("", "_high")),
        DType::F64 => format!("bitcast<f64>{}", long("", "_high")),
        DType::Complex32 => format!("vec2<f32>(bitcast<f32>({low}), bitcast<f32>({low}_high))"),
        DType::Complex64 => {
            format!("vec2<f64>(bitcast<f64>{}, bitcast<f64>{})", long("", "_high"), long("_third", "_fourth"))
        }
        // A word as it is, or one that holds a stored type's bits.
        _ => low,
    }
}

pub fn wide(name: &str, width: u32) -> String {
    if width == 1 { name.to_string() } else { format!("vec4<{name}>") }
}
