//! The text of a stencil's kernels.

use super::tiled::Way;
use super::{Neighbour, Stencil};
use crate::caps::Caps;
use crate::element::{DType, word_suffixes};
use crate::kernel::{Access, Draft, Feature, Spec};
use crate::op::Formula;
use crate::ops::Boundary;
use crate::ops::fuse::param;
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
    pub fn new(stencil: &Stencil, way: Way, _: &Caps) -> StencilSpec {
        StencilSpec {
            fields: stencil.fields.len(),
            dtype: stencil.dtype(),
            neighbours: stencil.neighbours.clone(),
            formulas: stencil.formulas.clone(),
            boundary: if let Boundary::Constant(_) = stencil.boundary {
                Boundary::Constant(0)
            } else {
                stencil.boundary
            },
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
                vec![("WORKGROUP", workgroup), ("REACH_Z", z), ("CELLS", tile_x * tile_y / workgroup)]
            }
            Way::Tiled { steps, held_x, held_y, workgroup } => vec![
                ("WORKGROUP", workgroup),
                ("STEPS", steps),
                ("HELD_X", held_x),
                ("HELD_Y", held_y),
                ("CELLS", held_x * held_y / workgroup),
            ],
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

    fn calls(&self) -> impl Iterator<Item = String> {
        let arguments: Vec<String> = (0..self.neighbours.len()).map(|nth| format!("n{nth}")).collect();
        self.formulas
            .iter()
            .enumerate()
            .map(move |(nth, formula)| formula.call(&format!("formula{nth}"), &arguments, 1))
    }

    /// `update(k, z, y, x, inner)`: the next values of an element. `inner`: no neighbour is past an end.
    fn direct_text(&self) -> String {
        let mut text = String::from(
            "fn update(k: u32, z: u32, y: u32, x: u32, inner: bool) {\n    \
             let at = ((k * params.size_z + z) * params.size_y + y) * params.size_x + x;\n",
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
        for (nth, call) in self.calls().enumerate() {
            writeln!(text, "    next{nth}[at] = {call};").expect("to a string");
        }
        text + "}\n"
    }

    /// The tiles of all fields; `load`, `near`, `update`, `keep` and `store` of an element of theirs.
    fn tiled_text(&self) -> String {
        let updated = self.formulas.len();
        let mut text = String::new();
        for field in 0..self.fields {
            writeln!(text, "var<workgroup> tile{field}: array<Element, HELD_X * HELD_Y>;").expect("to a string");
        }
        // Of a repeated array margins are computed like any other part.
        let everywhere = self.boundary == Boundary::Wrap;
        writeln!(text, "const EVERYWHERE = {everywhere};\nalias Next = array<Element, {updated}>;")
            .expect("to a string");
        text += "fn load(i: u32, k: u32, y: i32, x: i32, inner: bool) {\n    if (inner) {\n        \
                 let at = (k * params.size_y + u32(y)) * params.size_x + u32(x);\n";
        (0..self.fields).for_each(|f| text += &format!("        tile{f}[i] = field{f}[at];\n"));
        text += "    } else {\n";
        (0..self.fields).for_each(|f| text += &format!("        tile{f}[i] = field{f}_at(k, 0, y, x);\n"));
        text += "    }\n}\n";
        for field in 0..self.fields {
            write!(
                text,
                "fn near{field}(first: vec2<i32>, y: i32, x: i32) -> Element {{\n    let at_x = place(x, params.size_x);\n    \
                 let at_y = place(y, params.size_y);\n    if (min(at_x, at_y) < 0) {{\n        return outside();\n    }}\n    \
                 return tile{field}[u32((at_y - first.y) * i32(HELD_X) + at_x - first.x)];\n}}\n"
            )
            .expect("to a string");
        }
        text += "fn update(i: u32, first: vec2<i32>, y: i32, x: i32, inner: bool) -> Next {\n";
        (0..self.neighbours.len()).for_each(|nth| text += &format!("    var n{nth}: Element;\n"));
        let (mut inner, mut other) = (String::new(), String::new());
        for (nth, Neighbour { field, offset: [_, y, x] }) in self.neighbours.iter().enumerate() {
            writeln!(inner, "        n{nth} = tile{field}[u32(i32(i) + ({y}) * i32(HELD_X) + ({x}))];")
                .expect("to a string");
            writeln!(other, "        n{nth} = near{field}(first, y + ({y}), x + ({x}));").expect("to a string");
        }
        text += &format!("    if (inner || EVERYWHERE) {{\n{inner}    }} else {{\n{other}    }}\n");
        text += &format!("    return Next({});\n}}\n", self.calls().collect::<Vec<_>>().join(", "));
        text += "fn keep(i: u32, next: Next) {\n";
        (0..updated).for_each(|nth| text += &format!("    tile{nth}[i] = next[{nth}];\n"));
        text += "}\nfn store(i: u32, k: u32, y: u32, x: u32) {\n    let at = (k * params.size_y + y) * params.size_x + x;\n";
        (0..updated).for_each(|nth| text += &format!("    next{nth}[at] = tile{nth}[i];\n"));
        text + "}\n"
    }
}

impl Spec for StencilSpec {
    fn draft(&self, _: &Caps) -> Draft {
        let (file, text) = match self.way {
            Way::Direct { .. } => ("stencil", self.direct_text()),
            Way::Tiled { .. } => ("stencil_tiled", self.tiled_text()),
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
            ..Draft::new(format!("stencil of {} neighbours", self.neighbours.len()), file)
        }
    }
}
