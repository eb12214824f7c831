//! Convolutions over channels by cuDNN, where it is installed.
//!
//! Of f32 only the algorithms that add up the products one by one: Winograd's and Fourier's have larger errors than our kernels
//! promise.

use super::convolution::Convolution;
use crate::context::Context;
use crate::memory::block;
use crosslane_core::element::DType;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::{Contract, Contraction, Word};
use crosslane_core::recent::Recent;
use crosslane_core::work::Launch;
use cudarc::cudnn::result::{self, CudnnError};
use cudarc::cudnn::sys;
use cudarc::driver;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The library, started when it is first asked for, and what it has planned.
pub(crate) struct Convolutions {
    library: OnceLock<Option<Arc<Library>>>,
    planned: Recent<Convolution, Option<Arc<Planned>>>,
}

/// The plans of convolutions of this many shapes are kept.
const KEPT: usize = 1024;

impl Default for Convolutions {
    fn default() -> Convolutions {
        Convolutions { library: OnceLock::new(), planned: Recent::new(KEPT) }
    }
}

/// The library's handle, which one thread uses at a time: the stream is set on it.
struct Library(Mutex<sys::cudnnHandle_t>);

// SAFETY: any thread may use the handle, one at a time.
unsafe impl Send for Library {}
// SAFETY: as above, and the lock sees to that.
unsafe impl Sync for Library {}

impl Drop for Library {
    fn drop(&mut self) {
        let handle = *self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: it was created, and is destroyed once. An error is of no use to anybody.
        let _ = unsafe { result::destroy_handle(handle) };
    }
}

/// What the library needs to know of a convolution.
struct Planned {
    values: sys::cudnnTensorDescriptor_t,
    weights: sys::cudnnFilterDescriptor_t,
    results: sys::cudnnTensorDescriptor_t,
    windows: sys::cudnnConvolutionDescriptor_t,
    algorithm: sys::cudnnConvolutionFwdAlgo_t,
    /// Bytes of memory that it works in.
    workspace: usize,
}

// SAFETY: descriptions are only read once they are made.
unsafe impl Send for Planned {}
// SAFETY: as above.
unsafe impl Sync for Planned {}

impl Drop for Planned {
    fn drop(&mut self) {
        // SAFETY: those that were created are destroyed once. An error is of no use to anybody.
        unsafe {
            if !self.values.is_null() {
                let _ = result::destroy_tensor_descriptor(self.values);
            }
            if !self.weights.is_null() {
                let _ = result::destroy_filter_descriptor(self.weights);
            }
            if !self.results.is_null() {
                let _ = result::destroy_tensor_descriptor(self.results);
            }
            if !self.windows.is_null() {
                let _ = result::destroy_convolution_descriptor(self.windows);
            }
        }
    }
}

/// The addresses of a convolution: weights, values, results.
type Places = [u64; 3];

/// A convolution that is ready to run.
pub struct Call {
    library: Arc<Library>,
    planned: Arc<Planned>,
    places: Places,
}

impl Convolutions {
    /// The launch as a convolution of the library's, if it is one and the library is there and can do it. `pooled`: memory to
    /// work in can be allocated in the order of a stream.
    pub fn call(&self, launch: &Launch, pooled: bool) -> Option<Call> {
        let Contract::Contraction(product) = launch.kernel.contract()? else { return None };
        let (convolution, places) = described(product, launch)?;
        let library = self.library.get_or_init(Library::start).as_ref()?;
        let plan = || match Planned::new(library, &convolution, pooled) {
            Ok(planned) => Some(Arc::new(planned)),
            Err(error) => {
                log::info!("cuDNN does not do {convolution:?}: {error:?}");
                None
            }
        };
        let found = self.planned.get(&convolution);
        let planned = found.unwrap_or_else(|| self.planned.keep(convolution.clone(), plan()))?;
        Some(Call { library: library.clone(), planned, places })
    }
}

impl Library {
    fn start() -> Option<Arc<Library>> {
        // SAFETY: loading runs the initialisers of NVIDIA's library, which have no requirements.
        if !unsafe { sys::is_culib_present() } {
            return None;
        }
        match result::create_handle() {
            Ok(handle) => Some(Arc::new(Library(Mutex::new(handle)))),
            Err(error) => {
                log::info!("cuDNN is there, but does not start: {error:?}");
                None
            }
        }
    }
}

