//! CUDA C++ to machine code, by NVRTC: needs the library but no card.

use super::nvrtc::{self, Functions};
use super::text::CudaSource;
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::kernel::on_large_stack;
use cudarc::nvrtc::result::NvrtcError;
use cudarc::nvrtc::sys::{nvrtcProgram, nvrtcResult};
use std::ffi::{CString, c_char, c_int};
use std::ptr::{null, null_mut};

/// A kernel as code for one architecture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CudaBinary {
    /// The code: a cubin, or PTX where [`CudaBinary::ptx`] says so.
    pub cubin: Vec<u8>,
    /// Whether the code is PTX, for the driver to compile: NVRTC does not know the architecture.
    pub ptx: bool,
    /// Registers of a thread; 0 for PTX.
    pub registers: u32,
    /// Bytes of static shared memory of a block; 0 for PTX.
    pub shared_bytes: u32,
    /// Bytes of registers stored to memory, and loaded from there, for want of registers; 0 for PTX.
    pub spill_bytes: u32,
    /// What the compiler says.
    pub log: String,
}

impl CudaSource {
    /// The text as machine code for the architecture that it was made for. Needs NVRTC and no card.
    ///
    /// Errors: NVRTC is missing, knows neither the architecture nor an older one, or refuses the text.
    pub fn compile(&self) -> Result<CudaBinary> {
        match target(self.options.architecture)? {
            Target::Cubin(_) => cubin(self, &[]),
            Target::Ptx(architecture) => ptx(self, architecture),
        }
    }

    /// Whether NVRTC and its assembler take the text, as [`CudaSource::compile`] tells, in less time: short texts are optimised less.
    /// The code is thrown away.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        let is_short = self.text.len() < SHORT && nvrtc::version()? >= MINIMAL;
        let fast = is_short.then_some("--Ofast-compile=mid");
        match target(self.options.architecture)? {
            Target::Cubin(_) => cubin(self, fast.as_slice()).map(drop),
            Target::Ptx(architecture) => ptx(self, architecture).map(drop),
        }
    }

    /// As [`CudaSource::compile`], for a driver that refuses NVRTC's machine code.
    pub(super) fn compile_to_ptx(&self) -> Result<CudaBinary> {
        match target(self.options.architecture)? {
            Target::Cubin(architecture) | Target::Ptx(architecture) => ptx(self, architecture),
        }
    }

    /// The architecture by the name that compilers know.
    pub(super) fn architecture(&self) -> String {
        format!("sm_{}{}", self.options.architecture, if self.specific { "a" } else { "" })
    }

    /// The options that say how, without those that only ask for figures.
    pub(super) fn flags(&self) -> Result<Vec<String>> {
        // Quotients within 2 ULP, of WGSL's 2.5: gelu is bound by arithmetic with exact ones.
        let mut flags = vec!["--std=c++17".to_string(), "--prec-div=false".to_string()];
        if nvrtc::version()? >= MINIMAL {
            // What the texts have no use for: textures and the run-time library. 35 ms less, of 120.
            flags.push("--minimal".into());
        }
        if self.options.fast_math {
            flags.push("--use_fast_math".into());
        }
        Ok(flags)
    }
}

/// The version that `--minimal` and `--Ofast-compile` are known to work with.
const MINIMAL: (u32, u32) = (13, 0);
/// Bytes from which on a text is compiled no faster with `--Ofast-compile=mid`: one of 60,000 took 3.5 s with it and 0.7 without, one
/// of 23,000 30 ms and 50.
const SHORT: usize = 40_000;

enum Target {
    Cubin(u32),
    /// The newest architecture that NVRTC knows, older than the card's.
    Ptx(u32),
}

fn target(wanted: u32) -> Result<Target> {
    let (major, minor) = nvrtc::version()?;
    let known = architectures()?;
    if known.contains(&wanted) {
        return Ok(Target::Cubin(wanted));
    }
    match known.iter().filter(|&&known| known < wanted).max() {
        Some(&newest) => Ok(Target::Ptx(newest)),
        None => {
            let names: Vec<String> = known.iter().map(|known| format!("sm_{known}")).collect();
            let wanted = format!("code for sm_{wanted} from NVRTC {major}.{minor}, which knows {}", names.join(", "));
            let (operation, device) = ("compile", "the card".into());
            let help = "install the NVRTC of an older CUDA".into();
            Err(ErrorKind::Unsupported { operation, wanted, device, help, at: None }.into())
        }
    }
}

