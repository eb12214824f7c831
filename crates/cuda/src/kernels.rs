//! Kernels on a card: found in memory, on disk, or made by translation and compilation; and checked against its limits.

use super::cache::{Cache, Compiled};
use super::compile::CudaBinary;
use super::context::{Context, text};
use super::identity::identity;
use super::limits;
use super::nvrtc;
use super::substitutes::natives::{self, Native};
use super::text::{CudaOptions, CudaSource};
use crosslane_core::caps::Caps;
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use crosslane_core::recent::Recent;
use crosslane_core::threads::each;
use crosslane_core::trace::SpanKind;
use cudarc::driver::sys::{self, CUfunction_attribute as Attribute, CUresult};
use std::collections::HashMap;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, OnceLock};

/// The kernels of a device by their ids.
pub(super) struct Kernels {
    context: Arc<Context>,
    caps: Caps,
    options: CudaOptions,
    cache: Cache,
    /// Functions by their kernels' ids; a launch holds its kernel.
    translated: Recent<u64, Arc<Function>>,
    natives: Recent<u64, Arc<Function>>,
}

/// Functions that are kept, of each kind.
const KEPT: usize = 1024;

/// A kernel that is ready to be launched.
pub(super) struct Function {
    pub raw: sys::CUfunction,
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic: u32,
    module: sys::CUmodule,
    context: Arc<Context>,
}

// SAFETY: the driver's handles may be used by any thread.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Drop for Function {
    fn drop(&mut self) {
        let Ok(_entered) = self.context.enter() else { return };
        if self.context.synchronize("unload").is_ok() {
            // SAFETY: nothing that the stream had with it is left, and nobody else has the handle.
            unsafe { sys::cuModuleUnload(self.module) };
        }
    }
}

impl Kernels {
    pub fn new(context: Arc<Context>, caps: Caps, fast_math: bool) -> Kernels {
        let options = CudaOptions { fast_math, architecture: context.card.architecture };
        let (translated, natives) = (Recent::new(KEPT), Recent::new(KEPT));
        Kernels { context, caps, options, cache: Cache::from_environment(), translated, natives }
    }

    /// The kernel, made ready the first time.
    pub fn get(&self, kernel: &Kernel) -> Result<Arc<Function>> {
        if let Some(function) = self.find(kernel) {
            return Ok(function);
        }
        let compiled = self.compiled(kernel)?;
        self.load(kernel, compiled)
    }

    fn find(&self, kernel: &Kernel) -> Option<Arc<Function>> {
        self.translated.get(&kernel.id())
    }

    pub fn options(&self) -> CudaOptions {
        self.options
    }

    /// The folder in which measurements of this card are kept.
    pub fn folder(&self) -> Option<PathBuf> {
        self.cache.folder().map(Path::to_path_buf)
    }

    /// The kernel's native, made ready the first time.
    pub fn native(&self, kernel: &Kernel, native: &Native) -> Result<Arc<Function>> {
        if let Some(function) = self.natives.get(&kernel.id()) {
            return Ok(function);
        }
        let source = natives::source(kernel, native, self.options)?;
        let key = text_key(&source)?;
        let compiled = match self.cache.load(&key) {
            Some(found) => found,
            None => {
                let compiled = of(&source, natives::compiled(&source)?);
                self.cache.store(&key, &compiled);
                compiled
            }
        };
        let function = self.install(kernel, compiled, &key, || Ok(source))?;
        Ok(self.natives.keep(kernel.id(), function))
    }

