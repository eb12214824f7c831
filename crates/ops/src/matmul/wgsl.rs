//! The text of a product's kernel: what the files in `shaders/` do not define. The entry point of tensor cores is in
//! `tensor.rs`.

use super::shape::Shape;
use super::side::{Fetch, Side};
use crate::fuse::{Fusion, SeveralSpec, Store, wide};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Contract, Draft, Spec, has_one_width};

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
            constants: self.constants(),
            params: params(several),
            access: several.access(),
            text: self.text(),
            width: calling(several).first().map_or(1, |&nth| several.0[nth].width),
            f16: several.uses_f16() || self.held() == DType::F16,
            matrices: matches!(self.shape, Shape::Tensor(_)),
            trusted: several.is_safe(),
            contract: self.contract.clone(),
            ..Draft::new(format!("matmul of {}", several.0[1].dtype()), shader(file))
        }
    }
}

/// Which of the epilogue and the sides call functions that a kernel has for scalars or for vectors.
pub(super) fn calling(several: &SeveralSpec) -> Vec<usize> {
    let calls = |nth: &usize| several.0[*nth].steps.len() > 1 && has_one_width(&several.0[*nth].text(0));
    (0..several.0.len()).filter(calls).collect()
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
        text += include_str!("../../shaders/shared/matmul_tiles.wgsl");
        text +=
            &format!("alias Sums = {};\nalias Held = {};\n", wide(self.sums.wgsl(), 4), wide(self.held().wgsl(), 4));
        sides.iter().for_each(|side| text += &side.text());
        text += &self.put();
        text += &match self.shape {
            Shape::Registers(_) => multiply_add(self.sums).into(),
            Shape::Tensor(tile) => tile.main(&sides),
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

    fn constants(&self) -> Vec<(&'static str, u32)> {
        if matches!(self.shape, Shape::Each(_)) {
            return self.shape.constants();
        }
        let [a, b] = self.sides().map(|side| side.constants());
        [self.shape.constants(), vec![("FULL", self.full as u32)], a, b].concat()
    }

    fn sides(&self) -> [Side<'_>; 2] {
        let (shape, [rows, columns]) = (self.shape, self.shape.tile());
        let side = |name, outer, across, at: usize| {
            let (inner_lines, pitch) = shape.lines(self.fetch[at], across);
            let (fetch, fusion) = (self.fetch[at], &self.several.0[1 + at]);
            let (held, depth) = (self.held(), shape.depth());
            let threads = shape.threads();
            Side {
                name,
                outer,
                fetch,
                fusion,
                held,
                across,
                depth,
                threads,
                inner_lines,
                pitch,
                single: shape.single(),
            }
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
}

/// `multiply_add(a, b, c)`: adds a product to a sum.
fn multiply_add(sums: DType) -> &'static str {
    match sums {
        DType::F32 => "fn multiply_add(a: Sums, b: Sums, c: Sums) -> Sums { return fma(a, b, c); }\n",
        _ => "fn multiply_add(a: Sums, b: Sums, c: Sums) -> Sums { return c + a * b; }\n",
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
