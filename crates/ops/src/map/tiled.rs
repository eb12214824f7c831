//! Map through tiles in workgroup memory; `shaders/map_tiled.wgsl`.
//!
//! Bound by memory: every input once, every output once, both in segments of a tile's side: 256 bytes of f32, 64 of u8.
//! A value computed from transposed inputs alone is kept as a result; otherwise the inputs are kept.

use super::super::fuse::{Fusion, FusionSpec, Mode, Several, SeveralSpec, Store, Stride, bits, wide};
use super::tiles::{Tiles, extents};
use super::{Map, buffer_bytes, slot_bytes};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::Result;
use crosslane_core::kernel::{Draft, Kernel, Spec};
use crosslane_core::op::{Grid, Op, Param, Pass, Plan};
use std::fmt::Write;
use std::ops::Range;

/// The parameters that all have, before the fusions' own.
const PARAMS: [&str; 5] = ["tiles", "down", "across", "rows", "columns"];

impl Map {
    /// The plan through tiles, if they help.
    pub(super) fn tiled(&self, fusion: &Fusion, caps: &Caps) -> Result<Option<Plan>> {
        if self.count.is_some() {
            return Ok(None);
        }
        let Some(tiles) = Tiles::of(fusion, caps) else { return Ok(None) };
        let (kept, result) = tiles.split(&self.expression);
        let mut several = tiles.fusions(&kept, &result, fusion);
        let space = several.space();
        let chunk = space.chunks(caps.binding_bytes, 4096);
        let whole = chunk == space.extents;
        let keeps_words = whole && tiles.keeps_result(&self.expression);
        let Some(words) = self.widen(&mut several, &chunk, keeps_words, caps) else { return Ok(None) };
        let spec = TiledSpec {
            several: several.spec(),
            steps: self.expression.steps.len(),
            keeps_result: tiles.keeps_result(&self.expression),
            rows: tiles.rows,
            columns: tiles.columns,
            band: tiles.band,
            words: words.then_some(tiles.follows),
        };
        let kernel = Kernel::of(spec, caps);
        let bytes = |slot: usize| {
            slot_bytes(&self.expression, slot).unwrap_or(buffer_bytes(self.expression.dtype(), self.output_len))
        };
        let pass = |cut: Vec<Range<u64>>| {
            let lengths: Vec<u64> = cut.iter().map(|range| range.end - range.start).collect();
            let [planes, rows, columns] = extents(&several.0[0], &lengths);
            let (down, across) = (rows.div_ceil(tiles.rows as u64), columns.div_ceil(tiles.columns as u64));
            let mut own = [planes * down * across, down, across, rows, columns].map(Param::of).to_vec();
            if words {
                own.push(Param::of(planes * rows * columns));
                own.extend(lengths.iter().map(|&length| Param::of(length)));
            }
            let (params, buffers) = several.params(&cut, caps.offset_alignment, &bytes);
            let grid = Grid::Count(planes * down * across);
            Pass { kernel: kernel.clone(), buffers, params: [own, params].concat(), grid }
        };
        let boxes = space.boxes(self.name(), &chunk)?;
        Ok(Some(Plan { scratch: vec![], passes: boxes.into_iter().map(pass).collect() }))
    }

    /// Whether it goes through tiles where it goes in one launch.
    pub(crate) fn is_tiled(&self, caps: &Caps) -> bool {
        self.count.is_none() && Tiles::of(&self.fusion(), caps).is_some()
    }

    /// Takes four elements at a time where neighbours are aligned. Gives whether whole words are stored instead of elements, of
    /// types smaller than one; nothing where they could only be stored by atomics.
    fn widen(&self, several: &mut Several, chunk: &[u64], can_store_words: bool, caps: &Caps) -> Option<bool> {
        for (nth, fusion) in several.0.iter_mut().enumerate() {
            fusion.widen(chunk, if nth == 0 { 2 } else { 1 }, false, caps);
            let packs = nth == 0 && self.expression.dtype().per_word() > 1;
            if !packs && fusion.modes.contains(&Mode::Gather) {
                narrow(fusion);
            }
        }
        let (slot, dtype, _) = several.0[0].output.expect("a map has an output");
        if dtype.per_word() == 1 || several.0[0].width == 4 {
            return Some(false);
        }
        if !(self.fresh && can_store_words) {
            return None;
        }
        several.0.iter_mut().for_each(narrow);
        several.0[0].output = Some((slot, dtype, Store::Word));
        Some(true)
    }
}

/// What the text of a tiled map's kernel depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct TiledSpec {
    /// What is stored, then what is kept in each tile.
    several: SeveralSpec,
    /// Of the map's own expression.
    steps: usize,
    /// Whether the first tile keeps the result.
    keeps_result: bool,
    rows: u32,
    columns: u32,
    band: u32,
    /// Whether whole words are stored, and what they have of other rows is in the tile too.
    words: Option<bool>,
}

