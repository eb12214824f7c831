//! The queue: work goes into it in one order, by a lock that is held for that call and never while the device works.

use super::buffer::{Buffer, kept};
use super::uniforms::Lease;
use super::{Wgpu, lent};
use crosslane_core::error::Result;
use crosslane_core::kernel::on_large_stack;
use crosslane_core::memory::{Lent, Memory};
use crosslane_core::platform::Instant;
use crosslane_core::work::Launch;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// The order of submissions, and the threads that wait to submit.
pub(super) struct Line {
    order: Mutex<Order>,
    /// The number of the last submission.
    submitted: AtomicU64,
    /// The number of the last submission that wgpu says is done.
    finished: Arc<AtomicU64>,
    /// When the last was made, in nanoseconds since the engine was.
    last_at: AtomicU64,
    start: Instant,
    /// Notified when the host unmaps a buffer.
    unmapped: Condvar,
}

/// The thread that holds it submits next.
#[derive(Default)]
pub(super) struct Order {
    last: Option<Ticket>,
}

/// A submission, to wait for.
#[derive(Clone)]
pub(super) struct Ticket {
    /// One more than that of the submission before, from 1 on.
    number: u64,
    pub index: wgpu::SubmissionIndex,
}

impl Ticket {
    pub fn is(&self, other: &Ticket) -> bool {
        self.number == other.number
    }
}

/// Commands on their way to the queue, and what is theirs alone until they are submitted.
pub(super) struct Commands<'a> {
    pub encoder: wgpu::CommandEncoder,
    /// Whether their submission needs a large stack.
    pub needs_large_stack: bool,
    /// Memory that the host may map: not while the device uses it.
    uses: Vec<&'a Memory>,
    /// The parameters of launches, where they lie in a buffer. It is written again only after these commands are submitted.
    parameters: Vec<Lease>,
}

impl<'a> Commands<'a> {
    pub fn uses(&mut self, memory: &'a Memory) {
        if kept(memory).mappable {
            self.uses.push(memory);
        }
    }

    pub fn launches(&mut self, launches: &'a [Launch]) {
        self.uses.extend(mappable(launches).map(|memory| &**memory));
    }

    pub fn keep(&mut self, parameters: Lease) {
        self.parameters.push(parameters);
    }
}

/// Memory of launches that the host may map.
pub(super) fn mappable(launches: &[Launch]) -> impl Iterator<Item = &Arc<Memory>> {
    let all = launches.iter().flat_map(|launch| &launch.buffers).map(|window| &window.memory);
    all.filter(|memory| kept(memory).mappable)
}

/// Whether the host has memory for itself; for the thread that holds the order.
pub(super) fn is_mapped(memory: &Memory) -> bool {
    kept(memory).host().mapped
}

/// Notes the last submission that uses memory; for the thread that holds the order.
pub(super) fn used_by(memory: &Memory, ticket: &Ticket) {
    kept(memory).host().last = Some(ticket.clone());
}

/// A buffer that the host has for itself. What uses it is submitted when this is dropped.
pub(super) struct Claim<'a> {
    line: &'a Line,
    buffer: &'a Buffer,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let _line = self.line.lock();
        self.buffer.host().mapped = false;
        self.line.unmapped.notify_all();
    }
}

impl Line {
    pub fn new() -> Line {
        let (order, submitted, finished, last_at, unmapped) = Default::default();
        Line { order, submitted, finished, last_at, start: Instant::now(), unmapped }
    }

    /// The time since the last submission was begun.
    pub fn since_last(&self) -> Duration {
        self.start.elapsed().saturating_sub(Duration::from_nanos(self.last_at.load(Ordering::Acquire)))
    }

