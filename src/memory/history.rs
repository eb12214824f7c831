//! The history of device memory that advice depends on.

use crate::kernel::Kernel;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What has become of device memory, as far as advice depends on it.
#[derive(Default)]
pub(crate) struct History {
    uploaded: AtomicBool,
    written: AtomicBool,
    /// A kernel that read it.
    reader: OnceLock<Kernel>,
}

impl History {
    /// It holds what the host holds.
    pub fn note_upload(&self) {
        self.uploaded.store(true, Relaxed);
    }

    /// It holds something else now.
    pub fn note_write(&self) {
        self.written.store(true, Relaxed);
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
