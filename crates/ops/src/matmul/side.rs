//! A side of a product: how its tiles are fetched, and how they lie in workgroup memory.

use crate::fuse::FusionSpec;
use crosslane_core::element::DType;
use std::fmt::Write;

/// How an operand's tile is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fetch {
    /// Four neighbours along the rows or columns: as they lie in workgroup memory.
    Outer,
    /// Four neighbours along the inner elements.
    Inner,
    /// One at a time, neighbours along the rows or columns.
    EachOuter,
    /// One at a time, neighbours along the inner elements.
    EachInner,
}

impl Fetch {
    /// The same neighbours, one after the other where a fusion takes one.
    pub fn of_width(self, width: u32) -> Fetch {
        match (self, width) {
            (Fetch::Inner, 1) => Fetch::EachInner,
            (Fetch::Outer, 1) => Fetch::EachOuter,
            _ => self,
        }
    }
}

/// A side of the product, with all that its text depends on.
pub(super) struct Side<'a> {
    /// Its letter.
    pub name: &'static str,
    /// `row` or `column`, whichever it has.
    pub outer: &'static str,
    pub fetch: Fetch,
    pub fusion: &'a FusionSpec,
    /// The type of the elements in workgroup memory.
    pub held: DType,
    /// Rows or columns of a tile, and inner elements.
    pub across: u32,
    pub depth: u32,
    /// Invocations that fetch it.
    pub threads: u32,
    /// Whether lines of the tile are inner elements, one line a row or column; else the other way round.
    pub inner_lines: bool,
    /// Vectors from one line to the next.
    pub pitch: u32,
    /// Whether the tile is an array of elements, not of vectors.
    pub single: bool,
}

