//! Kernels of `corpus/`: between them every type, statement, expression and function. They compile; and where their
//! results are exact, the text under g++ must give the cpu engine's bits.

use crate::emulate::{self, OPTIONS, Program};
use crate::emulation::{self, Window};
use crate::support::{random, say};
use crosslane::cpu::Profile;
use crosslane::{Argument, Array, Device, DeviceOptions, Kernel};
use naga::TypeInner;
use rand::Rng;

/// What a binding holds before, in words.
#[derive(Clone, Copy)]
enum Buffer {
    Random(usize),
    Zeros(usize),
}
use Buffer::*;

/// A kernel of `corpus/`; the grid and the buffers it runs with, none if it is only compiled.
struct Case {
    name: &'static str,
    source: &'static str,
    grid: [u32; 3],
    buffers: &'static [Buffer],
}

macro_rules! case {
    ($name:literal, $grid:expr, $buffers:expr) => {
        Case { name: $name, source: include_str!(concat!("corpus/", $name, ".wgsl")), grid: $grid, buffers: $buffers }
    };
}

/// Words that kernels take inputs from.
const INPUT: Buffer = Random(509);

/// Every kernel of `corpus/`.
const CASES: &[Case] = &[
    case!("operators", [2, 1, 1], &[INPUT, Zeros(64 * 512)]),
    case!("bits", [2, 1, 1], &[INPUT, Zeros(64 * 256)]),
    case!("packing", [2, 1, 1], &[INPUT, Zeros(64 * 32)]),
    case!("functions_f32", [1, 1, 1], &[]),
    case!("functions_f16", [1, 1, 1], &[]),
    case!(
        "types",
        [2, 1, 1],
        &[Random(3 * 192), Random(3 * 192), Random(8 + 8 * 5), Random(64), Random(64), Random(8), Random(64)]
    ),
    case!("control", [3, 1, 1], &[INPUT, Zeros(192 * 8)]),
    case!("workgroup", [3, 1, 1], &[INPUT, Zeros(192 * 8)]),
    case!("large_workgroup", [2, 1, 1], &[INPUT, Zeros(256)]),
    case!("atomics", [3, 1, 1], &[INPUT, Zeros(48), Random(10), Random(8), Random(8)]),
    case!("atomics_wide", [3, 1, 1], &[INPUT, Random(16), Random(16)]),
    case!("atomics_float", [3, 1, 1], &[INPUT, Zeros(4)]),
    case!("builtins", [3, 2, 2], &[Zeros(12 * 24 * 8)]),
    case!("immediates", [2, 1, 1], &[Zeros(64 * 4)]),
    case!("wide", [2, 1, 1], &[INPUT, Zeros(64 * 96 * 2), Zeros(64 * 8)]),
    case!("half", [2, 1, 1], &[INPUT, Zeros(64 * 32), Zeros(64 * 10), Zeros(64 * 2)]),
    case!("subgroups", [2, 1, 1], &[INPUT, Zeros(128 * 128)]),
    case!("matrices_f16", [1, 1, 1], &[]),
    case!("matrices_f32", [1, 1, 1], &[]),
];

/// The kernels, to be compiled: with checks, and without where that is all they can be.
pub fn kernels() -> Vec<(String, Kernel)> {
    let kernel = |case: &Case| {
        let kernel = Kernel::wgsl(case.source).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        // SAFETY: it is only compiled.
        let kernel = if case.name.starts_with("matrices") { unsafe { kernel.trusted() } } else { kernel };
        (case.name.to_string(), kernel)
    };
    CASES.iter().map(kernel).collect()
}

impl Case {
    fn buffers(&self) -> Vec<Vec<u32>> {
        let mut rng = random(4);
        let mut words = |buffer: &Buffer| match *buffer {
            Random(len) => (0..len).map(|n| if n % 3 == 2 { rng.random_range(0..64) } else { rng.random() }).collect(),
            Zeros(len) => vec![0; len],
        };
        self.buffers.iter().map(&mut words).collect()
    }

    fn immediates(&self, kernel: &Kernel) -> Vec<u8> {
        (0..kernel.param_words() as u32 * 4).map(|byte| (byte * 37 + 5) as u8).collect()
    }

    fn on_device(&self, kernel: &Kernel, device: &Device) -> Result<Vec<Vec<u32>>, String> {
        let arrays: Vec<Array<u32>> = self.buffers().iter().map(|words| Array::from_slice(device, words)).collect();
        let mut arguments: Vec<Argument> = arrays.iter().map(Argument::bytes_of).collect();
        if kernel.param_words() > 0 {
            arguments.push(Argument::immediates(&self.immediates(kernel)));
        }
        let result = kernel.grid(self.grid).args(arguments).launch(device);
        result.and_then(|()| arrays.iter().map(Array::to_vec).collect()).map_err(|error| error.to_string())
    }

