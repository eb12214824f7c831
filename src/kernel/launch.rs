//! Launching a program's kernel: every argument is checked against the kernel's reflection first.

use super::{Feature, Kernel, Reflection, Resource};
use crate::array::{Array, Untyped};
use crate::backend::{Launch, Window};
use crate::device::{Backend, Device};
use crate::element::Element;
use crate::error::{CallSite, Error, ErrorKind, Result};
use crate::op::{Access, Grid};
use std::panic::Location;

/// What a launch gives a kernel: memory for a binding, or the immediates.
#[derive(Clone)]
pub struct Argument(Kind);

#[derive(Clone)]
enum Kind {
    /// The element type is compared with the kernel's.
    Array(Untyped),
    Bytes(Untyped),
    Immediates(Vec<u8>),
}

impl Argument {
    /// The bytes of the kernel's `var<immediate>`, laid out as WGSL says. It is the last argument.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Argument, Array, Kernel};
    /// let kernel = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    ///     var<immediate> value: u32;
    ///     @compute @workgroup_size(1) fn main() { x[0] = value; }
    /// ")?;
    /// # if device.caps().immediate_bytes == 0 { return Ok(()) }
    /// let x = Array::<u32>::zeros(device, &[1]);
    /// device.launch(&kernel, [1, 1, 1], &[(&x).into(), Argument::immediates(&7u32.to_le_bytes())])?;
    /// assert_eq!(x.item()?, 7);
    /// # Ok(()) });
    /// ```
    pub fn immediates(bytes: &[u8]) -> Argument {
        Argument(Kind::Immediates(bytes.to_vec()))
    }
}

impl Argument {
    /// An array's memory as the kernel's type, whatever the array's own: words as structures, or f32 as u32.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Argument, Array, Kernel};
    /// let kernel = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///     @compute @workgroup_size(1) fn main() { x[0] = 1.0; }
    /// ")?;
    /// let x = Array::<u32>::zeros(device, &[1]);
    /// device.launch(&kernel, [1, 1, 1], &[Argument::bytes_of(&x)])?;
    /// assert_eq!(x.item()?, 1.0f32.to_bits());
    /// # Ok(()) });
    /// ```
    pub fn bytes_of<T: Element>(array: &Array<T>) -> Argument {
        Argument(Kind::Bytes(array.into()))
    }
}

impl<T: Element> From<&Array<T>> for Argument {
    fn from(array: &Array<T>) -> Argument {
        Argument(Kind::Array(array.into()))
    }
}

impl Device {
    /// Queues one launch of a program's kernel, without waiting: the workgroups in each dimension, an array for each
    /// binding that the kernel uses, by group, then binding, and the immediates last if it has any.
    ///
    /// Where the kernel may write (`read_write`) it writes into the array's own memory: clones of the array see it,
    /// and so may views of it and expressions of it that are not computed yet. A view that a kernel only reads is
    /// copied first if it has gaps.
    ///
    /// `arrayLength` is the number of elements; for types smaller than four bytes the length in bytes is rounded up to
    /// a multiple of four. Arrays of `u8`, `u16` and `bool` are bound as `u32`, four or two elements a word.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let kernel = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read> x: array<f32>;
    ///     @group(0) @binding(1) var<uniform> factor: f32;
    ///     @group(0) @binding(2) var<storage, read_write> y: array<f32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < arrayLength(&y) { y[id.x] += x[id.x] * factor; }
    ///     }
    /// ")?;
    /// let x = Array::arange(device, 0.0f32, 1000.0, 1.0);
    /// let y = Array::<f32>::ones(device, &[1000]);
    /// device.launch(&kernel, [1000u32.div_ceil(64), 1, 1], &[(&x).into(), (&Array::full(device, &[1], 2.0f32)).into(), (&y).into()])?;
    /// assert_eq!(y.to_vec()?[999], 1999.0);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: another number of arguments; an array that is too short, of another element type or on another device;
    /// one array bound for writing and bound again; a grid past the device's limit; a feature or limit that the device
    /// does not have; the mistake that an array holds; a kernel that the driver refuses; device lost.
    #[track_caller]
    pub fn launch(&self, kernel: &Kernel, grid: [u32; 3], arguments: &[Argument]) -> Result<()> {
        let call = Call { device: self, at: Location::caller() };
        let Some(reflection) = kernel.reflection() else {
            return call.mistake("kernel", "one made by Kernel::wgsl", format!("the library's {:?}", kernel.name()));
        };
        call.supports(kernel, reflection)?;
        if grid.iter().any(|&count| count > self.caps().grid) {
            let wanted = format!("at most {} workgroups in each dimension", self.caps().grid);
            return call.mistake("grid", wanted, format!("{grid:?}"));
        }
        let (arrays, immediates) = call.split(reflection, arguments)?;
        let resources = &reflection.bindings;
        resources.iter().zip(&arrays).try_for_each(|(resource, &(array, typed))| call.fits(resource, array, typed))?;
        let buffers = resources
            .iter()
            .zip(&arrays)
            .map(|(resource, (array, _))| call.window(resource, array))
            .collect::<Result<Vec<_>>>()?;
        call.separate(resources, &buffers)?;
        let params = bytemuck::pod_collect_to_vec(immediates);
        self.driver().submit(&[Launch { kernel: kernel.clone(), buffers, params, grid: Grid::Fixed(grid) }])
    }
}

/// An array, and whether its type is to be compared with the kernel's.
type Bindable<'a> = (&'a Untyped, bool);

/// A call of [`Device::launch`].
struct Call<'a> {
    device: &'a Device,
    at: CallSite,
}

