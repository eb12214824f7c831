//! The text of a stencil's kernels.

use super::tiled::Way;
use super::{Neighbour, Stencil};
use crate::Boundary;
use crate::fuse::param;
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, word_suffixes};
use crosslane_core::kernel::{Access, Draft, Feature, Spec};
use crosslane_core::op::Formula;
use std::fmt::Write;

/// The parameters before those of the number that stands outside.
pub(super) const PARAMS: [&str; 6] = ["count", "tiles_x", "tiles_y", "size_x", "size_y", "size_z"];

/// What the text depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct StencilSpec {
    fields: usize,
    dtype: DType,
    neighbours: Vec<Neighbour>,
    formulas: Vec<Formula>,
    boundary: Boundary,
    reach: [u32; 3],
    way: Way,
}

impl StencilSpec {
    pub fn new(stencil: &Stencil, way: Way) -> StencilSpec {
        StencilSpec {
            fields: stencil.fields.len(),
            dtype: stencil.dtype(),
            neighbours: stencil.neighbours.clone(),
            formulas: stencil.formulas.clone(),
            boundary: stencil.boundary.rule(),
            reach: stencil.reach(),
            way,
        }
    }

    fn is_constant(&self) -> bool {
        matches!(self.boundary, Boundary::Constant(_))
    }

    fn constants(&self) -> Vec<(&'static str, u32)> {
        let [z, y, x] = self.reach;
        let [tile_x, tile_y] = self.way.tile(self.reach);
        let all = vec![("TILE_X", tile_x), ("TILE_Y", tile_y), ("REACH_X", x), ("REACH_Y", y)];
        let own = match self.way {
            Way::Direct { workgroup, .. } => {
                vec![("WORKGROUP", workgroup), ("REACH_Z", z), ("CELLS", self.way.cells())]
            }
            Way::Tiled { steps, held_x, held_y, workgroup } => {
                // Of one row an invocation's elements are a workgroup apart.
                let [cell_x, cell_y] = if held_y == 1 { [workgroup, 0] } else { [0, 1] };
                vec![
                    ("WORKGROUP", workgroup),
                    ("STEPS", steps),
                    ("HELD_X", held_x),
                    ("HELD_Y", held_y),
                    ("CELLS", self.way.cells()),
                    ("CELL_X", cell_x),
                    ("CELL_Y", cell_y),
                    ("CELL", cell_y * held_x + cell_x),
                    // Elements at the rim read past the tile, to no effect.
                    ("MARGIN", y * held_x + x),
                ]
            }
        };
        [all, own].concat()
    }

    /// Fields, formulas, what stands outside.
    fn common(&self) -> String {
        let element = self.dtype.wgsl();
        let mut text = format!("alias Element = {element};\n");
        for binding in 0..self.fields + self.formulas.len() {
            let (name, access) = match binding.checked_sub(self.fields) {
                None => (format!("field{binding}"), "read"),
                Some(nth) => (format!("next{nth}"), "read_write"),
            };
            writeln!(text, "@group(0) @binding({binding}) var<storage, {access}> {name}: array<Element>;")
                .expect("to a string");
        }
        for (nth, formula) in self.formulas.iter().enumerate() {
            text += &formula.definition(&format!("formula{nth}"));
        }
        let outside = if self.is_constant() { param("outside", self.dtype) } else { format!("{element}()") };
        write!(text, "fn outside() -> Element {{\n    return {outside};\n}}\n").expect("to a string");
        text + &self.boundary.place_text() + &self.wrapped_text()
    }

    /// `field_at(..)`: the value of a field near an element of plane `k`, wherever it is.
    fn wrapped_text(&self) -> String {
        let mut text = String::new();
        for field in 0..self.fields {
            write!(
                text,
                "fn field{field}_at(k: u32, z: i32, y: i32, x: i32) -> Element {{\n    let at_x = place(x, params.size_x);\n    \
                 let at_y = place(y, params.size_y);\n    let at_z = place(z, params.size_z);\n    \
                 if (min(at_x, min(at_y, at_z)) < 0) {{\n        return outside();\n    }}\n    \
                 return field{field}[((k * params.size_z + u32(at_z)) * params.size_y + u32(at_y)) * params.size_x + u32(at_x)];\n}}\n"
            )
            .expect("to a string");
        }
        text
    }

    /// The next value of each field from these neighbours.
    fn calls_of(&self, arguments: &[String]) -> impl Iterator<Item = String> {
        self.formulas.iter().enumerate().map(|(nth, formula)| formula.call(&format!("formula{nth}"), arguments, 1))
    }

