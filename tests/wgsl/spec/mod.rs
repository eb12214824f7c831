//! The WGSL specification's edge cases, written from the specification with the expected bits.

mod floats;
mod integers;
mod memory;
mod scenarios;
mod vectors;
mod wide;

use crate::judge::{Judge, judges};

/// A value; its type is the WGSL type.
#[derive(Clone, Copy, Debug)]
pub enum V {
    U(u32),
    I(i32),
    B(bool),
    F(f32),
    /// f32 by its bits.
    X(u32),
    U2([u32; 2]),
    U3([u32; 3]),
    U4([u32; 4]),
    I2([i32; 2]),
    I3([i32; 3]),
    I4([i32; 4]),
    B2([bool; 2]),
    B3([bool; 3]),
    B4([bool; 4]),
    F2([f32; 2]),
    F3([f32; 3]),
    F4([f32; 4]),
}
use V::*;

impl V {
    /// Scalar type, and the components' bits.
    fn bits(self) -> (&'static str, Vec<u32>) {
        let u = |x: &[u32]| ("u32", x.to_vec());
        let i = |x: &[i32]| ("i32", x.iter().map(|&x| x as u32).collect());
        let b = |x: &[bool]| ("bool", x.iter().map(|&x| x as u32).collect());
        let f = |x: &[f32]| ("f32", x.iter().map(|x| x.to_bits()).collect());
        match self {
            U(x) => u(&[x]),
            I(x) => i(&[x]),
            B(x) => b(&[x]),
            F(x) => f(&[x]),
            X(x) => ("f32", vec![x]),
            U2(x) => u(&x),
            U3(x) => u(&x),
            U4(x) => u(&x),
            I2(x) => i(&x),
            I3(x) => i(&x),
            I4(x) => i(&x),
            B2(x) => b(&x),
            B3(x) => b(&x),
            B4(x) => b(&x),
            F2(x) => f(&x),
            F3(x) => f(&x),
            F4(x) => f(&x),
        }
    }

    fn ty(self) -> String {
        match self.bits() {
            (scalar, bits) if bits.len() == 1 => scalar.into(),
            (scalar, bits) => format!("vec{}<{scalar}>", bits.len()),
        }
    }
}

/// An expression over `a`, `b`, `c`, `d`, the arguments' values, and what it must give.
pub type Row = (&'static str, &'static [V], V);

/// WGSL for a value made of words of `input`.
fn load(value: V, at: &mut usize) -> String {
    let (scalar, bits) = value.bits();
    let parts: Vec<_> = bits
        .iter()
        .map(|_| {
            *at += 1;
            match scalar {
                "bool" => format!("input[{}] != 0u", *at - 1),
                _ => format!("bitcast<{scalar}>(input[{}])", *at - 1),
            }
        })
        .collect();
    format!("{}({})", value.ty(), parts.join(", "))
}

/// A kernel that computes every row, its input, and the expected output. The arguments are words of the input, or
/// constant expressions.
fn kernel(rows: &[Row], constant: bool) -> (String, Vec<u32>, Vec<u32>) {
    let (mut body, mut input, mut wanted) = (String::new(), vec![], vec![]);
    for (expression, args, result) in rows {
        body += "{\n";
        for (arg, letter) in args.iter().zip('a'..) {
            let mut at = input.len();
            match constant {
                true => body += &format!("const {letter} = {};\n", literal(*arg)),
                false => body += &format!("let {letter} = {};\n", load(*arg, &mut at)),
            }
            input.extend(arg.bits().1);
        }
        body += &format!("let r: {} = {expression};\n", result.ty());
        let (scalar, bits) = result.bits();
        for n in 0..bits.len() {
            let part = if bits.len() == 1 { "r".into() } else { format!("r[{n}]") };
            let word = if scalar == "bool" { format!("u32({part})") } else { format!("bitcast<u32>({part})") };
            body += &format!("output[{}] = {word};\n", wanted.len() + n);
        }
        wanted.extend(bits);
        body += "}\n";
    }
    let source = format!(
        "@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {{\n{body}}}\n"
    );
    (source, input, wanted)
}

/// A value as WGSL that is a constant expression.
fn literal(value: V) -> String {
    let (scalar, bits) = value.bits();
    let part = |&x: &u32| match scalar {
        "i32" => format!("{}", x as i32),
        "f32" => format!("{:?}f", f32::from_bits(x)),
        "bool" => format!("{}", x != 0),
        _ => format!("{x}u"),
    };
    format!("{}({})", value.ty(), bits.iter().map(part).collect::<Vec<_>>().join(", "))
}

/// Words as the row's result would be read.
fn show(value: V, bits: &[u32]) -> String {
    match value.bits().0 {
        "i32" => format!("{:?}", bits.iter().map(|&x| x as i32).collect::<Vec<_>>()),
        "f32" => {
            format!("{:?} ({bits:#x?})", bits.iter().map(|&x| f32::from_bits(x)).collect::<Vec<_>>()).replace('\n', "")
        }
        _ => format!("{bits:#x?}").replace('\n', ""),
    }
}

/// Checks rows on all judges, without those that `exempt` names for a judge.
pub fn table(rows: &[Row], exempt: fn(&Judge, &str) -> bool) {
    check(rows.to_vec(), false, exempt);
}

/// Checks rows with constants for arguments: naga's evaluator and the driver's. What overflows is no WGSL then, and
/// naga refuses it.
pub fn constants(rows: &[Row], exempt: fn(&Judge, &str) -> bool) {
    let parses = |row: &&Row| naga::front::wgsl::parse_str(&kernel(&[**row], true).0).is_ok();
    check(rows.iter().filter(parses).copied().collect(), true, exempt);
}

fn check(rows: Vec<Row>, constant: bool, exempt: fn(&Judge, &str) -> bool) {
    for judge in judges() {
        let mut wrong = vec![];
        let rows: Vec<Row> = rows.iter().filter(|row| !exempt(judge, row.0)).copied().collect();
        for rows in rows.chunks(48) {
            let (source, mut input, wanted) = kernel(rows, constant);
            input.push(0);
            let buffers = [input, vec![0xcdcd_cdcd; wanted.len()]];
            let results = judge
                .run(&source, [1, 1, 1], &buffers)
                .unwrap_or_else(|error| panic!("{}: {error}\n{source}", judge.name()));
            let mut at = 0;
            for row in rows {
                let words = row.2.bits().1;
                let got = &results[1][at..at + words.len()];
                at += words.len();
                if got != words {
                    wrong.push(format!("{} of {:?}: got {}, wanted {:?}", row.0, row.1, show(row.2, got), row.2));
                }
            }
        }
        let what = if constant { "constant rows" } else { "rows" };
        assert!(wrong.is_empty(), "{} {what} wrong on {}:\n{}", wrong.len(), judge.name(), wrong.join("\n"));
    }
}

/// No judge is exempt.
pub fn all(_: &Judge, _: &str) -> bool {
    false
}