impl Side<'_> {
    /// The functions that fetch a vector of the tile and keep it.
    pub fn text(&self) -> String {
        self.tile_text() + &self.fetch_text() + &self.keep_text()
    }

    /// How much of it there is: fetched by all, by an invocation at most, and kept; and from one line to the next.
    pub fn constants(&self) -> Vec<(&'static str, u32)> {
        let (all, each) = self.quads();
        let names = match self.name {
            "a" => ["A_QUADS", "A_EACH", "A_VECTORS", "A_PITCH"],
            _ => ["B_QUADS", "B_EACH", "B_VECTORS", "B_PITCH"],
        };
        names.into_iter().zip([all, each, self.vectors(), self.pitch]).collect()
    }

    /// STAGES tiles: with two, one is written while the other is read.
    fn tile_text(&self) -> String {
        let (name, vectors) = (self.name, format!("STAGES * {}_VECTORS", self.name.to_uppercase()));
        match self.single {
            true => format!("var<workgroup> {name}_tile: array<{}, 4u * {vectors}>;\n", self.held.wgsl()),
            false => format!("var<workgroup> {name}_tile: array<Held, {vectors}>;\n"),
        }
    }

    /// What stores a vector in the tile, from this one on.
    fn store_text(&self, vector: &str) -> String {
        let tile = format!("{}_tile", self.name);
        match self.single {
            true => (0..4).map(|j| format!("    {tile}[({vector}) * 4u + {j}u] = v[{j}];\n")).collect(),
            false => format!("    {tile}[{vector}] = v;\n"),
        }
    }

    /// Vectors that it takes.
    pub fn vectors(&self) -> u32 {
        self.pitch * if self.inner_lines { self.across } else { self.depth }
    }

    /// Vectors of a tile, and those that each invocation fetches; the last may be for some only.
    fn quads(&self) -> (u32, u32) {
        let all = self.across * self.depth / 4;
        (all, all.div_ceil(self.threads))
    }

    /// The vector of an element in a tile, and which of the vector it is.
    fn place(&self, outer: &str, inner: &str) -> (String, String) {
        let (line, along) = if self.inner_lines { (outer, inner) } else { (inner, outer) };
        (format!("{line} * {}u + {along} / 4u", self.pitch), format!("{along} % 4u"))
    }

    /// Which row or column a vector along the inner elements belongs to, and which one of its vectors it is. What
    /// neighbours put down at once must lie in different banks: where a vector goes to four lines, 32 neighbours have
    /// four vectors of each of eight rows at most; where it goes to one line of f16, 16 of them have lines that are
    /// apart.
    fn inner_quad(&self) -> (String, String) {
        let (across, each) = (self.across, self.depth / 4);
        let whole = (format!("quad / {each}u"), format!("quad % {each}u"));
        match self.inner_lines {
            true if self.held == DType::F16 && each < 16 => {
                let (lines, apart) = (16 / each, each / 2);
                let line = format!("quad / {}u * 8u + quad / {each}u % {lines}u * {apart}u", 8 * each);
                (format!("({line} + quad / 16u % {apart}u)"), whole.1)
            }
            false if each > 4 => {
                (format!("quad / 4u % {across}u"), format!("(quad % 4u + quad / {}u * 4u)", 4 * across))
            }
            _ => whole,
        }
    }

    /// `a_fetch(batch, first, k, quad)`: a vector of the tile whose outer ones begin with `first` and inner elements
    /// with `k`. Past the last row or column it holds another's elements. `a_fetch_end(batch, first, k, quad, end)`:
    /// zeros past the inner elements, for the last tile.
    fn fetch_text(&self) -> String {
        let (name, quads, depth) = (self.name, self.quads().0, self.depth);
        let element = self.held.wgsl();
        let read = |outer: &str, inner: &str| {
            let place = if self.outer == "row" { format!("{outer}, 0u") } else { format!("0u, {outer}") };
            let value = format!("{name}_value(batch, {place}, {inner})");
            let of = self.fusion.dtype();
            match self.fusion.width {
                1 if of != self.held => format!("{element}({value})"),
                4 if of != self.held => format!("Held({value})"),
                _ => value,
            }
        };
        let last = format!("params.{}s - 1u", self.outer);
        let (at, value, guarded) = match self.fetch {
            Fetch::Outer => {
                let at = format!(
                    "    let outer = min(first + quad % {0}u * 4u, ({last}) / 4u * 4u);\n    \
                     let inner = k + quad / {0}u;\n",
                    self.across / 4
                );
                let guarded = format!(
                    "    if (inner >= end) {{\n        return Held();\n    }}\n    return {};\n",
                    read("outer", "inner")
                );
                (at, read("outer", "inner"), guarded)
            }
            Fetch::Inner => {
                let (outer, inner) = self.inner_quad();
                let at = format!("    let outer = min(first + {outer}, {last});\n    let inner = k + {inner} * 4u;\n");
                let guarded = format!(
                    "    if (inner >= end) {{\n        return Held();\n    }}\n    let within = vec4<u32>(inner) + \
                     vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(end);\n    return select(Held(), {}, within);\n",
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
                        false => (format!("{element} % {}u", self.across), format!("{element} / {}u", self.across)),
                    };
                    writeln!(at, "    let outer{j} = min(first + {outer}, {last});\n    let inner{j} = k + {inner};")
                        .expect("to a string");
                    values.push(read(&format!("outer{j}"), &format!("inner{j}")));
                }
                let line = |(j, value): (usize, &String)| {
                    format!("    if (inner{j} < end) {{\n        v[{j}] = {value};\n    }}\n")
                };
                let lines: String = values.iter().enumerate().map(line).collect();
                (at, format!("Held({})", values.join(", ")), format!("    var v = Held();\n{lines}    return v;\n"))
            }
        };
        let head = |called: &str, more: &str| {
            format!("fn {name}_{called}(batch: u32, first: u32, k: u32, quad: u32{more}) -> Held {{\n{at}")
        };
        let (whole, end) = (head("fetch", ""), head("fetch_end", ", end: u32"));
        format!("{whole}    return {value};\n}}\n{end}{guarded}}}\n")
    }

    /// `a_keep(quad, v, stage)`: puts what was fetched into the tile, whose first vector that is.
    fn keep_text(&self) -> String {
        let (name, quads, depth) = (self.name, self.quads().0, self.depth);
        let tile = format!("{name}_tile");
        let (along, each) = match self.fetch {
            Fetch::Outer => (self.across, false),
            Fetch::Inner => (depth, false),
            Fetch::EachOuter => (self.across, true),
            Fetch::EachInner => (depth, true),
        };
        let fetched_inner = matches!(self.fetch, Fetch::Inner | Fetch::EachInner);
        let (line, nth) = match fetched_inner {
            true => self.inner_quad(),
            false => (format!("quad / {}u", along / 4), format!("quad % {}u", along / 4)),
        };
        let mut lines = match (each, fetched_inner == self.inner_lines) {
            (true, _) => String::new(),
            (_, true) => self.store_text(&format!("stage + {line} * {}u + {nth}", self.pitch)),
            (_, false) => format!("    let line = {line};\n    let first = {nth} * 4u;\n"),
        };
        for j in (0..4).filter(|_| each || fetched_inner != self.inner_lines) {
            let (line, place) = match each {
                true => {
                    let element = format!("(quad + {}u)", j * quads);
                    (format!("({element} / {along}u)"), format!("({element} % {along}u)"))
                }
                false => ("line".to_string(), format!("(first + {j}u)")),
            };
            let (outer, inner) = if fetched_inner { (line, place) } else { (place, line) };
            let (vector, one) = self.place(&outer, &inner);
            match self.single {
                true => writeln!(lines, "    {tile}[(stage + {vector}) * 4u + {one}] = v[{j}];"),
                false => writeln!(lines, "    {tile}[stage + {vector}][{one}] = v[{j}];"),
            }
            .expect("to a string");
        }
        format!("fn {name}_keep(quad: u32, v: Held, stage: u32) {{\n{lines}}}\n")
    }
}
