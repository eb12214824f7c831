//! The text of the kernels: states, coefficients, a step, and the product with a power of the step's matrix, written out.

use super::cut::Cut;
use crate::fuse::SeveralSpec;
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Access, Draft, Spec};
use std::fmt::Write;

/// What rows begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Begins {
    Zeros,
    /// States in memory.
    States,
}

/// What the text of the kernel that reads values depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct RecurrenceSpec {
    pub values: SeveralSpec,
    pub order: usize,
    pub sections: usize,
    /// Without the numbers of tiles and spans.
    pub cut: Cut,
    pub columns: bool,
    /// Whether loops over a block are written out: a processor's code would be too long.
    pub unrolls: bool,
    pub stores: bool,
    pub begins: Begins,
    pub finals: bool,
}

/// What the text of the kernel that carries states on depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct CarrySpec {
    pub dtype: DType,
    pub order: usize,
    pub sections: usize,
    pub workgroup: usize,
    pub begins: Begins,
}

const SCAN: &str = include_str!("../../shaders/shared/recurrence_scan.wgsl");

impl Spec for RecurrenceSpec {
    fn draft(&self, _: &Caps) -> Draft {
        let RecurrenceSpec { values, cut, columns, .. } = self;
        let dtype = values.0[0].dtype();
        let mut access = values.access();
        let mut text = values.text() + &states_text(dtype, self.order, self.sections);
        text += &table_text(access.len());
        access.push(Access::Read);
        text += &begin_text(self.begins, &mut access);
        text += &keep_text(!self.stores, &mut access);
        text += &self.final_text();
        if !self.stores {
            text += "fn store(k: u32, t: u32, v: Real) {}\n";
        }
        let flags = [("COLUMNS", *columns), ("UNROLL", self.unrolls), ("STORES", self.stores), ("FINALS", self.finals)];
        for (name, holds) in flags {
            writeln!(text, "const {name} = {holds};").expect("a text grows");
        }
        let states = self.order * self.sections;
        let constants = [
            ("WORKGROUP", cut.workgroup),
            ("LANES", cut.lanes),
            ("ROWS", cut.rows()),
            ("PER", cut.per),
            ("TILE", cut.tile()),
            ("HELD", cut.held(states)),
            ("STEPS", cut.lanes.ilog2() as usize),
            ("POWER", cut.per.ilog2() as usize),
            ("NEXT", if *columns { cut.rows() } else { 1 }),
        ];
        Draft {
            constants: constants.map(|(name, value)| (name, value as u32)).to_vec(),
            params: [["rows", "length", "spans", "tiles", "count"].map(String::from).to_vec(), values.param_names()]
                .concat(),
            access,
            text: text + SCAN,
            f16: values.uses_f16(),
            trusted: values.is_safe(),
            ..Draft::new(format!("recurrence of {dtype}"), shader("recurrence"))
        }
    }
}

impl RecurrenceSpec {
    /// `keep_final`: the state after a row's last value, after all values of the output.
    fn final_text(&self) -> String {
        let states = self.order * self.sections;
        let store = |nth: usize| {
            let output = self.values.0[0].arrays.len() - 1;
            format!("    x{output}[params.count + k * {states}u + {nth}u] = state.z{nth};\n")
        };
        let stores: String = (0..states).filter(|_| self.finals).map(store).collect();
        format!("fn keep_final(k: u32, state: State) {{\n{stores}}}\n")
    }
}

impl Spec for CarrySpec {
    fn draft(&self, _: &Caps) -> Draft {
        let states = self.order * self.sections;
        let mut access = vec![Access::Read, Access::Write];
        let text = states_text(self.dtype, self.order, self.sections)
            + &table_text(0)
            + "@group(0) @binding(1) var<storage, read_write> states: array<State>;\n"
            + &begin_text(self.begins, &mut access)
            + SCAN;
        let constants = [("WORKGROUP", self.workgroup), ("HELD", 2 * states * self.workgroup), ("NEXT", 1)];
        Draft {
            constants: constants.map(|(name, value)| (name, value as u32)).to_vec(),
            params: ["rows", "spans", "each", "power", "each_power", "steps"].map(String::from).to_vec(),
            access,
            text,
            trusted: true,
            ..Draft::new(format!("recurrence of {}: states", self.dtype), shader("recurrence_carry"))
        }
    }
}