    /// An invocation's place, and `update(k, z, y, x, inner)`: the next values of an element. `inner`: no neighbour is past an end.
    fn direct_text(&self) -> String {
        // On a processor neighbours are seen to be such where nothing is divided.
        let whole = matches!(self.way, Way::Direct { tile_x, workgroup, .. } if tile_x == workgroup);
        let [along, across] = if whole { ["lane", "0u"] } else { ["lane % TILE_X", "lane / TILE_X"] };
        let mut text = format!(
            "fn along(lane: u32) -> u32 {{\n    return {along};\n}}\n\
             fn across(lane: u32) -> u32 {{\n    return {across};\n}}\n"
        );
        text += concat!(
            "fn update(k: u32, z: u32, y: u32, x: u32, inner: bool) {\n    ",
            "let at = ((k * params.size_z + z) * params.size_y + y) * params.size_x + x;\n",
        );
        (0..self.neighbours.len()).for_each(|nth| text += &format!("    var n{nth}: Element;\n"));
        let (mut inner, mut other) = (String::new(), String::new());
        for (nth, Neighbour { field, offset: [z, y, x] }) in self.neighbours.iter().enumerate() {
            let mut near = format!("i32(at) + ({x})");
            if *y != 0 {
                near += &format!(" + ({y}) * i32(params.size_x)");
            }
            if *z != 0 {
                near += &format!(" + ({z}) * i32(params.size_x * params.size_y)");
            }
            writeln!(inner, "        n{nth} = field{field}[u32({near})];").expect("to a string");
            writeln!(other, "        n{nth} = field{field}_at(k, i32(z) + ({z}), i32(y) + ({y}), i32(x) + ({x}));")
                .expect("to a string");
        }
        text += &format!("    if (inner) {{\n{inner}    }} else {{\n{other}    }}\n");
        let arguments: Vec<String> = (0..self.neighbours.len()).map(|nth| format!("n{nth}")).collect();
        for (nth, call) in self.calls_of(&arguments).enumerate() {
            writeln!(text, "    next{nth}[at] = {call};").expect("to a string");
        }
        text + "}\n"
    }

    /// The tiles of all fields, and what of the kernel is written for each field and element: variables, `load`, a step, `store`.
    fn tiled_text(&self, cells: u32) -> String {
        let updated = self.formulas.len();
        let mut text = String::new();
        for field in 0..self.fields {
            writeln!(text, "var<workgroup> tile{field}: array<Element, HELD_X * HELD_Y + 2u * MARGIN>;")
                .expect("to a string");
        }
        // Of a repeated array what is past its ends is computed like any other part.
        let everywhere = self.boundary == Boundary::Wrap;
        writeln!(text, "const EVERYWHERE = {everywhere};\nalias Next = array<Element, {updated}>;")
            .expect("to a string");
        for field in 0..self.fields {
            write!(
                text,
                "fn near{field}(first: vec2<i32>, y: i32, x: i32) -> Element {{\n    let at_x = place(x, params.size_x);\n    \
                 let at_y = place(y, params.size_y);\n    if (min(at_x, at_y) < 0) {{\n        return outside();\n    }}\n    \
                 return tile{field}[MARGIN + u32((at_y - first.y) * i32(HELD_X) + at_x - first.x)];\n}}\n"
            )
            .expect("to a string");
        }
        let arguments: Vec<String> = self
            .neighbours
            .iter()
            .map(|Neighbour { field, offset: [_, y, x] }| format!("near{field}(first, y + ({y}), x + ({x}))"))
            .collect();
        let calls: Vec<String> = self.calls_of(&arguments).collect();
        text += &format!(
            "fn at_ends(first: vec2<i32>, y: i32, x: i32) -> Next {{\n    return Next({});\n}}\n",
            calls.join(", ")
        );
        text + &self.main_text(cells)
    }

