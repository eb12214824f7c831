//! From a fused expression to WGSL: loads, steps and stores over a strided index space.

use super::expression::{Expression, Source, What};
use super::windows::{Space, Walk};
use crate::element::{Class, DType};
use crate::op::{Access, Binding};
use std::fmt::Write;
use std::ops::Range;

/// A dimension of the index space, after merging what can be merged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dim {
    /// The kernel variable it is part of: 0 or 1.
    pub group: usize,
    pub extent: u64,
}

/// How an array's elements are loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// One element at a time.
    Scalar,
    /// Four neighbours at once, aligned.
    Vector,
    /// One element for all four lanes.
    Splat,
    /// Four loads for four lanes.
    Gather,
}

/// How the output is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Store {
    /// One element, or four with width 4.
    Element,
    /// All elements of one 32-bit word: types smaller than a word, output without gaps.
    Word,
    /// One element inside a word that others write too.
    Atomic,
}

/// An expression over an index space whose coordinates come from the variables of a kernel.
pub(crate) struct Fusion<'a> {
    pub expression: &'a Expression,
    /// The kernel's variables, slowest first.
    pub variables: &'static [&'static str],
    pub dims: Vec<Dim>,
    /// The leaves, then the output if there is one.
    pub walks: Vec<Walk>,
    pub modes: Vec<Mode>,
    /// 1 or 4.
    pub width: u32,
    /// The variable along which four lanes lie.
    pub lanes: usize,
    /// The output: its slot, type and how it is stored.
    pub output: Option<(usize, DType, Store)>,
}

/// Merges neighbouring dimensions of one group that every array walks without a gap; drops extents of 1.
pub(crate) fn collapse(dims: &mut Vec<Dim>, walks: &mut [Walk]) {
    let mut axis = dims.len();
    while axis > 0 {
        axis -= 1;
        if dims[axis].extent == 1 {
            dims.remove(axis);
            for walk in walks.iter_mut() {
                walk.strides.remove(axis);
            }
        }
    }
    let mut axis = dims.len();
    while axis > 1 {
        axis -= 1;
        let inner = dims[axis].extent as i64;
        let joined = walks.iter().all(|walk| walk.strides[axis - 1] == walk.strides[axis] * inner);
        if joined && dims[axis - 1].group == dims[axis].group {
            dims[axis - 1].extent *= dims[axis].extent;
            dims.remove(axis);
            for walk in walks.iter_mut() {
                walk.strides.remove(axis - 1);
            }
        }
    }
}

impl<'a> Fusion<'a> {
    /// The index space, to be cut into windows.
    pub fn space(&self) -> Space {
        let arrays =
            self.walks.iter().enumerate().filter(|(i, _)| self.slot(*i).is_some()).map(|(_, w)| w.clone()).collect();
        Space { extents: self.dims.iter().map(|dim| dim.extent).collect(), arrays }
    }

    /// The slot that an array lies in.
    fn slot(&self, array: usize) -> Option<usize> {
        match self.expression.leaves.get(array) {
            Some(leaf) => match leaf.source {
                Source::Slot(slot) => Some(slot),
                Source::Index => None,
            },
            None => self.output.map(|output| output.0),
        }
    }

    fn dtype(&self, array: usize) -> DType {
        self.expression
            .leaves
            .get(array)
            .map_or_else(|| self.output.expect("arrays past the leaves are the output").1, |leaf| leaf.dtype)
    }

