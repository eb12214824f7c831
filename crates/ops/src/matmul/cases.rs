//! Products: sides that lie as rows and as columns, sizes that go in vectors or not, parts, batches, nothing, past one binding;
//! of every type, and f32 by tensor cores.

use crate::cases::{Case, call, cast, expression, leaf, types};
use crate::{Matmul, Precision};
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::op::{Expression, Function};

/// Batch, rows, inner elements, columns; of every type.
const SIZES: [[usize; 4]; 10] = [
    [0, 3, 4, 5],
    [1, 0, 4, 5],
    [1, 3, 4, 0],
    [1, 1, 1, 1],
    [1, 33, 40, 36],
    [2, 64, 64, 64],
    [1, 5, 3000, 7],
    [40, 7, 9, 5],
    [1000, 2, 3, 4],
    [1, 900, 20, 1],
];
/// Of types that lie or are computed differently: for each kind of tile as little as it is taken for, and inner elements in two parts
/// and in as many as there may be.
const LARGE: [[usize; 4]; 4] = [[1, 576, 3, 575], [1, 5, 4200, 9], [1, 5, 33_000, 9], [80, 64, 32, 64]];

/// What fills the device with the largest tiles, of registers or of tensor cores.
fn largest(caps: &Caps, tensor: bool) -> [usize; 4] {
    let tiles = caps.multiprocessors as usize;
    let down = tiles.isqrt();
    let across = tiles.div_ceil(down);
    if tensor { [1, 128 * down, 32, 128 * across] } else { [1, 128 * down, 8, 256 * across] }
}

/// The cases for a device with these capabilities.
pub fn cases(caps: &Caps) -> Vec<Case> {
    let mut all = vec![];
    let huge = if caps.binding_bytes < 1 << 30 { [1, 9_000, 9_000, 9_000] } else { [1, 50_000, 50_000, 50_000] };
    // Complex products are made of real ones.
    let number = |dtype: &DType| Function::Add.exists(*dtype) && !dtype.is_complex();
    let exact = types(caps).filter(number).map(|dtype| (dtype, Precision::Exact));
    for (dtype, precision) in exact.chain([(DType::F32, Precision::Tensor)]) {
        let mut sizes = SIZES.to_vec();
        if matches!(dtype, DType::F16 | DType::F32 | DType::I64 | DType::U32) {
            let tensor = caps.tensor.is_some() && (dtype == DType::F16 || precision == Precision::Tensor);
            sizes.extend(LARGE.into_iter().chain([largest(caps, tensor), [1, 4096, 4096, 4096]]));
        }
        sizes.extend((dtype == DType::F32 && precision == Precision::Exact).then_some(huge));
        for size in sizes {
            for turned in [[false, false], [false, true], [true, false], [true, true]] {
                let name = format!("products of {dtype}, {size:?}, {turned:?}, {precision:?}");
                all.push(Case::new(name, product(dtype, size, turned, precision)));
            }
        }
        if matches!(dtype, DType::F16 | DType::F32 | DType::I64) {
            all.extend([[2, 5, 7, 9], [1, 64, 20, 60], [3, 64, 9, 33]].map(|size| windows(dtype, size, precision)));
        }
    }
    all.extend(types(caps).filter(|dtype| matches!(dtype, DType::F16 | DType::F32 | DType::F64)).flat_map(computed));
    // Few rows or columns, but enough of the others to fill the long tiles.
    for [rows, columns] in [[64, 1030], [1030, 64]] {
        let size = [32, rows, 3, columns];
        let name = format!("long tiles, {size:?}");
        all.push(Case::new(name, product(DType::F32, size, [false, false], Precision::Exact)));
    }
    all
}

/// Windows of 3 x 3 over two channels of an array (batch, 2, height + 2, width + 2), by weights for so many rows: places that
/// are found by division, in arrays whose windows overlap.
fn windows(dtype: DType, [batch, rows, height, width]: [usize; 4], precision: Precision) -> Case {
    let (down, across) = (height + 2, width + 2);
    let plane = (down * across) as i64;
    let weights = leaf(0, dtype, rows * 18, 0, &[0, 18, 0, 0, 9, 3, 1]);
    let across_by = across as i64;
    let strides = [2 * plane, 0, across_by, 1, plane, across_by, 1];
    let values = leaf(1, dtype, batch * 2 * down * across, 0, &strides);
    let op = Matmul {
        extents: [vec![batch], vec![rows], vec![height, width], vec![2, 3, 3]],
        sides: [expression(None, weights), expression(None, values)],
        epilogue: Expression::given(Matmul::sums(dtype), 7),
        precision,
        output: 2,
    };
    Case::new(format!("windows of {dtype}, {batch} of {height} x {width} by {rows}, {precision:?}"), op)
}

/// Sides and epilogues that call the library's functions, of which some go in vectors and some do not; and sides cast.
fn computed(dtype: DType) -> Vec<Case> {
    let mut all = vec![];
    let function = Function::Tanh;
    for size in [[1, 33, 37, 36], [1, 32, 40, 35]] {
        for turned in [[false, false], [true, true]] {
            for (nth, which) in
                ["left", "right", "both sides", "epilogue", "left and epilogue", "all"].into_iter().enumerate()
            {
                let mut op = product(dtype, size, turned, Precision::Exact);
                let (left, right, epilogue) = (matches!(nth, 0 | 2 | 4 | 5), matches!(nth, 1 | 2 | 5), nth >= 3);
                for (side, _) in op.sides.iter_mut().zip([left, right]).filter(|(_, is)| *is) {
                    call(side, function);
                }
                if epilogue {
                    call(&mut op.epilogue, function);
                }
                all.push(Case::new(format!("tanh of {which} of {dtype}, {size:?}, {turned:?}"), op).scale(10.0));
            }
            // f64 of f32 on one side.
            if dtype == DType::F64 {
                let mut op = product(dtype, size, turned, Precision::Exact);
                op.sides[0].leaves[0].dtype = DType::F32;
                op.sides[0].steps[0].dtype = DType::F32;
                cast(&mut op.sides[0], 0, DType::F64);
                all.push(Case::new(format!("a side of f32, {size:?}, {turned:?}"), op));
            }
        }
    }
    all
}

fn product(dtype: DType, [batch, rows, inner, columns]: [usize; 4], turned: [bool; 2], precision: Precision) -> Matmul {
    let (n, m, k) = (columns as i64, rows as i64, inner as i64);
    let a = if turned[0] { [1, 0, m] } else { [k, 0, 1] };
    let b = if turned[1] { [0, k, 1] } else { [0, 1, n] };
    let side = |slot, [row, column, inner]: [i64; 3], len: usize| {
        expression(None, leaf(slot, dtype, batch * len, 0, &[len as i64, row, column, inner]))
    };
    Matmul {
        extents: [vec![batch], vec![rows], vec![columns], vec![inner]],
        sides: [side(0, a, rows * inner), side(1, b, inner * columns)],
        epilogue: Expression::given(Matmul::sums(dtype), 4),
        precision,
        output: 2,
    }
}
