//! Launching a program's kernel: every argument is checked against the kernel's reflection first.

use super::argument::{Argument, Bound, Kind};
use super::tail;
use crate::array::{Array, Untyped};
use crate::device::Device;
use crosslane_core::error::{CallSite, Error, ErrorKind, Result};
use crosslane_core::kernel::parameters::{self, HostType};
use crosslane_core::kernel::{Access, BindPoint, Driven, Feature, Kernel, Own, Reflection, Resource};
use crosslane_core::work::{Launch, Window};

/// A launch on a device, asked for at a place in the program.
pub(super) struct Call<'a> {
    pub device: &'a Device,
    pub at: CallSite,
}

impl Call<'_> {
    pub fn mistake<R>(
        &self,
        argument: impl Into<String>,
        wanted: impl Into<String>,
        got: impl Into<String>,
    ) -> Result<R> {
        Err(Error::argument("launch", argument, wanted, got, self.at))
    }

    /// Checks that the device has what the kernel needs.
    pub fn supports(&self, kernel: &Kernel, reflection: &Reflection) -> Result<()> {
        let breaks = reflection.breaks(self.device.caps());
        let (wanted, help) = if !breaks.is_empty() {
            (
                format!("what the kernel {} needs: {}", kernel.name(), breaks.join("; ")),
                "choose another device, or kernel",
            )
        } else if reflection.features.contains(&Feature::Tensor)
            && !kernel.is_trusted()
            && !self.device.driver().habits().checks_matrices
        {
            ("checks for cooperative matrices".into(), "Kernel::trusted() does without")
        } else if let Some((most, bytes)) = self.indexes_too_much(kernel)? {
            (
                format!(
                    "at most {most} bytes in an indexed variable of an invocation, which {} exceeds by {}",
                    kernel.name(),
                    bytes - most
                ),
                "its compiler would take minutes, or crash: use another device, such as Device::cpu()",
            )
        } else {
            return Ok(());
        };
        let (operation, device) = ("launch", self.device.properties().label());
        Err(ErrorKind::Unsupported { operation, wanted, device, help: help.into(), at: Some(self.at) }.into())
    }

    /// The bytes that the driver's compiler can bear, and those of the kernel, if it has more.
    fn indexes_too_much(&self, kernel: &Kernel) -> Result<Option<(u64, u64)>> {
        let Some(most) = self.device.properties().most_indexed() else { return Ok(None) };
        let bytes = kernel.indexed_bytes()?;
        Ok((bytes > most).then_some((most, bytes)))
    }

    /// The launch with the library's own buffers added: for messages, and for the counters of loops that may not end,
    /// on devices that do not stop loops themselves.
    pub fn watched(&self, launch: Launch) -> Result<Launch> {
        let counting = self.counting(&launch.kernel)?;
        let reflection = launch.kernel.reflection().expect("a program's kernel");
        let given = |point: BindPoint| {
            let is_it =
                |resource: &Resource| (resource.point.group, resource.point.binding) == (point.group, point.binding);
            let index = reflection.bindings.iter().position(is_it);
            launch.buffers[index.expect("counting binds what the program binds, and buffers of ours")].clone()
        };
        let kernel = counting.as_ref().unwrap_or(&launch.kernel);
        let window = |slot| match slot {
            Err(point) => Ok(given(point)),
            Ok(Own::Messages) => self.device.message_window(&launch.kernel),
            Ok(Own::Limits) => self.device.watch_windows(&launch.kernel).map(|[limits, _]| limits),
            Ok(Own::Report) => self.device.watch_windows(&launch.kernel).map(|[_, report]| report),
        };
        let buffers = kernel.slots().map(window).collect::<Result<_>>()?;
        Ok(Launch { kernel: kernel.clone(), buffers, ..launch })
    }

    /// The kernel with loops that count, where the device has two bindings to spare for it.
    pub fn counting(&self, kernel: &Kernel) -> Result<Option<Kernel>> {
        let properties = self.device.properties();
        if self.device.driver().habits().stops_loops {
            return Ok(None);
        }
        let storage = kernel.bindings().iter().filter(|point| !point.uniform).count();
        let (room, driven) = (storage + 2 <= self.device.caps().bindings as usize, properties.driven());
        match kernel.counting(driven)? {
            Some(counting) if room => Ok(Some(counting.clone())),
            Some(_) if driven == Driven::Leaves => {
                let wanted = "two free bindings, needed to detect loops that the driver stops early".into();
                let (operation, device) = ("launch", properties.label());
                let help = "use another device, such as Device::cpu()".into();
                Err(ErrorKind::Unsupported { operation, wanted, device, help, at: Some(self.at) }.into())
            }
            _ => Ok(None),
        }
    }

    /// The windows of memory and the words of the immediates. No windows for `none`, a launch of no elements, for which
    /// no array is too short.
    pub fn bind(&self, reflection: &Reflection, arguments: &[Argument], none: bool) -> Result<(Vec<Window>, Vec<u32>)> {
        let resources = &reflection.bindings;
        if arguments.len() < resources.len() || arguments.len() > resources.len() + reflection.immediates.len().max(1) {
            return self.mistake("arguments", wanted(reflection), arguments.len().to_string());
        }
        let (bound, rest) = arguments.split_at(resources.len());
        let immediates = self.immediates(reflection, rest)?;
        let bound: Vec<Bound> = resources
            .iter()
            .zip(bound)
            .map(|(resource, argument)| self.bound(resource, argument))
            .collect::<Result<_>>()?;
        resources.iter().zip(&bound).try_for_each(|(resource, bound)| self.fits(resource, bound, none))?;
        self.as_long(reflection, &bound)?;
        if none {
            return Ok((vec![], immediates));
        }
        let windows = resources.iter().zip(&bound).map(|(resource, bound)| self.window(resource, &bound.array));
        let windows = windows.collect::<Result<Vec<_>>>()?;
        self.writable(resources, &windows)?;
        self.separate(resources, &windows)?;
        Ok((windows, immediates))
    }

    /// Whether what is written may be.
    fn writable(&self, resources: &[Resource], windows: &[Window]) -> Result<()> {
        let forbidden = |(resource, window): &(&Resource, &Window)| {
            resource.point.access == Access::Write && window.memory.is_read_only()
        };
        match resources.iter().zip(windows).find(forbidden) {
            None => Ok(()),
            Some((resource, _)) => {
                let wanted = "memory that may be written: Array::copy makes some";
                self.mistake(&resource.name, wanted, "memory that another library marked read-only")
            }
        }
    }

    /// What an argument binds: an array, or a value in memory of its own.
    fn bound(&self, resource: &Resource, argument: &Argument) -> Result<Bound> {
        // A uniform whose layout is storage's is bound as storage.
        let takes_values = resource.point.uniform || resource.point.access == Access::Read;
        match &argument.kind {
            Kind::Array(bound) => Ok(bound.clone()),
            Kind::Failed(error) => Err(error.clone()),
            Kind::Value(bytes, ty) if takes_values && resource.ty == *ty => {
                let words = tail::padded(bytes);
                let array = Array::from_slice(self.device, &words);
                Ok(Bound { array: (&array).into(), typed: false, written: false })
            }
            Kind::Value(_, ty) if resource.point.uniform => self.mistake(&resource.name, &resource.ty, *ty),
            Kind::Value(_, ty) => {
                self.mistake(&resource.name, format!("an array for {}", resource.ty), format!("a value of type {ty}"))
            }
            Kind::Parameters(bytes, ty) if resource.point.uniform || (takes_values && !resource.members.is_empty()) => {
                let agree = parameters::agree(ty, &resource.ty, &resource.members, resource.bytes);
                agree.or_else(|why| self.mistake(&resource.name, &resource.ty, why))?;
                let words = tail::padded(bytes);
                let array = Array::from_slice(self.device, &words);
                Ok(Bound { array: (&array).into(), typed: false, written: false })
            }
            Kind::Parameters(..) => {
                self.mistake(&resource.name, format!("an array for {}", resource.ty), "a structure")
            }
            Kind::Immediates(_) => self.mistake(&resource.name, "an array", "immediates, which come last"),
        }
    }

    /// The words of the immediates.
    fn immediates(&self, reflection: &Reflection, arguments: &[Argument]) -> Result<Vec<u32>> {
        let mut all = vec![0; reflection.immediate_bytes as usize];
        if let [Argument { kind: Kind::Immediates(bytes), .. }] = arguments {
            if bytes.len() != all.len() {
                return self.mistake("immediates", format!("{} bytes", all.len()), bytes.len().to_string());
            }
            return Ok(bytemuck::pod_collect_to_vec(bytes));
        }
        if let [Argument { kind: Kind::Parameters(bytes, ty @ HostType::Structure { .. }), .. }] = arguments {
            let agree = parameters::check(ty, &reflection.immediates, reflection.immediate_bytes as u64);
            agree.or_else(|why| self.mistake("immediates", "the structure of var<immediate>", why))?;
            return Ok(bytemuck::pod_collect_to_vec(bytes));
        }
        if arguments.len() != reflection.immediates.len() {
            let got = reflection.bindings.len() + arguments.len();
            return self.mistake("arguments", wanted(reflection), got.to_string());
        }
        for (member, argument) in reflection.immediates.iter().zip(arguments) {
            let got = match &argument.kind {
                Kind::Value(bytes, ty) if member.ty == *ty => {
                    all[member.offset as usize..][..bytes.len()].copy_from_slice(bytes);
                    continue;
                }
                Kind::Parameters(bytes, ty) => match parameters::fits(ty, &member.ty) {
                    Ok(()) => {
                        all[member.offset as usize..][..bytes.len()].copy_from_slice(bytes);
                        continue;
                    }
                    Err(why) => why,
                },
                Kind::Value(_, ty) => ty.to_string(),
                Kind::Array(bound) => format!("an array of {}", bound.array.dtype()),
                Kind::Immediates(_) => "all immediates after some".into(),
                Kind::Failed(error) => return Err(error.clone()),
            };
            return self.mistake(&member.name, &member.ty, got);
        }
        Ok(bytemuck::pod_collect_to_vec(&all))
    }

    /// Whether arrays are equally long that the kernel wants so.
    fn as_long(&self, reflection: &Reflection, bound: &[Bound]) -> Result<()> {
        for names in &reflection.equally_long {
            let find = |name: &String| reflection.bindings.iter().position(|resource| resource.name == *name);
            let lengths: Vec<(&String, usize)> = names
                .iter()
                .filter_map(|name| Some((name, bound[find(name)?].array.shape().iter().product())))
                .collect();
            let Some((first, rest)) = lengths.split_first() else { continue };
            if let Some((name, length)) = rest.iter().find(|(_, length)| *length != first.1) {
                let wanted = format!("as many elements as {}: {}", first.0, first.1);
                return self.mistake(*name, wanted, length.to_string());
            }
        }
        Ok(())
    }

    /// Whether an array is what a binding takes.
    fn fits(&self, resource: &Resource, bound: &Bound, none: bool) -> Result<()> {
        let Bound { array, typed, written } = bound;
        if let Some(error) = array.error() {
            return Err(error);
        }
        if array.device() != self.device {
            let (wanted, got) = (format!("{:?}", self.device), format!("an array on {:?}", array.device()));
            return self.mistake(&resource.name, wanted, got);
        }
        let dtype = array.dtype();
        // Complex numbers are vectors of two.
        let as_bound = if dtype.per_word() > 1 { crate::DType::U32 } else { dtype.real() };
        if *typed && resource.element.is_some_and(|element| element != as_bound) {
            return self.mistake(&resource.name, &resource.ty, format!("an array of {dtype}"));
        }
        if resource.point.access == Access::Write && !written {
            let wanted = format!("&mut {}: the kernel declares it read_write", resource.name);
            return self.mistake(&resource.name, wanted, "&, which it may only read");
        }
        let (bytes, most) = (array.bytes(), self.device.caps().binding_bytes);
        let got = || format!("{bytes} in shape {:?} of {dtype}", array.shape());
        if bytes < resource.bytes && !none {
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
    pub fn window(&self, resource: &Resource, array: &Untyped) -> Result<Window> {
        // What only reads may be copied. A part that is written cannot be, and fits every device or none.
        let strict = resource.point.uniform || resource.point.access == Access::Write;
        let alignment = if strict { STRICTEST } else { self.device.caps().offset_alignment.max(4) };
        let located = |error: Error| error.located(self.at);
        let mut array = array.clone();
        let mut window = match array.in_place(alignment).map_err(located)? {
            Some(window) => window,
            None if resource.point.access == Access::Write => {
                let wanted = format!("a contiguous array from a multiple of {alignment} bytes on, to write in place");
                return self.mistake(&resource.name, wanted, format!("a view of shape {:?}", array.shape()));
            }
            None => {
                array = array.copied();
                array.in_place(alignment).map_err(located)?.expect("a copy has no gaps and begins at 0")
            }
        };
        // Uniform buffers have a small limit of their own: only what the kernel reads counts.
        let rounds = resource.point.uniform && self.device.driver().habits().rounds_uniforms;
        let (grain, seen) = if rounds { (16, tail::UNIFORM_GRAIN) } else { (1, 1) };
        let bytes = if resource.point.uniform { resource.bytes.next_multiple_of(grain) } else { window.bytes };
        let shown = window.offset + bytes.next_multiple_of(seen);
        if tail::shows_more(&array, shown).map_err(located)? {
            // What the host sees no kernel may write to.
            if window.memory.is_lent() && resource.point.access == Access::Read {
                array = array.copied();
                window = array.in_place(alignment).map_err(located)?.expect("a copy has no gaps and begins at 0");
            }
            tail::seal(self.device, &array).map_err(located)?;
        }
        Ok(Window { bytes, ..window })
    }

    /// Whether what is written is bound once.
    fn separate(&self, resources: &[Resource], buffers: &[Window]) -> Result<()> {
        let points: Vec<BindPoint> = resources.iter().map(|resource| resource.point).collect();
        match clash(&points, buffers) {
            None => Ok(()),
            Some([written, other]) => {
                let [written, other] = [written, other].map(|index| &resources[index].name);
                let got = format!("one array, or views of one, for both {other} and {written}");
                self.mistake(written, "memory of its own: the kernel may write to it", got)
            }
        }
    }
}

/// Bytes of whose multiples a binding begins: WebGPU lets no device want more.
pub(super) const STRICTEST: u64 = 256;

/// Two bindings of one memory, of which the first is written.
pub(crate) fn clash(points: &[BindPoint], windows: &[Window]) -> Option<[usize; 2]> {
    let bound = |index: usize| (windows[index].memory.id(), points[index].access == Access::Write);
    let pairs = (0..points.len()).flat_map(|a| (a + 1..points.len()).map(move |b| [a, b]));
    pairs.into_iter().find_map(|[a, b]| match (bound(a), bound(b)) {
        ((first, _), (second, _)) if first != second => None,
        ((_, true), _) => Some([a, b]),
        (_, (_, true)) => Some([b, a]),
        _ => None,
    })
}

/// The arguments that a kernel takes.
fn wanted(reflection: &Reflection) -> String {
    let bindings = reflection.bindings.iter().map(|resource| &resource.name);
    let names: Vec<&String> = bindings.chain(reflection.immediates.iter().map(|member| &member.name)).collect();
    match names.as_slice() {
        [] => "none: the kernel uses none".into(),
        names => {
            let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            format!("{}: {}", names.len(), names.join(", "))
        }
    }
}