    /// Makes those ready that are not, side by side.
    pub fn make_ready<'a>(&self, kernels: impl Iterator<Item = &'a Kernel>) -> Result<()> {
        let missing: HashMap<u64, &Kernel> =
            kernels.filter(|kernel| self.find(kernel).is_none()).map(|kernel| (kernel.id(), kernel)).collect();
        let missing: Vec<&Kernel> = missing.into_values().collect();
        if missing.len() < 2 {
            return missing.iter().try_for_each(|kernel| self.get(kernel).map(drop));
        }
        let compiled: Vec<OnceLock<Result<Compiled>>> = missing.iter().map(|_| OnceLock::new()).collect();
        each(missing.iter().zip(&compiled).collect(), |(kernel, place)| {
            place.get_or_init(|| self.compiled(kernel));
        });
        let compiled = compiled.into_iter().map(|place| place.into_inner().expect("each has been compiled"));
        missing.iter().zip(compiled).try_for_each(|(kernel, compiled)| self.load(kernel, compiled?).map(drop))
    }

    /// The kernel's code: kept for its WGSL, kept for its CUDA text, or made.
    fn compiled(&self, kernel: &Kernel) -> Result<Compiled> {
        let _compiling = self.context.observer.recorder.open(SpanKind::Compile, kernel.name(), 0);
        let key = self.key(kernel)?;
        if let Some(found) = self.cache.load(&key) {
            return Ok(found);
        }
        let source = CudaSource::translated(kernel, &self.options)?;
        let by_text = text_key(&source)?;
        let found = self.cache.load(&by_text);
        let compiled = match found {
            Some(found) => found,
            None => {
                limits::check(&self.context.card, &self.caps, kernel, &source)?;
                let compiled = of(&source, source.compile().map_err(|error| named(error, kernel, &self.context))?);
                self.cache.store(&by_text, &compiled);
                compiled
            }
        };
        self.cache.store(&key, &compiled);
        Ok(compiled)
    }

    /// All that the code depends on, with the WGSL in place of the translation.
    fn key(&self, kernel: &Kernel) -> Result<String> {
        let ((major, minor), CudaOptions { fast_math, architecture }) = (nvrtc::version()?, self.options);
        Ok(format!(
            "wgsl {} {} sm_{architecture} nvrtc {major}.{minor} fast_math {fast_math} trusted {} number {} {} {:?} {} {:?}\n{}",
            env!("CARGO_PKG_VERSION"),
            identity(),
            kernel.is_trusted(),
            kernel.number(),
            kernel.entry(),
            kernel.overrides(),
            kernel.param_words(),
            kernel.bindings(),
            kernel.source()
        ))
    }

    fn load(&self, kernel: &Kernel, compiled: Compiled) -> Result<Arc<Function>> {
        let key = self.key(kernel)?;
        let function = self.install(kernel, compiled, &key, || CudaSource::translated(kernel, &self.options))?;
        Ok(self.translated.keep(kernel.id(), function))
    }

    /// Code as a function. A driver that is older than NVRTC may refuse it, and understand PTX that it compiles by itself:
    /// that is kept under `key` then.
    fn install(
        &self,
        kernel: &Kernel,
        compiled: Compiled,
        key: &str,
        source: impl FnOnce() -> Result<CudaSource>,
    ) -> Result<Arc<Function>> {
        let _entered = self.context.enter()?;
        let refused = match module(&compiled.binary) {
            Ok(module) => return self.function(kernel, &compiled, module),
            Err(error) if unknown(error) && !compiled.binary.ptx => error,
            Err(error) => return Err(self.unloaded(kernel, error)),
        };
        log::info!("{}: the driver refuses the machine code ({refused:?}); trying PTX", kernel.name());
        let source = source()?;
        let binary = source.compile_to_ptx().map_err(|error| named(error, kernel, &self.context))?;
        let module = module(&binary).map_err(|error| self.unloaded(kernel, error))?;
        let compiled = of(&source, binary);
        self.cache.store(key, &compiled);
        self.function(kernel, &compiled, module)
    }

    fn unloaded(&self, kernel: &Kernel, error: CUresult) -> Error {
        if !unknown(error) {
            return self.context.check("load", error).expect_err("it is an error");
        }
        let ((major, minor), (driver_major, driver_minor)) =
            (nvrtc::version().unwrap_or_default(), self.context.card.driver);
        let message = format!(
            "{}: the driver, of CUDA {driver_major}.{driver_minor}, refuses what NVRTC {major}.{minor} makes for sm_{}; \
             install a newer driver or an older NVRTC",
            text(error),
            self.options.architecture,
        );
        let device = self.context.card.name.clone();
        ErrorKind::Compile { kernel: kernel.name().into(), device, message, at: None }.into()
    }

    /// The function in a module, which it owns from here on.
    fn function(&self, kernel: &Kernel, compiled: &Compiled, module: sys::CUmodule) -> Result<Arc<Function>> {
        let context = &self.context;
        let (block, dynamic) = (compiled.workgroup_size, compiled.dynamic_bytes);
        let mut function = Function { raw: ptr::null_mut(), block, dynamic, module, context: context.clone() };
        let symbol = CString::new(compiled.symbol.as_str()).expect("a C++ name has no zero byte");
        // SAFETY: module and name are there, and the pointer is to a variable that lives.
        context.check("load", unsafe { sys::cuModuleGetFunction(&mut function.raw, module, symbol.as_ptr()) })?;
        let mut most = 0;
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        // SAFETY: as above.
        context.check("load", unsafe { sys::cuFuncGetAttribute(&mut most, attribute, function.raw) })?;
        let threads: u64 = block.iter().map(|&count| count as u64).product();
        if threads > most.max(0) as u64 {
            return Err(limits::exceeded(
                &self.context.card,
                kernel,
                threads,
                most.max(0) as u64,
                "invocations of a workgroup",
            ));
        }
        if dynamic > 0 {
            let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is there.
            let set = unsafe { sys::cuFuncSetAttribute(function.raw, attribute, dynamic as i32) };
            if set == CUresult::CUDA_ERROR_INVALID_VALUE {
                let most = self.caps.workgroup_bytes as u64;
                return Err(limits::exceeded(
                    &self.context.card,
                    kernel,
                    dynamic as u64,
                    most,
                    "bytes of workgroup memory",
                ));
            }
            context.check("load", set)?;
        }
        Ok(Arc::new(function))
    }
}

