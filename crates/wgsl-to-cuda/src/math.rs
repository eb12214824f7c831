//! Built-in functions of numbers: the prelude has them under WGSL's names.

use super::Written;
use super::functions::Body;
use super::parts::Part;
use naga::{Expression, Handle, MathFunction as M};

impl Body<'_, '_> {
    pub(super) fn math(&mut self, fun: M, arguments: &[Handle<Expression>]) -> Written<String> {
        if fun == M::Inverse {
            return self.refuse("Inverse has no form in WGSL");
        }
        if let Some(part) = part(fun) {
            self.writer.parts.insert(part);
        }
        let arguments: Written<Vec<_>> = arguments.iter().map(|&argument| self.bare(argument)).collect();
        Ok(format!("wgsl::{}({})", name(fun), arguments?.join(", ")))
    }
}

/// WGSL's name, which naga has too but for the first letter.
fn name(fun: M) -> String {
    if fun == M::SmoothStep {
        return "smoothstep".into();
    }
    let name = format!("{fun:?}");
    name[..1].to_lowercase() + &name[1..]
}

/// The part of the prelude that has it.
fn part(fun: M) -> Option<Part> {
    Some(match fun {
        M::Abs | M::Min | M::Max | M::Clamp => return None,
        M::Transpose | M::Determinant | M::Outer => Part::Matrix,
        M::Dot | M::Cross | M::Distance | M::Length | M::Normalize | M::FaceForward | M::Reflect | M::Refract => {
            Part::Geometry
        }
        M::CountTrailingZeros
        | M::CountLeadingZeros
        | M::CountOneBits
        | M::ReverseBits
        | M::ExtractBits
        | M::InsertBits
        | M::FirstTrailingBit
        | M::FirstLeadingBit
        | M::Dot4I8Packed
        | M::Dot4U8Packed => Part::Integer,
        M::Pack4x8snorm
        | M::Pack4x8unorm
        | M::Pack2x16snorm
        | M::Pack2x16unorm
        | M::Pack2x16float
        | M::Pack4xI8
        | M::Pack4xU8
        | M::Pack4xI8Clamp
        | M::Pack4xU8Clamp
        | M::Unpack4x8snorm
        | M::Unpack4x8unorm
        | M::Unpack2x16snorm
        | M::Unpack2x16unorm
        | M::Unpack2x16float
        | M::Unpack4xI8
        | M::Unpack4xU8
        | M::QuantizeToF16 => Part::Pack,
        _ => Part::Math,
    })
}