/// Whether the library does the whole of it: f32 that is not rounded, or f16.
fn knows(product: &Contraction) -> bool {
    let types = match product.dtypes {
        [DType::F16, DType::F16, DType::F16] => true,
        [DType::F32, DType::F32, DType::F32] => !product.tensor,
        _ => false,
    };
    product.plain && types
}

/// What a launch's parameters say.
fn described(product: &Contraction, launch: &Launch) -> Option<(Convolution, Places)> {
    let [output, a, b] = &launch.buffers[..] else { return None };
    if !knows(product) {
        return None;
    }
    let size = product.dtypes[0].size() as u64;
    let first = |word: Word| u64::from(word.of(&launch.params)) * size;
    let [weights, values] = &product.sides;
    let elements = b.bytes.checked_sub(first(values.first))? / size;
    let convolution = Convolution::of(product, &launch.params, elements)?;
    let start = |window: &crosslane_core::work::Window| block(&window.memory).address() + window.offset;
    Some((convolution, [start(a) + first(weights.first), start(b) + first(values.first), start(output)]))
}

impl Planned {
    fn new(library: &Library, shape: &Convolution, pooled: bool) -> Result<Planned, CudnnError> {
        let mut planned = Planned {
            values: ptr::null_mut(),
            weights: ptr::null_mut(),
            results: ptr::null_mut(),
            windows: ptr::null_mut(),
            algorithm: sys::cudnnConvolutionFwdAlgo_t::CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
            workspace: 0,
        };
        let dtype = match shape.dtype {
            DType::F16 => sys::cudnnDataType_t::CUDNN_DATA_HALF,
            _ => sys::cudnnDataType_t::CUDNN_DATA_FLOAT,
        };
        planned.values = tensor(dtype, &shape.extents, &shape.strides)?;
        planned.results = tensor(dtype, &shape.results, &dense(&shape.results))?;
        planned.weights = result::create_filter_descriptor()?;
        planned.windows = result::create_convolution_descriptor()?;
        let (axes, padding) = (shape.steps.len() as i32, vec![0; shape.steps.len()]);
        // SAFETY: the descriptions were created, and the vectors are as long as is said.
        unsafe {
            let layout = sys::cudnnTensorFormat_t::CUDNN_TENSOR_NCHW;
            result::set_filternd_descriptor(planned.weights, dtype, layout, axes + 2, shape.weights.as_ptr())?;
            result::set_convolutionnd_descriptor(
                planned.windows,
                axes,
                padding.as_ptr(),
                shape.steps.as_ptr(),
                shape.dilations.as_ptr(),
                sys::cudnnConvolutionMode_t::CUDNN_CROSS_CORRELATION,
                sys::cudnnDataType_t::CUDNN_DATA_FLOAT,
            )?;
        }
        planned.choose(library, shape.dtype, if pooled { workspace_limit(shape) } else { 0 })?;
        Ok(planned)
    }

    /// The algorithm that the library takes for the fastest of those that are exact and work in so many bytes.
    fn choose(&mut self, library: &Library, dtype: DType, most: usize) -> Result<(), CudnnError> {
        use sys::cudnnConvolutionFwdAlgo_t as Algorithm;
        use sys::cudnnMathType_t as Math;
        let wanted = if dtype == DType::F16 { Math::CUDNN_TENSOR_OP_MATH } else { Math::CUDNN_FMA_MATH };
        // SAFETY: the description was created.
        unsafe { result::set_convolution_math_type(self.windows, wanted)? };
        let mut found = [sys::cudnnConvolutionFwdAlgoPerf_t {
            algo: self.algorithm,
            status: sys::cudnnStatus_t::CUDNN_STATUS_NOT_SUPPORTED,
            time: 0.0,
            memory: 0,
            determinism: sys::cudnnDeterminism_t::CUDNN_DETERMINISTIC,
            mathType: wanted,
            reserved: [0; 3],
        }; 8];
        let mut count = 0;
        let handle = library.0.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: all descriptions were created, and there is room for as many answers as is said.
        unsafe {
            result::get_convolution_forward_algorithm(
                *handle,
                self.values,
                self.weights,
                self.windows,
                self.results,
                found.len() as i32,
                &mut count,
                found.as_mut_ptr(),
            )?;
        }
        let exact = |algorithm: Algorithm| {
            matches!(
                algorithm,
                Algorithm::CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM
                    | Algorithm::CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM
                    | Algorithm::CUDNN_CONVOLUTION_FWD_ALGO_GEMM
            )
        };
        let fits = |way: &&sys::cudnnConvolutionFwdAlgoPerf_t| {
            let allowed = dtype == DType::F16 || way.mathType == Math::CUDNN_FMA_MATH;
            way.status == sys::cudnnStatus_t::CUDNN_STATUS_SUCCESS && exact(way.algo) && allowed && way.memory <= most
        };
        let ways = &found[..(count.max(0) as usize).min(found.len())];
        let best = ways.iter().find(fits).ok_or(CudnnError(sys::cudnnStatus_t::CUDNN_STATUS_NOT_SUPPORTED))?;
        (self.algorithm, self.workspace) = (best.algo, best.memory);
        // SAFETY: as above.
        unsafe { result::set_convolution_math_type(self.windows, best.mathType) }
    }
}

