//! Products by tensor cores: subgroups multiply matrices of 16 x 16 or 8 x 8 together, in WGSL cooperative matrices.

use super::shape::{Work, time};
use super::side::Side;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::tuning::Tunable;
use std::fmt::Write;

/// What a workgroup computes, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TensorTile {
    /// Rows and columns of the result.
    pub rows: u32,
    pub columns: u32,
    /// Inner elements that lie in workgroup memory at a time.
    pub depth: u32,
    /// Rows and columns of a part: what a subgroup computes at once.
    pub part_rows: u32,
    pub part_columns: u32,
    /// Copies of the tiles: with two, one is written while the other is read.
    pub stages: u32,
    /// Rows and columns of a matrix.
    pub size: u32,
    /// Whether matrices are of f16, else of f32.
    pub half: bool,
    /// Lanes of a subgroup, the fewest and the most: it is not known which where they differ.
    pub lanes: (u32, u32),
}

/// Rows, columns and depth of a workgroup's tile; rows and columns of a subgroup's part; copies of the tiles.
///
/// H200, 2026-11-23, 8192, Vulkan and CUDA: 292 and 272 TFLOP/s for the first; through Vulkan 282 and 278 for those of 128 x 256
/// and 256 x 128, 164 for the third. Two workgroups run on a processor there up to 24 KiB each, as the first has, and one from
/// 25.6 on.
pub(crate) const MATMUL_TENSOR: Tunable = Tunable {
    name: "matmul_tensor",
    numbers: &["rows", "columns", "depth", "part rows", "part columns", "stages"],
    candidates: &[
        &[128, 128, 32, 64, 64, 1],
        &[128, 128, 32, 64, 64, 2],
        &[128, 128, 64, 64, 64, 1],
        &[128, 256, 32, 64, 64, 1],
        &[256, 128, 32, 64, 64, 1],
        &[128, 128, 32, 64, 32, 1],
        &[128, 128, 32, 32, 64, 1],
        &[128, 128, 16, 64, 64, 2],
        &[128, 64, 32, 64, 32, 1],
        &[64, 128, 32, 32, 64, 1],
    ],
};

/// The same for matrices of 8 x 8, of which a subgroup has a quarter of the sums.
const SMALL: [u32; 6] = [64, 64, 32, 32, 32, 1];

impl TensorTile {
    const fn new([rows, columns, depth, part_rows, part_columns, stages]: [u32; 6]) -> TensorTile {
        let (size, half, lanes) = (16, true, (32, 32));
        TensorTile { rows, columns, depth, part_rows, part_columns, stages, size, half, lanes }
    }

    /// The tile for a product, if there are tensor cores for it.
    pub fn choose(caps: &Caps, work: &Work) -> Option<TensorTile> {
        let (dtype, size, lanes) = (work.tensor?, caps.tensor?, caps.subgroups?);
        let half = match (dtype, size) {
            (DType::F16, _) => true,
            (DType::F32, size) => size > 8,
            _ => return None,
        };
        let wanted = work.rows >= size as u64 && work.columns >= size as u64;
        if !wanted || half && !caps.f16 || caps.short_vectors() {
            return None;
        }
        let tuned = caps.tuning.get(&MATMUL_TENSOR).try_into().expect("as many numbers as MATMUL_TENSOR names");
        let large = if size == 8 { SMALL } else { tuned };
        // Speeds as those of register tiles; the smaller ones' are guessed.
        let all = [(large, 100), ([64, 64, 32, 32, 32, 1], 60), ([32, 32, 32, 16, 16, 1], 30)].into_iter();
        let tile = |numbers| TensorTile { size, half, lanes, ..TensorTile::new(numbers) }.within(caps);
        let fitting = all.filter_map(|(numbers, speed)| Some((tile(numbers)?, speed)));
        let best = fitting.min_by_key(|(tile, speed)| time(caps, [tile.rows, tile.columns], *speed, work));
        best.map(|(tile, _)| tile)
    }