impl Call<'_> {
    fn mistake<R>(&self, argument: impl Into<String>, wanted: impl Into<String>, got: impl Into<String>) -> Result<R> {
        Err(Error::argument("launch", argument, wanted, got, self.at))
    }

    /// Whether the device has what the kernel needs.
    fn supports(&self, kernel: &Kernel, reflection: &Reflection) -> Result<()> {
        let breaks = reflection.breaks(self.device.caps());
        let (wanted, help) = if !breaks.is_empty() {
            (
                format!("what the kernel {} needs: {}", kernel.name(), breaks.join("; ")),
                "choose another device, or kernel",
            )
        } else if reflection.features.contains(&Feature::Tensor)
            && !kernel.trusted()
            && self.device.properties().backend != Backend::Cpu
        {
            ("checks for cooperative matrices".into(), "Kernel::unchecked() does without")
        } else {
            return Ok(());
        };
        let (operation, device) = ("launch", self.device.properties().name.clone());
        Err(ErrorKind::Unsupported { operation, wanted, device, help: help.into(), at: Some(self.at) }.into())
    }

    /// The arrays and whether their types are to be compared, and the bytes of the immediates.
    fn split<'b>(&self, reflection: &Reflection, arguments: &'b [Argument]) -> Result<(Vec<Bindable<'b>>, &'b [u8])> {
        let (rest, immediates) = match arguments.split_last() {
            Some((Argument(Kind::Immediates(bytes)), rest)) => (rest, bytes.as_slice()),
            _ => (arguments, &[][..]),
        };
        let array = |argument: &'b Argument| match &argument.0 {
            Kind::Array(array) => Some((array, true)),
            Kind::Bytes(array) => Some((array, false)),
            Kind::Immediates(_) => None,
        };
        let arrays: Option<Vec<Bindable>> = rest.iter().map(array).collect();
        let Some(arrays) = arrays else { return self.mistake("arguments", "immediates last", "an array after them") };
        if arrays.len() != reflection.bindings.len() {
            let names: Vec<&str> = reflection.bindings.iter().map(|resource| resource.name.as_str()).collect();
            let wanted = match names.as_slice() {
                [] => "no array: the kernel uses none".to_string(),
                names => format!("an array for each binding that the kernel uses: {}", names.join(", ")),
            };
            return self.mistake("arguments", wanted, arrays.len().to_string());
        }
        if immediates.len() != reflection.immediate_bytes as usize {
            let wanted = format!("{} bytes", reflection.immediate_bytes);
            return self.mistake("immediates", wanted, immediates.len().to_string());
        }
        Ok((arrays, immediates))
    }

    /// Whether an array is what a binding takes.
    fn fits(&self, resource: &Resource, array: &Untyped, typed: bool) -> Result<()> {
        if let Some(error) = array.error() {
            return Err(error);
        }
        if array.device() != self.device {
            let (wanted, got) = (format!("{:?}", self.device), format!("an array on {:?}", array.device()));
            return self.mistake(&resource.name, wanted, got);
        }
        let dtype = array.dtype();
        let as_bound = if dtype.per_word() > 1 { crate::DType::U32 } else { dtype };
        if typed && resource.element.is_some_and(|element| element != as_bound) {
            return self.mistake(&resource.name, &resource.ty, format!("an array of {dtype}"));
        }
        let (bytes, most) = (array.bytes(), self.device.caps().binding_bytes);
        let got = || format!("{bytes} in shape {:?} of {dtype}", array.shape());
        if bytes < resource.bytes {
            return self.mistake(
                &resource.name,
                format!("at least {} bytes for {}", resource.bytes, resource.ty),
                got(),
            );
        }
        if !resource.point.uniform && bytes > most {
            return self.mistake(&resource.name, format!("at most {most} bytes, the device's largest binding"), got());
        }
        Ok(())
    }

    /// The memory that an array is bound with.
    fn window(&self, resource: &Resource, array: &Untyped) -> Result<Window> {
        // No device wants more for uniform buffers.
        let alignment = if resource.point.uniform { 256 } else { self.device.caps().offset_alignment.max(4) };
        let located = |error: Error| error.located(self.at);
        let window = match array.in_place(alignment).map_err(located)? {
            Some(window) => window,
            None if resource.point.access == Access::Write => {
                let wanted = format!("an array to write in place: no gaps, from a multiple of {alignment} bytes on");
                return self.mistake(&resource.name, wanted, format!("a view of shape {:?}", array.shape()));
            }
            None => array.copied().in_place(alignment).map_err(located)?.expect("a copy has no gaps and begins at 0"),
        };
        // Uniform buffers have a small limit of their own: only what the kernel reads counts.
        let bytes = if resource.point.uniform { resource.bytes.next_multiple_of(16) } else { window.bytes };
        Ok(Window { bytes, ..window })
    }

    /// Whether what is written is bound once.
    fn separate(&self, resources: &[Resource], buffers: &[Window]) -> Result<()> {
        let pairs: Vec<_> = resources.iter().zip(buffers).collect();
        for (index, (a, memory)) in pairs.iter().enumerate() {
            let same = pairs[index + 1..].iter().find(|(_, other)| other.memory.id() == memory.memory.id());
            if let Some((b, _)) = same
                && (a.point.access, b.point.access) != (Access::Read, Access::Read)
            {
                let got = format!("one array, or views of one, for both {} and {}", a.name, b.name);
                let written = if a.point.access == Access::Write { a } else { b };
                return self.mistake(&written.name, "memory of its own: the kernel may write to it", got);
            }
        }
        Ok(())
    }
}
