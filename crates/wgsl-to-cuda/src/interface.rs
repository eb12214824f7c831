//! The parameters and variables of a kernel: the module-scope variables of WGSL as parameters, members and variables.

use super::{Refused, Writer, Written};
use naga::proc::NameKey;
use naga::{AddressSpace, GlobalVariable, Handle, Type, TypeInner};

/// Bytes of parameters that a kernel may have, from CUDA 12.1 and compute capability 7.0 on.
const MOST_PARAMETERS: u32 = 32764;

/// The interface of a kernel as it is put together.
#[derive(Default)]
pub(super) struct Interface {
    /// Of the kernel.
    pub parameters: Vec<String>,
    pub parameter_bytes: u32,
    /// Of the structure: declarations and what they begin with.
    pub members: Vec<(String, String)>,
    /// The kernel's own: private variables.
    pub locals: Vec<String>,
    /// Members of the structure in shared memory.
    pub workgroup: Vec<String>,
    pub workgroup_bytes: u32,
}

impl Writer<'_> {
    pub(super) fn interface(&mut self) -> Written<Interface> {
        let mut interface = Interface::default();
        self.bindings(&mut interface)?;
        self.parameters(&mut interface)?;
        self.own_variables(&mut interface)?;
        Ok(interface)
    }

    fn is_used(&self, global: Handle<GlobalVariable>) -> bool {
        !self.info.get_entry_point(self.index)[global].is_empty()
    }

    /// A pointer and a size for each buffer of a launch.
    fn bindings(&mut self, interface: &mut Interface) -> Written<()> {
        for point in self.input.bindings {
            let bound = |variable: &GlobalVariable| {
                variable.binding.is_some_and(|at| (at.group, at.binding) == (point.group, point.binding))
            };
            let mut found = self.module.global_variables.iter().filter(|(_, variable)| bound(variable));
            let used = found.find(|(handle, _)| self.is_used(*handle));
            let constant = if point.is_read_only { "const " } else { "" };
            interface.parameter_bytes += 16;
            let Some((handle, variable)) = used else {
                let name = self.namer.call("unused");
                let bytes = self.namer.call(&format!("{name}_bytes"));
                interface.parameters.push(format!("{constant}void* {name}, u64 {bytes}"));
                continue;
            };
            let span = self.module.global_variables.get_span(handle);
            self.buffer(handle, variable.ty, constant, interface).map_err(|refused| refused.at(span))?;
        }
        Ok(())
    }

    fn buffer(
        &mut self,
        handle: Handle<GlobalVariable>,
        ty: Handle<Type>,
        constant: &str,
        interface: &mut Interface,
    ) -> Written<()> {
        let name = self.names[&NameKey::GlobalVariable(handle)].clone();
        let bytes = self.namer.call(&format!("{name}_bytes"));
        let of = match *self.inner(ty) {
            TypeInner::Array { base, size, stride } if self.length(size).is_none() => {
                let element = self.element(base, stride)?;
                interface.members.push((format!("span<{constant}{element}> {name}"), format!("{{{name}, {bytes}}}")));
                element
            }
            ref inner => {
                let of = self.ty(ty)?;
                interface.members.push((format!("{constant}{of}& {name}"), format!("*{name}")));
                if let TypeInner::Struct { members, .. } = inner
                    && let Some(last) = members.last()
                    && let TypeInner::Array { base, size, stride } = *self.inner(last.ty)
                    && self.length(size).is_none()
                {
                    let index = members.len() as u32 - 1;
                    let field = self.names[&NameKey::StructMember(ty, index)].clone();
                    let tail = self.namer.call(&format!("{name}_{field}"));
                    let (element, offset) = (self.element(base, stride)?, last.offset);
                    let byte = format!("{constant}unsigned char");
                    let place = format!("({constant}{element}*)(({byte}*){name} + {offset})");
                    let value = format!("{{{place}, {bytes} - {offset}}}");
                    interface.members.push((format!("span<{constant}{element}> {tail}"), value));
                    self.tails.insert(handle, tail);
                }
                of
            }
        };
        interface.parameters.push(format!("{constant}{of}* __restrict__ {name}, u64 {bytes}"));
        self.globals.insert(handle, name);
        Ok(())
    }

    /// The words of parameters that a launch passes: `var<immediate>`, or a uniform that no buffer is for.
    fn parameters(&mut self, interface: &mut Interface) -> Written<()> {
        let is_bound = |variable: &GlobalVariable| {
            let at = variable.binding.map(|at| (at.group, at.binding));
            self.input.bindings.iter().any(|point| Some((point.group, point.binding)) == at)
        };
        let by_value = |variable: &GlobalVariable| match variable.space {
            AddressSpace::Immediate => true,
            AddressSpace::Uniform => !is_bound(variable),
            _ => false,
        };
        let mut found = self.module.global_variables.iter().filter(|(_, variable)| by_value(variable));
        let used = found.find(|(handle, _)| self.is_used(*handle));
        let words = self.input.words;
        let Some((handle, variable)) = used else {
            if words > 0 {
                let name = self.namer.call("unused");
                interface.parameters.push(format!("const __grid_constant__ array<u32, {words}> {name}"));
            }
            return Ok(());
        };
        let span = self.module.global_variables.get_span(handle);
        let ty = self.ty(variable.ty).map_err(|refused| refused.at(span))?;
        let name = self.names[&NameKey::GlobalVariable(handle)].clone();
        let bytes = interface.parameter_bytes + self.size(variable.ty);
        if bytes > MOST_PARAMETERS {
            let message = format!("{bytes} bytes of parameters; CUDA has {MOST_PARAMETERS}");
            return Err(Refused::new(message).at(span));
        }
        interface.parameters.push(format!("const __grid_constant__ {ty} {name}"));
        interface.members.push((format!("const {ty}& {name}"), name.clone()));
        self.globals.insert(handle, name);
        Ok(())
    }

    /// Variables of the workgroup and of each invocation.
    fn own_variables(&mut self, interface: &mut Interface) -> Written<()> {
        // Vectors of four 64-bit numbers lie at multiples of 32: then all variables of the workgroup do.
        let shared = self
            .module
            .global_variables
            .iter()
            .filter(|(handle, variable)| self.is_used(*handle) && variable.space == AddressSpace::WorkGroup);
        let alignment = shared.map(|(_, variable)| self.layouter[variable.ty].alignment.round_up(1)).max();
        let alignment = alignment.unwrap_or(16).max(16);
        for (handle, variable) in self.module.global_variables.iter() {
            if !self.is_used(handle) || !matches!(variable.space, AddressSpace::WorkGroup | AddressSpace::Private) {
                continue;
            }
            let span = self.module.global_variables.get_span(handle);
            let ty = self.ty(variable.ty).map_err(|refused| refused.at(span))?;
            let name = self.names[&NameKey::GlobalVariable(handle)].clone();
            if variable.space == AddressSpace::WorkGroup {
                // As WebGPU counts it.
                interface.workgroup_bytes += self.size(variable.ty).next_multiple_of(alignment);
                interface.workgroup.push(format!("alignas({alignment}) {ty} {name};"));
                self.globals.insert(handle, format!("workgroup.{name}"));
                continue;
            }
            let value = match variable.init {
                Some(init) => self.constant_expression(init)?,
                None => self.zero(variable.ty)?,
            };
            interface.locals.push(format!("{ty} {name} = {value};"));
            interface.members.push((format!("{ty}& {name}"), name.clone()));
            self.globals.insert(handle, name);
        }
        if interface.workgroup_bytes > 0 {
            interface.members.push(("Workgroup& workgroup".into(), "workgroup".into()));
        }
        Ok(())
    }
}