impl Spec for TiledSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let several = &self.several;
        let lengths = (0..several.0[0].groups.len()).map(|dim| format!("length{dim}"));
        let words = self.words.map(|_| ["count".to_string()].into_iter().chain(lengths));
        // Functions are called by what computes the result: of the first tile if that keeps it.
        let computes = self.keeps_result as usize;
        Draft {
            constants: vec![
                ("WORKGROUP", workgroup(caps)),
                ("ROWS", self.rows),
                ("COLUMNS", self.columns),
                ("BAND", self.band),
            ],
            params: PARAMS
                .map(String::from)
                .into_iter()
                .chain(words.into_iter().flatten())
                .chain(several.param_names())
                .collect(),
            access: several.access(),
            text: several.text() + &self.text(caps),
            width: several.0[computes].width,
            f16: several.uses_f16(),
            trusted: several.is_safe(),
            ..Draft::new(format!("tiled map of {} steps", self.steps), shader("map_tiled"))
        }
    }
}

/// Invocations of a workgroup: a power of two, as a tile's sides are.
fn workgroup(caps: &Caps) -> u32 {
    1 << caps.workgroup().ilog2()
}

fn narrow(fusion: &mut Fusion) {
    fusion.modes.fill(Mode::Scalar);
    fusion.width = 1;
}

impl TiledSpec {
    fn text(&self, caps: &Caps) -> String {
        let (stored, kept) = self.several.0.split_first().expect("the first stores");
        let mut text = String::new();
        let mut loads = String::new();
        for (tile, fusion) in kept.iter().enumerate() {
            text += &self.keep_text(tile, fusion, stored);
            loads += &self.load_text(tile, fusion, caps);
        }
        text += &format!("fn load(k: u32, row: u32, column: u32, lane: u32) {{\n{loads}}}\n");
        text + &match self.words {
            Some(follows) => element_text(stored, kept[0].dtype()) + &self.finish_words_text(stored, follows, caps),
            None => self.finish_text(stored.width, caps),
        }
    }

    /// A tile, and how values are kept in it and fetched: bools as numbers.
    fn keep_text(&self, tile: usize, fusion: &FusionSpec, stored: &FusionSpec) -> String {
        let dtype = fusion.dtype();
        let bool = dtype == DType::Bool;
        let (element, pitch) = (if bool { "u32" } else { dtype.wgsl() }, self.rows + 1);
        let lanes = |width: u32| {
            (0..width).map(move |lane| if width == 1 { "" } else { [".x", ".y", ".z", ".w"][lane as usize] })
        };
        let keep = lanes(fusion.width).enumerate().map(|(at, lane)| match bool {
            true => format!("    tile{tile}[at + {at}u] = select(0u, 1u, v{lane});\n"),
            false => format!("    tile{tile}[at + {at}u] = v{lane};\n"),
        });
        let fetch = |at: u32| format!("tile{tile}[at + {}u]{}", at * pitch, if bool { " != 0u" } else { "" });
        let (value, values) = (wide(dtype.wgsl(), fusion.width), wide(dtype.wgsl(), stored.width));
        let fetched = (0..stored.width).map(fetch).collect::<Vec<_>>().join(", ");
        let fetched = if stored.width == 1 { fetched } else { format!("{values}({fetched})") };
        format!(
            "var<workgroup> tile{tile}: array<{element}, {}>;\n\
         fn keep{tile}(p: vec2<u32>, v: {value}) {{\n    let at = p.y * {pitch}u + p.x;\n{}}}\n\
         fn kept{tile}(k: u32, r: u32, c: u32) -> {values} {{\n    let at = c % COLUMNS * {pitch}u + r % ROWS;\n    \
         return {fetched};\n}}\n",
            self.columns * pitch,
            keep.collect::<String>(),
        )
    }

    /// Fills a tile: all loads of a round before what waits for them.
    fn load_text(&self, tile: usize, fusion: &FusionSpec, caps: &Caps) -> String {
        let width = fusion.width;
        let value = format!(
            "        let v# = t{tile}_value(k, min(row + p#.x, params.rows - {width}u), min(column + p#.y, params.columns - 1u));\n"
        );
        let keep = format!("        keep{tile}(p#, v#);\n");
        Units::new(width, self.rows, self, caps).each(&[&value, &keep])
    }

    fn finish_text(&self, width: u32, caps: &Caps) -> String {
        let value = format!(
            "        let r# = row + p#.y;\n        let c# = column + p#.x;\n        \
         let v# = value(k, min(r#, params.rows - 1u), min(c#, params.columns - {width}u));\n"
        );
        let store =
            "        if (r# < params.rows && c# < params.columns) {\n            store(k, r#, c#, v#);\n        }\n";
        let each = Units::new(width, self.columns, self, caps).each(&[&value, store]);
        format!("fn finish(k: u32, row: u32, column: u32, lane: u32) {{\n{each}}}\n")
    }

