//! The text of a product's kernel that is written out: fetching, keeping, multiplying, storing.

use super::tile::Tile;
use crate::element::DType;
use crate::ops::fuse::{Fusion, Several, Store, wide};
use std::fmt::Write;

/// How an operand's tile is fetched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fetch {
    /// Four neighbours along the rows or columns: as they lie in workgroup memory.
    Outer,
    /// Four neighbours along the inner ones.
    Inner,
    /// One at a time, neighbours along the rows or columns.
    EachOuter,
    /// One at a time, neighbours along the inner ones.
    EachInner,
}

/// The text of a kernel.
pub(super) struct Text<'a> {
    /// The epilogue with the output, then a, then b.
    pub several: &'a Several<'a>,
    /// How a and b are fetched.
    pub fetch: [Fetch; 2],
    pub tile: Tile,
    /// The type of the sums.
    pub sums: DType,
}

/// A side of the product: its letter, the extent of its tile, its outer variable, and whether that comes second.
struct Side<'a> {
    name: &'static str,
    across: u32,
    outer: &'static str,
    fetch: Fetch,
    fusion: &'a Fusion<'a>,
}

impl Text<'_> {
    pub fn text(&self) -> String {
        let sides = self.sides();
        let mut text = self.several.text();
        text += &format!("alias Sums = {};\n", wide(self.sums.wgsl(), 4));
        for side in &sides {
            text += &self.tiles(side);
            text += &self.fetch(side);
            (0..self.tile.stages).for_each(|stage| text += &self.keep(side, stage));
        }
        text += &self.put();
        text += &self.main(&sides);
        text
    }

    fn sides(&self) -> [Side<'_>; 2] {
        let side = |name, across, outer, at: usize| Side {
            name,
            across,
            outer,
            fetch: self.fetch[at],
            fusion: &self.several.0[1 + at],
        };
        [side("a", self.tile.rows, "row", 0), side("b", self.tile.columns, "column", 1)]
    }

    /// Vectors from one inner one to the next in a tile: one more where four inner ones are written at once, so that they
    /// fall into different banks.
    fn pitch(&self, side: &Side) -> u32 {
        side.across / 4 + (side.fetch != Fetch::Outer) as u32
    }

    fn tiles(&self, side: &Side) -> String {
        let vectors = self.tile.depth * self.pitch(side);
        let tile = |stage| format!("var<workgroup> {}_tile{stage}: array<Sums, {vectors}>;\n", side.name);
        (0..self.tile.stages).map(tile).collect()
    }

    /// Vectors that each invocation fetches of a tile; the last may be for some only.
    fn quads(&self, side: &Side) -> (u32, u32) {
        let all = side.across * self.tile.depth / 4;
        (all, all.div_ceil(self.tile.threads()))
    }

    /// `a_fetch(batch, first, k, quad, end)`: a vector of the tile whose outer ones begin with `first` and inner ones with
    /// `k`. Past the last row or column it holds another's elements; past the inner ones zeros.
    fn fetch(&self, side: &Side) -> String {
        let (name, quads, depth) = (side.name, self.quads(side).0, self.tile.depth);
        let element = self.sums.wgsl();
        let read = |outer: &str, inner: &str| {
            let place = if side.outer == "row" { format!("{outer}, 0u") } else { format!("0u, {outer}") };
            let value = format!("{name}_value(batch, {place}, {inner})");
            let of = side.fusion.expression.dtype();
            match side.fusion.width {
                1 if of != self.sums => format!("{element}({value})"),
                4 if of != self.sums => format!("Sums({value})"),
                _ => value,
            }
        };
        let last = format!("params.{}s - 1u", side.outer);
        let (at, value, guarded) = match side.fetch {
            Fetch::Outer => {
                let at = format!(
                    "    let outer = min(first + quad % {0}u * 4u, ({last}) / 4u * 4u);\n    \
                     let inner = k + quad / {0}u;\n",
                    side.across / 4
                );
                let guarded = format!(
                    "    if (inner >= end) {{\n        return Sums();\n    }}\n    return {};\n",
                    read("outer", "inner")
                );
                (at, read("outer", "inner"), guarded)
            }
            Fetch::Inner => {
                let at = format!(
                    "    let outer = min(first + quad / {0}u, {last});\n    let inner = k + quad % {0}u * 4u;\n",
                    depth / 4
                );
                let guarded = format!(
                    "    if (inner >= end) {{\n        return Sums();\n    }}\n    let within = vec4<u32>(inner) + \
                     vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(end);\n    return select(Sums(), {}, within);\n",
                    read("outer", "inner")
                );
                (at, read("outer", "inner"), guarded)
            }
            each => {
                let along = each == Fetch::EachInner;
                let (mut at, mut values) = (String::new(), vec![]);
                for j in 0..4 {
                    let element = format!("(quad + {}u)", j * quads);
                    let (outer, inner) = match along {
                        true => (format!("{element} / {depth}u"), format!("{element} % {depth}u")),
                        false => (format!("{element} % {}u", side.across), format!("{element} / {}u", side.across)),
                    };
                    writeln!(at, "    let outer{j} = min(first + {outer}, {last});\n    let inner{j} = k + {inner};")
                        .expect("to a string");
                    values.push(read(&format!("outer{j}"), &format!("inner{j}")));
                }
                let line = |(j, value): (usize, &String)| {
                    format!("    if (inner{j} < end) {{\n        v[{j}] = {value};\n    }}\n")
                };
                let lines: String = values.iter().enumerate().map(line).collect();
                (at, format!("Sums({})", values.join(", ")), format!("    var v = Sums();\n{lines}    return v;\n"))
            }
        };
        format!(
            "fn {name}_fetch(batch: u32, first: u32, k: u32, quad: u32, end: u32) -> Sums {{\n{at}    \
             if (k + {depth}u <= end) {{\n        return {value};\n    }}\n{guarded}}}\n"
        )
    }

    /// `a_keep(quad, v)`: puts what was fetched into the tile.
    fn keep(&self, side: &Side, stage: u32) -> String {
        let (name, quads, depth, pitch) = (side.name, self.quads(side).0, self.tile.depth, self.pitch(side));
        let tile = format!("{name}_tile{stage}");
        let lines = match side.fetch {
            Fetch::Outer => format!("    {tile}[quad / {0}u * {pitch}u + quad % {0}u] = v;\n", side.across / 4),
            Fetch::Inner => {
                let line =
                    |j: u32| format!("    {tile}[(inner + {j}u) * {pitch}u + outer / 4u][outer % 4u] = v[{j}];\n");
                let at = format!("    let outer = quad / {0}u;\n    let inner = quad % {0}u * 4u;\n", depth / 4);
                at + &(0..4).map(line).collect::<String>()
            }
            each => (0..4u32)
                .map(|j| {
                    let element = format!("(quad + {}u)", j * quads);
                    let (outer, inner) = match each == Fetch::EachInner {
                        true => (format!("{element} / {depth}u"), format!("{element} % {depth}u")),
                        false => (format!("{element} % {}u", side.across), format!("{element} / {}u", side.across)),
                    };
                    format!("    {tile}[{inner} * {pitch}u + {outer} / 4u][{outer} % 4u] = v[{j}];\n")
                })
                .collect(),
        };
        format!("fn {name}_keep{stage}(quad: u32, v: Sums) {{\n{lines}}}\n")
    }

    /// `put(batch, row, column, v)`: four neighbours of a row go through the epilogue into the output.
    fn put(&self) -> String {
        let epilogue = &self.several.0[0];
        let lines = match epilogue.width {
            4 => "    store(batch, row, column, 0u, value(batch, row, column, 0u, v));\n".to_string(),
            _ => (0..4)
                .map(|j| {
                    format!(
                        "    if (column + {j}u < params.columns) {{\n        store(batch, row, column + {j}u, 0u, \
                         value(batch, row, column + {j}u, 0u, v[{j}]));\n    }}\n"
                    )
                })
                .collect(),
        };
        format!(
            "fn put(batch: u32, row: u32, column: u32, v: Sums) {{\n    if (row >= params.rows || column >= params.columns) \
             {{\n        return;\n    }}\n{lines}}}\n"
        )
    }

    fn main(&self, sides: &[Side; 2]) -> String {
        let tile = self.tile;
        let mut text = format!(
            "@compute @workgroup_size({})\nfn matmul(\n    @builtin(workgroup_id) group: vec3<u32>,\n    \
             @builtin(num_workgroups) groups: vec3<u32>,\n    @builtin(local_invocation_index) lane: u32,\n) {{\n    \
             let index = group.x + group.y * groups.x;\n    let tiles = params.row_tiles * params.column_tiles;\n    \
             if (index >= params.groups) {{\n        return;\n    }}\n    let batch = index / tiles;\n    \
             let at = tile_at(index % tiles);\n    let a_first = at.x * {}u;\n    let b_first = at.y * {}u;\n    \
             let quad = quad_at(lane);\n    let end = inner_end(batch);\n    var k = 0u;\n",
            tile.threads(),
            tile.rows,
            tile.columns
        );
        for r in 0..tile.high {
            (0..tile.wide / 4).for_each(|j| writeln!(text, "    var c{r}_{j} = Sums();").expect("to a string"));
        }
        sides.iter().for_each(|side| text += &self.fetches(side, "    var "));
        text += "    loop {\n";
        for stage in 0..tile.stages {
            text += &self.stage(sides, stage);
        }
        text += "    }\n";
        for r in 0..tile.high {
            for j in 0..tile.wide / 4 {
                writeln!(
                    text,
                    "    put(batch, a_first + (quad.x + {}u) * 4u + {}u, b_first + (quad.y + {}u) * 4u, c{r}_{j});",
                    r / 4 * tile.down(),
                    r % 4,
                    j * tile.right()
                )
                .expect("to a string");
            }
        }
        text + "}\n"
    }

    /// Fetches an invocation's part of a side's next tile.
    fn fetches(&self, side: &Side, indent: &str) -> String {
        let (name, threads) = (side.name, self.tile.threads());
        let (all, each) = self.quads(side);
        let fetch = |i: u32| {
            let own = format!("lane + {}u", i * threads);
            let quad = if (i + 1) * threads > all { format!("min({own}, {}u)", all - 1) } else { own };
            format!("{indent}{name}{i}_next = {name}_fetch(batch, {name}_first, k, {quad}, end);\n")
        };
        (0..each).map(fetch).collect()
    }

    /// One turn of the loop: keeps what was fetched, fetches the next, and multiplies.
    fn stage(&self, sides: &[Side; 2], stage: u32) -> String {
        let (tile, mut text) = (self.tile, String::new());
        if tile.stages == 1 {
            text += "        workgroupBarrier();\n";
        }
        for side in sides {
            let (all, each) = self.quads(side);
            for i in 0..each {
                let call = format!("{0}_keep{stage}(lane + {1}u, {0}{i}_next);", side.name, i * tile.threads());
                match (i + 1) * tile.threads() > all {
                    true => writeln!(
                        text,
                        "        if (lane + {}u < {all}u) {{\n            {call}\n        }}",
                        i * tile.threads()
                    ),
                    false => writeln!(text, "        {call}"),
                }
                .expect("to a string");
            }
        }
        text += &format!("        workgroupBarrier();\n        k += {}u;\n        if (k < end) {{\n", tile.depth);
        sides.iter().for_each(|side| text += &self.fetches(side, "            "));
        text += "        }\n";
        if tile.unroll < tile.depth {
            writeln!(text, "        for (var d = 0u; d < {}u; d += {}u) {{", tile.depth, tile.unroll)
                .expect("to a string");
        }
        for d in 0..tile.unroll {
            let d = if tile.unroll < tile.depth { format!("(d + {d}u)") } else { format!("{d}u") };
            text += &self.multiply(sides, stage, &d);
        }
        if tile.unroll < tile.depth {
            text += "        }\n";
        }
        text + "        if (k >= end) {\n            break;\n        }\n"
    }

    /// Adds the products of one inner one.
    fn multiply(&self, sides: &[Side; 2], stage: u32, d: &str) -> String {
        let tile = self.tile;
        let mut text = String::from("        {\n");
        let [a, b] = [self.pitch(&sides[0]), self.pitch(&sides[1])];
        for i in 0..tile.high / 4 {
            writeln!(text, "            let a{i} = a_tile{stage}[{d} * {a}u + quad.x + {}u];", i * tile.down())
                .expect("to a string");
        }
        for j in 0..tile.wide / 4 {
            writeln!(text, "            let b{j} = b_tile{stage}[{d} * {b}u + quad.y + {}u];", j * tile.right())
                .expect("to a string");
        }
        for r in 0..tile.high {
            for j in 0..tile.wide / 4 {
                let (c, a, b) = (format!("c{r}_{j}"), format!("Sums(a{}[{}])", r / 4, r % 4), format!("b{j}"));
                match self.sums {
                    DType::F32 => writeln!(text, "            {c} = fma({a}, {b}, {c});"),
                    _ => writeln!(text, "            {c} += {a} * {b};"),
                }
                .expect("to a string");
            }
        }
        text + "        }\n"
    }
}

/// Whether elements of a type are stored whole: then four go at once or each alone, and never a part of a word.
pub(super) fn store_of(fusion: &mut Fusion) {
    if let Some((_, dtype, store)) = &mut fusion.output
        && fusion.width == 1
        && dtype.per_word() > 1
    {
        *store = Store::Atomic;
    }
}