/// The architectures that NVRTC makes code for.
fn architectures() -> Result<Vec<u32>> {
    let nvrtc = nvrtc::functions()?;
    let mut count = 0;
    // SAFETY: the pointer is to a variable that lives.
    let counted = unsafe { (nvrtc.nvrtcGetNumSupportedArchs)(&mut count) };
    let mut known = vec![0i32; count.max(0) as usize];
    if counted != nvrtcResult::NVRTC_SUCCESS || known.is_empty() {
        return Ok(vec![]);
    }
    // SAFETY: the vector has as many elements as the library said that it writes.
    let listed = unsafe { (nvrtc.nvrtcGetSupportedArchs)(known.as_mut_ptr()) };
    Ok(if listed == nvrtcResult::NVRTC_SUCCESS { known.iter().map(|&k| k as u32).collect() } else { vec![] })
}

/// NVRTC calls itself for what stands inside something else.
fn cubin(source: &CudaSource, more: &[&str]) -> Result<CudaBinary> {
    on_large_stack(|| cubin_here(source, more))
}

fn cubin_here(source: &CudaSource, more: &[&str]) -> Result<CudaBinary> {
    let mut options = source.flags()?;
    options.extend(more.iter().map(|flag| flag.to_string()));
    options.extend([format!("--gpu-architecture={}", source.architecture()), "--ptxas-options=-v".into()]);
    let program = Program::compile(source, &options)?;
    let log = program.log();
    Ok(CudaBinary {
        cubin: program.cubin().map_err(|error| program.failed(source, error))?,
        ptx: false,
        registers: figures(&log, "Used ", " registers").max().unwrap_or(0),
        shared_bytes: figures(&log, ", ", " bytes smem").max().unwrap_or(0),
        spill_bytes: figures(&log, "", " bytes spill stores").sum::<u32>()
            + figures(&log, "", " bytes spill loads").sum::<u32>(),
        log,
    })
}

fn ptx(source: &CudaSource, architecture: u32) -> Result<CudaBinary> {
    on_large_stack(|| ptx_here(source, architecture))
}

fn ptx_here(source: &CudaSource, architecture: u32) -> Result<CudaBinary> {
    let mut options = source.flags()?;
    let specific = if source.specific { "a" } else { "" };
    options.push(format!("--gpu-architecture=compute_{architecture}{specific}"));
    let program = Program::compile(source, &options)?;
    let cubin = program.ptx().map_err(|error| program.failed(source, error))?;
    Ok(CudaBinary { cubin, ptx: true, log: program.log(), ..CudaBinary::default() })
}

/// The numbers that stand before `after`, each after `before`.
fn figures<'a>(log: &'a str, before: &'a str, after: &'a str) -> impl Iterator<Item = u32> + 'a {
    log.match_indices(after).filter_map(move |(at, _)| {
        let start = log[..at].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |found| found + 1);
        log[..start].ends_with(before).then(|| log[start..at].parse().ok())?
    })
}

/// A program of NVRTC's, destroyed when dropped, with the text and the name that it may refer to.
struct Program {
    raw: nvrtcProgram,
    nvrtc: &'static Functions,
    _texts: [CString; 2],
}

type Size = unsafe extern "C" fn(nvrtcProgram, *mut usize) -> nvrtcResult;
type Write = unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> nvrtcResult;

impl Program {
    fn compile(source: &CudaSource, options: &[String]) -> Result<Program> {
        let nvrtc = nvrtc::functions()?;
        let of = |text: &str| CString::new(text).map_err(|_| refused(source, "the text has a zero byte in it".into()));
        let texts = [of(&source.text)?, of(&format!("{}.cu", source.symbol))?];
        let options = options.iter().map(|option| of(option)).collect::<Result<Vec<_>>>()?;
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let (mut raw, none) = (null_mut(), null());
        let [text, name] = texts.each_ref().map(|text| text.as_ptr());
        // SAFETY: the texts end with a zero, there are no headers, and the pointer is to a variable that lives.
        unsafe { (nvrtc.nvrtcCreateProgram)(&mut raw, text, name, 0, none, none) }
            .result()
            .map_err(|error| refused(source, error.to_string()))?;
        let program = Program { raw, nvrtc, _texts: texts };
        // SAFETY: the program is there, and the options are as many as told.
        let compiled = unsafe { (nvrtc.nvrtcCompileProgram)(raw, options.len() as c_int, options.as_ptr()) };
        compiled.result().map_err(|error| program.failed(source, error))?;
        Ok(program)
    }

    fn log(&self) -> String {
        let log = self.bytes(self.nvrtc.nvrtcGetProgramLogSize, self.nvrtc.nvrtcGetProgramLog).unwrap_or_default();
        let text = log.split(|&byte| byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).trim().to_string()
    }

    fn cubin(&self) -> Result<Vec<u8>, NvrtcError> {
        self.bytes(self.nvrtc.nvrtcGetCUBINSize, self.nvrtc.nvrtcGetCUBIN)
    }

