//! The launch of a correlation.

use super::sliding::{Sliding, SlidingSpec};
use super::tile::tile;
use super::wgsl::CorrelateSpec;
use super::{Boundary, Correlate, Window};
use crate::fuse::{Fusion, Mode, Several, flat};
use crate::map::buffer_bytes;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use crosslane_core::op::{Binding, Expression, Grid, LeafSource, Param, Pass, Plan};

/// The kernels' variables, and the number of the last one.
const VARIABLES: &[&str] = &["k", "z", "y", "x"];
const X: usize = 3;

/// What the kernel's variables k, z, y, x stand for: extents and windows, some of which are of one value.
struct Space {
    kept: usize,
    /// Extents of the values along x, y, z.
    sizes: [usize; 3],
    windows: [Window; 3],
}

impl Space {
    fn of(op: &Correlate) -> Space {
        let axes = op.windows.len();
        let kept: usize = op.kept().iter().product();
        let mut windows = [Window::single(1); 3];
        let mut sizes = [1; 3];
        for (nth, window) in op.windows.iter().rev().enumerate() {
            windows[nth] = *window;
            sizes[nth] = op.shape[op.shape.len() - 1 - nth];
        }
        // Rows without a window between them fill tiles side by side, if all have one filter.
        if axes == 1 && op.filters == 1 {
            windows[1] = Window::single(kept);
            sizes[1] = kept;
            return Space { kept: 1, sizes, windows };
        }
        Space { kept, sizes, windows }
    }

    /// The axes of the values, and the variable that each is part of.
    fn axes(op: &Correlate) -> Vec<(usize, usize)> {
        let (rank, axes) = (op.shape.len(), op.windows.len());
        let variable = |axis: usize| match (rank - axis, axes) {
            (back, _) if back <= axes => 4 - back,
            (_, 1) if op.filters == 1 => 2,
            _ => 0,
        };
        (0..rank).map(|axis| (axis, variable(axis))).collect()
    }
}

pub(super) fn plan(op: &Correlate, caps: &Caps) -> Result<Plan> {
    let space = Space::of(op);
    let [x, y, _] = &space.windows;
    let dtype = op.dtype();
    let argument = |argument: &str, wanted: String, got: String| -> crosslane_core::error::Error {
        ErrorKind::Argument { operation: "correlate", argument: argument.into(), wanted, got, at: None }.into()
    };
    let largest = op.slots_bytes();
    if largest > caps.binding_bytes || op.output_len() > 1 << 31 {
        let wanted = format!("arrays of at most {} bytes, as one binding holds, and 2^31 values", caps.binding_bytes);
        return Err(argument("array", wanted, format!("{largest} bytes")));
    }
    if op.shape.contains(&0) {
        return Err(argument("array", "a value along each axis".into(), format!("{:?}", op.shape)));
    }
    if let Some(plan) = plan_sliding(op, &space, caps) {
        return Ok(plan);
    }
    let Some(tile) = tile(x, y, dtype, caps) else {
        let wanted = format!("windows that fit the {} bytes of a workgroup's memory", caps.workgroup_bytes);
        let got = format!("{} x {} weights, {} x {} apart", y.taps, x.taps, y.dilation, x.dilation);
        return Err(argument("weights", wanted, got));
    };
    let several = Several::over(&op.shape, &Space::axes(op), VARIABLES, &[(&op.expression, "")], None);
    let (fusion, weights) = (&several.0[0], flat(&op.weights, "w_"));
    let [tile_x, tile_y] = tile.extents();
    let tiles = [x.count.div_ceil(tile_x), y.count.div_ceil(tile_y)];
    let kernel = CorrelateSpec {
        values: fusion.spec(),
        weights: weights.spec(),
        tile,
        windows: space.windows.map(|window| Window { count: 0, first: 0, ..window }),
        boundary: op.boundary.rule(),
        vector: caps.processor.is_some(),
        plain: is_plain(&op.expression, &op.shape) && op.weights.steps.len() == 1,
    };
    let kernel = Kernel::of(kernel, caps);
    Ok(launch(op, &space, (kernel, tiles), (fusion, &weights), caps))
}

