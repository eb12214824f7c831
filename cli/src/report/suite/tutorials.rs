//! The tutorials' four kernels, as the examples have them: checked, and launched on arrays.

use super::super::super::Outcome;
use super::super::super::compare::word;
use super::{Prepared, Problem, Setting, Work, each, value};
use crosslane::{Argument, Array, Kernel};

const SUITE: &str = "Tutorial";
const INCREMENT: &str = include_str!("../../../kernels/increment.wgsl");
const MULTIPLY: &str = include_str!("../../../kernels/multiply.wgsl");
const HISTOGRAM: &str = include_str!("../../../kernels/histogram.wgsl");
const MATMUL: &str = include_str!("../../../kernels/matmul.wgsl");
const BINS: usize = 150;
const GROUPS: u32 = 64;

pub const PROBLEMS: [Problem; 4] = [
    Problem { suite: SUITE, name: "increment", prepare: increment },
    Problem { suite: SUITE, name: "multiply", prepare: multiply },
    Problem { suite: SUITE, name: "histogram", prepare: histogram },
    Problem { suite: SUITE, name: "matmul", prepare: matmul },
];

/// It adds 1 to an array of zeros in place; each run makes the zeros too. It uses one dimension of the grid: 65,535 workgroups.
fn increment(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.line.min(1 << 23), setting.device.clone());
    let kernel = Kernel::wgsl(INCREMENT)?;
    let make = move || {
        let x = Array::<f32>::zeros(&device, &[n]).copy();
        kernel.for_elements(n).args(Argument::in_place(&x)).launch(&device)?;
        Ok(x)
    };
    Ok(Prepared::new(n, Work::each(n, 3, 1), 0.0, make, move || vec![1.0; n]))
}

fn multiply(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.line, setting.device.clone());
    let (x, y) = (setting.input(1, &[n]), setting.input(2, &[n]));
    let kernel = Kernel::wgsl(MULTIPLY)?;
    let make = move || {
        let out = Array::<f32>::zeros(&device, &[n]).copy();
        let arguments = [Argument::from(&x), Argument::from(&y), Argument::in_place(&out)];
        kernel.grid([GROUPS]).set("invocations", 256u32).args(arguments).launch(&device)?;
        Ok(out)
    };
    let wanted = move || each(n, |i| value(1, i) * value(2, i));
    Ok(Prepared::new(n, Work::each(n, 4, 1), 1e-5, make, wanted))
}

/// A value between two bins: rounding never decides.
fn binned(i: usize) -> f32 {
    ((word(1, i) % BINS as u64) as f32 + 0.5) / BINS as f32
}

fn histogram(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.line, setting.device.clone());
    let x = Array::from_slice(&device, &(0..n).map(binned).collect::<Vec<_>>());
    let range = Array::from_slice(&device, &[0.0f32, 1.0]);
    let kernel = Kernel::wgsl_with(HISTOGRAM, Some("private_first"), &[])?;
    let make = move || {
        let counts = Array::<u32>::zeros(&device, &[BINS]).copy();
        let arguments = [Argument::from(&x), Argument::from(&range), Argument::in_place(&counts)];
        kernel.grid([GROUPS]).args(arguments).launch(&device)?;
        Ok(counts)
    };
    let wanted = move || {
        let mut counts = vec![0.0; BINS];
        (0..n).for_each(|i| counts[(binned(i) * BINS as f32) as usize] += 1.0);
        counts
    };
    Ok(Prepared::new(n, Work::each(n, 1, 2), 0.0, make, wanted))
}

/// The product without workgroup memory; RAJAPerf's MAT_MAT_SHARED is the one with it.
fn matmul(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.matrix, setting.device.clone());
    let (a, b) = (setting.input(1, &[n, n]), setting.input(2, &[n, n]));
    let kernel = Kernel::wgsl_with(MATMUL, Some("naive"), &[])?;
    let shape = Array::from_slice(&device, &[n as u32, n as u32, n as u32, 0]);
    let make = move || {
        let c = Array::<f32>::empty(&device, &[n, n]);
        let arguments = [Argument::in_place(&shape), Argument::from(&a), Argument::from(&b), Argument::in_place(&c)];
        kernel.for_shape([n as u32, n as u32]).args(arguments).launch(&device)?;
        Ok(c)
    };
    let work = Work { bytes: 12 * (n * n) as u64, flops: 2 * (n * n * n) as u64 };
    let wanted = move || super::raja_polybench::product(n, |i| value(1, i), |i| value(2, i));
    Ok(Prepared::new(n, work, 1e-5, make, wanted))
}
