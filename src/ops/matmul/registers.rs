//! The text of register tiles: each invocation adds up its own rows and columns.

use super::side::Side;
use super::tile::Tile;
use super::wgsl::MatmulSpec;
use crate::element::DType;
use std::fmt::Write;

impl Tile {
    pub fn main(self, text: &MatmulSpec, sides: &[Side; 2]) -> String {
        let mut main = text.head("");
        main += &match self.slices {
            1 => "    let quad = quad_at(lane);\n".to_string(),
            _ => format!(
                "    let slice = lane / {0}u;\n    let own = lane % {0}u;\n    let quad = quad_at(own);\n",
                self.of_slice()
            ),
        };
        for r in 0..self.high {
            (0..self.wide / 4).for_each(|j| writeln!(main, "    var c{r}_{j} = Sums();").expect("to a string"));
        }
        main += &text.turns(sides, &|stage| self.multiply(sides, text.sums, stage));
        main += &if self.slices > 1 { self.add_slices() } else { self.puts(|_| true) };
        main + "}\n"
    }

    /// Lines that store an invocation's rows, or some of them.
    fn puts(self, which: impl Fn(u32) -> bool) -> String {
        let put = |r: u32, j: u32| {
            format!(
                "    put(batch, a_first + (quad.x + {}u) * 4u + {}u, b_first + (quad.y + {}u) * 4u, c{r}_{j});\n",
                r / 4 * self.down(),
                r % 4,
                j * self.right()
            )
        };
        let rows = (0..self.high).filter(|&r| which(r));
        rows.flat_map(|r| (0..self.wide / 4).map(move |j| (r, j))).map(|(r, j)| put(r, j)).collect()
    }

    /// Lines that add up the slices' sums, in what was the tile of b: each slice those of some rows, and stores them.
    fn add_slices(self) -> String {
        let quads = self.wide / 4;
        let place = |slice: String, r: u32, j: u32| {
            format!("b_tile0[({slice} * {}u + {}u) * {}u + own]", self.high * quads, r * quads + j, self.of_slice())
        };
        let rows = || (0..self.high).flat_map(|r| (0..quads).map(move |j| (r, j)));
        let mut text = String::from("    workgroupBarrier();\n");
        for (r, j) in rows() {
            writeln!(text, "    {} = c{r}_{j};", place("slice".into(), r, j)).expect("to a string");
        }
        text += "    workgroupBarrier();\n";
        for slice in 0..self.slices {
            let own = |r: u32| r % self.slices == slice;
            writeln!(text, "    if (slice == {slice}u) {{").expect("to a string");
            for (r, j) in rows().filter(|&(r, _)| own(r)) {
                let all: Vec<String> = (0..self.slices).map(|slice| place(format!("{slice}u"), r, j)).collect();
                writeln!(text, "    c{r}_{j} = {};", all.join(" + ")).expect("to a string");
            }
            text += &self.puts(own);
            text += "    }\n";
        }
        text
    }

    /// Adds the products of a tile's inner elements.
    fn multiply(self, sides: &[Side; 2], sums: DType, stage: u32) -> String {
        let depth = self.depth / self.slices;
        let looped = self.unroll < depth || self.slices > 1;
        let first = if self.slices > 1 { format!("slice * {depth}u") } else { "0u".into() };
        let mut text = match looped {
            true => format!(
                "    let first{stage} = {first};\n    for (var d = first{stage}; d < first{stage} + {depth}u; d += {}u) {{\n",
                self.unroll
            ),
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