    /// Takes four lanes along variable `lanes` if that is possible with windows of these chunk lengths.
    ///
    /// `pad`: the last unit may run past the end of the space, into the padding that every buffer has.
    pub fn widen(&mut self, chunk: &[u64], lanes: usize, pad: bool) -> bool {
        let Some(inner) = self.dims.iter().rposition(|dim| dim.group == lanes) else { return false };
        let extent = self.dims[inner].extent;
        let alone = self.dims.iter().filter(|dim| dim.group == lanes).count() == 1;
        let tail = !extent.is_multiple_of(4);
        if tail && !(alone && pad) || chunk[inner] != extent && !chunk[inner].is_multiple_of(4) {
            return false;
        }
        let mode = |array: usize| {
            let walk = &self.walks[array];
            let others = walk.strides.iter().enumerate().filter(|(axis, _)| *axis != inner);
            let aligned = walk.offset % 4 == 0 && others.clone().all(|(_, stride)| stride % 4 == 0);
            match walk.strides[inner] {
                0 => Mode::Splat,
                1 if self.slot(array).is_none() || aligned => Mode::Vector,
                _ => Mode::Gather,
            }
        };
        let leaves = self.expression.leaves.len();
        let modes: Vec<Mode> = (0..self.walks.len()).map(mode).collect();
        let stored = modes[leaves..].iter().all(|mode| *mode == Mode::Vector);
        let worth =
            modes[..leaves].iter().zip(0..).all(|(mode, i)| *mode != Mode::Gather || (self.slot(i).is_some() && !tail));
        if stored && worth {
            (self.modes, self.width, self.lanes) = (modes, 4, lanes);
        }
        stored && worth
    }

    /// Everything the text depends on.
    pub fn key(&self, key: &mut Vec<u8>) {
        key.extend([self.width as u8, self.lanes as u8, self.dims.len() as u8]);
        key.extend(self.dims.iter().map(|dim| dim.group as u8));
        for (array, walk) in self.walks.iter().enumerate() {
            key.extend([self.dtype(array) as u8, self.modes[array] as u8, self.slot(array).is_some() as u8]);
            key.extend(walk.strides.iter().map(|&stride| if (0..2).contains(&stride) { stride as u8 } else { 2 }));
        }
        key.push(self.output.map_or(9, |output| output.2 as u8));
        for step in &self.expression.steps {
            key.push(step.dtype as u8);
            let mut push = |tag: u8, indices: &[usize]| {
                key.push(tag);
                indices.iter().for_each(|&i| key.extend((i as u16).to_le_bytes()));
            };
            match &step.what {
                What::Leaf(leaf) => push(0, &[*leaf]),
                What::Scalar(scalar) => push(1, &[*scalar]),
                What::Cast(from) => push(2, &[*from]),
                What::Call(function, args) => push(3 + *function as u8, args),
            }
        }
    }

