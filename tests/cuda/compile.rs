//! NVRTC compiles the texts of programs for every architecture, and those of the library's kernels for two by turns: a part of
//! them; all of them where `CROSSLANE_CUDA_EVERY=1` says so, as `.ci/nightly` does. It needs no card.

use crate::corpus;
use crate::library::{self, Chosen};
use crate::support::{is_required, say};
use crosslane::array::Precision;
use crosslane::cuda::{CudaOptions, CudaSource};
use crosslane::device::Caps;
use crosslane::op::{self, Expression, ExpressionStep, Leaf, LeafSource, Op, StepKind};
use crosslane::ops::Matmul;
use crosslane::{DType, Kernel};
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

/// Ten times the compute capability: Turing, the last before it does async copies, Hopper, Blackwell.
const ARCHITECTURES: [u32; 4] = [75, 80, 90, 100];

/// The library's kernels are compiled for these by turns: they have one text, and what they call differs at 80 only.
const PAIRS: [[u32; 2]; 2] = [[75, 90], [80, 100]];

/// Whether there is an NVRTC; says so where there is none, and fails where it is required.
fn available() -> bool {
    let kernel = Kernel::wgsl("@compute @workgroup_size(1) fn main() {}").unwrap();
    let source = kernel.cuda(&CudaOptions::new(90)).unwrap();
    match source.compile() {
        Ok(_) => true,
        Err(error) => {
            assert!(!is_required("nvrtc"), "CROSSLANE_REQUIRE names nvrtc: {error}");
            say(&format!("NO CUDA TEXT IS COMPILED: {error}"));
            false
        }
    }
}

/// The programs of `tests/wgsl/clean` and `faulty`, and the benchmark's.
fn programs() -> Vec<(String, Kernel)> {
    let mut all = vec![];
    for folder in ["wgsl/clean", "wgsl/faulty", "../benches"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let files = std::fs::read_dir(path).unwrap().map(|file| file.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|end| end == "wgsl")) {
            let name = file.display().to_string();
            let kernel =
                Kernel::wgsl(&std::fs::read_to_string(&file).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
            if folder != "wgsl/faulty" {
                // SAFETY: it is only compiled.
                all.push((format!("{name} without checks"), unsafe { kernel.trusted() }));
            }
            all.push((name, kernel));
        }
    }
    all
}

/// A kernel, and the architectures to compile it for.
type Wanted = ((String, op::Kernel), &'static [u32]);

/// Compiles kernels as programs do for the first architecture, and with less optimisation for the others; gives what failed.
fn compile_all(kernels: impl Iterator<Item = Wanted>) -> Vec<String> {
    let compile = |source: CudaSource, nth| if nth == 0 { source.compile().map(drop) } else { source.check() };
    let compile = |kernel: &op::Kernel, nth: usize, architecture| {
        let options = CudaOptions::new(architecture);
        CudaSource::native(kernel, &options).map_or(Ok(()), |native| compile(native, nth))?;
        compile(CudaSource::translated(kernel, &options)?, nth)
    };
    kernels
        .filter_map(|((name, kernel), architectures)| {
            let failed = |(nth, &architecture)| Some((architecture, compile(&kernel, nth, architecture).err()?));
            let (architecture, error) = architectures.iter().enumerate().find_map(failed)?;
            Some(format!("{name} for sm_{architecture}: {error}"))
        })
        .collect()
}

/// What tells a process which kernels are its own: every so-manieth, from which on.
const PART: &str = "CROSSLANE_TEST_PART";

/// A process for each core, since NVRTC 13.0 does one compilation at a time in each.
fn in_processes() {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let start = |part: usize| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "compile::every_kernel_for_every_architecture", "--nocapture"])
            .env(PART, format!("{part} {count}"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let parts: Vec<Child> = (0..count).map(start).collect();
    let ended: Vec<Output> = parts.into_iter().map(|part| part.wait_with_output().unwrap()).collect();
    let said: String = ended.iter().map(|output| String::from_utf8_lossy(&output.stderr)).collect();
    assert!(ended.iter().all(|output| output.status.success()), "{said}");
}

#[test]
fn every_kernel_for_every_architecture() {
    if !available() {
        return;
    }
    let (Chosen { short, long, of }, corpus, programs) = (library::kernels(), corpus::kernels(), programs());
    let of_library = short.len() + long.len();
    let counts =
        format!("{of_library} of {of} of the library, {} of the corpus, {} programs", corpus.len(), programs.len());
    let paired = short.into_iter().enumerate().map(|(nth, kernel)| (kernel, &PAIRS[nth % PAIRS.len()][..]));
    let all = paired
        .chain(corpus.into_iter().chain(programs).map(|(name, kernel)| ((name, kernel.into()), &ARCHITECTURES[..])));
    // Sorts and the like take seconds each: for one architecture by turns.
    let long = long.into_iter().enumerate();
    let all = all.chain(long.map(|(nth, kernel)| (kernel, &ARCHITECTURES[nth % ARCHITECTURES.len()..][..1])));
    if let Ok(part) = std::env::var(PART) {
        let numbers: Vec<usize> = part.split(' ').map(|number| number.parse().unwrap()).collect();
        let wrong = compile_all(all.skip(numbers[0]).step_by(numbers[1]));
        assert!(wrong.is_empty(), "{} kernels do not compile:\n{}", wrong.len(), wrong.join("\n"));
        return;
    }
    let started = Instant::now();
    in_processes();
    let seconds = started.elapsed().as_secs();
    say(&format!("NVRTC compiled {counts} for {} architectures in {seconds} s", ARCHITECTURES.len()));
}

/// NVIDIA's assembler makes one instruction of two maxima and loses a negation in it: none may be made of negated numbers.
#[test]
fn negations_are_kept_from_three_way_maxima() {
    /// The low 12 bits of VIMNMX3 of registers, for compute capability 9.0.
    const THREE_WAY: u64 = 0x20f;
    if !available() {
        return;
    }
    let three_way = |negated: &str| {
        let kernel = Kernel::wgsl(&format!(
            "@group(0) @binding(0) var<storage, read> x: array<i32, 128>;
            @group(0) @binding(1) var<storage, read_write> y: array<i32, 64>;
            fn turned(x: i32) -> i32 {{ return {negated}; }}
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{
                y[i] = max(max(y[i], turned(x[i])), turned(x[i + 64u]));
            }}"
        ))
        .unwrap();
        let made = kernel.cuda(&CudaOptions::new(90)).unwrap().compile().unwrap();
        let words: &[u64] = &bytemuck::pod_collect_to_vec(&made.cubin);
        words.iter().step_by(2).filter(|&word| word & 0xfff == THREE_WAY).count()
    };
    assert_eq!(three_way("x"), 1, "the assembler has another name for it, or does not make it: this tests nothing");
    for negated in ["-x", "0 - x", "x * -1", "-1 * x", "vec2(-x).y", "-vec3(x).z", "~x + 1"] {
        assert_eq!(three_way(negated), 0, "{negated}");
    }
}

