//! Whole programs: declarations, functions, and a `main` of phases between barriers.

use super::{Elem, Function, Place, Tape, Ty, Writer};

/// Invocations of a launch: two workgroups of 64.
pub const INVOCATIONS: usize = 128;
const WORKGROUP: usize = 64;
/// Words of output of an invocation.
pub const OUTPUTS: usize = 16;

const U: Ty = Ty::new(Elem::U, 1);
const I: Ty = Ty::new(Elem::I, 1);

/// A program and how many words its buffers have: input, output, structs, atomics.
pub struct Program {
    pub source: String,
    pub words: [usize; 4],
}

/// What every program starts with.
const PRELUDE: &str = "\
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
const EDGES = array<u32, 8>(0u, 1u, 2u, 31u, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu);
var<private> id: u32;
fn word(i: u32) -> u32 { return input[(id * 7u + i) % arrayLength(&input)]; }
fn n1(x: f32) -> f32 { return clamp(round(x), -64.0, 64.0); }
fn n2(x: vec2<f32>) -> vec2<f32> { return clamp(round(x), vec2<f32>(-64.0), vec2<f32>(64.0)); }
fn n3(x: vec3<f32>) -> vec3<f32> { return clamp(round(x), vec3<f32>(-64.0), vec3<f32>(64.0)); }
fn n4(x: vec4<f32>) -> vec4<f32> { return clamp(round(x), vec4<f32>(-64.0), vec4<f32>(64.0)); }
";

/// What wide expressions have beside it.
const WIDE_PRELUDE: &str = "\
fn long(i: u32) -> u64 { return u64(word(i)) << 32u | u64(word(i + 9u)); }
fn h1(x: f16) -> f16 { return clamp(round(x), -4.0h, 4.0h); }
fn h2(x: vec2<f16>) -> vec2<f16> { return clamp(round(x), vec2<f16>(-4.0h), vec2<f16>(4.0h)); }
fn h3(x: vec3<f16>) -> vec3<f16> { return clamp(round(x), vec3<f16>(-4.0h), vec3<f16>(4.0h)); }
fn h4(x: vec4<f16>) -> vec4<f16> { return clamp(round(x), vec4<f16>(-4.0h), vec4<f16>(4.0h)); }
";

/// The atomics: each has one operation, so that the order does not matter.
const ATOMICS: [(&str, &str, Elem); 10] = [
    ("atomicAdd(&{}, {})", "adds", Elem::U),
    ("atomicSub(&{}, {})", "subtractions", Elem::I),
    ("atomicMin(&{}, {})", "minima", Elem::U),
    ("atomicMin(&{}, {})", "signed_minima", Elem::I),
    ("atomicMax(&{}, {})", "maxima", Elem::U),
    ("atomicMax(&{}, {})", "signed_maxima", Elem::I),
    ("atomicAnd(&{}, {})", "ands", Elem::U),
    ("atomicOr(&{}, {})", "ors", Elem::I),
    ("atomicXor(&{}, {})", "xors", Elem::U),
    ("multiply_KIND(&{}, {})", "products", Elem::U),
];

/// Straight-line programs: an expression for each output word.
pub fn expressions([choices]: [&[u16]; 1]) -> Program {
    straight(Writer::new(choices), &[Elem::U, Elem::I, Elem::B, Elem::F])
}

/// Straight-line programs with i64, u64 and f16, for devices that have them.
pub fn wide_expressions([choices]: [&[u16]; 1]) -> Program {
    let mut w = Writer::new(choices);
    w.wide = true;
    w.text = "enable f16;\n".to_string() + WIDE_PRELUDE;
    straight(w, &[Elem::U, Elem::L, Elem::Q, Elem::H])
}

fn straight(mut w: Writer, elems: &[Elem]) -> Program {
    w.text += PRELUDE;
    w.line("@compute @workgroup_size(64)");
    w.block("fn main(@builtin(global_invocation_id) global: vec3<u32>)", "", |w| {
        w.line("id = global.x;");
        w.places.push(Place { path: "id".into(), ty: U, mutable: false, pointer: false });
        for at in 0..OUTPUTS {
            let ty = Ty::new(*w.tape.pick(elems), 1 + w.tape.below(4));
            let (path, value) = (format!("e{at}"), w.expression(ty, if w.wide { 4 } else { 5 }));
            w.line(format_args!("let {path}: {ty} = {value};"));
            w.put(at, &Place { path, ty, mutable: false, pointer: false });
        }
    });
    Program { source: w.text, words: [256, INVOCATIONS * OUTPUTS, 0, 0] }
}

