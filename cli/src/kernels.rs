//! A program's own kernel: a matrix product from a file, and the cost of the first use of a kernel.

use super::Outcome;
use super::compare::{random, randoms};
use super::measure::{Group, Row};
use crosslane::device::DeviceKind;
use crosslane::{Argument, Array, Device, Kernel, Result};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

const MATMUL: &str = include_str!("matmul_f32.wgsl");
/// Rows and columns of the product that a workgroup makes.
const TILE: usize = 128;
/// Seeds of the two matrices.
const A: u64 = 4;
const B: u64 = 5;
/// Largest relative error of an element: the sum of `side` products, one after the other, of numbers in 0..1.
const BOUND: f64 = 1e-4;
/// Elements that are checked.
const SAMPLES: usize = 512;

/// Matrices, uploaded when they are first needed.
struct Matrices {
    device: Device,
    side: usize,
    arrays: OnceCell<[Array<f32>; 3]>,
}

impl Matrices {
    fn arrays(&self) -> &[Array<f32>; 3] {
        let len = self.side * self.side;
        let input = |seed| Array::from_slice(&self.device, &randoms(seed, len));
        self.arrays.get_or_init(|| [input(A), input(B), Array::empty(&self.device, &[len])])
    }

    fn multiply(&self, kernel: &Kernel) -> Result<()> {
        let [a, b, c] = self.arrays();
        let groups = (self.side / TILE) as u32;
        let side = Argument::immediates(&(self.side as u32).to_le_bytes());
        let arguments = [Argument::bytes_of(a), Argument::bytes_of(b), Argument::bytes_of(c), side];
        kernel.grid([groups, groups]).args(arguments).launch(&self.device)
    }

    /// Some elements of the product, from everywhere in it.
    fn check(&self, op: &str, kernel: &Kernel) -> Outcome {
        self.multiply(kernel)?;
        let got = self.arrays()[2].to_vec()?;
        let side = self.side;
        for sample in 0..SAMPLES {
            let at = (sample * 7919 * 104_729 + sample) % got.len();
            let (row, column) = (at / side, at % side);
            let product = |k: usize| random(A, row * side + k) as f64 * random(B, k * side + column) as f64;
            let (got, wanted) = (got[at] as f64, (0..side).map(product).sum::<f64>());
            // Not right where the result is no number.
            let right = (got - wanted).abs() <= BOUND * wanted;
            if !right {
                return Err(format!("{op}: wrong result at ({row}, {column}): wanted {wanted:e}, got {got:e}").into());
            }
        }
        Ok(())
    }
}

/// A side that the device multiplies in a moment.
fn side(device: &Device, quick: bool) -> usize {
    match (device.properties().kind == DeviceKind::Discrete, quick) {
        (true, false) => 8192,
        (true, true) => 2048,
        (false, false) => 512,
        (false, true) => 256,
    }
}

/// The file with run-time checks and without; nothing where the device has too little for it.
fn products(device: &Device, quick: bool) -> Result<Vec<Row<'_>>> {
    let checked = Kernel::wgsl(MATMUL)?.named("matmul_f32.wgsl");
    if !checked.reflection().expect("it is from WGSL").breaks(device.caps()).is_empty() {
        return Ok(vec![]);
    }
    // SAFETY: the side is a multiple of the tile's, matrices have its square of elements, and the grid covers them;
    // workgroup memory is written before it is read, and the loop ends at the side.
    let trusted = unsafe { checked.trusted() };
    let side = side(device, quick);
    let group = Group::Compute { flops: 2 * (side as u64).pow(3) };
    let row = |(op, kernel): (&'static str, Kernel)| {
        let matrices = Rc::new(Matrices { device: device.clone(), side, arrays: OnceCell::new() });
        let (also, same) = (matrices.clone(), kernel.clone());
        Row {
            op,
            n: side,
            group,
            before: None,
            check: Box::new(move || matrices.check(op, &kernel)),
            work: Box::new(move || also.multiply(&same)),
        }
    };
    Ok([("matmul_wgsl_f32", trusted), ("matmul_wgsl_checked_f32", checked)].map(row).into_iter().collect())
}

/// A small kernel that no run before has seen: `seed` is in its text.
fn fresh(seed: u64) -> Result<Kernel> {
    Kernel::wgsl(&format!(
        "@group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> y: array<f32>;
        const SEED = {}u;
        var<workgroup> near: array<f32, 256>;
        @compute @workgroup_size(256)
        fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
            near[lane] = sqrt(x[id.x]) + f32(SEED);
            workgroupBarrier();
            for (var step = 128u; step > 0u; step /= 2u) {{
                if lane < step {{ near[lane] += near[lane + step]; }}
                workgroupBarrier();
            }}
            if lane == 0u {{ y[id.x / 256u] = near[0]; }}
        }}",
        seed as u32
    ))
}

/// Where the time of a first launch is taken: a device, a kernel it has not met, and its arrays.
struct First {
    device: Device,
    kernel: Kernel,
    arrays: [Array<f32>; 2],
}

impl First {
    fn new(device: &Device, kernel: Kernel) -> Result<First> {
        let arrays = [Array::from_slice(device, &[4.0; 256]), Array::zeros(device, &[1])];
        device.synchronize()?;
        Ok(First { device: device.clone(), kernel, arrays })
    }

    fn launch(&self) -> Result<()> {
        let [x, y] = &self.arrays;
        self.kernel.grid([1]).args((x, Argument::in_place(y))).launch(&self.device)?;
        self.device.synchronize()
    }
}

/// Numbers that no earlier run had.
fn seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    now.as_nanos() as u64
}

/// A kernel's first launch: one that is new, and one that is new only to this device, which is opened again each time.
fn first_uses<'a>(device: &'a Device, open: impl Fn() -> Result<Device> + 'a) -> Vec<Row<'a>> {
    let once = seed();
    let count = Cell::new(0);
    let again = move || {
        count.set(count.get() + 1);
        First::new(device, fresh(seed() ^ count.get())?)
    };
    let reopened = move || First::new(&open()?, fresh(once)?);
    vec![first_use("first_use_cold", again), first_use("first_use_warm", reopened)]
}

fn first_use<'a>(op: &'static str, make: impl Fn() -> Result<First> + 'a) -> Row<'a> {
    let place = Rc::new(RefCell::new(None::<First>));
    let make = Rc::new(make);
    let (here, there, other) = (place.clone(), place.clone(), make.clone());
    Row {
        op,
        n: 1,
        group: Group::First,
        before: Some(Box::new(move || {
            here.replace(None); // closed before the next is opened
            here.replace(Some(make()?));
            Ok(())
        })),
        check: Box::new(move || {
            let first = other()?;
            first.launch()?;
            let got = first.arrays[1].to_vec()?[0];
            if got >= 512.0 { Ok(()) } else { Err(format!("{op}: wrong result: {got}").into()) }
        }),
        work: Box::new(move || there.borrow().as_ref().expect("made before it is timed").launch()),
    }
}

/// The lines of the table.
pub fn rows<'a>(device: &'a Device, quick: bool, open: impl Fn() -> Result<Device> + 'a) -> Result<Vec<Row<'a>>> {
    let mut rows = products(device, quick)?;
    rows.extend(first_uses(device, open));
    Ok(rows)
}
