//! A value of a launch that is there, set anew.

use super::argument::{Argument, Kind};
use super::launch::Call;
use super::tail;
use crate::array::Array;
use crate::backend::{Launch, Window};
use crate::device::Device;
use crate::error::{CallSite, Error, Result};

/// Gives a uniform or a member of the immediates another value. A uniform's is uploaded into memory of its own, which
/// the binding with this number then has.
pub(crate) fn change(
    device: &Device,
    launch: &mut Launch,
    name: &str,
    value: &Argument,
    at: CallSite,
) -> Result<Option<(usize, Window)>> {
    let mistake =
        |argument: &str, wanted: String, got: &str| Err(Error::argument("Recording::set", argument, wanted, got, at));
    let Kind::Value(bytes, ty) = &value.kind else {
        return mistake(name, "a value".into(), "an array, which Recording::replace takes");
    };
    let Some(reflection) = launch.kernel.reflection() else {
        return mistake("launch", "one of a kernel made by Kernel::wgsl".into(), launch.kernel.name());
    };
    if let Some(member) = reflection.immediates.iter().find(|member| member.name == name) {
        if member.ty != *ty {
            return mistake(name, member.ty.clone(), ty);
        }
        bytemuck::cast_slice_mut(&mut launch.params)[member.offset as usize..][..bytes.len()].copy_from_slice(bytes);
        return Ok(None);
    }
    let uniforms = || reflection.bindings.iter().filter(|resource| resource.point.uniform);
    let Some(resource) = uniforms().find(|resource| resource.name == name) else {
        let names = reflection.immediates.iter().map(|member| member.name.as_str());
        let names: Vec<&str> = names.chain(uniforms().map(|resource| resource.name.as_str())).collect();
        return mistake("name", format!("a uniform or a member of the immediates: {names:?}"), &format!("{name:?}"));
    };
    if resource.ty != *ty {
        return mistake(name, resource.ty.clone(), ty);
    }
    let words = tail::padded(bytes);
    let window = Call { device, at }.window(resource, &(&Array::from_slice(device, &words)).into())?;
    // The library's own buffers may lie between those of the program.
    let index = launch.kernel.bindings().iter().position(|point| *point == resource.point);
    Ok(Some((index.expect("a kernel binds what its reflection says"), window)))
}
