//! A program's structures as parameters of kernels: checks that their layout in memory is WGSL's.

use super::reflect::Member;
use crate::element::DType;
use half::f16;

/// A Rust type that can be passed to a kernel as its bytes: a number, an array of such types, or a structure with
/// `#[derive(Parameters)]` (feature `macros`).
///
/// A launch compares it with the WGSL type of the `var<uniform>` or the immediates that it is passed for: the members'
/// names, types and offsets. `[f32; 3]` is a `vec3<f32>` or an `array<f32, 3>`, `[[f32; 4]; 4]` a `mat4x4<f32>` or an
/// `array<vec4<f32>, 4>`: any type that has the same numbers at the same offsets. Fields whose names begin with `_` are
/// padding. A nested structure is compared by its offset only.
///
/// ```
/// # crosslane::example(|device| {
/// use bytemuck::{Pod, Zeroable};
/// use crosslane::{Array, Kernel, Parameters};
/// #[derive(Clone, Copy, Pod, Zeroable, Parameters)]
/// #[repr(C)]
/// struct Step {
///     size: f32,
///     _padding: [u8; 12],
///     direction: [f32; 3],
///     count: u32,
/// }
/// let kernel = Kernel::wgsl("
///     struct Step { size: f32, direction: vec3<f32>, count: u32 }
///     @group(0) @binding(0) var<uniform> step: Step;
///     @group(0) @binding(1) var<storage, read_write> at: array<f32>;
///     @compute @workgroup_size(1) fn main() {
///         for (var axis = 0; axis < 3; axis++) { at[axis] += step.size * step.direction[axis] * f32(step.count); }
///     }
/// ")?;
/// let step = Step { size: 0.5, _padding: [0; 12], direction: [1.0, 2.0, 3.0], count: 4 };
/// let mut at = Array::<f32>::zeros(device, &[3]);
/// kernel.grid([1]).args((&step, &mut at)).launch(device)?;
/// assert_eq!(at.to_vec()?, [2.0, 4.0, 6.0]);
///
/// #[derive(Clone, Copy, Pod, Zeroable, Parameters)]
/// #[repr(C)]
/// struct Tight {
///     size: f32,
///     direction: [f32; 3],
///     count: u32,
/// }
/// let error = kernel.grid([1]).args((&Tight::zeroed(), &mut at)).launch(device).unwrap_err();
/// assert!(error.to_string().contains("Tight.direction: vec3<f32> is at byte 16 in WGSL, at 4 in Rust: add 12 bytes"));
/// # Ok(()) });
/// ```
///
/// ```compile_fail
/// // error: #[repr(C)] is wanted
/// #[derive(Clone, Copy, crosslane::Parameters)]
/// struct Step {
///     size: f32,
/// }
/// # unsafe impl bytemuck::Zeroable for Step {}
/// # unsafe impl bytemuck::Pod for Step {}
/// ```
pub trait Parameters: bytemuck::Pod {
    /// How it lies in memory.
    const TYPE: HostType;
}

/// The layout of a Rust type in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HostType {
    /// A number.
    Number(DType),
    /// An array, and its length.
    Array(&'static HostType, usize),
    /// A structure.
    Structure {
        /// Its name.
        name: &'static str,
        /// Its fields in order, padding left out.
        fields: &'static [Field],
        /// Its size, padding included.
        bytes: usize,
    },
}

/// A field of a structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: HostType,
    /// Its offset in bytes.
    pub offset: usize,
}

macro_rules! numbers {
    ($($ty:ty => $dtype:ident;)*) => {$(
        impl Parameters for $ty {
            const TYPE: HostType = HostType::Number(DType::$dtype);
        }
    )*};
}

numbers! {
    f32 => F32;
    f16 => F16;
    f64 => F64;
    i32 => I32;
    u32 => U32;
    i64 => I64;
    u64 => U64;
}

impl<P: Parameters, const N: usize> Parameters for [P; N]
where
    [P; N]: bytemuck::Pod,
{
    const TYPE: HostType = HostType::Array(&P::TYPE, N);
}

impl HostType {
    /// Its size in bytes.
    pub const fn bytes(&self) -> usize {
        match self {
            HostType::Number(dtype) => dtype.size(),
            HostType::Array(of, count) => of.bytes() * *count,
            HostType::Structure { bytes, .. } => *bytes,
        }
    }

    /// The numbers that it is a sequence of, and how many.
    fn sequence(&self) -> Option<(DType, usize)> {
        match self {
            HostType::Number(dtype) => Some((*dtype, 1)),
            HostType::Array(of, count) => of.sequence().map(|(dtype, n)| (dtype, n * count)),
            HostType::Structure { .. } => None,
        }
    }

