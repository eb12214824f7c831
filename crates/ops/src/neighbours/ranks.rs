//! The text of values by their order: those with some ranks, the least, the greatest.

use super::body::Body;
use super::network::{Exchange, network};
use super::wgsl::AXES;
use crosslane_core::element::{Class, DType};
use crosslane_core::op::Function;
use std::collections::BTreeSet;
use std::fmt::Write;

impl Body<'_> {
    /// Each value is a key that orders as the values do, so that the exchanges are minima and maxima of integers. NaNs are
    /// looked for before.
    pub(super) fn ranks_text(&self, head: &str, points: &[[i32; 3]], [low, high]: [usize; 2]) -> String {
        let mut text = head.to_string();
        for axis in 0..3 {
            let distinct: BTreeSet<i32> = points.iter().map(|point| point[axis]).collect();
            for offset in distinct {
                let index = self.place(axis, &format!("{} + {offset}", AXES[axis]));
                writeln!(text, "    let {} = {index};", name(axis, offset)).expect("to a string");
            }
        }
        let (mut names, end): (Vec<String>, &str) = (vec![], self.end);
        for (nth, point) in points.iter().enumerate() {
            let [z, y, x] = std::array::from_fn(|axis| name(axis, point[axis]));
            writeln!(text, "    let r{nth} = near{end}(k, {z}, {y}, {x});\n    let v{nth} = key(r{nth});")
                .expect("to a string");
            names.push(format!("v{nth}"));
        }
        for (nth, Exchange { places: [a, b], wanted }) in network(points.len(), &[low, high]).into_iter().enumerate() {
            let pair = [names[a].clone(), names[b].clone()];
            for (side, place) in [a, b].into_iter().enumerate().filter(|(side, _)| wanted[*side]) {
                let (own, function) = (format!("{}{nth}", ["a", "b"][side]), ["low", "high"][side]);
                writeln!(text, "    let {own} = {function}({}, {});", pair[0], pair[1]).expect("to a string");
                names[place] = own;
            }
        }
        let floats = self.spec.real().class() == Class::Float;
        let mean = match low == high || !floats {
            true => format!("unkey({})", names[low]),
            false => format!("(unkey({}) * Real(0.5) + unkey({}) * Real(0.5))", names[low], names[high]),
        };
        if !floats {
            return text + &format!("    return {mean};\n}}\n");
        }
        // The first NaN, if there is one.
        writeln!(text, "    var all = {mean};").expect("to a string");
        for nth in (0..points.len()).rev() {
            let nan = Function::IsNan.wgsl(self.spec.real(), 1, [&format!("r{nth}"), "", ""]);
            writeln!(text, "    all = select(all, r{nth}, {nan});").expect("to a string");
        }
        text + "    return all;\n}\n"
    }
}

/// A variable for the place at an offset along an axis.
fn name(axis: usize, offset: i32) -> String {
    let sign = if offset < 0 { "minus" } else { "" };
    format!("{}{sign}{}", AXES[axis], offset.unsigned_abs())
}

/// How values are compared.
pub(super) enum Keys {
    /// f32, and f16 by way of it: as integers, by their bits.
    Bits(DType),
    /// Integers of 32 bits: themselves.
    Plain(DType),
    /// Types of 64 bits: by comparisons.
    Compared(DType),
}

impl Keys {
    pub fn of(dtype: DType) -> Keys {
        match dtype {
            DType::F16 | DType::F32 => Keys::Bits(dtype),
            DType::F64 | DType::I64 | DType::U64 => Keys::Compared(dtype),
            _ => Keys::Plain(dtype),
        }
    }

    /// `key`, its inverse `unkey`, and the `low` and the `high` one of two keys.
    pub fn text(&self) -> String {
        let (key, to, from, low, high) = match self {
            Keys::Bits(dtype) => (
                "i32",
                "let b = bitcast<i32>(f32(v));\n    return b ^ ((b >> 31u) & 0x7fffffff);".to_string(),
                format!("return {}(bitcast<f32>(v ^ ((v >> 31u) & 0x7fffffff)));", dtype.wgsl()),
                "min(a, b)",
                "max(a, b)",
            ),
            Keys::Plain(dtype) => (dtype.wgsl(), "return v;".into(), "return v;".into(), "min(a, b)", "max(a, b)"),
            Keys::Compared(dtype) => {
                (dtype.wgsl(), "return v;".into(), "return v;".into(), "select(b, a, a < b)", "select(a, b, a < b)")
            }
        };
        format!(
            "alias Key = {key};\nfn key(v: Real) -> Key {{\n    {to}\n}}\nfn unkey(v: Key) -> Real {{\n    {from}\n}}\n\
             fn low(a: Key, b: Key) -> Key {{\n    return {low};\n}}\n\
             fn high(a: Key, b: Key) -> Key {{\n    return {high};\n}}\n"
        )
    }
}

/// `end_key`, what values are compared by, `better`, the less of two such or the greater, and `of_end`, the value. Floats of 32 and
/// 16 bits are compared as integers: a NaN is the end of all.
pub(super) fn ends_text(real: DType, greatest: bool) -> String {
    let function = if greatest { Function::Maximum } else { Function::Minimum };
    let (key, to, from, better) = match real {
        DType::F16 | DType::F32 => (
            "i32",
            format!(
                "let b = bitcast<i32>(f32(v));\n    let ordered = b ^ ((b >> 31u) & 0x7fffffff);\n    \
                 return select(ordered, {}, (b & 0x7fffffff) > 0x7f800000);",
                if greatest { "0x7fffffff" } else { "i32(-2147483648)" }
            ),
            format!("return {}(bitcast<f32>(v ^ ((v >> 31u) & 0x7fffffff)));", real.wgsl()),
            if greatest { "max(a, b)" } else { "min(a, b)" }.to_string(),
        ),
        DType::Bool => {
            ("bool", "return v;".into(), "return v;".into(), if greatest { "a | b" } else { "a & b" }.to_string())
        }
        _ => (real.wgsl(), "return v;".into(), "return v;".into(), function.wgsl(real, 1, ["a", "b", ""])),
    };
    format!(
        "alias End = {key};\nfn end_key(v: Real) -> End {{\n    {to}\n}}\nfn of_end(v: End) -> Real {{\n    {from}\n}}\n\
         fn better(a: End, b: End) -> End {{\n    return {better};\n}}\n"
    )
}
