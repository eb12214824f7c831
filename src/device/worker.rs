//! A device's own thread, which does the blocking work of asynchronous calls in order.

use super::Device;
use crate::backend::current;
use crate::error::{Error, ErrorKind, Result};
use crate::threads::{in_driver, watch_a_device};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread::{JoinHandle, ThreadId};

type Job = Box<dyn FnOnce() + Send>;

/// The thread, and the way to it.
pub(super) struct Worker {
    jobs: mpsc::Sender<Job>,
    thread: ThreadId,
}

impl Worker {
    fn start() -> Worker {
        let (jobs, queue) = mpsc::channel::<Job>();
        watch_a_device();
        let thread: JoinHandle<()> = std::thread::spawn(move || {
            for (nth, job) in queue.into_iter().enumerate() {
                in_driver(|| {
                    finish(job);
                    // Drivers load their compilers when they need them: the first job did.
                    if nth == 0 {
                        watch_a_device();
                    }
                });
            }
        });
        Worker { jobs, thread: thread.thread().id() }
    }
}

/// Does a job. One that panics, as a program's callback may, does not end the thread.
fn finish(job: Job) {
    if catch_unwind(AssertUnwindSafe(job)).is_err() {
        log::error!("a callback or background work of a device panicked");
    }
}

/// Work that was begun on a device's own thread. Dropping it waits for the work.
pub(crate) struct Begun<R> {
    result: Option<mpsc::Receiver<Result<R>>>,
    device: String,
}

impl<R> Begun<R> {
    /// The work's result.
    pub fn wait(mut self) -> Result<R> {
        let result = self.result.take().and_then(|result| result.recv().ok());
        result.unwrap_or_else(|| Err(gone(&self.device)))
    }
}

impl<R> Drop for Begun<R> {
    fn drop(&mut self) {
        let _ = self.result.take().map(|result| result.recv());
    }
}

fn gone(device: &str) -> Error {
    let (operation, message) = ("background work", "the device's thread ended, or the work panicked".to_string());
    ErrorKind::Backend { operation, device: device.into(), message }.into()
}

impl Device {
    /// Does blocking work on the device's own thread; the future needs no particular executor.
    pub(crate) fn in_background<R: Send + 'static>(
        &self,
        work: Box<dyn FnOnce() -> Result<R> + Send>,
    ) -> impl Future<Output = Result<R>> + Send + use<R> {
        let (sender, receiver) = futures::channel::oneshot::channel();
        let streams = current::entered();
        let sent = self.worker().jobs.send(Box::new(move || drop(sender.send(current::within(streams, work))))).is_ok();
        let device = self.properties().label();
        async move {
            match sent {
                true => receiver.await.unwrap_or_else(|_| Err(gone(&device))),
                false => Err(gone(&device)),
            }
        }
    }

    /// As [`Device::in_background`], for a thread that waits. On the device's own thread, which would wait for itself, the work is
    /// done at once.
    pub(crate) fn begin<R: Send + 'static>(&self, work: Box<dyn FnOnce() -> Result<R> + Send>) -> Begun<R> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let streams = current::entered();
        let job: Job = Box::new(move || drop(sender.send(current::within(streams, work))));
        let worker = self.worker();
        match worker.thread == std::thread::current().id() {
            true => finish(job),
            // A job that is not taken drops its sender, which the receiver sees.
            false => drop(worker.jobs.send(job)),
        }
        Begun { result: Some(receiver), device: self.properties().label() }
    }

    fn worker(&self) -> &Worker {
        self.0.worker.get_or_init(Worker::start)
    }
}
