//! Lineage: how a value was computed, from the host's data on, so that it can be computed again on another device. It holds
//! no device memory. Kept where [`DeviceOptions::keep_lineage`](crate::DeviceOptions::keep_lineage) asks for it.

use super::expr::Expr;
use super::node::{Node, State, Storage};
use super::task::{Outline, Task};
use crate::device::Device;
use crate::element::DType;
use crate::sync::{Mutex, MutexGuard};
use crosslane_core::error::{Error, Result};
use crosslane_core::layout::Layout;
use crosslane_core::memory::{Contents, Site, WORDS};
use std::sync::{Arc, OnceLock};

/// How a node's value was computed. Several nodes may refer to it, also after the node is gone.
pub(crate) struct Lineage {
    pub shape: Vec<usize>,
    pub dtype: DType,
    known: Mutex<Known>,
    /// As [`Node::count`].
    count: OnceLock<Arc<Lineage>>,
}

struct Known {
    how: How,
    /// What the value's memory held when it was computed.
    contents: Option<Contents>,
}

#[derive(Clone)]
pub(crate) enum How {
    /// From other values, as the graph describes it.
    Computed(Expr<Arc<Lineage>, Arc<Origin>>),
    /// The bytes that were uploaded, as memory stores them.
    Host(Arc<Vec<u8>>),
    /// The words in which the kernels of an operation report faults.
    Faults(Site),
    /// By something that is not recorded: these words say what.
    Unknown(&'static str),
    Failed(Error),
}

/// An operation of several outputs, or with kernels of its own: what is left of a [`Task`] when it has run.
pub(crate) struct Origin {
    pub outline: Arc<Outline>,
    pub inputs: Vec<Arc<Lineage>>,
}

impl Lineage {
    fn new(shape: &[usize], dtype: DType, how: How) -> Lineage {
        let known = Mutex::new(Known { how, contents: None });
        Lineage { shape: shape.to_vec(), dtype, known, count: OnceLock::new() }
    }

    /// The lineage of a node that begins in this state.
    pub fn of(shape: &[usize], dtype: DType, state: &State) -> Arc<Lineage> {
        let how = match state {
            State::Lazy(expr) => {
                How::Computed(expr.map(&mut |input| input.expect_lineage(), &mut |task| task.origin()))
            }
            State::Ready(_) => How::Unknown("memory that the program had filled"),
            State::Failed(error) => How::Failed(error.clone()),
        };
        let lineage = Lineage::new(shape, dtype, how);
        if let State::Ready(storage) = state {
            lineage.bind(storage);
        }
        Arc::new(lineage)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("no panic while held")
    }

    pub fn how(&self) -> How {
        self.known().how.clone()
    }

    pub fn count(&self) -> Option<&Arc<Lineage>> {
        self.count.get()
    }

    /// The value lies here from now on.
    fn bind(&self, storage: &Storage) {
        self.known().contents = Some(storage.memory.history.contents_now());
    }

    /// Whether the value's memory was written in place since, where others could see it.
    pub fn is_overwritten(&self) -> bool {
        self.known().contents.as_ref().is_some_and(Contents::are_overwritten)
    }

    fn replace(&self, how: How) {
        let old = std::mem::replace(&mut self.known().how, how);
        drop_all(old.into_inputs()); // outside of the lock
    }
}

impl How {
    /// What is computed first: each input, as often as it is used.
    pub fn inputs(&self) -> Vec<Arc<Lineage>> {
        self.clone().into_inputs()
    }

    fn into_inputs(self) -> Vec<Arc<Lineage>> {
        match self {
            How::Computed(Expr::Output(origin, _)) => match Arc::try_unwrap(origin) {
                Ok(origin) => origin.inputs,
                Err(shared) => shared.inputs.clone(),
            },
            How::Computed(expr) => {
                let mut inputs = vec![];
                expr.map(&mut |input| inputs.push(input.clone()), &mut |_| ());
                inputs
            }
            _ => vec![],
        }
    }
}

/// How a view of a value in memory is computed. As in the graph, a view is of a value that lies without gaps when it is
/// computed again.
pub(super) fn viewed(of: Arc<Lineage>, change: &dyn Fn(&Layout) -> Option<Layout>) -> How {
    if let How::Computed(Expr::View(whole, layout)) = of.how()
        && let Some(layout) = change(&layout)
        && !of.is_overwritten()
    {
        return How::Computed(Expr::View(whole, layout));
    }
    match change(&Layout::contiguous(&of.shape)) {
        Some(layout) => How::Computed(Expr::View(dense(of), layout)),
        None => How::Unknown("a view"),
    }
}

/// The value without gaps.
fn dense(of: Arc<Lineage>) -> Arc<Lineage> {
    let (shape, dtype, count) = (of.shape.clone(), of.dtype, of.count.get().cloned());
    match of.how() {
        How::Computed(Expr::View(..)) => {
            let copy = Lineage::new(&shape, dtype, How::Computed(Expr::Copy(of)));
            count.into_iter().for_each(|count| drop(copy.count.set(count)));
            Arc::new(copy)
        }
        _ => of,
    }
}

/// Drops lineages of any length without recursion.
fn drop_all(mut queue: Vec<Arc<Lineage>>) {
    while let Some(lineage) = queue.pop() {
        let Some(mut last) = Arc::into_inner(lineage) else { continue };
        queue.extend(last.take_inputs());
    }
}

impl Lineage {
    fn take_inputs(&mut self) -> Vec<Arc<Lineage>> {
        let how = match self.known.get_mut() {
            Ok(known) => std::mem::replace(&mut known.how, How::Unknown("")),
            Err(_) => How::Unknown(""),
        };
        how.into_inputs().into_iter().chain(self.count.take()).collect()
    }
}

impl Drop for Lineage {
    fn drop(&mut self) {
        drop_all(self.take_inputs());
    }
}

impl Task {
    /// The operation's part of its outputs' lineages.
    fn origin(self: &Arc<Task>) -> Arc<Origin> {
        let inputs = || self.inputs.iter().map(|input| input.expect_lineage()).collect();
        self.origin.get_or_init(|| Arc::new(Origin { outline: self.outline.clone(), inputs: inputs() })).clone()
    }
}

impl Node {
    /// How the value was computed, where the device keeps it.
    pub fn lineage(&self) -> Option<Arc<Lineage>> {
        match self.device.keeps_lineage() {
            true => self.lineage.lock().expect("no panic while held").clone(),
            false => None,
        }
    }