    /// The WGSL type that it is most likely meant for.
    fn wgsl(&self) -> String {
        match self {
            HostType::Number(dtype) => dtype.wgsl().into(),
            HostType::Array(HostType::Number(dtype), count @ 2..=4) => format!("vec{count}<{}>", dtype.wgsl()),
            HostType::Array(of, count) => format!("array<{}, {count}>", of.wgsl()),
            HostType::Structure { name, .. } => name.to_string(),
        }
    }
}

/// Checks a Rust type against the WGSL type of a variable, of these members if it is a structure.
pub fn agree(host: &HostType, ty: &str, members: &[Member], bytes: u64) -> Result<(), String> {
    if members.is_empty() { fits(host, ty) } else { check(host, members, bytes) }
}

/// Checks a structure against a WGSL structure: the name, type and offset of each member, and the size of the whole.
///
/// The error names the first field that is elsewhere, and the padding to add.
pub fn check(host: &HostType, members: &[Member], bytes: u64) -> Result<(), String> {
    let HostType::Structure { name: of, fields, .. } = host else {
        return Err(format!("a structure is wanted, not {}", host.wgsl()));
    };
    let mut fields = fields.iter();
    for Member { name, ty, offset, .. } in members.iter().filter(|member| !member.name.starts_with('_')) {
        let Some(field) = fields.next() else {
            return Err(format!("the WGSL structure has `{name}: {ty}` at byte {offset}, which {of} lacks"));
        };
        if field.name != name {
            let got = field.name;
            return Err(format!("the WGSL structure has `{name}: {ty}` at byte {offset}, where {of} has `{got}`"));
        }
        fits(&field.ty, ty).map_err(|why| format!("{of}.{name}: {why}"))?;
        if field.offset != *offset as usize {
            let help = match (*offset as usize).checked_sub(field.offset) {
                Some(gap) => format!("add {gap} bytes before it, `_padding: [u8; {gap}]`"),
                None => format!("remove {} bytes before it, or add @align in WGSL", field.offset - *offset as usize),
            };
            return Err(format!("{of}.{name}: {ty} is at byte {offset} in WGSL, at {} in Rust: {help}", field.offset));
        }
    }
    if let Some(field) = fields.next() {
        return Err(format!("{of}.{} is not in the WGSL structure", field.name));
    }
    total(of, host.bytes() as u64, bytes)
}

/// Whether the size of a structure is that of WGSL.
fn total(of: &str, got: u64, wanted: u64) -> Result<(), String> {
    match wanted.checked_sub(got) {
        Some(0) => Ok(()),
        Some(gap) => Err(format!(
            "{of} takes {got} bytes in Rust, {wanted} in WGSL: add {gap} bytes at the end, `_padding: [u8; {gap}]`"
        )),
        None => Err(format!("{of} takes {got} bytes in Rust, {wanted} in WGSL")),
    }
}

/// Whether a Rust type has the numbers of a WGSL type at the same places.
pub fn fits(host: &HostType, ty: &str) -> Result<(), String> {
    let mistake = || Err(format!("{ty} in WGSL, {} in Rust", host.wgsl()));
    match (Wgsl::parse(ty), host) {
        // A structure inside: its members are not looked at.
        (None, HostType::Structure { .. }) => Ok(()),
        (None, _) | (_, HostType::Structure { .. }) => mistake(),
        (Some(wgsl), _) => match (wgsl.loosely(), host.sequence()) {
            (Some((dtype, count, true)), Some(got)) if (dtype, count) == got => Ok(()),
            (Some((dtype, count, false)), Some(got)) if (dtype, count) == got => {
                let (got, wanted) = (host.bytes(), wgsl.bytes());
                Err(format!(
                    "{ty} takes {wanted} bytes in WGSL, {got} in Rust: WGSL has a gap after each {}",
                    wgsl.gap()
                ))
            }
            _ => mistake(),
        },
    }
}

/// A WGSL type without structures.
enum Wgsl {
    Number(DType),
    /// A vector, or a matrix's column.
    Vector(DType, usize),
    Array(Box<Wgsl>, usize),
}

impl Wgsl {
    fn parse(text: &str) -> Option<Wgsl> {
        let number = |name: &str| DType::ALL.into_iter().find(|dtype| dtype.name() == name);
        if let Some(dtype) = number(text) {
            return Some(Wgsl::Number(dtype));
        }
        let (head, inside) = text.strip_suffix('>')?.split_once('<')?;
        let digit = |text: &str| text.parse().ok();
        if let Some(count) = head.strip_prefix("vec") {
            return Some(Wgsl::Vector(number(inside)?, digit(count)?));
        }
        if let Some(extents) = head.strip_prefix("mat") {
            let (columns, rows) = extents.split_once('x')?;
            return Some(Wgsl::Array(Box::new(Wgsl::Vector(number(inside)?, digit(rows)?)), digit(columns)?));
        }
        let (of, count) = inside.rsplit_once(',')?;
        (head == "array").then_some(())?;
        Some(Wgsl::Array(Box::new(Wgsl::parse(of.trim())?), digit(count.trim())?))
    }

