//! Waits of a browser, whose event loop tells of what is done: parts of attempts ([`crosslane_core::engine::attempt`]).

use super::Wgpu;
use super::buffer::buffer;
use super::told::blocks;
use crosslane_core::engine::Driver;
use crosslane_core::engine::attempt::{self, Coming};
use crosslane_core::error::{Error, Result};
use crosslane_core::work::{Launch, Read};
use futures::channel::oneshot;
use std::sync::Arc;
use wgpu::{BufferUsages, MapMode};

impl Wgpu {
    /// After a wait: an error if the device is lost, or if one of the calls before was wrong.
    async fn told(&self, operation: &'static str) -> Result<()> {
        let first = self.told.first().await;
        self.alive()?;
        match first {
            None => Ok(()),
            Some(wgpu::Error::OutOfMemory { .. }) => {
                Err(Error::out_of_memory(operation, 0, None, self.properties.label()))
            }
            Some(other) => Err(self.backend_error(operation, other.to_string())),
        }
    }

    /// Waits for everything submitted.
    pub(super) fn await_work(&self, operation: &'static str) -> Result<()> {
        let begin = || {
            let (sender, receiver) = oneshot::channel();
            self.queue.on_submitted_work_done(move || {
                let _ = sender.send(()); // nobody may wait any more
            });
            let own = self.own()?;
            let done = async move {
                let _ = receiver.await; // the queue may end first, which `told` says
                own.told(operation).await.map(|()| vec![])
            };
            Ok(Box::pin(done) as Coming)
        };
        attempt::wait((operation, vec![]), blocks(operation), begin).map(drop)
    }

    /// Runs launches and copies to the host.
    pub(super) fn await_read(&self, launches: &[Launch], reads: &mut [Read], accepted: &mut dyn FnMut()) -> Result<()> {
        if !launches.is_empty() {
            self.submit(launches)?;
        }
        accepted();
        if reads.iter().all(|read| read.to.is_empty()) {
            return Ok(());
        }
        let place = |read: &Read| [read.from.id(), read.offset, read.to.len() as u64];
        let name = ("download", reads.iter().flat_map(place).collect());
        let bytes = attempt::wait(name, blocks("download"), || self.download(reads))?;
        self.waits.one();
        let mut at = 0;
        for read in reads {
            read.to.copy_from_slice(&bytes[at..at + read.to.len()]);
            at += words(read) as usize;
        }
        Ok(())
    }

    /// Copies into memory that is then mapped.
    fn download(&self, reads: &[Read]) -> Result<Coming> {
        let bytes = reads.iter().map(words).sum();
        let staging = self.create_buffer("download", bytes, BufferUsages::COPY_DST | BufferUsages::MAP_READ)?;
        let (sender, receiver) = oneshot::channel();
        self.guarded("download", || {
            let mut commands = self.commands();
            let mut at = 0;
            for read in reads {
                let from = buffer(read.from);
                commands.uses(read.from);
                commands.encoder.copy_buffer_to_buffer(from, read.offset, &staging, at, words(read));
                at += words(read);
            }
            self.queue_up(commands)?;
            staging.map_async(MapMode::Read, .., move |result| {
                let _ = sender.send(result.is_ok()); // nobody may wait any more
            });
            Ok::<(), Error>(())
        })??;
        let own = self.own()?;
        Ok(Box::pin(async move {
            let mapped = receiver.await == Ok(true);
            own.told("download").await?;
            if !mapped {
                return Err(own.backend_error("download", "the memory could not be mapped".into()));
            }
            let view = staging.get_mapped_range(..).map_err(|e| own.backend_error("download", e.to_string()))?;
            Ok(view.to_vec())
        }))
    }

    fn own(&self) -> Result<Arc<Wgpu>> {
        self.me.upgrade().ok_or_else(|| blocks("a device that is being closed"))
    }
}

/// Bytes to copy: whole words.
fn words(read: &Read) -> u64 {
    read.to.len().next_multiple_of(4) as u64
}
