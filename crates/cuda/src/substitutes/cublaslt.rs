//! Products of matrices by cuBLASLt, where it is installed: a [`Contraction`] in the library's words.
//!
//! The library has columns side by side, so that it computes the transposed product: its A is our b.

use crate::context::Context;
use crate::memory::block;
use crosslane_core::element::DType;
use crosslane_core::error::{ErrorKind, Result};
use crosslane_core::kernel::{Contract, Contraction, Side, Word};
use crosslane_core::recent::Recent;
use crosslane_core::work::{Launch, Window};
use cudarc::cublaslt::result::{self, CublasError};
use cudarc::cublaslt::sys;
use cudarc::driver;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, OnceLock};

/// The library, started when it is first asked for, and what it has planned.
pub struct Products {
    library: OnceLock<Option<Library>>,
    planned: Recent<Shape, Option<Arc<Planned>>>,
}

/// The plans of products of this many shapes are kept.
const KEPT: usize = 1024;

impl Default for Products {
    fn default() -> Products {
        Products { library: OnceLock::new(), planned: Recent::new(KEPT) }
    }
}

struct Library(sys::cublasLtHandle_t);

// SAFETY: the handle may be used by any thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: it was created, and is destroyed once. An error is of no use to anybody.
        let _ = unsafe { result::destroy_handle(self.0) };
    }
}

/// All that a plan depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shape {
    dtypes: [DType; 2],
    rows: u64,
    columns: u64,
    inner: u64,
    batch: i32,
    /// Of each side: whether neighbours are inner elements, from line to line, from batch to batch.
    sides: [(bool, i64, i64); 2],
    /// What the addresses are multiples of: a, b, output.
    alignment: [u32; 3],
}

/// What the library needs to know of a product. It asks for no memory of its own.
pub struct Planned {
    multiplication: sys::cublasLtMatmulDesc_t,
    /// Of our b, our a, and the output.
    layouts: [sys::cublasLtMatrixLayout_t; 3],
    algorithm: sys::cublasLtMatmulAlgo_t,
}

// SAFETY: descriptions are only read once they are made.
unsafe impl Send for Planned {}
// SAFETY: as above.
unsafe impl Sync for Planned {}

impl Drop for Planned {
    fn drop(&mut self) {
        // SAFETY: those that were created are destroyed once. An error is of no use to anybody.
        unsafe {
            let _ = result::destroy_matmul_desc(self.multiplication);
            for layout in self.layouts.into_iter().filter(|layout| !layout.is_null()) {
                let _ = result::destroy_matrix_layout(layout);
            }
        }
    }
}

/// The addresses of a product: a, b, output.
type Places = [u64; 3];

/// A product that is ready to run.
pub struct Call {
    planned: Arc<Planned>,
    handle: sys::cublasLtHandle_t,
    places: Places,
}

// SAFETY: as the library's handle.
unsafe impl Send for Call {}
// SAFETY: as above.
unsafe impl Sync for Call {}

impl Products {
    /// The launch as a product of the library's, if it is one and the library is there and can do it.
    pub fn call(&self, launch: &Launch) -> Option<Call> {
        let Contract::Contraction(product) = launch.kernel.contract()? else { return None };
        let (shape, places) = shape(product, launch)?;
        let handle = self.library.get_or_init(Library::start).as_ref()?.0;
        let plan = || match Planned::new(handle, &shape) {
            Ok(planned) => Some(Arc::new(planned)),
            Err(error) => {
                log::info!("cuBLASLt does not do {shape:?}: {error:?}");
                None
            }
        };
        let planned = self.planned.get(&shape).unwrap_or_else(|| self.planned.keep(shape, plan()))?;
        Some(Call { planned, handle, places })
    }
}

impl Library {
    fn start() -> Option<Library> {
        // SAFETY: loading runs the initialisers of NVIDIA's library, which have no requirements.
        if !unsafe { sys::is_culib_present() } {
            return None;
        }
        match result::create_handle() {
            Ok(handle) => Some(Library(handle)),
            Err(error) => {
                log::info!("cuBLASLt is there, but does not start: {error:?}");
                None
            }
        }
    }
}

/// Whether the library does the whole of it: f32 that is not rounded, or f16, from lines that lie apart.
fn knows(product: &Contraction) -> bool {
    let types = match product.dtypes {
        [DType::F16, DType::F16, DType::F16 | DType::F32] => true,
        [DType::F32, DType::F32, DType::F32] => !product.tensor,
        _ => false,
    };
    product.plain && types && product.sides.iter().all(|side| side.lines.as_ref().is_some_and(|lines| lines.apart))
}

/// What a launch's parameters say.
fn shape(product: &Contraction, launch: &Launch) -> Option<(Shape, Places)> {
    let [batch, rows, columns, inner] = product.extents(&launch.params).filter(|_| knows(product))?;
    let [output, a, b] = &launch.buffers[..] else { return None };
    let start = |window: &Window| block(&window.memory).address() + window.offset;
    let [dtype, _, result] = product.dtypes;
    let word = |word: Word| word.of(&launch.params) as i64;
    let first = |side: &Side, window| start(window) + word(side.first) as u64 * dtype.size() as u64;
    let [left, right] = &product.sides;
    let places = [first(left, a), first(right, b), start(output)];
    let side = |side: &Side| side.lines.as_ref().map(|lines| (lines.by_inner, word(lines.step), word(lines.batch)));
    let shape = Shape {
        dtypes: [dtype, result],
        rows: rows as u64,
        columns: columns as u64,
        inner: inner as u64,
        batch: batch as i32,
        sides: [side(left)?, side(right)?],
        alignment: places.map(|place| 1 << place.trailing_zeros().min(8)),
    };
    Some((shape, places))
}

