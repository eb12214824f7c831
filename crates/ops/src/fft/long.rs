//! The text of a launch whose workgroups each transform rows of any length, one at a time: for processors, whose caches stand in
//! for a workgroup's memory.

use super::butterflies::Text;
use super::wgsl::{FftSpec, turn};
use std::fmt::Write;

impl FftSpec {
    /// `transform`: passes in Stockham's order, between two pieces of memory that a workgroup has to itself.
    pub(super) fn long_text(&self, binding: usize) -> String {
        let length = self.length;
        let (mut passes, mut done) = (String::new(), 1);
        for (nth, &radix) in self.radices.iter().enumerate() {
            if nth > 0 {
                passes.push_str("    storageBarrier();\n");
            }
            passes += &self.long_pass(radix, done, nth);
            done *= radix;
        }
        format!(
            "@group(0) @binding({binding}) var<storage, read_write> between: array<Pair>;\n\
             fn transform(lane: u32, tile: u32) {{\n    let own = tile * {}u;\n    \
             for (var k = tile; k < params.total; k += params.workgroups) {{\n{passes}    storageBarrier();\n    }}\n}}\n",
            2 * length
        )
    }

    fn long_pass(&self, radix: u32, done: u32, nth: usize) -> String {
        let (butterflies, last) = (self.length / radix, nth + 1 == self.radices.len());
        // Where a pass writes is where the next one reads.
        let side = |pass: usize| format!("own + {}u", (pass % 2) as u32 * self.length);
        let mut text = Text::new(self.double);
        let x: Vec<String> = (0..radix)
            .map(|q| {
                let e = format!("j + {}u", q * butterflies);
                text.name(&if nth == 0 {
                    format!("load(k, 0u, {e})")
                } else {
                    format!("between[{} + {e}]", side(nth - 1))
                })
            })
            .collect();
        let x = match done {
            1 => x,
            _ => {
                let (unit, rest) = turn(done * radix, self.double);
                let factor = text.name(&format!("f_factor(j % {done}u, {unit}u, {rest:?})"));
                text.powers(x, &factor)
            }
        };
        let x = text.transform(x);
        let first = text.name(&format!("j / {done}u * {}u + j % {done}u", done * radix));
        for (q, value) in x.iter().enumerate() {
            let e = format!("{first} + {}u", q as u32 * done);
            let line = match last {
                true => format!("    keep(k, 0u, {e}, {value});"),
                false => format!("    between[{} + {e}] = {value};", side(nth)),
            };
            writeln!(text.lines, "{line}").expect("to a string");
        }
        format!("    for (var j = lane; j < {butterflies}u; j += WORKGROUP) {{\n{}    }}\n", text.lines)
    }
}