    fn expect_lineage(&self) -> Arc<Lineage> {
        let unknown =
            || Arc::new(Lineage::new(&self.shape, self.dtype, How::Unknown("a device that keeps no lineage")));
        self.lineage().unwrap_or_else(unknown)
    }

    /// The value lies in memory from now on.
    pub(super) fn bind_lineage(&self, ready: &State) {
        if let (Some(lineage), State::Ready(storage)) = (self.lineage(), ready) {
            lineage.bind(storage);
        }
    }

    pub(super) fn set_count_of_lineage(&self, count: &Node) {
        if let (Some(lineage), Some(count)) = (self.lineage(), count.lineage()) {
            drop(lineage.count.set(count));
        }
    }

    /// The node in memory came about like this, which nothing refers to yet.
    pub fn set_lineage(&self, how: How) {
        if self.device.keeps_lineage() {
            let contents = match &*self.state() {
                State::Ready(storage) => Some(storage.memory.history.contents_now()),
                _ => None,
            };
            self.begin_lineage(how, contents);
        }
    }

    /// A lineage for these contents of the node's memory. Lineages that refer to the old one keep it.
    fn begin_lineage(&self, how: How, contents: Option<Contents>) {
        let lineage = Lineage::new(&self.shape, self.dtype, how);
        lineage.known().contents = contents;
        if let Some(count) = self.count().and_then(|count| count.lineage()) {
            drop(lineage.count.set(count));
        }
        let old = self.lineage.lock().expect("no panic while held").replace(Arc::new(lineage));
        drop(old); // outside of the lock
    }

    /// Replaces how the value was computed by the bytes themselves, which `read` gives. False if the memory was written
    /// meanwhile. The node lies in memory.
    pub fn checkpoint(&self, storage: &Storage, read: impl FnOnce() -> Result<Vec<u8>>) -> Result<bool> {
        let before = storage.memory.history.contents_now();
        let how = How::Host(Arc::new(read()?));
        if before.are_overwritten() {
            return Ok(false);
        }
        match self.lineage() {
            Some(lineage) if !lineage.is_overwritten() => lineage.replace(how),
            _ => self.begin_lineage(how, Some(before)),
        }
        Ok(true)
    }

    /// Words in which the kernels of one operation report an index past its axis.
    pub fn fault_cell(device: &Device, site: Site) -> Result<Arc<Node>> {
        let storage = Storage::new(device.fault_cell(site)?, Layout::contiguous(&[WORDS]), WORDS);
        let node = Node::ready(device, DType::U32, storage);
        node.set_lineage(How::Faults(site));
        Ok(node)
    }

    /// The node's memory is about to be written in place, and nothing else refers to its contents.
    pub fn note_own_write(&self, storage: &Storage) {
        storage.memory.history.note_own_write();
        self.set_lineage(How::Unknown("memory that an assignment to a part, or a kernel, wrote in place"));
    }
}

#[cfg(test)]
mod tests {
    use super::{DType, Expr, How, Lineage};
    use std::sync::Arc;

    #[test]
    fn a_million_links_are_dropped_without_recursion() {
        let link = |from| Arc::new(Lineage::new(&[], DType::F32, How::Computed(Expr::Cast(from))));
        let drop_a_chain = move || {
            let host = Arc::new(Lineage::new(&[], DType::F32, How::Host(Arc::default())));
            let chain = (0..1_000_000).fold(host.clone(), |from, _| link(from));
            assert_eq!(Arc::strong_count(&host), 2);
            drop(chain);
            assert_eq!(Arc::strong_count(&host), 1);
        };
        std::thread::Builder::new().stack_size(64 << 10).spawn(drop_a_chain).unwrap().join().unwrap();
    }
}