    fn ptx(&self) -> Result<Vec<u8>, NvrtcError> {
        self.bytes(self.nvrtc.nvrtcGetPTXSize, self.nvrtc.nvrtcGetPTX)
    }

    /// What one function of the library writes, in the size that another one tells.
    fn bytes(&self, size: Size, write: Write) -> Result<Vec<u8>, NvrtcError> {
        let mut bytes = 0;
        // SAFETY: the program has been compiled, and the pointer is to a variable that lives.
        unsafe { size(self.raw, &mut bytes) }.result()?;
        let mut written = vec![0u8; bytes];
        // SAFETY: the vector has the size that the library said.
        unsafe { write(self.raw, written.as_mut_ptr().cast()) }.result()?;
        Ok(written)
    }

    fn failed(&self, source: &CudaSource, error: NvrtcError) -> Error {
        refused(source, format!("{error}\n{}", with_lines(&self.log(), &source.text)))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: it was created and is destroyed once.
        let _ = unsafe { (self.nvrtc.nvrtcDestroyProgram)(&mut self.raw) };
    }
}

fn refused(source: &CudaSource, message: String) -> Error {
    let (major, minor) = nvrtc::version().unwrap_or_default();
    let device = format!("sm_{} by NVRTC {major}.{minor}", source.options.architecture);
    ErrorKind::Compile { kernel: source.symbol.clone(), device, message, at: None }.into()
}

/// The log with the text's line after each message that names one: `kernel.cu(12): error: ...`.
fn with_lines(log: &str, text: &str) -> String {
    let named = |line: &str| -> Option<usize> {
        let (_, rest) = line.split_once(".cu(")?;
        rest.split_once(')')?.0.parse::<usize>().ok()?.checked_sub(1)
    };
    let whole = |line: &str| match named(line).and_then(|number| text.lines().nth(number)) {
        Some(of) => format!("{line}\n  >> {}\n", of.trim()),
        None => format!("{line}\n"),
    };
    log.lines().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::super::text::CudaOptions;
    use super::*;

    fn source(text: &str, architecture: u32) -> CudaSource {
        CudaSource {
            text: text.into(),
            symbol: "k".into(),
            workgroup_size: [64, 1, 1],
            shared_bytes: 256,
            dynamic_bytes: 0,
            specific: false,
            options: CudaOptions { fast_math: false, architecture },
        }
    }

    #[test]
    fn figures_are_found_in_the_assemblers_log() {
        let log = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n\
                   ptxas         .     16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n\
                   ptxas info    : Used 110 registers, used 1 barriers, 1024 bytes smem, 380 bytes cmem[0]\n";
        assert_eq!(figures(log, "Used ", " registers").collect::<Vec<_>>(), [110]);
        assert_eq!(figures(log, ", ", " bytes smem").collect::<Vec<_>>(), [1024]);
        assert_eq!(figures(log, "", " bytes spill stores").sum::<u32>(), 12);
        assert_eq!(figures(log, "", " bytes spill loads").sum::<u32>(), 20);
    }

    #[test]
    fn messages_show_their_line() {
        assert_eq!(with_lines("k.cu(2): error: no\ndone", "one\n  two\n"), "k.cu(2): error: no\n  >> two\ndone\n");
    }

    /// Where NVRTC is: the whole way, without a card.
    #[test]
    fn nvrtc_makes_code_where_it_is_there() {
        let Ok(_) = nvrtc::version() else {
            println!("not run: no NVRTC");
            return;
        };
        let text = "extern \"C\" __global__ void __launch_bounds__(64) k(float* x, unsigned long long n) {\n\
                    __shared__ float y[64]; y[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n\
                    x[threadIdx.x] = y[63 - threadIdx.x]; }";
        let made = source(text, 90).compile().unwrap();
        assert!(!made.ptx && made.cubin.starts_with(b"\x7fELF"));
        assert!(made.registers > 4 && made.shared_bytes == 256 && made.spill_bytes == 0, "{}", made.log);
        let newer = source(text, 999).compile().unwrap();
        assert!(newer.ptx && String::from_utf8_lossy(&newer.cubin).contains(".entry k("));
        let older = source(text, 10).compile().unwrap_err();
        assert!(older.to_string().contains("sm_10 from NVRTC"), "{older}");
        let wrong = source("extern \"C\" __global__ void k() {\n  int x = nothing;\n}", 90).compile().unwrap_err();
        assert!(matches!(wrong.kind(), ErrorKind::Compile { .. }));
        assert!(wrong.to_string().contains(">> int x = nothing;"), "{wrong}");
    }
}
