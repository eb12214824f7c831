//! The kernels of the tutorials, launched and waited for, on the examples' texts and on a million elements.

use super::Outcome;
use super::compare::{compare, random, randoms};
use super::measure::{Group, Row};
use crosslane::{Argument, Array, Device, Kernel, Result};
use std::cell::OnceCell;
use std::rc::Rc;

const INCREMENT: &str = include_str!("../kernels/increment.wgsl");
const MULTIPLY: &str = include_str!("../kernels/multiply.wgsl");
const HISTOGRAM: &str = include_str!("../kernels/histogram.wgsl");
const MATMUL: &str = include_str!("../kernels/matmul.wgsl");

const N: usize = 1_000_000;
/// Rows, columns of the first, columns of the second matrix.
const SHAPE: [usize; 3] = [256, 512, 256];
const BINS: usize = 150;
/// Launches one after the other, to see what one costs the host.
const LAUNCHES: usize = 1000;
/// Seeds.
const A: u64 = 21;
const B: u64 = 22;

/// A kernel with its arrays, made when it is its turn: the last is written.
struct Case {
    op: &'static str,
    n: usize,
    make: fn(&Device) -> Result<Made>,
    /// The value at a place of the array that is written, after one launch.
    wanted: fn(usize) -> f64,
    launches: usize,
}

struct Made {
    kernel: Kernel,
    overrides: Vec<(&'static str, u32)>,
    grid: [u32; 2],
    inputs: Vec<Array<f32>>,
    shape: Option<Array<u32>>,
    output: Output,
}

enum Output {
    Floats(Array<f32>),
    Counts(Array<u32>),
}

impl Made {
    fn launch(&self, device: &Device) -> Result<()> {
        let shape = self.shape.iter().map(Argument::in_place);
        let inputs = self.inputs.iter().map(Argument::from);
        let output = match &self.output {
            Output::Floats(array) => Argument::in_place(array),
            Output::Counts(array) => Argument::in_place(array),
        };
        let launcher = self.kernel.grid(self.grid).args(shape.chain(inputs).chain([output]).collect::<Vec<_>>());
        self.overrides.iter().fold(launcher, |launcher, (name, value)| launcher.set(name, *value)).launch(device)
    }