fn table_text(binding: usize) -> String {
    format!("@group(0) @binding({binding}) var<storage, read> table: array<Real>;\n")
}

/// `begin`: the state that a span begins with.
fn begin_text(begins: Begins, access: &mut Vec<Access>) -> String {
    if begins == Begins::Zeros {
        return "fn begin(at: u32) -> State { return State(); }\n".into();
    }
    access.push(Access::Read);
    format!(
        "@group(0) @binding({}) var<storage, read> begins: array<State>;\n\
         fn begin(at: u32) -> State {{ return begins[at]; }}\n",
        access.len() - 1
    )
}

/// `keep`: the state that a span leaves, into memory or nowhere.
fn keep_text(kept: bool, access: &mut Vec<Access>) -> String {
    if !kept {
        return "fn keep(at: u32, state: State) {}\n".into();
    }
    access.push(Access::Write);
    format!(
        "@group(0) @binding({}) var<storage, read_write> states: array<State>;\n\
         fn keep(at: u32, state: State) {{ states[at] = state; }}\n",
        access.len() - 1
    )
}

/// `State` and `Coefficients`, their functions, and `times`.
fn states_text(dtype: DType, order: usize, sections: usize) -> String {
    let (real, states, count) = (dtype.wgsl(), order * sections, sections * (2 * order + 1));
    let sum = if dtype == DType::F32 { "fma(a, b, c)" } else { "a * b + c" };
    let list = |count: usize, each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<Vec<_>>().join(", ");
    let fields = |count: usize, name: &str| list(count, &|nth| format!("{name}{nth}: Real"));
    let row = |row: usize| {
        let product = |sum: String, column: usize| {
            let entry = format!("table[first + {}u]", row * states + column);
            if sum.is_empty() {
                format!("{entry} * z.z{column}")
            } else {
                format!("multiply_add({entry}, z.z{column}, {sum})")
            }
        };
        (0..states).fold(String::new(), product)
    };
    let put: String = (0..states).map(|nth| format!("    held[at + {nth}u * WORKGROUP] = state.z{nth};\n")).collect();
    format!(
        "alias Real = {real};\n\
         struct State {{ {} }}\nstruct Coefficients {{ {} }}\nstruct Step {{ y: Real, state: State }}\n\
         fn multiply_add(a: Real, b: Real, c: Real) -> Real {{ return {sum}; }}\n\
         fn coefficients() -> Coefficients {{ return Coefficients({}); }}\n\
         fn plus(a: State, b: State) -> State {{ return State({}); }}\n\
         fn times(power: u32, z: State) -> State {{\n    let first = {count}u + power * {}u;\n    return State({});\n}}\n\
         fn put(at: u32, state: State) {{\n{put}}}\n\
         fn held_state(at: u32) -> State {{ return State({}); }}\n{}",
        fields(states, "z"),
        fields(count, "c"),
        list(count, &|nth| format!("table[{nth}]")),
        list(states, &|nth| format!("a.z{nth} + b.z{nth}")),
        states * states,
        list(states, &row),
        list(states, &|nth| format!("held[at + {nth}u * WORKGROUP]")),
        step_text(order, sections),
    )
}

/// `step`: the cascade over one value.
fn step_text(order: usize, sections: usize) -> String {
    let mut text = String::from("fn step(x: Real, z: State, c: Coefficients) -> Step {\n");
    let mut input = "x".to_string();
    for section in 0..sections {
        let (first, z) = (section * (2 * order + 1), section * order);
        let output = format!("y{section}");
        writeln!(text, "    let {output} = multiply_add(c.c{first}, {input}, z.z{z});").expect("a text grows");
        for j in 0..order {
            let (b, a, at) = (first + 1 + j, first + 1 + order + j, z + j);
            let next = if j + 1 < order { format!("z.z{}", at + 1) } else { "Real(0)".into() };
            let line = format!("multiply_add(c.c{b}, {input}, multiply_add(-c.c{a}, {output}, {next}))");
            writeln!(text, "    let n{at} = {line};").expect("a text grows");
        }
        input = output;
    }
    let states: Vec<String> = (0..order * sections).map(|nth| format!("n{nth}")).collect();
    text + &format!("    return Step({input}, State({}));\n}}\n", states.join(", "))
}