    pub fn lock(&self) -> MutexGuard<'_, Order> {
        self.order.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Lets others go on until the host gives a buffer back.
    pub fn unmapped<'a>(&self, order: MutexGuard<'a, Order>) -> MutexGuard<'a, Order> {
        self.unmapped.wait(order).unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether a submission is done, according to the polls so far.
    pub fn is_finished(&self, ticket: &Ticket) -> bool {
        self.finished.load(Ordering::Acquire) >= ticket.number
    }

    /// How many submissions there have been.
    pub fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// Submissions that are not done, according to the polls so far.
    pub fn ahead(&self) -> u64 {
        self.submitted().saturating_sub(self.finished.load(Ordering::Acquire))
    }

    /// The buffer for the host alone, if no submission has used it since `last`.
    pub fn claim<'a>(&'a self, memory: &'a Memory, last: Option<&Ticket>) -> Option<Claim<'a>> {
        self.take(memory, |now| match (now, last) {
            (Some(now), Some(last)) => now.is(last),
            (now, last) => now.is_none() && last.is_none(),
        })
    }

    /// The same whatever uses it: the host waits for that, and further submissions that use it wait for the host.
    pub fn claim_in_use<'a>(&'a self, memory: &'a Memory) -> Option<Claim<'a>> {
        self.take(memory, |_| true)
    }

    fn take<'a>(&'a self, memory: &'a Memory, free: impl Fn(Option<&Ticket>) -> bool) -> Option<Claim<'a>> {
        let buffer = kept(memory);
        let mut line = self.lock();
        while buffer.host().mapped {
            line = self.unmapped(line);
        }
        if memory.is_lent() || !free(buffer.host().last.as_ref()) {
            return None;
        }
        buffer.host().mapped = true;
        Some(Claim { line: self, buffer })
    }

    /// Lends memory that is claimed: what would use it is refused from now on.
    pub fn lend(&self, memory: &Arc<Memory>) -> Lent {
        let _line = self.lock();
        memory.lend()
    }
}

impl Wgpu {
    pub(super) fn commands<'a>(&self) -> Commands<'a> {
        let encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("crosslane") });
        Commands { encoder, needs_large_stack: false, uses: vec![], parameters: vec![] }
    }

    /// The last submission of all that was accepted. `with` is called in its place in the order.
    pub(super) fn last_submission<R>(&self, with: impl FnOnce() -> R) -> Result<(Option<Ticket>, R)> {
        let order = self.submit_kept(self.line.lock())?;
        let result = with();
        Ok((order.last.clone(), result))
    }

    /// Puts one submission into the queue.
    pub(super) fn submit_next(&self, order: &mut Order, commands: wgpu::CommandBuffer) -> Ticket {
        self.line.last_at.store(self.line.start.elapsed().as_nanos() as u64, Ordering::Release);
        let number = self.line.submitted.fetch_add(1, Ordering::AcqRel) + 1;
        let ticket = Ticket { number, index: self.queue.submit([commands]) };
        let finished = self.line.finished.clone();
        self.queue.on_submitted_work_done(move || {
            finished.fetch_max(number, Ordering::AcqRel);
        });
        order.last = Some(ticket.clone());
        ticket
    }

    /// Submits commands, after those that other threads have submitted already. If the host is copying out of memory that
    /// they use, that comes first.
    pub(super) fn queue_up(&self, commands: Commands) -> Result<Ticket> {
        let Commands { encoder, needs_large_stack, uses, parameters } = commands;
        let finished = encoder.finish();
        let mut order = self.line.lock();
        loop {
            // First: it may let others go on.
            order = self.submit_kept(order)?;
            if uses.iter().any(|memory| memory.is_lent()) {
                return Err(lent("launch"));
            }
            if !uses.iter().any(|memory| is_mapped(memory)) {
                break;
            }
            order = self.line.unmapped(order);
        }
        let held = &mut *order;
        let ticket = match needs_large_stack {
            true => on_large_stack(|| self.submit_next(held, finished)),
            false => self.submit_next(held, finished),
        };
        uses.iter().for_each(|memory| used_by(memory, &ticket));
        drop(order);
        // A later writer of these submits later.
        drop(parameters);
        Ok(ticket)
    }
}
