//! Packing into a word, and unpacking.

use super::*;
use naga::MathFunction as M;

impl Builder<'_> {
    /// Packing into a word and unpacking from it.
    pub(super) fn packing(&mut self, fun: M, a: &[Reg]) -> Option<Vec<Reg>> {
        let unpack8 = |builder: &mut Self, op: Bin, then: Option<Un>| -> Vec<Reg> {
            [0, 8, 16, 24]
                .map(|shift| {
                    let shift = builder.constant(shift);
                    let byte = builder.bin(op, a[0], shift);
                    then.map_or(byte, |then| builder.un(then, byte))
                })
                .to_vec()
        };
        let pack = |builder: &mut Self, parts: &[Reg], step: u32| -> Vec<Reg> {
            let mut word = parts[0];
            for (i, &part) in parts.iter().enumerate().skip(1) {
                let shift = builder.constant(i as u32 * step);
                word = builder.tern(Tern::InsertByte, word, part, shift);
            }
            vec![word]
        };
        let each = |builder: &mut Self, op: Un| -> Vec<Reg> { a.iter().map(|&w| builder.un(op, w)).collect() };
        Some(match fun {
            M::Unpack4x8snorm => unpack8(self, Bin::UnpackI8, Some(Un::Snorm8ToF32)),
            M::Unpack4x8unorm => unpack8(self, Bin::UnpackU8, Some(Un::Unorm8ToF32)),
            M::Unpack4xI8 => unpack8(self, Bin::UnpackI8, None),
            M::Unpack4xU8 => unpack8(self, Bin::UnpackU8, None),
            M::Unpack2x16snorm => vec![self.un(Un::Unpack0Snorm16, a[0]), self.un(Un::Unpack1Snorm16, a[0])],
            M::Unpack2x16unorm => vec![self.un(Un::Unpack0Unorm16, a[0]), self.un(Un::Unpack1Unorm16, a[0])],
            M::Unpack2x16float => vec![self.un(Un::Unpack0F16, a[0]), self.un(Un::Unpack1F16, a[0])],
            M::Pack4x8snorm => {
                let parts = each(self, Un::F32ToSnorm8);
                pack(self, &parts, 8)
            }
            M::Pack4x8unorm => {
                let parts = each(self, Un::F32ToUnorm8);
                pack(self, &parts, 8)
            }
            M::Pack2x16snorm => {
                let parts = each(self, Un::F32ToSnorm16);
                pack(self, &parts, 16)
            }
            M::Pack2x16unorm => {
                let parts = each(self, Un::F32ToUnorm16);
                pack(self, &parts, 16)
            }
            M::Pack2x16float => {
                let parts = each(self, Un::F32ToF16);
                pack(self, &parts, 16)
            }
            M::Pack4xI8 | M::Pack4xU8 | M::Pack4xI8Clamp | M::Pack4xU8Clamp => {
                let bounds = match fun {
                    M::Pack4xI8Clamp => Some((Tern::ClampI32, -128i32 as u32, 127)),
                    M::Pack4xU8Clamp => Some((Tern::ClampU32, 0, 255)),
                    _ => None,
                };
                let byte = self.constant(0xff);
                let mut parts = vec![];
                for &word in a {
                    let limited = match bounds {
                        None => word,
                        Some((op, low, high)) => {
                            let (low, high) = (self.constant(low), self.constant(high));
                            self.tern(op, word, low, high)
                        }
                    };
                    parts.push(self.bin(Bin::And, limited, byte));
                }
                pack(self, &parts, 8)
            }
            _ => return None,
        })
    }
}
