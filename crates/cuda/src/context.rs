//! A card's primary context, its main stream, and the conversion of the driver's errors.

use super::card::Card;
use super::ledger::Ledger;
use super::streams::Streams;
use crosslane_core::engine::{Exclusive, Observer, Waits};
use crosslane_core::error::{Error, ErrorKind, Result};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::CStr;
use std::marker::PhantomData;
use std::ptr;
use std::sync::{Arc, OnceLock};

/// A context with its streams. Everything made in it holds it, so that it goes last.
pub(super) struct Context {
    pub card: Card,
    raw: sys::CUcontext,
    /// The main stream: memory is allocated and freed in it, and all else is done in it unless a program says otherwise.
    pub stream: sys::CUstream,
    pub streams: Streams,
    pub waits: Waits,
    /// Where memory is allocated in the stream's order, if the card can do that: a pool of the engine's own. The card's
    /// default one is everybody's in the process.
    pub pool: Option<sys::CUmemoryPool>,
    lost: OnceLock<String>,
    pub observer: Observer,
}

// SAFETY: the driver's handles may be used by any thread, and the driver locks where it must.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// As long as it lives the context is this thread's; then the thread has again the one that it had, or none.
#[must_use = "the context is left when this is dropped"]
pub(super) struct Entered {
    pushed: bool,
    /// It is this thread's.
    marker: PhantomData<*const ()>,
}

impl Entered {
    fn new(raw: sys::CUcontext) -> Result<Entered, CUresult> {
        let mut current = ptr::null_mut();
        // SAFETY: the pointer is to a variable that lives, and the context is retained, as the caller sees to.
        unsafe {
            done(sys::cuCtxGetCurrent(&mut current))?;
            if current != raw {
                done(sys::cuCtxPushCurrent_v2(raw))?;
            }
        }
        Ok(Entered { pushed: current != raw, marker: PhantomData })
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if self.pushed {
            let mut left = ptr::null_mut();
            // SAFETY: the pointer is to a variable that lives. What is on top was pushed by this object: those that were
            // made later are dropped, as each lives in a block of its function.
            unsafe { sys::cuCtxPopCurrent_v2(&mut left) };
        }
    }
}

/// What helps after the last error: CUDA ends a whole process with it, and resetting the context does not help
/// (tested).
const ANEW: &str = "start the process anew";

/// What an error means, and its name.
pub(super) fn text(result: CUresult) -> String {
    let mut words = ptr::null();
    // SAFETY: the pointer it gives is to a static string, or null.
    let known = unsafe { sys::cuGetErrorString(result, &mut words) } == CUresult::CUDA_SUCCESS && !words.is_null();
    match known {
        // SAFETY: as above; it ends with a zero.
        true => format!("{result:?}, {}", unsafe { CStr::from_ptr(words) }.to_string_lossy()),
        false => format!("{result:?}"),
    }
}

/// Errors after which a context answers every call with the same error.
fn is_last(result: CUresult) -> bool {
    use CUresult::*;
    matches!(
        result,
        CUDA_ERROR_DEINITIALIZED
            | CUDA_ERROR_DEVICE_UNAVAILABLE
            | CUDA_ERROR_INVALID_CONTEXT
            | CUDA_ERROR_ECC_UNCORRECTABLE
            | CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUDA_ERROR_CONTAINED
            | CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_TENSOR_MEMORY_LEAK
            | CUDA_ERROR_MPS_CLIENT_TERMINATED
            | CUDA_ERROR_EXTERNAL_DEVICE
            | CUDA_ERROR_UNKNOWN
    )
}

impl Context {
    /// Opens a card. One that a kernel has broken stays so for the rest of the process, whatever is reset.
    pub fn open(card: Card) -> Result<Arc<Context>> {
        Context::make(&card).map(Arc::new).map_err(|error| unopened(&card, error))
    }