/// Programs with functions, control flow, memory of every kind, barriers and atomics.
pub fn program([types, functions, main]: [&[u16]; 3]) -> Program {
    let mut w = Writer::new(types);
    w.text = PRELUDE.into();
    w.line("@group(0) @binding(2) var<storage, read_write> structs: array<Outer>;");
    w.atomics();
    let fields = w.structures();
    let globals = w.globals();
    w.places = globals.clone();
    w.tape = Tape::new(functions);
    for _ in 0..w.tape.below(4) {
        w.function();
    }
    w.touch(&fields);
    w.places = globals;
    w.tape = Tape::new(main);
    w.line("@compute @workgroup_size(64)");
    let head = "fn main(@builtin(global_invocation_id) global: vec3<u32>, @builtin(local_invocation_index) lane: u32)";
    w.block(head, "", |w| w.main(&fields));
    Program { source: w.text, words: [256, INVOCATIONS * OUTPUTS, INVOCATIONS * 2 * 64, ATOMICS.len() * 4] }
}

fn place(path: impl Into<String>, ty: Ty, mutable: bool) -> Place {
    Place { path: path.into(), ty, mutable, pointer: false }
}

impl Writer<'_> {
    fn atomics(&mut self) {
        let members: Vec<_> =
            ATOMICS.iter().map(|(_, n, elem)| format!("{n}: array<atomic<{}>, 4>", Ty::new(*elem, 1))).collect();
        self.line(format_args!("struct Atomics {{ {} }}", members.join(", ")));
        self.line("@group(0) @binding(3) var<storage, read_write> atomics: Atomics;");
        self.line("var<workgroup> near: Atomics;");
        // Products of odd numbers in any order, by compare and exchange.
        for (kind, space) in [("far", "atomics"), ("near", "near")] {
            self.block(format_args!("fn multiply_{kind}(at: u32, by: u32)"), "", |w| {
                w.line(format_args!("var old = atomicLoad(&{space}.products[at]);"));
                w.block("loop", "", |w| {
                    w.line(format_args!(
                        "let now = atomicCompareExchangeWeak(&{space}.products[at], old, old * (by | 1u));"
                    ));
                    w.line("if now.exchanged { break; }");
                    w.line("old = now.old_value;");
                });
            });
        }
    }

    /// Declares two structs; gives the outer one's paths, after a variable of it.
    fn structures(&mut self) -> Vec<Place> {
        let mut fields = vec![];
        let mut inner = vec![];
        self.block("struct Inner", "", |w| {
            for name in ["x", "y", "z"] {
                let ty = Ty::random(&mut w.tape, true);
                w.line(format_args!("{name}: {ty},"));
                inner.push((name, ty));
            }
        });
        let under = |fields: &mut Vec<Place>, path: &str| {
            fields.extend(inner.iter().map(|(name, ty)| place(format!("{path}.{name}"), *ty, true)));
        };
        self.block("struct Outer", "", |w| {
            for name in ["a", "b", "c", "d", "e"] {
                let ty = Ty::random(&mut w.tape, true);
                let len = 2 + w.tape.below(2);
                match w.tape.below(6) {
                    0..=2 => {
                        w.line(format_args!("{name}: {ty},"));
                        fields.push(place(format!(".{name}"), ty, true));
                    }
                    3 => {
                        w.line(format_args!("{name}: array<{ty}, {len}>,"));
                        fields.push(place(format!(".{name}[#{len}]"), ty, true));
                    }
                    4 => {
                        let (columns, rows) = (2 + w.tape.below(3), ty.width.max(2));
                        w.line(format_args!("{name}: mat{columns}x{rows}<f32>,"));
                        fields.push(place(format!(".{name}[#{columns}]"), Ty::new(Elem::F, rows), true));
                    }
                    _ if w.tape.once_in(2) => {
                        w.line(format_args!("{name}: Inner,"));
                        under(&mut fields, &format!(".{name}"));
                    }
                    _ => {
                        w.line(format_args!("{name}: array<Inner, {len}>,"));
                        under(&mut fields, &format!(".{name}[#{len}]"));
                    }
                }
            }
        });
        fields
    }

    /// Private variables, with values or zero.
    fn globals(&mut self) -> Vec<Place> {
        let (ty, len) = (Ty::random(&mut self.tape, false), 2 + self.tape.below(4));
        self.line(format_args!("var<private> pool: array<{ty}, {len}>;"));
        self.line("var<private> steps: array<u32, 5> = array<u32, 5>(3u, 1u, 4u, 1u, 5u);");
        self.line("var<private> total: i32 = -7;");
        let pool = place(format!("pool[#{len}]"), ty, true);
        vec![place("id", U, false), place("total", I, true), place("steps[#5]", U, true), pool]
    }

    /// A function of values, perhaps with a pointer at the end, that may return from anywhere.
    fn function(&mut self) {
        let globals = self.places.clone();
        let result = Ty::random(&mut self.tape, false);
        let args: Vec<_> = (0..self.tape.below(4)).map(|_| Ty::random(&mut self.tape, false)).collect();
        let pointer = self.tape.once_in(2).then(|| Ty::random(&mut self.tape, false));
        let name = self.name("f");
        let mut params: Vec<_> = args.iter().enumerate().map(|(n, ty)| format!("a{n}: {ty}")).collect();
        self.places.extend(args.iter().enumerate().map(|(n, &ty)| place(format!("a{n}"), ty, false)));
        if let Some(ty) = pointer {
            params.push(format!("to: ptr<function, {ty}>"));
            self.places.push(place("(*to)", ty, true));
        }
        self.result = Some(result);
        self.block(format_args!("fn {name}({}) -> {result}", params.join(", ")), "", |w| {
            w.statements(4);
            let value = w.value(result, 3);
            w.line(format_args!("return {value};"));
        });
        self.result = None;
        self.places = globals;
        self.functions.push(Function { name, result, args, pointer });
    }

    /// A function from a struct to a struct.
    fn touch(&mut self, fields: &[Place]) {
        self.block("fn touch(given: Outer, a0: u32) -> Outer", "", |w| {
            w.places.push(place("a0", U, false));
            w.places.extend(
                fields.iter().map(|f| place(format!("given{}", f.path), f.ty, false)).filter(|p| !p.path.contains('#')),
            );
            w.line("var s = given;");
            w.places.extend(fields.iter().map(|f| place(format!("s{}", f.path), f.ty, true)));
            w.statements(4);
            w.line("return s;");
        });
    }

    fn main(&mut self, fields: &[Place]) {
        self.line("id = global.x;");
        self.line("var s = structs[id];");
        self.places.push(place("lane", U, false));
        for base in ["s", "structs[id]"] {
            self.places.extend(fields.iter().map(|f| place(format!("{base}{}", f.path), f.ty, true)));
        }
        self.structs = true;
        let (ty, len) = (Ty::random(&mut self.tape, false), 2 + self.tape.below(4));
        self.line(format_args!("var list: array<{ty}, {len}>;"));
        self.places.push(place(format!("list[#{len}]"), ty, true));
        let mut variables = vec![];
        for at in 0..OUTPUTS / 2 {
            let ty = if at < 3 { [U, I, U][at] } else { Ty::random(&mut self.tape, false) };
            let (path, value) = (format!("m{at}"), self.value(ty, 2));
            self.line(format_args!("var {path}: {ty} = {value};"));
            variables.push(Place { path, ty, mutable: true, pointer: true });
        }
        self.places.extend(variables.clone());
        for _ in 0..1 + self.tape.below(3) {
            self.statements(5);
            self.far_atomics();
            match self.tape.below(4) {
                0 => {}
                1 => self.exchange(),
                2 => self.near_atomics(),
                _ => self.agree(),
            }
        }
        for (at, variable) in variables.iter().enumerate() {
            self.put(at, variable);
        }
        if self.tape.once_in(3) {
            // After the last barrier an invocation may go.
            let condition = self.expression(Ty::new(Elem::B, 1), 3);
            self.line(format_args!("if {condition} {{ return; }}"));
        }
        self.line(format_args!("structs[id + {INVOCATIONS}u] = s;"));
        let globals: Vec<_> =
            self.places.iter().filter(|p| p.path.starts_with("pool") || p.path.starts_with("list")).cloned().collect();
        for (at, global) in globals.into_iter().enumerate() {
            self.put(OUTPUTS / 2 + at, &Place { path: self_indexed(&global.path), ..global });
        }
    }

    /// Each invocation writes its own slot, then reads any.
    fn exchange(&mut self) {
        let ty = Ty::random(&mut self.tape, false);
        let slots = self.name("slots");
        // WGSL takes declarations in any order.
        self.text.insert_str(0, &format!("var<workgroup> {slots}: array<{ty}, {WORKGROUP}>;\n"));
        let (value, index, result) = (self.value(ty, 2), self.expression(U, 2), self.name("c"));
        self.line(format_args!("{slots}[lane] = {value};"));
        self.line("workgroupBarrier();");
        self.line(format_args!("let {result} = {slots}[{index} % {WORKGROUP}u];"));
        self.places.push(place(result, ty, false));
    }

    /// One invocation writes, all read.
    fn agree(&mut self) {
        let one = self.name("one");
        self.text.insert_str(0, &format!("var<workgroup> {one}: u32;\n"));
        let (result, writer, value) = (self.name("c"), self.tape.below(WORKGROUP), self.expression(U, 2));
        self.line(format_args!("if lane == {writer}u {{ {one} = {value}; }}"));
        self.line(format_args!("let {result} = workgroupUniformLoad(&{one});"));
        self.places.push(place(result, U, false));
    }

    fn atomic(&mut self, space: &str, kind: &str) {
        let (call, name, elem) = *self.tape.pick(&ATOMICS);
        let (at, value) = (self.expression(U, 1), self.expression(Ty::new(elem, 1), 2));
        let target = match name {
            "products" => format!("{at} % 4u"),
            _ => format!("&{space}.{name}[{at} % 4u]"),
        };
        let call = call.replace("&{}", &target).replace("{}", &value).replace("KIND", kind);
        let condition = self.expression(Ty::new(Elem::B, 1), 1);
        match self.tape.once_in(2) {
            true => self.line(format_args!("if {condition} {{ {call}; }}")),
            false => self.line(format_args!("{call};")),
        }
    }

    fn far_atomics(&mut self) {
        for _ in 0..self.tape.below(3) {
            self.atomic("atomics", "far");
        }
    }

    /// Atomics in workgroup memory, which starts as zero, read back after a barrier.
    fn near_atomics(&mut self) {
        for _ in 0..1 + self.tape.below(3) {
            self.atomic("near", "near");
        }
        self.line("workgroupBarrier();");
        let ((_, name, elem), at, result) = (*self.tape.pick(&ATOMICS), self.tape.below(4), self.name("c"));
        self.line(format_args!("let {result} = atomicLoad(&near.{name}[{at}]);"));
        self.line("workgroupBarrier();");
        self.places.push(place(result, Ty::new(elem, 1), false));
    }

    /// Writes a value to an output word: the sum of its components' bits, each rotated by its place.
    fn put(&mut self, at: usize, from: &Place) {
        let Place { path, ty, .. } = from;
        let word = |part: String| match ty.elem {
            Elem::U => part,
            Elem::I => format!("bitcast<u32>({part})"),
            Elem::B => format!("u32({part})"),
            Elem::F => format!("bitcast<u32>(i32({part} * 4.0))"),
            Elem::L => format!("(u32({part}) ^ u32({part} >> 32u))"),
            Elem::Q => format!("(u32({part}) ^ u32({part} >> 32u))"),
            Elem::H => format!("bitcast<u32>(i32(f32({part}) * 4.0))"),
        };
        let part = |n: usize| match ty.width {
            1 => word(path.clone()),
            _ => format!(
                "{} * {}u",
                word(format!("{path}.{}", ["x", "y", "z", "w"][n])),
                [1, 0x101, 0x10001, 0x1000001][n]
            ),
        };
        let sum: Vec<_> = (0..ty.width).map(part).collect();
        self.line(format_args!("output[id * {OUTPUTS}u + {at}u] = {};", sum.join(" + ")));
    }
}

/// The first element of an array's path.
fn self_indexed(path: &str) -> String {
    format!("{}[0]", &path[..path.find('[').expect("an array's path")])
}
