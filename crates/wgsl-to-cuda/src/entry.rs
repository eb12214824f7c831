//! The whole text: definitions, the structure of module-scope variables and functions, and the kernel that makes one
//! and calls the entry point.

use super::functions::Of;
use super::interface::Interface;
use super::parts::prelude;
use super::{Refused, Writer, Written};
use naga::proc::NameKey;
use naga::{Binding, BuiltIn, Handle, Type, TypeInner};

/// Bytes of shared memory that a block may declare without asking.
const STATIC_SHARED: u32 = 48 << 10;

impl<'a> Writer<'a> {
    pub(super) fn translate(&mut self) -> Written<Translation> {
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
        let body = self.body(&mut interface)?;
        let structure = self.structure_text(&interface, &functions);
        let definitions = format!(
            "{}\n// {}\nnamespace kernel {{\nusing namespace wgsl;\n\n{}{}{}{structure}\n",
            prelude(&self.parts),
            self.input.name.replace(['\n', '\r', '\\'], " "),
            self.structs,
            self.globals_text,
            if self.globals_text.is_empty() { "" } else { "\n" },
        );
        let (shared_bytes, workgroup_size) = (interface.workgroup_bytes, entry.workgroup_size);
        Ok(Translation { definitions, symbol, parameters: interface.parameters, body, workgroup_size, shared_bytes })
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

    /// The kernel's body: a structure of its parameters, and a call of the entry point with the built-in values that it wants.
    fn body(&mut self, interface: &mut Interface) -> Written<Body> {
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
        let mut linear = vec![self.thread(0)];
        let further = [(1, x), (2, x * y)].into_iter().filter(|&(axis, _)| entry.workgroup_size[axis] > 1);
        linear.extend(further.map(|(axis, stride)| format!("{} * {stride}u", self.thread(axis))));
        let mut before = vec![];
        if interface.workgroup_bytes > 0 {
            if interface.workgroup_bytes > STATIC_SHARED {
                before.push("WGSL_DYNAMIC_SHARED(memory);".into());
                before.push("Workgroup& workgroup = *reinterpret_cast<Workgroup*>(memory);".into());
            } else {
                before.push("__shared__ Workgroup workgroup;".into());
            }
            if self.checked() {
                before.push(format!("for (u32 i = {index}; i < sizeof(Workgroup) / 16; i += {threads}u) {{"));
                before.push("    reinterpret_cast<vec<u32, 4>*>(&workgroup)[i] = vec<u32, 4>{};".into());
                before.push("}".into());
                before.push("wgsl::workgroupBarrier();".into());
            }
        }
        let values: Vec<_> = interface.members.iter().map(|(_, value)| value.as_str()).collect();
        let mut module = std::mem::take(&mut interface.locals);
        module.push(format!("Module module{{{}}};", values.join(", ")));
        let method = self.names[&NameKey::EntryPoint(self.index as u16)].clone();
        let call = format!("module.{method}({});", arguments.join(", "));
        // The index is there for those that use it.
        if before.iter().chain(&module).chain([&call]).any(|line: &String| line.contains(&index)) {
            before.insert(0, format!("const u32 {index} = {};", linear.join(" + ")));
        }
        Ok(Body { before, module, call })
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

/// A translation in its parts, of which [`Translation::text`] makes a whole: kernels written by hand may take some of them.
#[derive(Clone, Debug)]
pub struct Translation {
    /// All that comes before the kernel, in a namespace that stands open: `Module` has WGSL's functions as methods.
    pub definitions: String,
    /// The name of the `__global__` function.
    pub symbol: String,
    /// The parameters' declarations.
    pub parameters: Vec<String>,
    /// The lines of the kernel.
    pub body: Body,
    /// Threads of a block in each dimension.
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
}

/// The lines of a kernel.
#[derive(Clone, Debug)]
pub struct Body {
    /// `workgroup` in shared memory, if there is any, and what makes it zeros.
    before: Vec<String>,
    /// `module`, which is made of the parameters and of `workgroup`.
    pub module: Vec<String>,
    /// The entry point.
    call: String,
}

impl Translation {
    /// The whole text, without includes.
    pub fn text(&self) -> String {
        let Translation { definitions, symbol, parameters, body, workgroup_size, .. } = self;
        let threads: u32 = workgroup_size.iter().product();
        let list = parameters.join(",\n    ");
        let list = if list.is_empty() { list } else { format!("\n    {list}\n") };
        let lines = body.before.iter().chain(&body.module).chain([&body.call]);
        let lines: String = lines.map(|line| format!("    {line}\n")).collect();
        format!(
            "{definitions}extern \"C\" __global__ void __launch_bounds__({threads}) {symbol}({list}) {{\n{lines}}}\n\
             }} // namespace kernel\nusing kernel::{symbol};\n"
        )
    }

    /// Bytes of dynamic shared memory that a launch passes: 0 where workgroup memory is static.
    pub fn dynamic_bytes(&self) -> u32 {
        if self.shared_bytes > STATIC_SHARED { self.shared_bytes } else { 0 }
    }
}