    fn make(card: &Card) -> Result<Context, CUresult> {
        let (mut flags, mut active, mut raw) = (0, 0, ptr::null_mut());
        // SAFETY: the card's handle is the driver's own, and every pointer is to a variable that lives.
        unsafe {
            done(sys::cuDevicePrimaryCtxGetState(card.raw, &mut flags, &mut active))?;
            if active == 0 {
                // The least latency: a wait asks again and again, as it does by default where there are cores enough.
                let spin = sys::CUctx_flags::CU_CTX_SCHED_SPIN as u32;
                done(sys::cuDevicePrimaryCtxSetFlags_v2(card.raw, spin))?;
            }
            done(sys::cuDevicePrimaryCtxRetain(&mut raw, card.raw))?;
        }
        match memory_pool(card).and_then(|pool| Ok((stream(raw)?, pool))) {
            Ok((stream, pool)) => {
                let (streams, waits, lost, observer) = Default::default();
                Ok(Context { card: card.clone(), raw, stream, streams, waits, pool, lost, observer })
            }
            Err(error) => {
                // SAFETY: it was just retained.
                unsafe { sys::cuDevicePrimaryCtxRelease_v2(card.raw) };
                Err(error)
            }
        }
    }

    /// Makes the context current in this thread until the returned guard is dropped. Each call of the engine begins so,
    /// and each end of what the context holds. A program that has a context of its own finds it as it was.
    ///
    /// Errors: the device is lost, and with it all that it held.
    pub fn enter(&self) -> Result<Entered> {
        if self.observer.loss.is_due() {
            self.lost.get_or_init(|| "lost by a test".into());
        }
        self.alive()?;
        // The context is retained as long as this object is there.
        Entered::new(self.raw).map_err(|error| self.failure("enter", error))
    }

    pub fn alive(&self) -> Result<()> {
        match self.lost.get() {
            None => Ok(()),
            Some(reason) => Err(self.gone(reason)),
        }
    }

    fn gone(&self, reason: &str) -> Error {
        ErrorKind::DeviceLost { device: self.card.name.clone(), reason: reason.into() }.into()
    }

    /// Converts the driver's result into this library's error.
    #[inline]
    pub fn check(&self, operation: &'static str, result: CUresult) -> Result<()> {
        match result {
            CUresult::CUDA_SUCCESS => Ok(()),
            _ => Err(self.failure(operation, result)),
        }
    }

    #[cold]
    fn failure(&self, operation: &'static str, result: CUresult) -> Error {
        if is_last(result) {
            let reason = self.lost.get_or_init(|| format!("{operation}: {}; {ANEW}", text(result)));
            return self.gone(reason);
        }
        let device = self.card.name.clone();
        match result {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Error::out_of_memory(operation, 0, self.free_bytes(), device),
            _ => ErrorKind::Backend { operation, device, message: text(result) }.into(),
        }
    }