    /// The names of the parameters, in the order of [`Fusion::params`].
    pub fn param_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.inner_dims().map(|dim| format!("extent{dim}")).collect();
        for (array, walk) in self.walks.iter().enumerate() {
            names.push(format!("offset{array}"));
            names.extend(strided(walk).map(|(dim, _)| format!("stride{array}_{dim}")));
        }
        for (index, scalar) in self.expression.scalars.iter().enumerate() {
            let low = format!("scalar{index}");
            names.extend(scalar.words().zip(["", "_high"]).map(|(_, part)| format!("{low}{part}")));
        }
        names
    }

    /// Dimensions that are not the first of their variable: their extents divide it.
    fn inner_dims(&self) -> impl Iterator<Item = usize> + '_ {
        (1..self.dims.len()).filter(|&dim| self.dims[dim].group == self.dims[dim - 1].group)
    }

    /// The parameters and the windows for one box of the index space.
    pub fn params(
        &self,
        cut: &[Range<u64>],
        alignment: u64,
        buffer_bytes: &dyn Fn(usize) -> u64,
    ) -> (Vec<u32>, Vec<Binding>) {
        let mut params: Vec<u32> = self.inner_dims().map(|dim| (cut[dim].end - cut[dim].start) as u32).collect();
        let mut bindings = Vec::new();
        for (array, walk) in self.walks.iter().enumerate() {
            let (low, high) = walk.range(cut);
            let start: i64 =
                walk.offset + walk.strides.iter().zip(cut).map(|(s, range)| s * range.start as i64).sum::<i64>();
            let mut base = 0;
            if let Some(slot) = self.slot(array) {
                // A multiple of 64 bytes keeps four elements of any type aligned.
                let from = low as u64 * walk.size / alignment.max(64) * alignment.max(64);
                let to = (high as u64 * walk.size).next_multiple_of(64).min(buffer_bytes(slot));
                base = (from / walk.size) as i64;
                bindings.push(Binding { buffer: slot, offset: from, bytes: to - from });
            }
            params.push((start - base) as u32);
            params.extend(strided(walk).map(|(_, stride)| stride as u32));
        }
        params.extend(self.expression.scalars.iter().flat_map(|scalar| scalar.words()));
        (params, bindings)
    }

    /// How each binding is used, in order.
    pub fn access(&self) -> Vec<Access> {
        let leaves = self.expression.leaves.len();
        let access = |array| if array < leaves { Access::Read } else { Access::Write };
        (0..self.walks.len()).filter(|&array| self.slot(array).is_some()).map(access).collect()
    }

    /// Whether 16-bit floats occur.
    pub fn uses_f16(&self) -> bool {
        (0..self.walks.len()).any(|array| self.dtype(array) == DType::F16)
            || self.expression.steps.iter().any(|step| step.dtype == DType::F16)
    }

    /// Bindings, `value(..)`, and `store(..)` if there is an output.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut binding = 0;
        for array in 0..self.walks.len() {
            if self.slot(array).is_some() {
                let access = if array < self.expression.leaves.len() { "read" } else { "read_write" };
                let element = self.memory_type(array);
                writeln!(text, "@group(0) @binding({binding}) var<storage, {access}> x{array}: array<{element}>;")
                    .expect("to a string");
                binding += 1;
            }
        }
        text += &self.value_text();
        if let Some((_, dtype, store)) = self.output {
            text += &self.store_text(dtype, store);
        }
        text
    }

    fn memory_type(&self, array: usize) -> String {
        let dtype = self.dtype(array);
        let atomic =
            self.output.is_some_and(|(_, _, store)| store == Store::Atomic) && array >= self.expression.leaves.len();
        match (dtype.per_word(), self.modes[array]) {
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
        let mut text = String::new();
        for (group, variable) in self.variables.iter().enumerate() {
            let dims: Vec<usize> = (0..self.dims.len()).filter(|&dim| self.dims[dim].group == group).collect();
            let mut rest = variable.to_string();
            for (nth, dim) in dims.iter().enumerate().rev() {
                if nth == 0 {
                    writeln!(text, "    let c{dim} = {rest};").expect("to a string");
                } else {
                    writeln!(text, "    let c{dim} = {rest} % params.extent{dim};").expect("to a string");
                    writeln!(text, "    let rest{dim} = {rest} / params.extent{dim};").expect("to a string");
                    rest = format!("rest{dim}");
                }
            }
        }
        text
    }

    /// The address of an array's element at the coordinates.
    fn address(&self, array: usize) -> String {
        let mut sum = format!("params.offset{array}");
        for (dim, &stride) in self.walks[array].strides.iter().enumerate() {
            match stride {
                0 => {}
                1 => write!(sum, " + c{dim}").expect("to a string"),
                _ => write!(sum, " + c{dim} * params.stride{array}_{dim}").expect("to a string"),
            }
        }
        sum
    }

    /// A function of the variables that gives an array's address.
    pub fn address_text(&self, name: &str, array: usize) -> String {
        format!(
            "fn {name}({}) -> u32 {{\n{}    return {};\n}}\n",
            self.arguments(),
            self.coordinates(),
            self.address(array)
        )
    }

    fn value_text(&self) -> String {
        let result = self.wide(self.expression.dtype());
        let mut text = format!("fn value({}) -> {result} {{\n{}", self.arguments(), self.coordinates());
        for (index, step) in self.expression.steps.iter().enumerate() {
            let value = match &step.what {
                What::Leaf(leaf) => {
                    writeln!(text, "    let a{leaf} = {};", self.address(*leaf)).expect("to a string");
                    self.load(*leaf)
                }
                What::Scalar(scalar) => self.scalar(*scalar),
                What::Cast(from) => {
                    cast(&format!("v{from}"), self.expression.steps[*from].dtype, step.dtype, self.width)
                }
                What::Call(function, args) => {
                    let names: Vec<String> = args.iter().map(|arg| format!("v{arg}")).collect();
                    let name = |i: usize| names.get(i).map_or("", |n| n.as_str());
                    let dtype = self.expression.steps[*args.last().expect("a function has arguments")].dtype;
                    function.wgsl(dtype, self.width, [name(0), name(1), name(2)])
                }
            };
            writeln!(text, "    let v{index} = {value};").expect("to a string");
        }
        writeln!(text, "    return v{};\n}}", self.expression.steps.len() - 1).expect("to a string");
        text
    }

    fn load(&self, leaf: usize) -> String {
        let dtype = self.dtype(leaf);
        let vector = self.wide(dtype);
        let inner = self.dims.iter().rposition(|dim| dim.group == self.lanes);
        if self.slot(leaf).is_none() {
            return match (self.width, self.modes[leaf]) {
                (1, _) => format!("a{leaf}"),
                (_, Mode::Vector) => format!("(vec4<u32>(a{leaf}) + vec4<u32>(0u, 1u, 2u, 3u))"),
                (_, Mode::Splat) => format!("vec4<u32>(a{leaf})"),
                _ => unreachable!("an index is not gathered: widen() refuses"),
            };
        }
        match self.modes[leaf] {
            Mode::Vector => self.load_vector(leaf, dtype),
            Mode::Scalar => self.load_one(leaf, dtype, &format!("a{leaf}")),
            Mode::Splat => format!("{vector}({})", self.load_one(leaf, dtype, &format!("a{leaf}"))),
            Mode::Gather => {
                let step = match self.walks[leaf].strides[inner.expect("lanes lie along a dimension")] {
                    1 => "1u".to_string(),
                    _ => format!("params.stride{leaf}_{}", inner.expect("lanes lie along a dimension")),
                };
                let lanes: Vec<String> =
                    (0..4).map(|lane| self.load_one(leaf, dtype, &format!("(a{leaf} + {lane}u * {step})"))).collect();
                format!("{vector}({})", lanes.join(", "))
            }
        }
    }

    fn load_one(&self, leaf: usize, dtype: DType, at: &str) -> String {
        match dtype.per_word() {
            1 => format!("x{leaf}[{at}]"),
            2 => format!("((x{leaf}[{at} >> 1u] >> (({at} & 1u) * 16u)) & 0xffffu)"),
            _ => {
                let byte = format!("((x{leaf}[{at} >> 2u] >> (({at} & 3u) * 8u)) & 0xffu)");
                if dtype == DType::Bool { format!("({byte} != 0u)") } else { byte }
            }
        }
    }

    fn load_vector(&self, leaf: usize, dtype: DType) -> String {
        let word = format!("x{leaf}[a{leaf} >> 2u]");
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
        let dtype = self.expression.scalars[index].dtype;
        let low = format!("params.scalar{index}");
        let both = format!("((u64(params.scalar{index}_high) << 32u) | u64({low}))");
        let value = match dtype {
            DType::F32 => format!("bitcast<f32>({low})"),
            DType::F16 => format!("f16(bitcast<f32>({low}))"),
            DType::I32 => format!("bitcast<i32>({low})"),
            DType::Bool => format!("({low} != 0u)"),
            DType::U8 | DType::U16 | DType::U32 => low,
            DType::U64 => both,
            DType::I64 => format!("bitcast<i64>{both}"),
            DType::F64 => format!("bitcast<f64>{both}"),
        };
        if self.width == 1 { value } else { format!("{}({value})", self.wide(dtype)) }
    }

    fn store_text(&self, dtype: DType, store: Store) -> String {
        let array = self.walks.len() - 1;
        let (coordinates, address) = (self.coordinates(), self.address(array));
        let head = format!(
            "fn store({}, v: {}) {{\n{coordinates}    let at = {address};\n",
            self.arguments(),
            self.wide(dtype)
        );
        let body = match (store, self.width) {
            (Store::Word, _) => return String::new(),
            (Store::Atomic, _) => atomic_store(&format!("x{array}"), dtype),
            (Store::Element, 1) => format!("    x{array}[at] = v;\n"),
            (Store::Element, _) => format!("    x{array}[at >> 2u] = {};\n", pack(dtype)),
        };
        format!("{head}{body}}}\n")
    }
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
fn pack(dtype: DType) -> String {
    match dtype {
        DType::U8 => "(v.x & 0xffu) | ((v.y & 0xffu) << 8u) | ((v.z & 0xffu) << 16u) | (v.w << 24u)".into(),
        DType::Bool => {
            "dot(select(vec4<u32>(0u), vec4<u32>(1u, 0x100u, 0x10000u, 0x1000000u), v), vec4<u32>(1u))".into()
        }
        DType::U16 => "vec2<u32>((v.x & 0xffffu) | (v.y << 16u), (v.z & 0xffffu) | (v.w << 16u))".into(),
        _ => "v".into(),
    }
}

/// The bits of one value `v` inside a word.
pub(crate) fn bits(v: &str, dtype: DType) -> String {
    match dtype {
        DType::Bool => format!("select(0u, 1u, {v})"),
        DType::U8 => format!("({v} & 0xffu)"),
        _ => format!("({v} & 0xffffu)"),
    }
}

pub(crate) fn wide(name: &str, width: u32) -> String {
    if width == 1 { name.to_string() } else { format!("vec4<{name}>") }
}

/// A conversion as Rust's `as`: NaN becomes 0, floats saturate, integers wrap.
fn cast(v: &str, from: DType, to: DType, width: u32) -> String {
    let target = wide(to.wgsl(), width);
    let source = wide(from.wgsl(), width);
    if to == DType::Bool {
        // As a negation, so that NaN is true: naga's != is false for it.
        return format!("(!({v} == {source}({})))", if from == DType::Bool { "false" } else { "0" });
    }
    let integer = matches!(to.class(), Class::Signed | Class::Unsigned);
    if from == DType::F16 && integer {
        // Through f32: a conversion straight from f16 is clamped to the largest half, so infinity would give 65504.
        return cast(&format!("{}({v})", wide("f32", width)), DType::F32, to, width);
    }
    if from.class() == Class::Float && integer {
        // Drivers may assume that v == v holds; for f32 there is a test of the bits.
        let clean = match from {
            DType::F32 => format!("select({v}, {source}(0), m_is_nan({v}))"),
            _ => format!("select({source}(0), {v}, {v} == {v})"),
        };
        return match to {
            DType::U8 => format!("{target}(clamp({clean}, {source}(0), {source}(255)))"),
            DType::U16 => format!("{target}(clamp({clean}, {source}(0), {source}(65535)))"),
            _ => {
                // naga clamps to the largest float below the type's end: what is past the end gets the end itself.
                // At the low end, which is a float, GLSL's conversion would be undefined.
                let (limit, most, least) = match to {
                    DType::I32 => ("2147483648.0", "2147483647", "-2147483648.0"),
                    DType::U32 => ("4294967296.0", "4294967295u", "0.0"),
                    DType::I64 => ("9223372036854775808.0", "9223372036854775807li", "-9223372036854775808.0"),
                    _ => ("18446744073709551616.0", "18446744073709551615lu", "0.0"),
                };
                let low = format!("max({clean}, {source}({least}))");
                format!("select({target}({low}), {target}({most}), {clean} >= {source}({limit}))")
            }
        };
    }
    // naga extends by the target's signedness: widen in the source's first.
    match (from, to) {
        (DType::I32, DType::U64) => return format!("{target}({}({v}))", wide("i64", width)),
        (DType::U8 | DType::U16 | DType::U32, DType::I64) => return format!("{target}({}({v}))", wide("u64", width)),
        _ => {}
    }
    match to {
        DType::U8 => format!("({target}({v}) & {target}(0xff))"),
        DType::U16 => format!("({target}({v}) & {target}(0xffff))"),
        _ => format!("{target}({v})"),
    }
}

fn strided(walk: &Walk) -> impl Iterator<Item = (usize, i64)> + '_ {
    walk.strides.iter().copied().enumerate().filter(|(_, stride)| !(0..2).contains(stride))
}