    fn as_text(&self, kernel: &Kernel) -> Result<Vec<Vec<u32>>, String> {
        let source = kernel.cuda(&OPTIONS).map_err(|error| error.to_string())?;
        let immediates = self.immediates(kernel);
        let mut bytes: Vec<Vec<u8>> = self.buffers().iter().map(|w| bytemuck::cast_slice(w).to_vec()).collect();
        let window = |(buffer, bytes): (usize, &Vec<u8>)| Window { buffer, offset: 0, bytes: bytes.len() as u64 };
        let windows: Vec<Window> = bytes.iter().enumerate().map(window).collect();
        Program::new(&source, windows.len(), !immediates.is_empty())
            .and_then(|program| program.run(self.grid, &mut bytes, &windows, &immediates))
            .map_err(|error| format!("{error}\n{}", emulate::own(&source)))?;
        Ok(bytes.iter().map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect())
    }
}

/// Marks the bytes of a type that mean something: padding is anything after a store.
fn mark(module: &naga::Module, ty: naga::Handle<naga::Type>, at: usize, mask: &mut [bool]) {
    match module.types[ty].inner {
        TypeInner::Struct { ref members, .. } => {
            members.iter().for_each(|m| mark(module, m.ty, at + m.offset as usize, mask));
        }
        TypeInner::Array { base, size, stride } => {
            let stride = stride as usize;
            let len = match size {
                naga::ArraySize::Constant(len) => len.get() as usize,
                _ => (mask.len() - at) / stride,
            };
            (0..len).for_each(|i| mark(module, base, at + i * stride, mask));
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            let (width, rows) = (scalar.width as usize, rows as usize);
            let stride = if rows == 2 { 2 * width } else { 4 * width };
            (0..columns as usize).for_each(|c| mask[at + c * stride..][..rows * width].fill(true));
        }
        ref inner => mask[at..at + inner.size(module.to_ctx()) as usize].fill(true),
    }
}

impl Case {
    /// For each buffer, which bytes count.
    fn masks(&self, buffers: &[Vec<u32>]) -> Vec<Vec<bool>> {
        let module = naga::front::wgsl::parse_str(self.source).expect("Kernel::wgsl parsed it");
        let mut masks: Vec<Vec<bool>> = buffers.iter().map(|words| vec![false; words.len() * 4]).collect();
        for (_, variable) in module.global_variables.iter() {
            if let Some(at) = &variable.binding {
                mark(&module, variable.ty, 0, &mut masks[at.binding as usize]);
            }
        }
        masks
    }

    /// What differs between the text and the cpu engine, if anything does.
    fn differs(&self, device: &Device) -> Result<(), String> {
        let kernel = Kernel::wgsl(self.source).map_err(|error| error.to_string())?;
        let (before, got, wanted) = (self.buffers(), self.as_text(&kernel)?, self.on_device(&kernel, device)?);
        // Buffers that a kernel leaves as they are prove nothing.
        if wanted == before {
            return Err("changed nothing".into());
        }
        for (binding, mask) in self.masks(&before).iter().enumerate() {
            let [got, wanted]: [&[u8]; 2] = [&got, &wanted].map(|all| bytemuck::cast_slice(&all[binding]));
            let wrong: Vec<usize> = (0..mask.len()).filter(|&at| mask[at] && got[at] != wanted[at]).collect();
            if let Some(at) = wrong.first().map(|at| at / 4 * 4) {
                let word = |bytes: &[u8]| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
                let (count, got, wanted) = (wrong.len(), word(got), word(wanted));
                return Err(format!(
                    "binding {binding}, word {}: {got:#x}, cpu engine {wanted:#x}; {count} bytes differ",
                    at / 4
                ));
            }
        }
        Ok(())
    }
}

/// The text under g++ gives the same bits as the cpu engine.
#[test]
fn text_agrees_with_the_cpu_engine() {
    if !emulation::available() {
        return;
    }
    let mut profile = Profile::nvidia_like();
    profile.caps = emulate::caps();
    profile.caps.binding_bytes = 1 << 30;
    let device = DeviceOptions::default().cpu(profile, None).unwrap();
    let cases: Vec<&Case> = CASES.iter().filter(|case| !case.buffers.is_empty()).collect();
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| case.differs(&device).err().map(|error| format!("{}: {error}", case.name)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} kernels are wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    say(&format!("{} kernels of the corpus agree as CUDA text under g++ with the cpu engine", cases.len()));
}

/// No kernel of the folder is left out of the table.
#[test]
fn table_is_complete() {
    let files = std::fs::read_dir(emulate::here().join("corpus")).unwrap();
    for file in files.map(|file| file.unwrap().file_name().into_string().unwrap()) {
        assert!(CASES.iter().any(|case| format!("{}.wgsl", case.name) == file), "{file} is not in CASES");
    }
}