/// The launch of a kernel with so many tiles.
fn launch(
    op: &Correlate,
    space: &Space,
    (kernel, tiles): (Kernel, [usize; 2]),
    (fusion, weights): (&Fusion, &Fusion),
    caps: &Caps,
) -> Plan {
    let dtype = op.dtype();
    let whole: Vec<_> = fusion.dims.iter().map(|dim| 0..dim.extent).collect();
    let bytes = |slot: usize| op.bytes_of(slot);
    let (own, windows) = fusion.params(&whole, caps.offset_alignment, &bytes);
    let all = 0..(op.filters * op.taps()) as u64;
    let (more, weight_windows) = weights.params(&[all], caps.offset_alignment, &bytes);
    let words = words(op, space, tiles).into_iter().map(Param::Is).collect();
    let outside = match (op.boundary, dtype) {
        (Boundary::Constant(bits), DType::F64) => vec![bits as u32, (bits >> 32) as u32],
        (Boundary::Constant(bits), _) => vec![(f64::from_bits(bits) as f32).to_bits()],
        _ => vec![],
    };
    let outside = outside.into_iter().map(Param::Is).collect();
    let result = Binding::new(op.output, 0, buffer_bytes(dtype, op.output_len()));
    let groups = [tiles[0], tiles[1], space.windows[2].count, space.kept].iter().map(|&count| count as u64).product();
    Plan {
        scratch: vec![],
        passes: vec![Pass {
            kernel,
            buffers: [windows, weight_windows, vec![result]].concat(),
            params: [words, outside, own, more].concat(),
            grid: Grid::Count(groups),
        }],
    }
}

/// The launch for short windows over an array in memory; `None` for others.
fn plan_sliding(op: &Correlate, space: &Space, caps: &Caps) -> Option<Plan> {
    let [x, y, z] = &space.windows;
    let plain = is_plain(&op.expression, &op.shape) && op.dtype() == DType::F32;
    let sliding = Sliding::choose([x, y], space.sizes[0], caps).filter(|_| plain && *z == Window::single(1))?;
    let mut several = Several::over(&op.shape, &Space::axes(op), VARIABLES, &[(&op.expression, "")], None);
    let whole: Vec<u64> = several.0[0].dims.iter().map(|dim| dim.extent).collect();
    if !several.0[0].widen_each(&whole, X, false) || several.0[0].modes != [Mode::Vector] {
        return None;
    }
    let (fusion, weights) = (&several.0[0], flat(&op.weights, "w_"));
    let [tile_x, tile_y] = sliding.extents();
    let tiles = [x.count.div_ceil(tile_x), y.count.div_ceil(tile_y)];
    let (values, own, boundary) = (fusion.spec(), weights.spec(), op.boundary.rule());
    let kernel = Kernel::of(SlidingSpec { values, weights: own, sliding, boundary }, caps);
    Some(launch(op, space, (kernel, tiles), (fusion, &weights), caps))
}

/// Whether an expression is an array in memory without gaps.
fn is_plain(expression: &Expression, shape: &[usize]) -> bool {
    let ([leaf], [_]) = (&expression.leaves[..], &expression.steps[..]) else { return false };
    let (mut step, mut whole) = (1, matches!(leaf.source, LeafSource::Slot(_)));
    for (&extent, &stride) in shape.iter().zip(&leaf.strides).rev() {
        whole &= extent == 1 || stride == step;
        step *= extent as i64;
    }
    whole
}

/// In the order of [`super::wgsl::PARAMS`].
fn words(op: &Correlate, space: &Space, tiles: [usize; 2]) -> Vec<u32> {
    let counts = space.windows.map(|window| window.count as u32);
    let firsts = space.windows.map(|window| window.first as i32 as u32);
    let groups = [space.kept, tiles[0], tiles[1]].map(|word| word as u32);
    [&[op.filters as u32], &groups[..], &counts, &space.sizes.map(|size| size as u32), &firsts].concat()
}