fn of(source: &CudaSource, binary: CudaBinary) -> Compiled {
    Compiled {
        symbol: source.symbol.clone(),
        workgroup_size: source.workgroup_size,
        shared_bytes: source.shared_bytes,
        dynamic_bytes: source.dynamic_bytes,
        binary,
    }
}

/// The key of a CUDA text's code.
fn text_key(source: &CudaSource) -> Result<String> {
    let (major, minor) = nvrtc::version()?;
    let (flags, architecture) = (source.flags()?.join(" "), source.architecture());
    Ok(format!("cuda {architecture} nvrtc {major}.{minor} {flags}\n{}", source.text))
}

fn module(binary: &CudaBinary) -> Result<sys::CUmodule, CUresult> {
    let mut module = ptr::null_mut();
    // SAFETY: a cubin says its own length, PTX ends with a zero byte; both come from NVRTC whole, or from a file with a
    // checksum.
    match unsafe { sys::cuModuleLoadData(&mut module, binary.cubin.as_ptr().cast()) } {
        CUresult::CUDA_SUCCESS => Ok(module),
        error => Err(error),
    }
}

/// Errors of a driver that does not know this kind of code.
fn unknown(error: CUresult) -> bool {
    use CUresult::*;
    matches!(
        error,
        CUDA_ERROR_NO_BINARY_FOR_GPU
            | CUDA_ERROR_INVALID_IMAGE
            | CUDA_ERROR_INVALID_PTX
            | CUDA_ERROR_UNSUPPORTED_PTX_VERSION
            | CUDA_ERROR_JIT_COMPILER_NOT_FOUND
            | CUDA_ERROR_JIT_COMPILATION_DISABLED
            | CUDA_ERROR_INVALID_SOURCE
    )
}

/// A compilation's error with the kernel's and the card's name.
fn named(error: Error, kernel: &Kernel, context: &Context) -> Error {
    match error.kind() {
        ErrorKind::Compile { device, message, at, .. } => ErrorKind::Compile {
            kernel: kernel.name().into(),
            device: format!("{} ({device})", context.card.name),
            message: message.clone(),
            at: *at,
        }
        .into(),
        _ => error,
    }
}