    fn values(&self) -> Result<Vec<f32>> {
        match &self.output {
            Output::Floats(array) => array.to_vec(),
            Output::Counts(array) => Ok(array.to_vec()?.into_iter().map(|count| count as f32).collect()),
        }
    }
}

fn floats(device: &Device, seed: u64, len: usize) -> Array<f32> {
    Array::from_slice(device, &randoms(seed, len))
}

fn zeros(device: &Device, shape: &[usize]) -> Array<f32> {
    Array::zeros(device, shape).copy()
}

fn increment(device: &Device) -> Result<Made> {
    Ok(Made {
        kernel: Kernel::wgsl(INCREMENT)?,
        overrides: vec![],
        grid: [N.div_ceil(256) as u32, 1],
        inputs: vec![],
        shape: None,
        output: Output::Floats(zeros(device, &[N])),
    })
}

fn multiply(device: &Device, groups: u32, invocations: u32) -> Result<Made> {
    Ok(Made {
        kernel: Kernel::wgsl(MULTIPLY)?,
        overrides: vec![("invocations", invocations.min(device.caps().workgroup_invocations))],
        grid: [groups, 1],
        inputs: vec![floats(device, A, N), floats(device, B, N)],
        shape: None,
        output: Output::Floats(zeros(device, &[N])),
    })
}

fn histogram(device: &Device) -> Result<Made> {
    Ok(Made {
        kernel: Kernel::wgsl_with(HISTOGRAM, Some("private_first"), &[])?,
        overrides: vec![],
        grid: [528, 1],
        inputs: vec![floats(device, A, N), Array::from_slice(device, &[0.0, 1.0])],
        shape: None,
        output: Output::Counts(Array::zeros(device, &[BINS]).copy()),
    })
}

/// Without run-time checks, as its peers run.
fn matmul(device: &Device) -> Result<Made> {
    let made = matmul_checked(device)?;
    // SAFETY: the grid covers the matrices, which have the shape's elements, and the kernel looks at no other; workgroup
    // memory is written before it is read, and the loop ends at the shape's.
    Ok(Made { kernel: unsafe { made.kernel.trusted() }, ..made })
}

fn matmul_checked(device: &Device) -> Result<Made> {
    let [rows, inner, columns] = SHAPE;
    Ok(Made {
        kernel: Kernel::wgsl_with(MATMUL, Some("tiled"), &[])?,
        overrides: vec![],
        grid: [columns.div_ceil(16) as u32, rows.div_ceil(16) as u32],
        inputs: vec![floats(device, A, rows * inner), floats(device, B, inner * columns)],
        shape: Some(Array::from_slice(device, &[rows as u32, inner as u32, columns as u32, 0])),
        output: Output::Floats(zeros(device, &[rows, columns])),
    })
}

fn empty(device: &Device) -> Result<Made> {
    let source = "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
        @compute @workgroup_size(1) fn main() { x[0] = 7.0; }";
    Ok(Made {
        kernel: Kernel::wgsl(source)?,
        overrides: vec![],
        grid: [1, 1],
        inputs: vec![],
        shape: None,
        output: Output::Floats(zeros(device, &[1])),
    })
}

fn product(at: usize) -> f64 {
    let [_, inner, columns] = SHAPE;
    let (row, column) = (at / columns, at % columns);
    (0..inner).map(|k| random(A, row * inner + k) as f64 * random(B, k * columns + column) as f64).sum()
}

/// How many of the random numbers fall into a bin, as the kernel's arithmetic has it.
fn counted(bin: usize) -> f64 {
    let inside = |i: &usize| (random(A, *i) / (1.0 / BINS as f32)).floor() == bin as f32;
    (0..N).filter(inside).count() as f64
}

const CASES: [Case; 7] = [
    Case { op: "seed_increment_device", n: N, make: increment, wanted: |_| 1.0, launches: 1 },
    Case {
        op: "seed_multiply_1024x1024",
        n: N,
        make: |device| multiply(device, 1024, 1024),
        wanted: |i| random(A, i) as f64 * random(B, i) as f64,
        launches: 1,
    },
    Case {
        op: "seed_multiply_32x256",
        n: N,
        make: |device| multiply(device, 32, 256),
        wanted: |i| random(A, i) as f64 * random(B, i) as f64,
        launches: 1,
    },
    Case { op: "seed_histogram_150_device", n: N, make: histogram, wanted: counted, launches: 1 },
    Case { op: "seed_matmul_256x512x256", n: SHAPE[0], make: matmul, wanted: product, launches: 1 },
    Case { op: "seed_matmul_256x512x256_checked", n: SHAPE[0], make: matmul_checked, wanted: product, launches: 1 },
    Case { op: "launch_wgsl_each", n: LAUNCHES, make: empty, wanted: |_| 7.0, launches: LAUNCHES },
];

/// The lines of the table.
pub fn rows(device: &Device) -> Vec<Row<'_>> {
    let mut rows: Vec<Row> = CASES
        .into_iter()
        .map(|Case { op, n, make, wanted, launches }| {
            let made = Rc::new(OnceCell::<Made>::new());
            let also = made.clone();
            let check = move || -> Outcome {
                let fresh = make(device)?;
                fresh.launch(device)?;
                let got = fresh.values()?;
                // A float's last bit may put a value that lies on an edge into the next bin.
                let bound = if op.contains("histogram") { 1e-3 } else { 1e-5 };
                compare(op, &got, got.len(), bound, wanted)?;
                made.get_or_init(|| fresh);
                Ok(())
            };
            let work = move || {
                let made = also.get().expect("checked before it is timed");
                (0..launches).try_for_each(|_| made.launch(device))?;
                device.synchronize()
            };
            Row { op, n, group: Group::Latency, before: None, check: Box::new(check), work: Box::new(work) }
        })
        .collect();
    rows.push(on_the_host(device));
    rows
}

/// The increment with a copy each way.
fn on_the_host(device: &Device) -> Row<'_> {
    let host = vec![0.0f32; N];
    let run = Rc::new(move || -> Result<Vec<f32>> {
        let mut array = Array::from_slice(device, &host);
        Kernel::wgsl(INCREMENT)?.for_elements(N).args(&mut array).launch(device)?;
        array.to_vec()
    });
    let (op, also) = ("seed_increment_host_array", run.clone());
    Row {
        op,
        n: N,
        group: Group::Latency,
        before: None,
        check: Box::new(move || compare(op, &run()?, N, 0.0, |_| 1.0)),
        work: Box::new(move || also().map(drop)),
    }
}
