//! The text of a product's kernel: the entry point, the loop over inner elements, storing. What is multiplied in which
//! way is in `registers.rs` and `tensor.rs`.

use super::shape::Shape;
use super::side::{Fetch, Side};
use crate::caps::Caps;
use crate::element::DType;
use crate::kernel::{Contract, Draft, Spec};
use crate::ops::fuse::{Fusion, SeveralSpec, Store, wide};

/// What the text of a product depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct MatmulSpec {
    /// The epilogue with the output, then a, then b.
    pub several: SeveralSpec,
    /// How a and b are fetched.
    pub fetch: [Fetch; 2],
    pub shape: Shape,
    /// The type of the sums.
    pub sums: DType,
    /// Whether the inner elements fill all tiles, so that tiles may be fetched with no branch: tensor cores wait less
    /// for loads that mix with what they compute (H200, 8192 f16, 283 TFLOP/s instead of 260), registers more (33 of
    /// 47).
    pub full: bool,
    pub contract: Option<Contract>,
}

/// The kernel's own parameters, before those of the fusions.
const PARAMS: [&str; 8] = ["groups", "row_tiles", "column_tiles", "rows", "columns", "inner", "span", "part"];

impl Spec for MatmulSpec {
    fn draft(&self, _: &Caps) -> Draft {
        let several = &self.several;
        let file = match self.shape {
            Shape::Registers(_) => "matmul",
            Shape::Tensor(_) => "matmul_tensor",
            Shape::Each(_) => "matmul_each",
        };
        Draft {
            entry: "matmul",
            constants: self.shape.constants(),
            params: params(several),
            access: several.access(),
            text: self.text(),
            width: several.0[0].width,
            f16: several.uses_f16() || self.held() == DType::F16,
            matrices: matches!(self.shape, Shape::Tensor(_)),
            trusted: several.is_safe(),
            contract: self.contract.clone(),
            ..Draft::new(format!("matmul of {}", several.0[1].dtype()), file)
        }
    }
}

/// The names of all parameters.
pub(super) fn params(several: &SeveralSpec) -> Vec<String> {
    PARAMS.map(String::from).into_iter().chain(several.param_names()).collect()
}

impl MatmulSpec {
    fn text(&self) -> String {
        if let Shape::Each(each) = self.shape {
            return self.several.text() + &each.text(self);
        }
        let sides = self.sides();
        let mut text = self.several.text();
        text += include_str!("../../../shaders/shared/matmul_tiles.wgsl");
        text +=
            &format!("alias Sums = {};\nalias Held = {};\n", wide(self.sums.wgsl(), 4), wide(self.held().wgsl(), 4));
        sides.iter().for_each(|side| text += &side.text());
        text += &self.put();
        text += &match self.shape {
            Shape::Registers(tile) => tile.main(self, &sides),
            Shape::Tensor(tile) => tile.main(self, &sides),
            Shape::Each(_) => unreachable!("it has no tiles"),
        };
        text
    }

    /// The type of elements in workgroup memory.
    pub fn held(&self) -> DType {
        match self.shape {
            Shape::Registers(_) | Shape::Each(_) => self.sums,
            Shape::Tensor(tile) => tile.held(),
        }
    }

    fn sides(&self) -> [Side<'_>; 2] {
        let (shape, [rows, columns]) = (self.shape, self.shape.tile());
        let side = |name, outer, across, at: usize| {
            let (inner_lines, pitch) = shape.lines(self.fetch[at], across);
            let (fetch, fusion) = (self.fetch[at], &self.several.0[1 + at]);
            let (held, depth) = (self.held(), shape.depth());
            let (threads, stages) = (shape.threads(), shape.stages());
            Side { name, outer, fetch, fusion, held, across, depth, threads, stages, inner_lines, pitch }
        };
        [side("a", "row", rows, 0), side("b", "column", columns, 1)]
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

    /// The entry point, as far as all have it in common: which tile it is for.
    pub fn head(&self, builtins: &str) -> String {
        let [rows, columns] = self.shape.tile();
        format!(
            "@compute @workgroup_size({})\nfn matmul(\n    @builtin(workgroup_id) group: vec3<u32>,\n    \
             @builtin(num_workgroups) groups: vec3<u32>,\n    @builtin(local_invocation_index) lane: u32,\n{builtins}) {{\n    \
             let index = group.x + group.y * groups.x;\n    let tiles = params.row_tiles * params.column_tiles;\n    \
             if (index >= params.groups) {{\n        return;\n    }}\n    let batch = index / tiles;\n    \
             let at = tile_at(index % tiles);\n    let a_first = at.x * {rows}u;\n    let b_first = at.y * {columns}u;\n    \
             let end = inner_end(batch);\n",
            self.shape.threads(),
        )
    }

    /// The loop over inner elements, and what is fetched before: keeps what was fetched, fetches the next, and
    /// multiplies.
    pub fn turns(&self, sides: &[Side; 2], multiply: &dyn Fn(u32) -> String) -> String {
        let mut text = String::from("    var k = 0u;\n");
        sides.iter().for_each(|side| text += &side.nexts());
        text += &self.fetches(sides);
        text += "    loop {\n";
        for stage in 0..self.shape.stages() {
            if self.shape.stages() == 1 {
                text += "    workgroupBarrier();\n";
            }
            sides.iter().for_each(|side| text += &side.keeps(stage));
            text += &format!("    workgroupBarrier();\n    k += {}u;\n", self.shape.depth());
            text += &self.fetches(sides);
            text += &multiply(stage);
            text += "    if (k >= end) {\n        break;\n    }\n";
        }
        text + "    }\n"
    }

    /// Fetches the tiles at `k`, if there are any. One branch for all: loads that each have their own wait for one another.
    fn fetches(&self, sides: &[Side; 2]) -> String {
        let all = |ends| sides.iter().map(|side| side.fetches(ends)).collect::<String>();
        let depth = self.shape.depth();
        if self.full {
            // The last one again, in the end.
            return format!("    {{\n        let k = min(k, end - {depth}u);\n{}    }}\n", all(false));
        }
        format!("    if (k + {depth}u <= end) {{\n{}    }} else if (k < end) {{\n{}    }}\n", all(false), all(true))
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
