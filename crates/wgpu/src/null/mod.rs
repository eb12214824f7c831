//! Null hardware: a driver that compiles for a card that is not there, because a shim answers it in the kernel's place
//! (`CROSSLANE_NULL_DEVICE`), or because it is Mesa's RADV before 25 with `RADV_FORCE_FAMILY`.
//!
//! It accepts submissions and runs none; RADV's has no memory types, and fails to create the timeline semaphores that it reports
//! (22.3.6), so that wgpu 30 cannot open it. Here kernels go to it through Vulkan itself, as wgpu would give them, and all
//! else is refused.

mod compiler;
mod spirv;

use compiler::Compiler;
use crosslane_core::caps::Caps;
use crosslane_core::engine::{Compiling, Driver, HostBlock, Interop, Observer, Order, Substitutes, Tracing, Waits};
use crosslane_core::error::{Error, ErrorKind, Result};
use crosslane_core::kernel::Kernel;
use crosslane_core::memory::{Allocator, Block, Direction, Place};
use crosslane_core::properties::Properties;
use crosslane_core::trace::SpanKind;
use crosslane_core::work::{Launch, Read, Write};
use std::sync::Arc;
use std::time::Duration;

/// A device that compiles.
pub(super) struct Null {
    properties: Properties,
    compiler: Compiler,
    observer: Observer,
    waits: Waits,
}

pub(super) fn open(adapter: &wgpu::Adapter, properties: Properties) -> Result<Arc<dyn Driver>> {
    let failed = |message| ErrorKind::Backend { operation: "open", device: properties.label(), message };
    let compiler = Compiler::open(adapter).map_err(failed)?;
    let (observer, waits) = Default::default();
    Ok(Arc::new(Null { compiler, properties: properties.opened(), observer, waits }))
}

impl Null {
    /// The error of all that would have to run.
    fn refused(&self, operation: &'static str) -> Error {
        let (wanted, device) = ("hardware: it only compiles kernels".into(), self.properties.label());
        let help = "open another device to run them".into();
        ErrorKind::Unsupported { operation, wanted, device, help, at: None }.into()
    }
}

impl Compiling for Null {
    fn compile(&self, kernel: &Kernel) -> Result<Vec<(String, u64)>> {
        let _compiling = self.observer.recorder.open(SpanKind::Compile, kernel.name(), 0);
        let compiled = spirv::shader(kernel, &self.properties.caps, self.compiler.version)?;
        self.compiler.compile(&compiled).map_err(|message| {
            let (kernel, device) = (kernel.name().into(), self.properties.label());
            ErrorKind::Compile { kernel, device, message, at: None }.into()
        })
    }
}

impl Allocator for Null {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn caps(&self) -> &Caps {
        &self.properties.caps
    }

    fn allocate(&self, _bytes: u64, _used: u64, _place: Place) -> Result<Block> {
        Err(self.refused("array"))
    }

    fn forget(&self) {}

    /// Nothing was ever submitted.
    fn wait(&self) -> Result<()> {
        Ok(())
    }
}

impl Driver for Null {
    fn prepare(&self, _: &[Launch]) -> Result<Block> {
        Err(self.refused("launch"))
    }

    fn submit_prepared(&self, _: &Block, _: &[Launch]) -> Result<()> {
        Err(self.refused("launch"))
    }

    fn write(&self, _: &[Write]) -> Result<()> {
        Err(self.refused("upload"))
    }

    fn read(&self, _: &[Launch], _: &mut [Read], _: &mut dyn FnMut()) -> Result<()> {
        Err(self.refused("download"))
    }

    fn host_block(self: Arc<Self>, _: u64, _: Direction) -> Result<Box<dyn HostBlock>> {
        Err(self.refused("host buffer"))
    }
}

impl Order for Null {
    fn waits(&self) -> &Waits {
        &self.waits
    }

    fn wait_stream(&self) -> Result<()> {
        Ok(())
    }

    fn record(&self, _timed: bool) -> Result<Block> {
        Err(self.refused("event"))
    }

    fn is_done(&self, _: &Block) -> Result<bool> {
        Err(self.refused("event"))
    }

    fn wait_event(&self, _: &Block) -> Result<()> {
        Err(self.refused("event"))
    }

    fn between(&self, _: &Block, _: &Block) -> Result<Option<Duration>> {
        Err(self.refused("event"))
    }

    fn update(&self, _: &mut Block, _: &[Launch], _: &[usize]) -> Result<()> {
        Err(self.refused("launch"))
    }
}

impl Tracing for Null {
    fn start_clock(&self) -> Result<bool> {
        Ok(false)
    }

    fn stop_clock(&self) -> Result<Duration> {
        Ok(Duration::ZERO)
    }

    fn observer(&self) -> &Observer {
        &self.observer
    }

    fn start_trace(&self) -> Result<bool> {
        Ok(false)
    }

    fn stop_trace(&self) -> Result<()> {
        Ok(())
    }
}

impl Interop for Null {}

impl Substitutes for Null {}