/// A product of f16 of these sizes, whose sides' neighbours are along the inner ones or not, by tensor cores.
fn halves([rows, inner, columns]: [usize; 3], by_inner: [bool; 2]) -> Matmul {
    let strides = |of: usize, lines: bool| if lines { [inner as i64, 1] } else { [1, of as i64] };
    let ([row, a], [column, b]) = (strides(rows, by_inner[0]), strides(columns, by_inner[1]));
    let side = |slot, strides: [i64; 3], len| {
        let leaf =
            Leaf { source: LeafSource::Slot(slot), dtype: DType::F16, len, offset: 0, strides: strides.to_vec() };
        let steps = vec![ExpressionStep { what: StepKind::Leaf(0), dtype: DType::F16 }];
        Expression { leaves: vec![leaf], steps, ..Expression::default() }
    };
    let mut epilogue = Expression::given(DType::F32, 3);
    epilogue.steps.push(ExpressionStep { what: StepKind::Cast(0), dtype: DType::F16 });
    Matmul {
        extents: [vec![], vec![rows], vec![columns], vec![inner]],
        sides: [side(0, [row, 0, a], rows * inner), side(1, [0, column, b], inner * columns)],
        epilogue,
        precision: Precision::Exact,
        output: 2,
    }
}

/// The native of products by tensor cores, as `shaders/native/matmul_tensor.cu` is for Hopper: for all ways that sides lie, with
/// all sums in registers, and multiplications that do not wait for one another.
#[test]
fn products_have_a_native() {
    if !available() {
        return;
    }
    let caps = Caps::nvidia_like();
    let native = |sizes, by_inner, architecture| {
        let plan = halves(sizes, by_inner).plan(&caps).unwrap();
        CudaSource::native(&plan.passes[0].kernel, &CudaOptions::new(architecture))
    };
    for by_inner in [[false, false], [false, true], [true, false], [true, true]] {
        let source = native([312, 200, 136], by_inner, 90).unwrap_or_else(|| panic!("{by_inner:?}: no native"));
        let made = source.compile().unwrap_or_else(|error| panic!("{by_inner:?}: {error}"));
        assert_eq!(made.spill_bytes, 0, "{by_inner:?}: {}", made.log);
        assert!(!made.log.contains("serialized"), "{by_inner:?}: {}", made.log);
        assert!(native([312, 200, 136], by_inner, 100).is_none(), "other cards have no wgmma");
        assert_eq!(
            native([312, 201, 136], by_inner, 90).is_some(),
            by_inner == [false, false],
            "odd lines of {by_inner:?}"
        );
    }
    // Cut where b's rows no longer fit a binding, a's lines begin anywhere.
    let small = caps.clone().with(|caps| caps.binding_bytes = 1 << 16);
    let plan = halves([64, 40, 4096], [true, false]).plan(&small).unwrap();
    let options = CudaOptions::new(90);
    assert!(
        plan.passes.len() > 1 && plan.passes.iter().all(|pass| CudaSource::native(&pass.kernel, &options).is_none())
    );
    assert!(native([311, 200, 136], [false, true], 90).is_none(), "lines at no multiples of 16 bytes");
    assert!(native([311, 200, 136], [true, true], 90).is_some(), "as many lines as one likes");
}
