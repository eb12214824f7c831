//! The whole text: definitions, the structure of module-scope variables and functions, and the kernel that makes one
//! and calls the entry point.

use super::functions::Of;
use super::interface::Interface;
use super::parts::prelude;
use super::{CudaOptions, CudaSource, Refused, Writer, Written};
use naga::proc::NameKey;
use naga::{Binding, BuiltIn, Handle, Type, TypeInner};
use std::fmt::Write;

/// Bytes of shared memory that a block may declare without asking.
const STATIC_SHARED: u32 = 48 << 10;

impl<'a> Writer<'a> {
    pub(super) fn translate(&mut self, options: CudaOptions) -> Written<CudaSource> {
        let entry = &self.module.entry_points[self.index];
        let mut interface = self.interface()?;
        let mut functions = vec![self.function(Of::Entry(self.index as u16))?];
        // A function comes after those that it calls: here callers first, which say where they call from.
        for (handle, _) in self.module.functions.iter().rev() {
            if self.calls.contains_key(&handle) {
                let span = self.module.functions.get_span(handle);
                functions.push(self.function(Of::Function(handle)).map_err(|refused| refused.at(span))?);
            }
        }
        functions.reverse();
        let symbol = self.namer.call(&format!("{}_kernel", entry.name));
        let kernel = self.kernel_text(&symbol, &mut interface)?;
        let structure = self.structure_text(&interface, &functions);
        let text = format!(
            "{}\n// {}\nnamespace kernel {{\nusing namespace wgsl;\n\n{}{}{}{structure}\n{kernel}}} // namespace kernel\n\
             using kernel::{symbol};\n",
            prelude(&self.parts),
            self.kernel.name().replace(['\n', '\r', '\\'], " "),
            self.structs,
            self.globals_text,
            if self.globals_text.is_empty() { "" } else { "\n" },
        );
        let shared_bytes = interface.workgroup_bytes;
        let dynamic_bytes = if shared_bytes > STATIC_SHARED { shared_bytes } else { 0 };
        let workgroup_size = entry.workgroup_size;
        Ok(CudaSource { text, symbol, workgroup_size, shared_bytes, dynamic_bytes, specific: false, options })
    }

    fn structure_text(&self, interface: &Interface, functions: &[String]) -> String {
        let mut text = String::new();
        if interface.workgroup_bytes > 0 {
            let members: String = interface.workgroup.iter().map(|member| format!("    {member}\n")).collect();
            let bytes = interface.workgroup_bytes;
            text += &format!("struct Workgroup {{\n{members}}};\n");
            text += &format!("static_assert(sizeof(Workgroup) == {bytes}, \"\");\n\n");
        }
        text += "struct Module {\n";
        for (member, _) in &interface.members {
            text += &format!("    {member};\n");
        }
        if self.lanes
            && let Some(lanes) = self.constant_lanes()
        {
            text += &format!("    static constexpr u32 lanes = {lanes:#x}u;\n");
        }
        for function in functions {
            if !text.ends_with("{\n") {
                text += "\n";
            }
            text += function;
        }
        text + "};\n"
    }

    fn threads(&self) -> u32 {
        self.module.entry_points[self.index].workgroup_size.iter().product()
    }

    /// The lanes of every subgroup, where all have the same.
    fn constant_lanes(&self) -> Option<u32> {
        match self.threads() {
            threads if threads % 32 == 0 => Some(u32::MAX),
            threads if threads < 32 => Some((1 << threads) - 1),
            _ => None,
        }
    }

