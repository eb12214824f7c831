//! Cases as the MSL of their kernels, against the operations' own definition.

use super::text::Msl;
use super::{FLAGS, headers, lacks};
use crate::emulated_cases::{Run, check, spread};
use crate::emulation::{Launch, Program, Window, available};
use crate::support::say;
use crosslane::device::Caps;
use crosslane::op::Kernel;
use crosslane::op::{Case, Pass};
use crosslane::ops::cases::ALL;
use half::f16;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;
use std::collections::HashMap;

/// Cases of an operation that run; `CROSSLANE_METAL_RUN` names more.
const RUN: usize = 10;
/// Kernels of a program.
const TOGETHER: usize = 12;
/// g++'s functions are exact, and its sums in the same order: the bound is half of a GPU's.
const SHARE: f64 = 0.5;
/// An array of unknown length is one of a single element to Metal: nothing follows from that.
const UNSIZED: &str = "-fno-aggressive-loop-optimizations";

/// Kernels as programs: of each its text, and in which program it is.
struct Programs {
    places: HashMap<u64, (Msl, usize, usize)>,
    programs: Vec<Program>,
}

impl Programs {
    /// The kernels' texts after a change.
    fn changed(kernels: &[Kernel], change: impl Fn(String) -> String + Sync) -> Programs {
        let text = |kernel: &Kernel| {
            let msl = Msl::new(kernel);
            Msl { text: change(msl.text), ..msl }
        };
        let texts: Vec<Msl> = kernels.par_iter().map(text).collect();
        let program = |part: &[Msl]| {
            let own: String = part.iter().enumerate().map(|(nth, msl)| msl.runnable(nth)).collect();
            let calls: String = (0..part.len()).map(|nth| format!("kernel_{nth}::run_on_fibers, ")).collect();
            let main = format!(
                "#include \"metal.hpp\"\n#include \"program.hpp\"\n{own}int main(int, char** arguments) {{
    program::Launch launch(arguments[1]);
    void (*const kernels[])(const program::Launch&) = {{{calls}}};
    kernels[launch.head.entry](launch);
    return launch.finish();\n}}\n"
            );
            let flags: Vec<&str> = FLAGS.into_iter().chain([UNSIZED]).collect();
            Program::new(&main, &headers(), &flags).unwrap_or_else(|error| panic!("{error}\n{own}"))
        };
        let programs = texts.par_chunks(TOGETHER).map(program).collect();
        let place = |(nth, (kernel, msl)): (usize, (&Kernel, Msl))| {
            (Case::identity(kernel), (msl, nth / TOGETHER, nth % TOGETHER))
        };
        Programs { places: kernels.iter().zip(texts).enumerate().map(place).collect(), programs }
    }

    fn new(kernels: &[Kernel]) -> Programs {
        Programs::changed(kernels, |text| text)
    }

    fn launch(&self, kernel: &Kernel, launch: Launch, buffers: &mut [Vec<u8>]) -> Result<(), String> {
        let (msl, program, kernel) = &self.places[&Case::identity(kernel)];
        let length = |&nth: &usize| launch.windows[nth].bytes as u32;
        let lengths: Vec<u8> = msl.lengths.iter().map(length).flat_map(u32::to_le_bytes).collect();
        let window = Window { buffer: buffers.len(), offset: 0, bytes: lengths.len() as u64 };
        let windows = [launch.windows, &[window]].concat();
        let mut all = buffers.to_vec();
        all.push(lengths);
        let launch = Launch { kernel: *kernel, workgroup_size: msl.workgroup_size, windows: &windows, ..launch };
        self.programs[*program].run(&launch, &mut all).map_err(|error| format!("{error}\n{}", msl.text))?;
        all.truncate(buffers.len());
        buffers.iter_mut().zip(all).for_each(|(buffer, after)| *buffer = after);
        Ok(())
    }
}

impl Run for &Programs {
    fn run(&mut self, pass: &Pass, launch: Launch, buffers: &mut [Vec<u8>]) -> Result<(), String> {
        self.launch(&pass.kernel, launch, buffers)
    }
}

/// The kernels of a case's plan.
fn kernels(case: &Case, caps: &Caps) -> Vec<Kernel> {
    let plan = case.op.plan(caps).unwrap_or_else(|error| panic!("{}: {error}", case.what));
    plan.passes.into_iter().map(|pass| pass.kernel).collect()
}

/// Some cases of each operation that an Apple GPU runs.
fn cases(caps: &Caps, most: usize) -> Vec<Case> {
    let of = |all: Vec<Case>| {
        let runs = |case: &Case| case.runs() && case.is_judged() && !kernels(case, caps).iter().any(lacks);
        spread(all.into_iter().filter(runs).collect(), most)
    };
    ALL.iter().flat_map(|(_, cases)| of(cases(caps))).collect()
}