    /// With so few copies and so little depth that all fits the workgroup's memory.
    fn within(self, caps: &Caps) -> Option<TensorTile> {
        let mut tile = self;
        while tile.bytes() > caps.workgroup_bytes {
            match (tile.stages, tile.depth / 2 >= tile.size) {
                (2.., _) => tile.stages = 1,
                (_, true) => tile.depth /= 2,
                _ => return None,
            }
        }
        (tile.threads() <= caps.workgroup_invocations).then_some(tile)
    }

    fn bytes(self) -> u32 {
        // Whichever way its lines go.
        let side = |across: u32| (across * (self.depth + 8)).max(self.depth * (across + 8));
        let elements = self.stages * (side(self.rows) + side(self.columns));
        elements * self.held().size() as u32 + self.slots() * self.scratch() * 16
    }

    /// The type of a matrix's elements.
    pub fn held(self) -> DType {
        if self.half { DType::F16 } else { DType::F32 }
    }

    fn parts(self) -> u32 {
        (self.rows / self.part_rows) * (self.columns / self.part_columns)
    }

    pub fn threads(self) -> u32 {
        self.parts() * self.lanes.0
    }

    /// Matrices of sums that lie in workgroup memory at a time, one of a part.
    fn slots(self) -> u32 {
        self.parts().min(2)
    }

    /// Vectors of a part's scratch: a matrix of sums, with one more in each line.
    fn scratch(self) -> u32 {
        self.size * (self.size / 4 + 1)
    }

    /// Whether matrices are loaded from and stored to arrays of elements, not of vectors. Those of 8 x 8 are Metal's, which has no
    /// pointers to elements of vectors, and counts strides in elements: naga's MSL of the others is refused.
    pub fn single(self) -> bool {
        self.size == 8
    }

