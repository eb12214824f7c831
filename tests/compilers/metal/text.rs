//! A kernel's MSL, as wgpu has naga write it, and what makes C++ of it.

use crosslane::op::Kernel;
use naga::back::msl;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, ArraySize, StorageAccess, TypeInner};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Where the lengths of arrays and the immediates are bound: after all bindings.
const LENGTHS: u8 = 30;
const IMMEDIATES: u8 = 29;

pub struct Msl {
    pub text: String,
    /// The entry point, as naga calls it.
    pub entry: String,
    /// Bindings whose lengths the kernel is given, in that order.
    pub lengths: Vec<usize>,
    pub workgroup_size: [u32; 3],
}

impl Msl {
    /// The text of a kernel that runs unchecked, as on GPUs.
    pub fn new(kernel: &Kernel) -> Msl {
        let module = naga::front::wgsl::parse_str(kernel.source()).unwrap();
        let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
        let bound = |binding: naga::ResourceBinding| {
            kernel.bindings().iter().position(|b| (b.group, b.binding) == (binding.group, binding.binding))
        };
        let (mut resources, mut lengths) = (BTreeMap::new(), vec![]);
        for (_, variable) in module.global_variables.iter() {
            let Some(binding) = variable.binding else { continue };
            // Without immediates the parameters are a uniform buffer, which is no binding of the kernel's.
            let nth = bound(binding);
            let mutable =
                matches!(variable.space, AddressSpace::Storage { access } if access.contains(StorageAccess::STORE));
            let buffer = Some(nth.map_or(IMMEDIATES, |nth| nth as u8));
            resources.insert(binding, msl::BindTarget { buffer, mutable, ..Default::default() });
            lengths.extend(nth.filter(|_| is_unsized(&module, variable.ty)));
        }
        let of_entry =
            msl::EntryPointResources { resources, immediates_buffer: Some(IMMEDIATES), sizes_buffer: Some(LENGTHS) };
        let entry = module.entry_points.iter().find(|entry| entry.name == kernel.entry()).expect("its entry point");
        let options = msl::Options {
            lang_version: (3, 1),
            per_entry_point_map: [(entry.name.clone(), of_entry)].into(),
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        };
        let only = Some((naga::ShaderStage::Compute, entry.name.clone()));
        let pipeline = msl::PipelineOptions { entry_point: only, ..Default::default() };
        let (text, names) = msl::write_string(&module, &info, &options, &pipeline).unwrap();
        let name = names.entry_point_names[0].as_ref().unwrap().clone();
        Msl { text, entry: name, lengths, workgroup_size: entry.workgroup_size }
    }

    /// The text in its namespace, and there a function `run_on_fibers` that runs a launch.
    pub fn runnable(&self, nth: usize) -> String {
        let start = self.text.find(&format!("kernel void {}(", self.entry)).expect("the kernel");
        let parameters = self.text[start..].split_once('(').expect("its parameters").1;
        let parameters = parameters.split_once("\n) {").expect("their end").0;
        let (mut memory, mut arguments) = (String::new(), vec![]);
        for parameter in
            parameters.lines().map(|line| line.trim_start_matches([' ', ','])).filter(|line| !line.is_empty())
        {
            arguments.push(match parameter.split_once(" [[") {
                Some((_, attribute)) => argument(attribute.trim_end_matches("]]")),
                None => {
                    let (kind, _) = parameter.rsplit_once("& ").expect("a reference to workgroup memory");
                    let name = format!("workgroup_memory_{}", arguments.len());
                    writeln!(memory, "    WORKGROUP_MEMORY {kind} {name};").unwrap();
                    name
                }
            });
        }
        format!(
            "{}namespace kernel_{nth} {{\nvoid run_on_fibers(const ::program::Launch& launch) {{\n{memory}    \
             ::emulation::launch(launch.grid, launch.block, 0, [&] {{ {}({}); }});\n}}\n}}\n",
            declared(nth, &self.text),
            self.entry,
            arguments.join(", ")
        )
    }
}

/// What a parameter with this attribute is given.
fn argument(attribute: &str) -> String {
    let slot = attribute.strip_prefix("buffer(").map(|rest| rest.trim_end_matches(')').parse::<u8>().expect("a slot"));
    match slot {
        Some(IMMEDIATES) => "launch.immediates()".into(),
        // The last window: lengths are bound after the bindings.
        Some(LENGTHS) => "launch.reference(int(launch.head.windows) - 1)".into(),
        Some(slot) => format!("launch.reference({slot})"),
        None => format!("::metal::attribute::{attribute}()"),
    }
}

fn is_unsized(module: &naga::Module, ty: naga::Handle<naga::Type>) -> bool {
    match &module.types[ty].inner {
        TypeInner::Array { size, .. } => *size == ArraySize::Dynamic,
        TypeInner::Struct { members, .. } => members.last().is_some_and(|last| is_unsized(module, last.ty)),
        _ => false,
    }
}

/// The text in a namespace of its own: swizzles as calls, and of two functions that differ by an address space the second with one
/// parameter more.
pub fn declared(nth: usize, text: &str) -> String {
    let body: Vec<&str> = text.lines().filter(|line| !line.starts_with("#include")).collect();
    let body = body
        .join("\n")
        .replace("    threadgroup A *atomic_ptr,", "    metal::in_threadgroup, threadgroup A *atomic_ptr,");
    let mut called = String::new();
    let mut rest = &body[..];
    while let Some(dot) = rest.find('.') {
        let (before, after) = rest.split_at(dot + 1);
        let word = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
        called.push_str(before);
        called.push_str(&after[..word]);
        if (2..=4).contains(&word) && after[..word].bytes().all(|c| b"xyzw".contains(&c)) {
            called.push_str("()");
        }
        rest = &after[word..];
    }
    called.push_str(rest);
    format!("namespace kernel_{nth} {{\n#line 1 \"kernel_{nth}\"\n{called}\n}}\n")
}