    /// The entry point of tiles. Its arrays are registers: each index is a number of the text.
    fn main_text(&self, cells: u32) -> String {
        let (all, updated) = (0..self.fields, 0..self.formulas.len());
        let mut text = String::from(TILED_HEAD);
        all.clone().for_each(|f| text += &format!("    var own{f}: array<Element, CELLS>;\n"));
        text += "    if (inner) {\n        let start = (k * params.size_y + u32(y)) * params.size_x + u32(x);\n";
        for cell in 0..cells {
            let at = format!("start + {cell}u * (CELL_X + CELL_Y * params.size_x)");
            all.clone().for_each(|f| text += &format!("        own{f}[{cell}] = field{f}[{at}];\n"));
        }
        text += "    } else {\n";
        for cell in 0..cells {
            let at = format!("k, 0, y + i32({cell}u * CELL_Y), x + i32({cell}u * CELL_X)");
            all.clone().for_each(|f| text += &format!("        own{f}[{cell}] = field{f}_at({at});\n"));
        }
        text += "    }\n";
        let place = |cell: u32| format!("i + {cell}u * CELL");
        for cell in 0..cells {
            all.clone().for_each(|f| text += &format!("    tile{f}[{}] = own{f}[{cell}];\n", place(cell)));
        }
        text += "    for (var rim = lane; rim < MARGIN; rim += WORKGROUP) {\n";
        for f in all.clone() {
            writeln!(
                text,
                "        tile{f}[rim] = Element();\n        tile{f}[MARGIN + HELD_X * HELD_Y + rim] = Element();"
            )
            .expect("to a string");
        }
        text += "    }\n";
        text += "    workgroupBarrier();\n    for (var step = 1u; step <= STEPS; step++) {\n";
        updated.clone().for_each(|f| text += &format!("        var next{f}_own: array<Element, CELLS>;\n"));
        text += "        if (inner || EVERYWHERE) {\n";
        for cell in 0..cells {
            let arguments: Vec<String> = self.neighbours.iter().map(|near| self.held(near, cell, cells)).collect();
            for (f, call) in self.calls_of(&arguments).enumerate() {
                writeln!(text, "            next{f}_own[{cell}] = {call};").expect("to a string");
            }
        }
        text += "        } else {\n            var made: Next;\n";
        for cell in 0..cells {
            updated.clone().for_each(|f| text += &format!("            next{f}_own[{cell}] = own{f}[{cell}];\n"));
            let at = format!("y + i32({cell}u * CELL_Y), x + i32({cell}u * CELL_X)");
            write!(
                text,
                "            if (is_computed(step, first, size, {at})) {{\n                made = at_ends(first, {at});\n"
            )
            .expect("to a string");
            updated.clone().for_each(|f| text += &format!("                next{f}_own[{cell}] = made[{f}];\n"));
            text += "            }\n";
        }
        text += "        }\n        workgroupBarrier();\n";
        for cell in 0..cells {
            for f in updated.clone() {
                let place = place(cell);
                write!(
                    text,
                    "        own{f}[{cell}] = next{f}_own[{cell}];\n        tile{f}[{place}] = own{f}[{cell}];\n"
                )
                .expect("to a string");
            }
        }
        text += "        workgroupBarrier();\n    }\n";
        for cell in 0..cells {
            let at = format!("y + i32({cell}u * CELL_Y), x + i32({cell}u * CELL_X)");
            text += &format!("    if (is_result(first, size, {at})) {{\n");
            for f in updated.clone() {
                let to = format!(
                    "(k * params.size_y + u32(y) + {cell}u * CELL_Y) * params.size_x + u32(x) + {cell}u * CELL_X"
                );
                writeln!(text, "        next{f}[{to}] = own{f}[{cell}];").expect("to a string");
            }
            text += "    }\n";
        }
        text + "}\n"
    }

    /// A neighbour of an invocation's element: its own, where that is in the same column, else in the tile.
    fn held(&self, Neighbour { field, offset: [_, y, x] }: &Neighbour, cell: u32, cells: u32) -> String {
        let row = cell as i64 + *y as i64;
        let columns = !matches!(self.way, Way::Tiled { held_y: 1, .. });
        match *x == 0 && (columns || *y == 0) && (0..cells as i64).contains(&row) {
            true => format!("own{field}[{row}]"),
            false => format!("tile{field}[u32(i32(i + {cell}u * CELL) + ({y}) * i32(HELD_X) + ({x}))]"),
        }
    }
}

/// The entry point up to where an invocation's elements are: neighbours along y in one column, or apart in one row.
const TILED_HEAD: &str = "
@compute @workgroup_size(WORKGROUP)
fn stencil(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.x + group.y * groups.x;
    if (index >= params.count) {
        return;
    }
    let rest = index / params.tiles_x;
    let k = rest / params.tiles_y;
    let size = vec2<i32>(i32(params.size_x), i32(params.size_y));
    let first = vec2<i32>(i32(index % params.tiles_x * TILE_X), i32(rest % params.tiles_y * TILE_Y))
        - vec2<i32>(i32(STEPS * REACH_X), i32(STEPS * REACH_Y));
    let inner = all(first >= vec2<i32>(0)) & all(first + vec2<i32>(i32(HELD_X), i32(HELD_Y)) <= size);
    let held = first_held(lane);
    let x = first.x + i32(held.x);
    let y = first.y + i32(held.y);
    let i = MARGIN + held.y * HELD_X + held.x;
";

impl Spec for StencilSpec {
    fn draft(&self, _: &Caps) -> Draft {
        let (file, text) = match self.way {
            Way::Direct { .. } => ("stencil", self.direct_text()),
            Way::Tiled { .. } => ("stencil_tiled", self.tiled_text(self.way.cells())),
        };
        let outside = word_suffixes(self.dtype).filter(|_| self.is_constant()).map(|end| format!("outside{end}"));
        let f16 = |formula: &Formula| formula.features().contains(&Feature::F16);
        Draft {
            entry: "stencil",
            constants: self.constants(),
            params: PARAMS.map(String::from).into_iter().chain(outside).collect(),
            access: [vec![Access::Read; self.fields], vec![Access::Write; self.formulas.len()]].concat(),
            text: self.common() + &text,
            f16: self.dtype == DType::F16 || self.formulas.iter().any(f16),
            trusted: self.formulas.iter().all(Formula::safe),
            ..Draft::new(format!("stencil of {} neighbours", self.neighbours.len()), shader(file))
        }
    }
}