    /// The kernel: a structure of its parameters, and a call of the entry point with the built-in values that it wants.
    fn kernel_text(&mut self, symbol: &str, interface: &mut Interface) -> Written<String> {
        let entry = &self.module.entry_points[self.index];
        let [x, y, _] = entry.workgroup_size;
        let threads = self.threads();
        let index = self.namer.call("index");
        let mut arguments = vec![];
        for argument in &entry.function.arguments {
            arguments.push(self.entry_argument(argument.binding.as_ref(), argument.ty, &index)?);
        }
        if self.lanes && self.constant_lanes().is_none() {
            let (last, lanes) = (threads / 32, (1u32 << (threads % 32)) - 1);
            let value = format!("{index} / 32u == {last}u ? {lanes:#x}u : 0xffffffffu");
            interface.members.push(("u32 lanes".into(), value));
        }
        let mut body = vec![];
        let mut linear = vec![self.thread(0)];
        let further = [(1, x), (2, x * y)].into_iter().filter(|&(axis, _)| entry.workgroup_size[axis] > 1);
        linear.extend(further.map(|(axis, stride)| format!("{} * {stride}u", self.thread(axis))));
        body.push(format!("const u32 {index} = {};", linear.join(" + ")));
        if interface.workgroup_bytes > 0 {
            if interface.workgroup_bytes > STATIC_SHARED {
                body.push("WGSL_DYNAMIC_SHARED(memory);".into());
                body.push("Workgroup& workgroup = *reinterpret_cast<Workgroup*>(memory);".into());
            } else {
                body.push("__shared__ Workgroup workgroup;".into());
            }
            if self.checked() {
                body.push(format!("for (u32 i = {index}; i < sizeof(Workgroup) / 16; i += {threads}u) {{"));
                body.push("    reinterpret_cast<vec<u32, 4>*>(&workgroup)[i] = vec<u32, 4>{};".into());
                body.push("}".into());
                body.push("wgsl::workgroupBarrier();".into());
            }
        }
        body.append(&mut interface.locals);
        let values: Vec<_> = interface.members.iter().map(|(_, value)| value.as_str()).collect();
        let method = self.names[&NameKey::EntryPoint(self.index as u16)].clone();
        body.push(format!("Module module{{{}}};", values.join(", ")));
        body.push(format!("module.{method}({});", arguments.join(", ")));
        // The index is there for those that use it.
        if !body[1..].iter().any(|line| line.contains(&index)) {
            body.remove(0);
        }
        let mut text = format!("extern \"C\" __global__ void __launch_bounds__({threads}) {symbol}(");
        for (at, parameter) in interface.parameters.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(text, "{comma}\n    {parameter}").expect("writing to a string");
        }
        text += if interface.parameters.is_empty() { ") {\n" } else { "\n) {\n" };
        body.iter().for_each(|line| text += &format!("    {line}\n"));
        Ok(text + "}\n")
    }

    fn thread(&self, axis: usize) -> String {
        let size = self.module.entry_points[self.index].workgroup_size;
        if size[axis] == 1 { "0u".into() } else { format!("threadIdx.{}", ["x", "y", "z"][axis]) }
    }

    /// An argument of the entry point: a built-in value, or a structure of them.
    fn entry_argument(&mut self, binding: Option<&Binding>, ty: Handle<Type>, index: &str) -> Written<String> {
        if let Some(Binding::BuiltIn(builtin)) = binding {
            return self.builtin(*builtin, index);
        }
        let TypeInner::Struct { members, .. } = self.inner(ty) else {
            return Err(Refused::new("an argument of the entry point is no built-in value"));
        };
        let mut values = vec![];
        for member in members {
            values.push(self.entry_argument(member.binding.as_ref(), member.ty, index)?);
        }
        self.compose(ty, values)
    }

    fn builtin(&self, builtin: BuiltIn, index: &str) -> Written<String> {
        let size = self.module.entry_points[self.index].workgroup_size;
        let three = |of: &dyn Fn(usize, &str) -> String| {
            let parts: Vec<_> = ["x", "y", "z"].into_iter().enumerate().map(|(axis, name)| of(axis, name)).collect();
            format!("vec<u32, 3>{{{}}}", parts.join(", "))
        };
        let threads = self.threads();
        Ok(match builtin {
            BuiltIn::LocalInvocationId => three(&|axis, _| self.thread(axis)),
            BuiltIn::LocalInvocationIndex => index.into(),
            BuiltIn::WorkGroupId => three(&|_, name| format!("blockIdx.{name}")),
            BuiltIn::NumWorkGroups => three(&|_, name| format!("gridDim.{name}")),
            BuiltIn::WorkGroupSize => three(&|axis, _| format!("{}u", size[axis])),
            BuiltIn::GlobalInvocationId => three(&|axis, name| match size[axis] {
                1 => format!("blockIdx.{name}"),
                size => format!("blockIdx.{name} * {size}u + {}", self.thread(axis)),
            }),
            BuiltIn::SubgroupSize => "32u".into(),
            BuiltIn::NumSubgroups => format!("{}u", threads.div_ceil(32)),
            BuiltIn::SubgroupId => format!("{index} / 32u"),
            BuiltIn::SubgroupInvocationId => format!("{index} % 32u"),
            other => return Err(Refused::new(format!("{other:?} is not a built-in value of compute kernels"))),
        })
    }
}
