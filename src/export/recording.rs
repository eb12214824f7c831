//! Recordings as exports.

use super::data::{ArrayRole, Contents, Export, ExportedArray, ExportedBuffer, ExportedWindow};
use super::draft::Draft;
use crate::array::{Array, Untyped};
use crate::element::Element;
use crate::launch::Recording;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::kernel::Access;
use crosslane_core::memory::Memory;
use crosslane_core::work::{Launch, Read, Window};
use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;

/// An export of a recording, and the arrays of it that get names: see [`Recording::export`].
#[must_use = "it is an export once it is finished"]
pub struct Exporter<'a> {
    recording: &'a Recording,
    name: &'a str,
    arrays: Vec<(&'a str, ArrayRole, Untyped)>,
    at: CallSite,
}

impl Recording {
    /// The recording as data that any host of WebGPU runs: see [`Export`]. What launches read before one writes it is part of
    /// the export, as it is when it is finished.
    ///
    /// Plans rely on what their device has: record on `Device::open("cpu:webgpu")`, or on a device that was opened with
    /// [`DeviceOptions::webgpu_limits`](crate::DeviceOptions::webgpu_limits).
    ///
    /// ```
    /// # crosslane::example(|_| {
    /// use crosslane::{Array, Device, Recording};
    /// let device = Device::open("cpu:webgpu")?;
    /// let x = Array::from_slice(&device, &[3.0f32, 1.0, 2.0]);
    /// x.eval()?;
    /// let y = x.sort();
    /// let export = Recording::of(&[&y])?.export("sort").input("x", &x).output("y", &y).finish()?;
    /// assert!(export.kernels.iter().all(|kernel| kernel.wgsl.contains("@compute")));
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn export<'a>(&'a self, name: &'a str) -> Exporter<'a> {
        Exporter { recording: self, name, arrays: vec![], at: Location::caller() }
    }
}

impl<'a> Exporter<'a> {
    /// Names an array that launches read, and that a host may write before a run.
    pub fn input<T: Element>(self, name: &'a str, array: &Array<T>) -> Exporter<'a> {
        self.array(name, ArrayRole::Input, array.into())
    }

    /// Names an array that launches write, and that a host reads after a run.
    pub fn output<T: Element>(self, name: &'a str, array: &Array<T>) -> Exporter<'a> {
        self.array(name, ArrayRole::Output, array.into())
    }

    fn array(mut self, name: &'a str, role: ArrayRole, array: Untyped) -> Exporter<'a> {
        self.arrays.push((name, role, array));
        self
    }

    /// The export.
    ///
    /// Costs a copy to the host of what launches read before one writes it.
    ///
    /// Errors: an array whose memory no launch uses; two arrays of one name; a view with gaps; a kernel that needs what WebGPU
    /// does not have: 64-bit types, immediates, cooperative matrices; the error that an array holds; device lost.
    pub fn finish(self) -> Result<Export> {
        let launches = self.recording.launches();
        let mut draft = Draft::new(self.name, self.at);
        let mut memory: Vec<Arc<Memory>> = vec![];
        for launch in launches {
            let mut window = |window: &Window| {
                let known = memory.iter().position(|known| known.id() == window.memory.id());
                let buffer = known.unwrap_or(memory.len());
                if known.is_none() {
                    memory.push(window.memory.clone());
                }
                ExportedWindow { buffer, offset: window.offset, bytes: window.bytes }
            };
            let windows = launch.buffers.iter().map(&mut window).collect();
            draft.launch(&launch.kernel, windows, launch.params.clone(), launch.grid)?;
        }
        for memory in &memory {
            let contents = self.contents(memory, &read_first(launches, memory))?;
            draft.export.buffers.push(ExportedBuffer { bytes: memory.bytes().next_multiple_of(4), contents });
        }
        for (name, role, array) in &self.arrays {
            let array = self.named(name, *role, array, &memory, &draft.export)?;
            draft.export.arrays.push(array);
        }
        Ok(draft.finished())
    }

    fn named(
        &self,
        name: &str,
        role: ArrayRole,
        array: &Untyped,
        memory: &[Arc<Memory>],
        so_far: &Export,
    ) -> Result<ExportedArray> {
        if let Some(error) = array.error() {
            return Err(error);
        }
        let mistake = |wanted: &str, got: String| Err(Error::argument("Recording::export", name, wanted, got, self.at));
        if so_far.arrays.iter().any(|other| other.name == name) {
            return mistake("a name that no other array has", name.into());
        }
        if array.device() != self.recording.device() {
            return mistake("an array on the recording's device", format!("one on {:?}", array.device()));
        }
        let Some(window) = array.in_place(4)? else {
            return mistake("an array without gaps", format!("a view of shape {:?}", array.shape()));
        };
        match memory.iter().position(|known| known.id() == window.memory.id()) {
            Some(buffer) => {
                Ok(ExportedArray::new(name, role, [buffer as u64, window.offset], array.dtype(), array.shape()))
            }
            None => mistake("an array whose memory a launch uses", "one whose memory none of them uses".into()),
        }
    }

    /// These parts of memory as they are now.
    fn contents(&self, memory: &Memory, parts: &[Range<u64>]) -> Result<Vec<Contents>> {
        let mut bytes: Vec<Vec<u8>> = parts.iter().map(|part| vec![0; (part.end - part.start) as usize]).collect();
        let read = |(part, to): (&Range<u64>, _)| Read { from: memory, offset: part.start, to };
        let mut reads: Vec<Read> = parts.iter().zip(bytes.iter_mut().map(|bytes| &mut bytes[..])).map(read).collect();
        self.recording.device().driver().read(&[], &mut reads, &mut || {})?;
        Ok(parts.iter().zip(&bytes).map(|(part, bytes)| Contents::new(part.start, bytes)).collect())
    }
}

/// The parts of memory that launches read before one of them has written them, in ascending order, joined where they meet.
fn read_first(launches: &[Launch], memory: &Memory) -> Vec<Range<u64>> {
    let (mut written, mut read): (Vec<Range<u64>>, Vec<Range<u64>>) = Default::default();
    for launch in launches {
        let here = || {
            let all = launch.kernel.bindings().iter().zip(&launch.buffers);
            all.filter(|(_, window)| window.memory.id() == memory.id()).map(|(point, window)| {
                (point.access, window.offset..(window.offset + window.bytes).min(memory.bytes()))
            })
        };
        // What the library's own kernels write they have not read. A program's may.
        let may_read = |access| access == Access::Read || launch.kernel.reflection().is_some();
        let unwritten = |part: &Range<u64>| !written.iter().any(|w| w.start <= part.start && part.end <= w.end);
        read.extend(here().filter(|(access, part)| may_read(*access) && unwritten(part)).map(|(_, part)| part));
        written.extend(here().filter(|(access, _)| *access == Access::Write).map(|(_, part)| part));
    }
    joined(read)
}

fn joined(mut parts: Vec<Range<u64>>) -> Vec<Range<u64>> {
    parts.sort_by_key(|part| part.start);
    let mut all: Vec<Range<u64>> = vec![];
    for part in parts {
        match all.last_mut() {
            Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
            _ => all.push(part),
        }
    }
    all
}
