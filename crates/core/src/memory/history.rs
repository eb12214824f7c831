//! The history of device memory that advice and lineage depend on.

use crate::kernel::Kernel;
use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// What has become of device memory, as far as advice and lineage depend on it.
#[derive(Default)]
pub struct History {
    uploaded: AtomicBool,
    written: AtomicBool,
    /// A kernel that read it.
    reader: OnceLock<Kernel>,
    /// The contents since the last write, once something refers to them.
    contents: Mutex<Option<Contents>>,
}

/// Contents of memory that something refers to: whether they were overwritten while others could see them.
#[derive(Clone, Default)]
pub struct Contents(Arc<AtomicBool>);

impl Contents {
    /// Whether something else was written over them.
    pub fn are_overwritten(&self) -> bool {
        self.0.load(Acquire)
    }
}

impl History {
    /// It holds what the host holds.
    pub fn note_upload(&self) {
        self.uploaded.store(true, Relaxed);
    }

    /// It holds something else now, which others see too.
    pub fn note_write(&self) {
        self.written.store(true, Relaxed);
        if let Some(contents) = self.contents().take() {
            contents.0.store(true, Release);
        }
    }

    /// It will be written by its only owner: nothing that was computed from its contents can change by that.
    pub fn note_own_write(&self) {
        self.contents().take();
    }

    /// What it holds now.
    pub fn contents_now(&self) -> Contents {
        self.contents().get_or_insert_default().clone()
    }

    fn contents(&self) -> MutexGuard<'_, Option<Contents>> {
        self.contents.lock().expect("no panic while held")
    }

    /// A kernel reads what the host had uploaded.
    pub fn note_read(&self, kernel: &Kernel) {
        if self.uploaded.load(Relaxed) {
            self.reader.get_or_init(|| kernel.clone());
        }
    }

    /// The kernel that only read it, if it still holds what the host uploaded.
    pub fn unchanged(&self) -> Option<&Kernel> {
        (self.uploaded.load(Relaxed) && !self.written.load(Relaxed)).then(|| self.reader.get())?
    }
}