    /// What an index of a vector, or a number of vectors, is multiplied by.
    fn pieces(self) -> &'static str {
        if self.single() { "4u * " } else { "" }
    }

    /// The memory that sums go through.
    fn scratch_text(self) -> &'static str {
        match self.single() {
            true => {
                "var<workgroup> scratch: array<f32, 4u * SLOTS * SCRATCH>;\nfn sums_at(at: u32) -> vec4<f32> {\n    \
                 return vec4<f32>(scratch[at * 4u], scratch[at * 4u + 1u], scratch[at * 4u + 2u], scratch[at * 4u + 3u]);\n}\n"
            }
            false => {
                "var<workgroup> scratch: array<vec4<f32>, SLOTS * SCRATCH>;\nfn sums_at(at: u32) -> vec4<f32> {\n    \
                 return scratch[at];\n}\n"
            }
        }
    }

    pub fn constants(self) -> Vec<(&'static str, u32)> {
        vec![
            ("PARTS", self.parts()),
            ("SLOTS", self.slots()),
            ("RIGHT", self.columns / self.part_columns),
            ("PART_ROWS", self.part_rows),
            ("PART_COLUMNS", self.part_columns),
            ("SIZE", self.size),
        ]
    }

    pub fn main(self, sides: &[Side; 2]) -> String {
        let known = self.lanes.0 == self.lanes.1;
        let counted = if known { "" } else { "    @builtin(num_subgroups) at_once: u32,\n" };
        let mut main = String::from(self.scratch_text());
        main += &self.head(&format!("    @builtin(subgroup_id) subgroup: u32,\n{counted}"));
        main += match known {
            true => "    let first = 0u;\n    let at_once = PARTS;\n    let part = subgroup;\n",
            false => "    for (var first = 0u; first < PARTS; first += at_once) {\n    let part = first + subgroup;\n",
        };
        main += "    let row = part / RIGHT * PART_ROWS;\n    let column = part % RIGHT * PART_COLUMNS;\n";
        let size = self.size;
        for (i, j) in self.matrices() {
            writeln!(main, "    var c{i}_{j} = coop_mat{size}x{size}<f32, C>();").expect("to a string");
        }
        main += &self.turns(sides);
        let pieces = self.pieces();
        for (i, j) in self.matrices() {
            write!(
                main,
                "    for (var turn = 0u; turn < at_once; turn += SLOTS) {{\n        if (subgroup / SLOTS == turn / SLOTS) {{\n            \
                 coopStoreT(c{i}_{j}, &scratch[{pieces}(subgroup % SLOTS * SCRATCH)], {pieces}LINE);\n        }}\n        workgroupBarrier();\n        \
                 hand_out(batch, vec2<u32>(a_first + {}u, b_first + {}u), lane, first + turn, min(at_once - turn, SLOTS));\n        \
                 workgroupBarrier();\n    }}\n",
                i * size,
                j * size
            )
            .expect("to a string");
        }
        main + if known { "}\n" } else { "    }\n}\n" }
    }

    /// The loop over inner ones, and what is fetched before: keeps what was fetched, fetches the next, and multiplies.
    fn turns(self, sides: &[Side; 2]) -> String {
        let fetch = "    fetch(&a_next, &b_next, batch, vec2<u32>(a_first, b_first), k, end, lane);\n";
        let mut text = String::from(
            "    var k = 0u;\n    var a_next = array<Held, A_EACH>();\n    var b_next = array<Held, B_EACH>();\n",
        );
        text += fetch;
        text += "    loop {\n";
        for stage in 0..self.stages {
            if self.stages == 1 {
                text += "    workgroupBarrier();\n";
            }
            text += &format!("    keep(&a_next, &b_next, lane, {stage}u);\n    workgroupBarrier();\n    k += DEPTH;\n");
            text += fetch;
            text += &self.multiply(sides, stage);
            text += "    if (k >= end) {\n        break;\n    }\n";
        }
        text + "    }\n"
    }

    /// The entry point, as far as it is not its own: which tile it is for.
    fn head(self, builtins: &str) -> String {
        format!(
            "@compute @workgroup_size(THREADS)\nfn matmul(\n    @builtin(workgroup_id) group: vec3<u32>,\n    \
             @builtin(num_workgroups) groups: vec3<u32>,\n    @builtin(local_invocation_index) lane: u32,\n{builtins}) {{\n    \
             let index = group.x + group.y * groups.x;\n    let tiles = params.row_tiles * params.column_tiles;\n    \
             if (index >= params.groups) {{\n        return;\n    }}\n    let batch = index / tiles;\n    \
             let at = tile_at(index % tiles);\n    let a_first = at.x * ROWS;\n    let b_first = at.y * COLUMNS;\n    \
             let end = inner_end(batch);\n",
        )
    }

    /// A part's matrices, row by row.
    fn matrices(self) -> impl Iterator<Item = (u32, u32)> {
        let (rows, columns) = (self.part_rows / self.size, self.part_columns / self.size);
        (0..rows).flat_map(move |i| (0..columns).map(move |j| (i, j)))
    }

    /// Adds the products of a tile's inner elements.
    fn multiply(self, sides: &[Side; 2], stage: u32) -> String {
        let mut text = String::new();
        for inner in (0..self.depth).step_by(self.size as usize) {
            text += "    {\n";
            for i in 0..self.part_rows / self.size {
                text += &self.load(&sides[0], stage, "row", i, inner);
            }
            for j in 0..self.part_columns / self.size {
                text += &self.load(&sides[1], stage, "column", j, inner);
                for i in 0..self.part_rows / self.size {
                    writeln!(text, "        c{i}_{j} = coopMultiplyAdd(a{i}, b{j}, c{i}_{j});").expect("to a string");
                }
            }
            text += "    }\n";
        }
        text
    }

    /// The `nth` matrix of a part from a side's tile: at its first row or column, and an inner one.
    fn load(self, side: &Side, stage: u32, first: &str, nth: u32, inner: u32) -> String {
        let (name, pitch, size, pieces) = (side.name, side.pitch, self.size, self.pieces());
        let outer = format!("({first} + {}u)", nth * size);
        let tile = stage * side.vectors();
        let at = match side.inner_lines {
            true => format!("{outer} * {pitch}u + {}u", tile + inner / 4),
            false => format!("{}u + {outer} / 4u", tile + inner * pitch),
        };
        // A has its rows as lines, B its columns as what lies across.
        let by_rows = side.inner_lines == (name == "a");
        let (load, role) = (if by_rows { "coopLoadT" } else { "coopLoad" }, name.to_uppercase());
        let element = self.held().wgsl();
        format!(
            "        let {name}{nth} = {load}<coop_mat{size}x{size}<{element}, {role}>>(&{name}_tile[{pieces}({at})], {pieces}{pitch}u);\n"
        )
    }
}
