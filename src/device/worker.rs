//! A device's own thread, which does the blocking work of asynchronous calls in order.

use super::{Device, DeviceOptions};
use crosslane_core::engine::current;
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::threads::{in_driver, watch_a_device};
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

/// Opens a device on a thread of its own.
pub(super) fn opening(options: DeviceOptions, request: String) -> impl Future<Output = Result<Device>> + Send {
    let (sender, receiver) = futures::channel::oneshot::channel();
    let open = move || {
        let _ = sender.send(options.open(&request)); // nobody may want it any more
        watch_a_device();
    };
    // Without a thread the sender is dropped, which the receiver sees.
    let _ = std::thread::Builder::new().name("crosslane open".into()).spawn(move || in_driver(open));
    async move { receiver.await.unwrap_or_else(|_| Err(gone("the device that was to be opened"))) }
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

    /// As [`Device::in_background`], for work that waits and may be done again: in a browser it is attempted.
    pub(crate) fn awaited<R: Send + 'static, W: FnMut() -> Result<R> + Send + 'static>(
        &self,
        work: W,
    ) -> impl Future<Output = Result<R>> + Send + use<R, W> {
        self.in_background(Box::new(work))
    }

    /// Passes on what such work returns.
    pub(super) fn when(
        &self,
        mut work: impl FnMut() -> Result<()> + Send + 'static,
        then: impl FnOnce(Result<()>) + Send + 'static,
    ) {
        let both = move || {
            then(work());
            Ok(())
        };
        drop(self.in_background(Box::new(both)));
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