    /// Bytes that the card has left.
    fn free_bytes(&self) -> Option<u64> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the pointers are to variables that live.
        let result = unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) };
        (result == CUresult::CUDA_SUCCESS).then_some(free as u64)
    }

    /// Waits for everything in every stream but in detached ones.
    pub fn synchronize(&self, operation: &'static str) -> Result<()> {
        self.finish_all(operation, self.streams_that(|ledger, lane| !ledger.is_detached(lane)))
    }

    /// The same, and for detached streams.
    pub fn synchronize_all(&self, operation: &'static str) -> Result<()> {
        self.finish_all(operation, self.streams_that(|_, _| true))
    }

    /// Before a block is freed by the host: waits for everything that may use it.
    pub fn synchronize_for(&self, address: u64) -> Result<()> {
        let uses = |ledger: &Ledger, lane| !ledger.is_detached(lane) || ledger.used(address, lane) > 0;
        self.finish_all("free", self.streams_that(uses))
    }

    fn finish_all(&self, operation: &'static str, streams: Vec<sys::CUstream>) -> Result<()> {
        let _span = self.observer.recorder.wait(operation);
        self.waits.one();
        streams.into_iter().try_for_each(|stream| self.finish(operation, stream))
    }

    /// Waits for everything in one stream.
    pub fn synchronize_stream(&self, operation: &'static str, stream: sys::CUstream) -> Result<()> {
        let _span = self.observer.recorder.wait(operation);
        self.waits.one();
        self.finish(operation, stream)
    }

    fn finish(&self, operation: &'static str, stream: sys::CUstream) -> Result<()> {
        // SAFETY: the stream is this context's, and is there as long as the context.
        self.check(operation, unsafe { sys::cuStreamSynchronize(stream) })
    }

    /// Returns unused memory to the system.
    pub fn trim(&self) {
        if let Some(pool) = self.pool {
            // SAFETY: the pool is the engine's own, and is there as long as the context.
            unsafe { sys::cuMemPoolTrimTo(pool, 0) };
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let _exclusive = Exclusive::take();
        if let Ok(entered) = self.enter() {
            // SAFETY: nobody else has the streams: whoever used them held this context. Nor does anybody have memory of
            // the pool: whoever had it held this context too, and freeing is done when the streams are.
            unsafe {
                self.streams.destroy();
                sys::cuStreamSynchronize(self.stream);
                sys::cuStreamDestroy_v2(self.stream);
                if let Some(pool) = self.pool {
                    sys::cuMemPoolDestroy(pool);
                }
            }
            drop(entered); // before the context may go
        }
        // SAFETY: it was retained once.
        unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.card.raw) };
    }
}

fn done(result: CUresult) -> Result<(), CUresult> {
    if result == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(result) }
}

/// A stream that does not wait for the default one. That it can be waited for shows that the context works.
fn stream(raw: sys::CUcontext) -> Result<sys::CUstream, CUresult> {
    let mut stream = ptr::null_mut();
    let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
    let _entered = Entered::new(raw)?;
    // SAFETY: the context is retained, and the pointer is to a variable that lives.
    unsafe {
        done(sys::cuStreamCreate(&mut stream, flags))?;
        done(sys::cuStreamSynchronize(stream))?;
    }
    Ok(stream)
}

/// A pool for allocation in a stream's order, set to keep freed memory. Not the card's default one: PyTorch, CuPy and
/// other libraries in the process allocate there too, and set how much it keeps.
fn memory_pool(card: &Card) -> Result<Option<sys::CUmemoryPool>, CUresult> {
    if !card.pools {
        return Ok(None);
    }
    let properties = sys::CUmemPoolProps {
        allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        location: sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: card.raw },
        win32SecurityAttributes: ptr::null_mut(),
        maxSize: 0,
        usage: 0,
        reserved: [0; 54],
    };
    let mut pool = ptr::null_mut();
    // SAFETY: both pointers are to variables that live.
    match unsafe { sys::cuMemPoolCreate(&mut pool, &properties) } {
        CUresult::CUDA_SUCCESS => {}
        // Virtual cards may have the default pool only: they do without any.
        CUresult::CUDA_ERROR_NOT_SUPPORTED => return Ok(None),
        error => return Err(error),
    }
    let mut keep = u64::MAX;
    let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: the attribute's value is a cuuint64_t, and the pointer is to a variable that lives.
    match done(unsafe { sys::cuMemPoolSetAttribute(pool, attribute, ptr::from_mut(&mut keep).cast()) }) {
        Ok(()) => Ok(Some(pool)),
        Err(error) => {
            // SAFETY: it was just created, and nothing was allocated in it.
            unsafe { sys::cuMemPoolDestroy(pool) };
            Err(error)
        }
    }
}

fn unopened(card: &Card, error: CUresult) -> Error {
    let device = card.name.clone();
    match is_last(error) {
        true => {
            let reason = format!("{}; {ANEW}", text(error));
            ErrorKind::DeviceLost { device, reason }.into()
        }
        false => ErrorKind::Backend { operation: "open", device, message: text(error) }.into(),
    }
}