/// Strides of an array without gaps.
fn dense(extents: &[i32]) -> Vec<i32> {
    (0..extents.len()).map(|axis| extents[axis + 1..].iter().product()).collect()
}

fn tensor(
    dtype: sys::cudnnDataType_t,
    extents: &[i32],
    strides: &[i32],
) -> Result<sys::cudnnTensorDescriptor_t, CudnnError> {
    let tensor = result::create_tensor_descriptor()?;
    // SAFETY: it was created, and the slices are as long as is said.
    let set = unsafe {
        result::set_tensornd_descriptor(tensor, dtype, extents.len() as i32, extents.as_ptr(), strides.as_ptr())
    };
    if let Err(error) = set {
        // SAFETY: it was created, and is destroyed once.
        let _ = unsafe { result::destroy_tensor_descriptor(tensor) };
        return Err(error);
    }
    Ok(tensor)
}

/// Memory to work in, at most: twice the bytes of all arrays, since of f16 they are transposed there.
fn workspace_limit(shape: &Convolution) -> usize {
    let bytes = |extents: &[i32]| extents.iter().map(|&extent| extent as usize).product::<usize>() * shape.dtype.size();
    (2 * [&shape.extents, &shape.weights, &shape.results].map(|extents| bytes(extents)).iter().sum::<usize>())
        .max(1 << 20)
}

/// Memory that is allocated and freed in a stream's order.
struct Workspace<'a> {
    context: &'a Context,
    stream: driver::sys::CUstream,
    address: driver::sys::CUdeviceptr,
}

impl Workspace<'_> {
    fn new(context: &Context, stream: driver::sys::CUstream, bytes: usize) -> Result<Workspace<'_>> {
        let mut address = 0;
        if let (Some(pool), 1..) = (context.pool, bytes) {
            // SAFETY: the context is this thread's, the stream its own, and the pointer is to a variable that lives.
            let allocated = unsafe { driver::sys::cuMemAllocFromPoolAsync(&mut address, bytes, pool, stream) };
            context.check("allocate", allocated)?;
        }
        Ok(Workspace { context, stream, address })
    }
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        if self.address != 0 {
            // SAFETY: it was allocated, and is freed once, in the same stream behind all that uses it.
            let freed = unsafe { driver::sys::cuMemFreeAsync(self.address, self.stream) };
            if let Err(error) = self.context.check("free", freed) {
                log::warn!("{error}");
            }
        }
    }
}

impl Call {
    /// The same convolution into another output.
    pub fn into(self, output: u64) -> Call {
        let [weights, values, _] = self.places;
        Call { places: [weights, values, output], ..self }
    }

    /// Runs it in a stream that has been put in order.
    pub fn run(&self, context: &Context, stream: driver::sys::CUstream) -> Result<()> {
        let ([one, zero], [weights, values, output], planned) = ([1.0f32, 0.0], self.places, &self.planned);
        let workspace = Workspace::new(context, stream, planned.workspace)?;
        let handle = self.library.0.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: descriptions say what lies at the places, as the launch's bindings do; the memory is alive, and is freed
        // behind it. Factors are read during the call. No other thread has the handle.
        let done = unsafe {
            result::set_stream(*handle, stream.cast()).and_then(|()| {
                result::convolution_forward(
                    *handle,
                    (&raw const one).cast(),
                    planned.values,
                    values as *const c_void,
                    planned.weights,
                    weights as *const c_void,
                    planned.windows,
                    planned.algorithm,
                    workspace.address as *mut c_void,
                    planned.workspace,
                    (&raw const zero).cast(),
                    planned.results,
                    output as *mut c_void,
                )
            })
        };
        done.map_err(|error| {
            let (operation, device) = ("cudnnConvolutionForward", context.card.name.clone());
            ErrorKind::Backend { operation, device, message: format!("{error:?}") }.into()
        })
    }
}