fn data_type(dtype: DType) -> sys::cudaDataType {
    match dtype {
        DType::F16 => sys::cudaDataType_t::CUDA_R_16F,
        _ => sys::cudaDataType_t::CUDA_R_32F,
    }
}

/// Sets an attribute by one of the library's functions.
fn attribute<T>(
    value: T,
    set: impl FnOnce(*const c_void, usize) -> Result<(), CublasError>,
) -> Result<(), CublasError> {
    set((&raw const value).cast(), size_of::<T>())
}

impl Planned {
    fn new(handle: sys::cublasLtHandle_t, shape: &Shape) -> Result<Planned, CublasError> {
        let none = ptr::null_mut();
        let mut planned = Planned {
            multiplication: result::create_matmul_desc(
                sys::cublasComputeType_t::CUBLAS_COMPUTE_32F,
                sys::cudaDataType_t::CUDA_R_32F,
            )?,
            layouts: [none; 3],
            algorithm: sys::cublasLtMatmulAlgo_t { data: [0; 8] },
        };
        let [(a_inner, a_step, a_batch), (b_inner, b_step, b_batch)] = shape.sides;
        let turned = |by_inner| i32::from(by_inner);
        // Column by column, our b is columns x inner where its columns are neighbours, our a inner x rows where inner
        // elements are.
        for (which, value) in [
            (sys::cublasLtMatmulDescAttributes_t::CUBLASLT_MATMUL_DESC_TRANSA, turned(b_inner)),
            (sys::cublasLtMatmulDescAttributes_t::CUBLASLT_MATMUL_DESC_TRANSB, turned(!a_inner)),
        ] {
            // SAFETY: the description is there, and operations are integers of 32 bits.
            attribute(value, |from, bytes| unsafe {
                result::set_matmul_desc_attribute(planned.multiplication, which, from, bytes)
            })?;
        }
        let (rows, columns, inner) = (shape.rows, shape.columns, shape.inner);
        let of = |by_inner: bool, outer: u64| if by_inner { (inner, outer) } else { (outer, inner) };
        let (b, a) = (of(b_inner, columns), of(a_inner, rows));
        let dense = (rows * columns) as i64;
        for (nth, (dtype, (high, wide), step, batch)) in [
            (shape.dtypes[0], b, b_step, b_batch),
            (shape.dtypes[0], a, a_step, a_batch),
            (shape.dtypes[1], (columns, rows), columns as i64, dense),
        ]
        .into_iter()
        .enumerate()
        {
            let layout = result::create_matrix_layout(data_type(dtype), high, wide, step.max(high as i64))?;
            planned.layouts[nth] = layout;
            let [count, stride] = [
                sys::cublasLtMatrixLayoutAttribute_t::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                sys::cublasLtMatrixLayoutAttribute_t::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
            ];
            // SAFETY: the layout is there; counts are integers of 32 bits, strides of 64.
            unsafe {
                attribute(shape.batch, |from, bytes| result::set_matrix_layout_attribute(layout, count, from, bytes))?;
                attribute(batch, |from, bytes| result::set_matrix_layout_attribute(layout, stride, from, bytes))?;
            }
        }
        planned.algorithm = planned.choose(handle, shape)?;
        Ok(planned)
    }

    /// The way that the library takes for the fastest, without memory of its own.
    fn choose(&self, handle: sys::cublasLtHandle_t, shape: &Shape) -> Result<sys::cublasLtMatmulAlgo_t, CublasError> {
        use sys::cublasLtMatmulPreferenceAttributes_t as Which;
        let preference = result::create_matmul_pref()?;
        let [a, b, output] = shape.alignment;
        let wanted = [
            (Which::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, b),
            (Which::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, a),
            (Which::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, output),
            (Which::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, output),
        ];
        let set = wanted.into_iter().try_for_each(|(which, value)| {
            // SAFETY: the preference is there, and alignments are integers of 32 bits.
            attribute(value, |from, bytes| unsafe { result::set_matmul_pref_attribute(preference, which, from, bytes) })
        });
        let [first, second, to] = self.layouts;
        // SAFETY: everything is there.
        let found = set.and_then(|()| unsafe {
            result::get_matmul_algo_heuristic(handle, self.multiplication, first, second, to, to, preference)
        });
        // SAFETY: it was created, and is destroyed once.
        let _ = unsafe { result::destroy_matmul_pref(preference) };
        Ok(found?.algo)
    }
}

impl Call {
    /// The same product into another output.
    pub fn into(self, output: u64) -> Call {
        let [a, b, _] = self.places;
        Call { places: [a, b, output], ..self }
    }

    /// Runs it in a stream that has been put in order.
    pub fn run(&self, context: &Context, stream: driver::sys::CUstream) -> Result<()> {
        let ([one, zero], [a, b, output], planned) = ([1.0f32, 0.0], self.places, &self.planned);
        let [first, second, to] = planned.layouts;
        // SAFETY: descriptions say what lies at the places, as the launch's bindings do; the memory is alive, and is freed
        // behind it. Factors are read during the call.
        let done = unsafe {
            result::matmul(
                self.handle,
                planned.multiplication,
                (&raw const one).cast(),
                (&raw const zero).cast(),
                b as *const c_void,
                first,
                a as *const c_void,
                second,
                output as *const c_void,
                to,
                output as *mut c_void,
                to,
                &planned.algorithm,
                ptr::null_mut(),
                0,
                stream.cast(),
            )
        };
        done.map_err(|error| {
            let (operation, device) = ("cublasLtMatmul", context.card.name.clone());
            ErrorKind::Backend { operation, device, message: format!("{error:?}") }.into()
        })
    }
}
