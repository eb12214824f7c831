//! Exports in the making: launches become data, and what a device must have for them is found.

use super::data::{BindingKind, Export, ExportedKernel, ExportedLaunch, ExportedWindow, Limits};
use crosslane_core::error::{CallSite, ErrorKind, Result};
use crosslane_core::kernel::{Access, BindPoint, Feature, Kernel, Needs, UnportableKind, enabled};
use crosslane_core::op::Grid;
use std::collections::HashMap;

/// Workgroups in one dimension, on every device.
const GRID: u32 = 65535;
/// What the offset of a window is a multiple of, on every device.
const ALIGNMENT: u64 = 256;

/// An export and the kernels that it has so far, by [`Kernel::id`].
pub(super) struct Draft {
    pub export: Export,
    kernels: HashMap<u64, usize>,
    at: CallSite,
}

impl Draft {
    pub fn new(name: &str, at: CallSite) -> Draft {
        let (features, limits, arrays, buffers, kernels, launches) = Default::default();
        let export = Export { crosslane: 1, name: name.into(), features, limits, arrays, buffers, kernels, launches };
        Draft { export, kernels: HashMap::new(), at }
    }

    /// Adds a launch over windows of buffers that the export has, or is given later.
    pub fn launch(
        &mut self,
        kernel: &Kernel,
        windows: Vec<ExportedWindow>,
        params: Vec<u32>,
        grid: Grid,
    ) -> Result<()> {
        if let Some(window) = windows.iter().find(|window| !window.offset.is_multiple_of(ALIGNMENT)) {
            let what = format!(
                "a window of {} from byte {} on; it must be a multiple of {ALIGNMENT}",
                kernel.name(),
                window.offset
            );
            return Err(self.refused(&what, "plan on a device of WebGPU's limits"));
        }
        let kernel = match self.kernels.get(&kernel.id()) {
            Some(&known) => known,
            None => self.kernel(kernel)?,
        };
        let kinds = self.export.kernels[kernel].bindings.iter().map(|&(_, _, kind)| kind);
        let limits = &mut self.export.limits;
        for (window, _) in windows.iter().zip(kinds).filter(|(_, kind)| *kind != BindingKind::Uniform) {
            limits.max_storage_buffer_binding_size = limits.max_storage_buffer_binding_size.max(window.bytes);
        }
        self.export.launches.push(ExportedLaunch { kernel, windows, params, grid: grid.fold(GRID) });
        Ok(())
    }

    fn kernel(&mut self, kernel: &Kernel) -> Result<usize> {
        let needs = kernel.needs()?;
        let unportable = kernel.reflection().map(|reflection| reflection.unportable.as_slice()).unwrap_or_default();
        if let Some(found) = unportable.iter().find(|found| found.kind == UnportableKind::AtomicAssignment) {
            let what =
                format!("{} in the kernel {}, line {}, column {}", found.kind, kernel.name(), found.line, found.column);
            return Err(self.refused(&what, found.kind.remedy()));
        }
        let mut wgsl = kernel.source().to_string();
        for &feature in &needs.features {
            let Some((name, directive)) = webgpu(feature) else {
                let what = format!("{} in the kernel {}", feature.name(), kernel.name());
                return Err(self.refused(&what, "plan on a device of WebGPU's limits, such as \"cpu:webgpu\""));
            };
            if !self.export.features.iter().any(|known| known == name) {
                self.export.features.push(name.into());
            }
            if !enabled(&wgsl).iter().any(|known| known == directive) {
                wgsl.insert_str(0, &format!("enable {directive}; ")); // on the first line: numbers of lines stay right
            }
        }
        // naga's own: WGSL has none. One of the workgroup is one of each subgroup; that all invocations come there, a host's
        // compiler checks.
        wgsl = wgsl.replace("subgroupBarrier()", "workgroupBarrier()");
        if needs.immediate_bytes > 0 {
            let what = format!("immediates in the kernel {}", kernel.name());
            return Err(
                self.refused(&what, "plan on a device of WebGPU's limits; in a kernel of your own, use var<uniform>")
            );
        }
        if kernel.slots().any(|slot| slot.is_ok()) {
            let what = format!(
                "buffers of the library's in the kernel {}, for messages or for the counting of loops",
                kernel.name()
            );
            return Err(self.refused(
                &what,
                "export without messages, on a device that stops loops itself, such as \"cpu:webgpu\"",
            ));
        }
        self.note(&needs, kernel.bindings());
        let library = kernel.reflection().is_none();
        self.export.kernels.push(ExportedKernel {
            name: kernel.name().into(),
            entry: kernel.entry().into(),
            constants: kernel.overrides().iter().cloned().collect(),
            bindings: kernel.bindings().iter().map(|point| (point.group, point.binding, kind(point))).collect(),
            params_group: (library && kernel.param_words() > 0).then_some(1),
            wgsl,
        });
        let number = self.export.kernels.len() - 1;
        self.kernels.insert(kernel.id(), number);
        Ok(number)
    }

    fn note(&mut self, needs: &Needs, bindings: &[BindPoint]) {
        let storage = bindings.iter().filter(|point| !point.uniform).count() as u32;
        let Limits {
            max_storage_buffers_per_shader_stage: buffers,
            max_compute_workgroup_storage_size: bytes,
            max_compute_invocations_per_workgroup: invocations,
            max_compute_workgroup_size_x: x,
            max_compute_workgroup_size_y: y,
            ..
        } = &mut self.export.limits;
        let size = needs.workgroup_size;
        let largest = [
            (buffers, storage),
            (bytes, needs.workgroup_bytes),
            (invocations, size.iter().product()),
            (x, size[0]),
            (y, size[1]),
        ];
        largest.into_iter().for_each(|(limit, wanted)| *limit = wanted.max(*limit));
    }

    /// The export, with the limits that its buffers need.
    pub fn finished(mut self) -> Export {
        self.export.limits.max_buffer_size = self.export.buffers.iter().map(|buffer| buffer.bytes).max().unwrap_or(0);
        self.export
    }

    pub fn refused(&self, what: &str, help: &str) -> crate::Error {
        let (operation, wanted, device) = ("Recording::export", what.into(), "WebGPU".into());
        ErrorKind::Unsupported { operation, wanted, device, help: help.into(), at: Some(self.at) }.into()
    }
}

/// A feature's name in WebGPU, and in WGSL's `enable`; `None` if WebGPU has none.
fn webgpu(feature: Feature) -> Option<(&'static str, &'static str)> {
    match feature {
        Feature::F16 => Some(("shader-f16", "f16")),
        Feature::Subgroups => Some(("subgroups", "subgroups")),
        _ => None,
    }
}

fn kind(point: &BindPoint) -> BindingKind {
    match (point.uniform, point.access) {
        (true, _) => BindingKind::Uniform,
        (false, Access::Read) => BindingKind::ReadOnlyStorage,
        (false, Access::Write) => BindingKind::Storage,
    }
}