    /// Stores whole words: each by the row that has its first element. What a word has of other rows is in the tile too if they
    /// follow, and is else read from memory.
    fn finish_words_text(&self, stored: &FusionSpec, follows: bool, caps: &Caps) -> String {
        let (output, dtype) = (stored.arrays.len() - 1, stored.dtype());
        let per_word = dtype.per_word();
        let (value, shift) = (bits("v", dtype), 32 / per_word);
        let each = Units { unroll: 1, ..Units::new(per_word, self.columns, self, caps) }.each(&[&format!(
        "        let r = row + p#.y;\n        if (r < params.rows) {{\n            let start = address(k, r, column);\n            \
         let end = start + min(COLUMNS, params.columns - column);\n            \
         let first = (start + {}u) / {per_word}u * {per_word}u + p#.x;\n            if (first < end) {{\n                \
         x{output}[first / {per_word}u] = word(k, r, column, start, end, first);\n            }}\n        }}\n",
        per_word - 1,
    )]);
        let element = match follows {
            false => "",
            true => {
                "    let after = r + (at - start) / params.columns;\n    \
             if (after < min(params.rows, r / ROWS * ROWS + ROWS)) {\n        \
             return value(k, after, (at - start) % params.columns);\n    }\n"
            }
        };
        let address = stored.address_text("address", output);
        format!(
            "{address}fn one(k: u32, r: u32, column: u32, start: u32, end: u32, at: u32) -> {} {{\n    \
         if (at < end) {{\n        return value(k, r, column + at - start);\n    }}\n{element}    return element(at);\n}}\n\
         fn word(k: u32, r: u32, column: u32, start: u32, end: u32, first: u32) -> u32 {{\n    var word = 0u;\n    \
         for (var j = 0u; j < {per_word}u; j++) {{\n        if (first + j < params.count) {{\n            \
         let v = one(k, r, column, start, end, first + j);\n            word |= {value} << (j * {shift}u);\n        \
         }}\n    }}\n    return word;\n}}\n\
         fn finish(k: u32, row: u32, column: u32, lane: u32) {{\n{each}}}\n",
            dtype.wgsl(),
        )
    }
}

/// `element(at)`: the value for the output's element `at`, wherever it is: what shares a word with the end of a row.
fn element_text(stored: &FusionSpec, kept: DType) -> String {
    let output = stored.arrays.len() - 1;
    let coordinate = |dim: usize| match stored.arrays[output].strides[dim] {
        Stride::One => format!("at % params.length{dim}"),
        _ => format!("at / params.stride{output}_{dim} % params.length{dim}"),
    };
    let variable = |group: usize| {
        let dims = (0..stored.groups.len()).filter(|&dim| stored.groups[dim] == group);
        dims.fold("0u".to_string(), |outer, dim| format!("({outer} * params.length{dim} + {})", coordinate(dim)))
    };
    format!(
        "fn element(at: u32) -> {} {{\n    return t0_value({}, {}, {});\n}}\n",
        kept.wgsl(),
        variable(0),
        variable(1),
        variable(2)
    )
}

/// Units of `width` elements along rows of `side` elements: how a kernel goes through a tile.
struct Units {
    width: u32,
    side: u32,
    all: u32,
    workgroup: u32,
    /// How many an invocation has in flight.
    unroll: u32,
}

impl Units {
    fn new(width: u32, side: u32, tiles: &TiledSpec, caps: &Caps) -> Units {
        let (all, workgroup) = (tiles.rows * tiles.columns / width, workgroup(caps));
        let most = if caps.short_vectors() { 1 } else { 16 / width.max(2) };
        Units { width, side, all, workgroup, unroll: (all / workgroup).clamp(1, most) }
    }

    /// A loop over the units of an invocation, `body` of each, and then `after`; `#` is its number among those in flight.
    fn each(&self, bodies: &[&str]) -> String {
        let Units { width, side, all, workgroup, unroll } = self;
        let units = side / width;
        let across = units.min(32 / width);
        let mut text = format!("    for (var unit = lane; unit < {all}u; unit += {}u) {{\n", workgroup * unroll);
        for u in 0..*unroll {
            let unit = u * workgroup;
            writeln!(text, "        let p{u} = place(unit + {unit}u, {units}u, {across}u) * vec2<u32>({width}u, 1u);")
                .expect("to a string");
        }
        for body in bodies {
            text.extend((0..*unroll).map(|u| body.replace('#', &u.to_string())));
        }
        text + "    }\n"
    }
}
