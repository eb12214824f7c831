//! Kernels of the suite's own, in WGSL: a function of an index, launched for each element of a result. As every program's
//! kernels they are checked: an index out of bounds stays inside its array.

use crosslane::{Argument, Array, Device, Element, Kernel, Result};

/// Invocations of a workgroup: every device allows as many.
const WORKGROUP: u32 = 256;

/// A kernel that makes an array of `result` (`f32`, `u32`) from arrays: `fn value(i: u32) -> result` is in the text.
#[derive(Clone)]
pub struct Each(Kernel);

impl Each {
    /// `inputs` are names and element types.
    pub fn new(inputs: &[(&str, &str)], result: &str, text: &str) -> Result<Each> {
        let bind = |(nth, (name, ty)): (usize, &(&str, &str))| {
            format!("@group(0) @binding({nth}) var<storage, read> {name}: array<{ty}>;\n")
        };
        let bindings: String = inputs.iter().enumerate().map(bind).collect();
        Kernel::wgsl(&format!(
            "{bindings}@group(0) @binding({}) var<storage, read_write> out: array<{result}>;
{text}
@compute @workgroup_size({WORKGROUP})
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
    let i = id.x + id.y * groups.x * {WORKGROUP}u;
    if i < arrayLength(&out) {{ out[i] = value(i); }}
}}
",
            inputs.len()
        ))
        .map(Each)
    }

    /// Queues the launch.
    pub fn launch<T: Element>(&self, device: &Device, n: usize, inputs: &[Argument<'_>]) -> Result<Array<T>> {
        self.launched(device, n, inputs, &Array::empty(device, &[n]))
    }

    /// Where a result is a vector of four elements.
    pub fn launch_vectors<T: Element>(&self, device: &Device, n: usize, inputs: &[Argument<'_>]) -> Result<Array<T>> {
        self.launched(device, n, inputs, &Array::empty(device, &[4 * n]))
    }

    fn launched<T: Element>(
        &self,
        device: &Device,
        n: usize,
        inputs: &[Argument<'_>],
        out: &Array<T>,
    ) -> Result<Array<T>> {
        let mut arguments = inputs.to_vec();
        arguments.push(Argument::bytes_of(out));
        self.0.for_elements(n).args(arguments).launch(device)?;
        Ok(out.clone())
    }
}
