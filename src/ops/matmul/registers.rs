//! The text of register tiles: each invocation adds up its own rows and columns.

use super::side::Side;
use super::tile::Tile;
use super::wgsl::Text;
use crate::element::DType;
use std::fmt::Write;

impl Tile {
    pub fn main(self, text: &Text, sides: &[Side; 2]) -> String {
        let mut main = text.head("");
        main += "    let quad = quad_at(lane);\n";
        for r in 0..self.high {
            (0..self.wide / 4).for_each(|j| writeln!(main, "    var c{r}_{j} = Sums();").expect("to a string"));
        }
        main += &text.turns(sides, &|stage| self.multiply(sides, text.sums, stage));
        for r in 0..self.high {
            for j in 0..self.wide / 4 {
                writeln!(
                    main,
                    "    put(batch, a_first + (quad.x + {}u) * 4u + {}u, b_first + (quad.y + {}u) * 4u, c{r}_{j});",
                    r / 4 * self.down(),
                    r % 4,
                    j * self.right()
                )
                .expect("to a string");
            }
        }
        main + "}\n"
    }

    /// Adds the products of a tile's inner ones.
    fn multiply(self, sides: &[Side; 2], sums: DType, stage: u32) -> String {
        let looped = self.unroll < self.depth;
        let mut text = match looped {
            true => format!("    for (var d = 0u; d < {}u; d += {}u) {{\n", self.depth, self.unroll),
            false => String::new(),
        };
        for d in 0..self.unroll {
            let d = if looped { format!("(d + {d}u)") } else { format!("{d}u") };
            text += &self.multiply_one(sides, sums, stage, &d);
        }
        text + if looped { "    }\n" } else { "" }
    }

    /// Adds the products of one inner one.
    fn multiply_one(self, sides: &[Side; 2], sums: DType, stage: u32, d: &str) -> String {
        let mut text = String::from("    {\n");
        let [a, b] = [sides[0].pitch, sides[1].pitch];
        for i in 0..self.high / 4 {
            writeln!(text, "        let a{i} = a_tile{stage}[{d} * {a}u + quad.x + {}u];", i * self.down())
                .expect("to a string");
        }
        for j in 0..self.wide / 4 {
            writeln!(text, "        let b{j} = b_tile{stage}[{d} * {b}u + quad.y + {}u];", j * self.right())
                .expect("to a string");
        }
        for r in 0..self.high {
            for j in 0..self.wide / 4 {
                let (c, a, b) = (format!("c{r}_{j}"), format!("Sums(a{}[{}])", r / 4, r % 4), format!("b{j}"));
                match sums {
                    DType::F32 => writeln!(text, "        {c} = fma({a}, {b}, {c});"),
                    _ => writeln!(text, "        {c} += {a} * {b};"),
                }
                .expect("to a string");
            }
        }
        text + "    }\n"
    }
}