    fn align(&self) -> usize {
        match self {
            Wgsl::Number(dtype) => dtype.size(),
            Wgsl::Vector(dtype, count) => dtype.size() * count.next_power_of_two(),
            Wgsl::Array(of, _) => of.align(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Wgsl::Number(dtype) => dtype.size(),
            Wgsl::Vector(dtype, count) => dtype.size() * count,
            Wgsl::Array(of, count) => of.bytes().next_multiple_of(of.align()) * count,
        }
    }

    /// The numbers that it is a sequence of, how many, and whether there is no gap between them.
    fn loosely(&self) -> Option<(DType, usize, bool)> {
        match self {
            Wgsl::Number(dtype) => Some((*dtype, 1, true)),
            Wgsl::Vector(dtype, count) => Some((*dtype, *count, true)),
            Wgsl::Array(of, count) => {
                let (dtype, n, tight) = of.loosely()?;
                Some((dtype, n * count, tight && of.bytes().is_multiple_of(of.align())))
            }
        }
    }

    /// The innermost type that a gap follows.
    fn gap(&self) -> String {
        match self {
            Wgsl::Number(dtype) => dtype.name().into(),
            Wgsl::Vector(dtype, count) => format!("vec{count}<{dtype}>"),
            Wgsl::Array(of, _) => of.gap(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBER: HostType = HostType::Number(DType::F32);
    const THREE: HostType = HostType::Array(&NUMBER, 3);
    const FOUR: HostType = HostType::Array(&NUMBER, 4);

    const fn structure(fields: &'static [Field], bytes: usize) -> HostType {
        HostType::Structure { name: "Body", fields, bytes }
    }

    const fn field(name: &'static str, ty: HostType, offset: usize) -> Field {
        Field { name, ty, offset }
    }

    fn check(host: &HostType, members: &[(&str, &str, u32)], bytes: u64) -> Result<(), String> {
        let member =
            |&(name, ty, offset): &(&str, &str, u32)| Member { name: name.into(), ty: ty.into(), offset, bytes: 0 };
        super::check(host, &members.iter().map(member).collect::<Vec<_>>(), bytes)
    }

    #[test]
    fn names_places_and_sizes() {
        const TIGHT: HostType = structure(&[field("mass", NUMBER, 0), field("speed", THREE, 4)], 16);
        const PADDED: HostType = structure(&[field("mass", NUMBER, 0), field("speed", THREE, 16)], 28);
        const GOOD: HostType = structure(&[field("mass", NUMBER, 0), field("speed", THREE, 16)], 32);
        let wgsl = &[("mass", "f32", 0), ("speed", "vec3<f32>", 16)];
        let error = check(&TIGHT, wgsl, 32).unwrap_err();
        assert_eq!(
            error,
            "Body.speed: vec3<f32> is at byte 16 in WGSL, at 4 in Rust: add 12 bytes before it, `_padding: [u8; 12]`"
        );
        assert!(check(&PADDED, wgsl, 32).unwrap_err().contains("add 4 bytes at the end"));
        assert_eq!(check(&GOOD, wgsl, 32), Ok(()));
        assert!(
            check(&GOOD, &[("mass", "f32", 0), ("velocity", "vec3<f32>", 16)], 32).unwrap_err().contains("has `speed`")
        );
        assert!(
            check(&GOOD, &[("mass", "u32", 0), ("speed", "vec3<f32>", 16)], 32)
                .unwrap_err()
                .contains("u32 in WGSL, f32")
        );
        assert!(check(&GOOD, &[("mass", "f32", 0)], 4).unwrap_err().contains("Body.speed is not in the WGSL"));
        let more = &[("mass", "f32", 0), ("speed", "vec3<f32>", 16), ("radius", "f32", 28)];
        assert!(check(&GOOD, more, 32).unwrap_err().contains("`radius: f32` at byte 28, which Body lacks"));
    }

    #[test]
    fn arrays_vectors_and_matrices() {
        let matrix = HostType::Array(&FOUR, 4);
        for ty in ["mat4x4<f32>", "array<vec4<f32>, 4>", "array<f32, 16>", "array<mat2x2<f32>, 4>"] {
            assert_eq!(fits(&matrix, ty), Ok(()), "{ty}");
        }
        let thin = HostType::Array(&THREE, 3);
        for ty in ["mat3x3<f32>", "array<vec3<f32>, 3>"] {
            assert!(fits(&thin, ty).unwrap_err().contains("takes 48 bytes in WGSL, 36 in Rust"), "{ty}");
        }
        assert_eq!(fits(&thin, "array<f32, 9>"), Ok(()));
        assert!(fits(&thin, "array<f32, 8>").is_err());
        assert!(fits(&NUMBER, "Light").is_err());
    }
}