#[test]
fn kernels_agree_with_their_definition() {
    if !available() {
        return;
    }
    let caps = Caps::apple_like();
    let most = std::env::var("CROSSLANE_METAL_RUN").map_or(RUN, |most| most.parse().unwrap());
    let cases = cases(&caps, most);
    let mut all: Vec<Kernel> = cases.iter().flat_map(|case| kernels(case, &caps)).collect();
    all.sort_by_cached_key(Case::identity);
    all.dedup_by_key(|kernel| Case::identity(kernel));
    let count = all.len();
    let programs = Programs::new(&all);
    let found: Vec<_> = cases.iter().map(|case| check(case, &caps, SHARE, &mut &programs)).collect();
    let wrong: Vec<&str> = found.iter().filter_map(|found| found.as_ref().err()).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    say(&format!("{} cases, {count} kernels, agree as MSL under g++", cases.len()));
}

/// What a kernel must not do is found: another operation, a barrier left out, a store outside of a buffer.
#[test]
fn mistakes_in_the_text_are_found() {
    if !available() {
        return;
    }
    let caps = Caps::apple_like();
    let is_of_rows = |kernel: &Kernel| kernel.source().contains("fn rows(");
    let is_sum = |case: &Case| case.runs() && case.len() > 1000 && kernels(case, &caps).iter().all(is_of_rows);
    let reductions = ALL.iter().find(|(name, _)| *name == "reduce").expect("reductions").1(&caps);
    let case = reductions.iter().find(|case| case.what.starts_with("sum of") && is_sum(case)).expect("a sum of rows");
    let kernels = kernels(case, &caps);
    let said = |from: &str, to: &str| {
        let change = |text: String| {
            assert!(text.contains(from), "{text}");
            text.replace(from, to)
        };
        check(case, &caps, SHARE, &mut &Programs::changed(&kernels, change)).err()
    };
    let barrier = "metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);";
    assert_eq!(said("a + b", "a + b"), None);
    for (from, to, why) in [
        ("return a + b;", "return a - b;", "wanted"),
        (barrier, "", "wanted"),
        (barrier, &format!("if (lane < 100) {barrier}"), "never reach"),
        ("y[at]", "y[1000000u + at]", "the emulation ended"),
    ] {
        let found =
            said(from, to).unwrap_or_else(|| panic!("{}: {from} became {to}, and nothing was found", case.what));
        assert!(found.contains(why), "{from} became {to}: {found}");
    }
}

/// `half.hpp` rounds as IEEE 754 says: all halves, what lies between them, and any bits.
#[test]
fn halves_round_to_the_nearest() {
    if !available() {
        return;
    }
    let text = "enable f16;
        @group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> y: array<f16>;
        @group(0) @binding(2) var<storage, read_write> z: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            y[id.x] = f16(x[id.x]);
            z[id.x] = f32(y[id.x]);
        }";
    let kernel = Kernel::wgsl(text).unwrap();
    let half = |bits: u16| f16::from_bits(bits).to_f32();
    let between = (0..0x7bff).flat_map(|bits| {
        let middle = (half(bits) + half(bits + 1)) / 2.0;
        [half(bits), middle, middle.next_up(), middle.next_down(), -middle]
    });
    let ends = [65519.0, 65520.0, 65536.0, 1e30, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, 1e-8, 2e-8, f32::NAN];
    let mut random = StdRng::seed_from_u64(26);
    let any = (0..65536).map(|_| f32::from_bits(random.random()));
    let mut x: Vec<f32> = between.chain(ends).chain(any).collect();
    x.resize(x.len().next_multiple_of(64), 0.0);
    let bytes = bytemuck::cast_slice(&x).to_vec();
    let mut buffers = [bytes, vec![0; 2 * x.len()], vec![0; 4 * x.len()]];
    let lens: Vec<u64> = buffers.iter().map(|buffer| buffer.len() as u64).collect();
    let windows: Vec<Window> =
        lens.iter().enumerate().map(|(buffer, &bytes)| Window { buffer, offset: 0, bytes }).collect();
    let launch = Launch { grid: [x.len() as u32 / 64, 1, 1], windows: &windows, ..Launch::default() };
    Programs::new(std::slice::from_ref(&kernel)).launch(&kernel, launch, &mut buffers).unwrap();
    let (y, z): (&[f16], &[f32]) = (bytemuck::cast_slice(&buffers[1]), bytemuck::cast_slice(&buffers[2]));
    for ((x, y), z) in x.iter().zip(y).zip(z) {
        let wanted = f16::from_f32(*x);
        assert!(y.to_bits() == wanted.to_bits() || (x.is_nan() && y.is_nan()), "{x:e}: {y:?}, not {wanted:?}");
        assert!(z.to_bits() == y.to_f32().to_bits() || z.is_nan(), "{y:?} became {z:e}");
    }
}
