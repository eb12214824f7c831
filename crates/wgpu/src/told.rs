//! What a browser tells of calls when they are over.

use crosslane_core::error::{Error, ErrorKind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

/// The error for a call that would block a page.
pub(super) fn blocks(operation: &'static str) -> Error {
    let wanted = "calls that block".to_string();
    let help = "await to_vec_async, read_all_async, synchronize_async or Event::wait_async".to_string();
    ErrorKind::Unsupported { operation, wanted, device: "a browser".into(), help, at: None }.into()
}

/// What wgpu finds wrong in a call, when it is known.
pub(super) type Found = Pin<Box<dyn Future<Output = Option<wgpu::Error>> + Send>>;

/// What the device has found wrong since the last wait: a browser tells it when the calls are over.
#[derive(Clone, Default)]
pub(super) struct Told {
    /// Of the calls since, in their order.
    calls: Arc<Mutex<Vec<Found>>>,
    /// Outside of them, the first.
    beside: Arc<Mutex<Option<wgpu::Error>>>,
}

impl Told {
    /// Keeps what the device tells from now on.
    #[cfg(target_family = "wasm")]
    pub fn listen(&self, device: &wgpu::Device) {
        let beside = self.beside.clone();
        device.on_uncaptured_error(Arc::new(move |error| {
            log::error!("{error}");
            beside.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }));
    }

    /// Adds what is found in further calls; gives how many there are.
    #[cfg(target_family = "wasm")]
    pub fn add(&self, found: Found) -> usize {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(found);
        calls.len()
    }

    /// Keeps what was wrong in the calls so far, and forgets the rest.
    #[cfg(target_family = "wasm")]
    pub async fn gather(self) {
        if let Some(error) = self.first().await {
            self.beside.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    /// The first thing that was wrong.
    pub async fn first(&self) -> Option<wgpu::Error> {
        let calls = std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner));
        // Together: the futures of a long program would be awaited in as many turns.
        let found = futures::future::join_all(calls).await.into_iter().flatten().next();
        let beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner).take();
        found.or(beside)
    }
}
