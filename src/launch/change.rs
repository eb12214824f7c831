//! Changes of a recorded launch: a new value, and a check that no memory which it writes is bound twice.

use super::argument::{Argument, Kind};
use super::call::{Call, clash};
use super::tail;
use crate::array::Array;
use crate::device::Device;
use crate::element::{DType, Scalar};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::Named;
use crosslane_core::work::{Launch, Window};

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
    let reflection = launch.kernel.reflection().expect("a program's kernel has one");
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

/// The type of the argument for a scalar, and its largest bits.
fn stands_for(dtype: DType) -> (&'static str, u128) {
    match dtype {
        DType::Bool => ("u32", 1),
        _ if dtype.is_stored() => ("u32", (1 << (8 * dtype.size())) - 1),
        other => (other.wgsl(), u128::MAX),
    }
}

/// Gives a scalar of a launch of the library's own another value.
pub(crate) fn change_scalar(
    launch: &mut Launch,
    scalars: &[Named],
    name: &str,
    value: &Argument,
    at: CallSite,
) -> Result<()> {
    let mistake =
        |argument: &str, wanted: String, got: &str| Err(Error::argument("Recording::set", argument, wanted, got, at));
    let Kind::Value(bytes, ty) = &value.kind else {
        return mistake(name, "a value".into(), "an array, which Recording::replace takes");
    };
    let Some(scalar) = scalars.iter().find(|scalar| scalar.name == name) else {
        let names: Vec<&str> = scalars.iter().map(|scalar| scalar.name.as_str()).collect();
        return mistake("name", format!("a scalar of {}: {names:?}", launch.kernel.name()), &format!("{name:?}"));
    };
    let (wanted, most) = stands_for(scalar.dtype);
    if wanted != *ty {
        return mistake(name, wanted.into(), ty);
    }
    let mut word = [0; 16];
    word[..bytes.len()].copy_from_slice(bytes);
    let bits = u128::from_le_bytes(word);
    if bits > most {
        return mistake(name, format!("0 to {most}, for the type {}", scalar.dtype), &bits.to_string());
    }
    let words = Scalar { dtype: scalar.dtype, bits }.words();
    launch.params[scalar.word..].iter_mut().zip(words).for_each(|(to, word)| *to = word);
    Ok(())
}

/// Whether what a launch writes is bound to it once.
pub(crate) fn separate(launch: &Launch, at: CallSite) -> Result<()> {
    let Some(pair) = clash(launch.kernel.bindings(), &launch.buffers) else { return Ok(()) };
    let name = |index: usize| {
        let point = &launch.kernel.bindings()[index];
        format!("@group({}) @binding({}) of {}", point.group, point.binding, launch.kernel.name())
    };
    let [written, other] = pair.map(name);
    let (wanted, got) =
        ("memory of its own: the kernel may write to it", format!("one array for {other} and {written}"));
    Err(Error::argument("Recording::run", written, wanted, got, at))
}
