//! Reflection: the arguments that a program's kernel needs, and its requirements of a device.

use super::BindPoint;
use super::parse::{ALLOWED, Parsed, Program};
use super::rows::sees_rows;
use super::standard::told;
use super::unportable::Unportable;
use crate::caps::Caps;
use crate::element::DType;
use crate::kernel::Access;
use naga::common::wgsl::TypeContext;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Expression, GlobalVariable, Handle, Module, ScalarKind, StorageAccess, Type, TypeInner};
use std::fmt;

/// The arguments that a kernel needs, and its requirements of a device, for the values of its overrides
/// ([`open_overrides`](crate::kernel::Kernel::open_overrides) have a placeholder).
///
/// ```
/// let kernel = crosslane::Kernel::wgsl("
///     @group(0) @binding(0) var<storage, read_write> x: array<vec2<f32>>;
///     @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x].y = 1.0; }
/// ")?;
/// let reflection = kernel.reflection().unwrap();
/// assert_eq!(reflection.workgroup_size, [8, 8, 1]);
/// assert_eq!(reflection.bindings[0].to_string(), "@group(0) @binding(0) var<storage, read_write> x: array<vec2<f32>>");
/// assert_eq!(reflection.bindings[0].element, Some(crosslane::DType::F32));
/// # Ok::<(), crosslane::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reflection {
    /// The buffers that the entry point uses, by group, then binding: the order of a launch's arguments.
    pub bindings: Vec<Resource>,
    /// Invocations of a workgroup in each dimension.
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// Bytes of immediates, which a launch passes as its last arguments; 0 if the kernel has none.
    pub immediate_bytes: u32,
    /// The members of the immediates' structure, or the one variable if they are no structure.
    pub immediates: Vec<Member>,
    /// Whether the kernel can index a grid that is folded into two dimensions: it uses `y` of an id, or
    /// `num_workgroups`.
    pub sees_rows: bool,
    /// Bindings that must have the same length, declared in comments: `// @len(x, y)`.
    pub equally_long: Vec<Vec<String>>,
    /// The overrides that the text declares.
    pub overrides: Vec<Override>,
    /// Features that a device must have, beyond those of every device.
    pub features: Vec<Feature>,
    /// What other implementations of WGSL refuse in the text, by place.
    pub unportable: Vec<Unportable>,
}

/// A buffer that a kernel binds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Resource {
    /// The variable's name.
    pub name: String,
    /// Its binding, and how it is used.
    pub point: BindPoint,
    /// Its WGSL type.
    pub ty: String,
    /// The scalar type of its elements, if it is an array, a vector, a matrix or a scalar of one type.
    pub element: Option<DType>,
    /// Bytes from one element of an array to the next.
    pub stride: Option<u32>,
    /// The fewest bytes that it can be bound to. An array without a length needs one element.
    pub bytes: u64,
    /// The members of a structure, in order; none for other types.
    pub members: Vec<Member>,
}

/// A member of a structure as WGSL lays it out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its WGSL type.
    pub ty: String,
    /// Its offset in bytes.
    pub offset: u32,
    /// Its bytes.
    pub bytes: u32,
}

/// A constant whose value is set when the kernel is made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Override {
    /// Its name.
    pub name: String,
    /// Its WGSL type.
    pub ty: String,
    /// Whether it must be given a value.
    pub required: bool,
    /// Its default, unless that is computed from other overrides.
    pub default: Option<f64>,
}

/// A feature that only some devices have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// 16-bit floats.
    F16,
    /// 64-bit floats.
    F64,
    /// 64-bit integers.
    I64,
    /// 64-bit atomics.
    AtomicI64,
    /// f32 atomics.
    AtomicF32,
    /// Subgroup operations.
    Subgroups,
    /// Cooperative matrices.
    Tensor,
}

impl Feature {
    /// Every feature.
    pub const ALL: [Feature; 7] = [
        Feature::F16,
        Feature::F64,
        Feature::I64,
        Feature::AtomicI64,
        Feature::AtomicF32,
        Feature::Subgroups,
        Feature::Tensor,
    ];

    /// The name in words.
    pub const fn name(self) -> &'static str {
        match self {
            Feature::F16 => "16-bit floats",
            Feature::F64 => "64-bit floats",
            Feature::I64 => "64-bit integers",
            Feature::AtomicI64 => "64-bit atomics",
            Feature::AtomicF32 => "f32 atomics",
            Feature::Subgroups => "subgroups",
            Feature::Tensor => "cooperative matrices",
        }
    }

    /// Whether a device with these capabilities has it.
    pub const fn there(self, caps: &Caps) -> bool {
        match self {
            Feature::F16 => caps.f16,
            Feature::F64 => caps.f64,
            Feature::I64 => caps.i64,
            Feature::AtomicI64 => caps.atomic_i64,
            Feature::AtomicF32 => caps.atomic_f32,
            Feature::Subgroups => caps.subgroups.is_some(),
            Feature::Tensor => caps.tensor.is_some(),
        }
    }

    /// The naga capabilities that a kernel with this feature needs.
    const fn capabilities(self) -> Capabilities {
        match self {
            Feature::F16 => Capabilities::SHADER_FLOAT16,
            Feature::F64 => Capabilities::FLOAT64,
            Feature::I64 => Capabilities::SHADER_INT64,
            Feature::AtomicI64 => {
                Capabilities::SHADER_INT64_ATOMIC_MIN_MAX.union(Capabilities::SHADER_INT64_ATOMIC_ALL_OPS)
            }
            Feature::AtomicF32 => Capabilities::SHADER_FLOAT32_ATOMIC,
            Feature::Subgroups => Capabilities::SUBGROUP.union(Capabilities::SUBGROUP_BARRIER),
            Feature::Tensor => Capabilities::COOPERATIVE_MATRIX,
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BindPoint { group, binding, .. } = self.point;
        write!(f, "@group({group}) @binding({binding}) var<{}> {}: {}", self.space(), self.name, self.ty)
    }
}

impl Resource {
    fn space(&self) -> &'static str {
        match self.point {
            BindPoint { uniform: true, .. } => "uniform",
            BindPoint { access: Access::Read, .. } => "storage, read",
            _ => "storage, read_write",
        }
    }
}

impl Reflection {
    /// The limits and features that keep the kernel from running on a device, in words; empty if it runs there.
    ///
    /// ```
    /// # use crosslane::Kernel;
    /// # use crosslane::device::Caps;
    /// let kernel = Kernel::wgsl("
    ///     var<workgroup> tile: array<f32, 5120>;
    ///     @compute @workgroup_size(64) fn main() { tile[0] = 1.0; }
    /// ")?;
    /// let reflection = kernel.reflection().unwrap();
    /// assert_eq!(reflection.breaks(&Caps::webgpu()), ["workgroup memory 20480 bytes, limit 16384"]);
    /// assert!(reflection.breaks(&Caps::nvidia_like()).is_empty());
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    pub fn breaks(&self, caps: &Caps) -> Vec<String> {
        let [x, y, z] = self.workgroup_size.map(u64::from);
        let storage = self.bindings.iter().filter(|resource| !resource.point.uniform);
        let largest = |uniform| {
            let bytes = self.bindings.iter().filter(|r| r.point.uniform == uniform).map(|resource| resource.bytes);
            bytes.max().unwrap_or(0)
        };
        let limits = [
            ("workgroup of", x * y * z, "invocations", caps.workgroup_invocations as u64),
            ("workgroup memory", self.workgroup_bytes as u64, "bytes", caps.workgroup_bytes as u64),
            ("storage buffers:", storage.count() as u64, "bound", caps.bindings as u64),
            ("a binding of", largest(false), "bytes", caps.binding_bytes),
            ("a uniform binding of", largest(true), "bytes", UNIFORM_BYTES),
            ("immediates of", self.immediate_bytes as u64, "bytes", caps.immediate_bytes as u64),
        ];
        let over = limits.iter().filter(|(_, wanted, _, limit)| wanted > limit);
        let over = over.map(|(what, wanted, unit, limit)| format!("{what} {wanted} {unit}, limit {limit}"));
        let missing = self.features.iter().filter(|feature| !feature.there(caps));
        over.chain(missing.map(|feature| format!("{feature}, not supported"))).collect()
    }
}

/// More bytes of immediates than any device has.
const MOST_IMMEDIATES: u64 = 65536;

/// WebGPU promises four groups.
const LAST_GROUP: u32 = 3;

/// WebGPU guarantees uniform bindings of this many bytes; few devices have more.
const UNIFORM_BYTES: u64 = 65536;

/// Reflects a kernel; an error names a variable that no launch can bind.
pub(super) fn reflect(program: &Program, source: &str) -> Result<Reflection, String> {
    let Parsed { module, info } = &program.parsed;
    let index = module.entry_points.iter().position(|entry| entry.name == program.entry).expect("parse() found it");
    let uses = info.get_entry_point(index);
    let is_used = |(handle, _): &(Handle<GlobalVariable>, &GlobalVariable)| !uses[*handle].is_empty();
    let used: Vec<&GlobalVariable> = module.global_variables.iter().filter(is_used).map(|(_, v)| v).collect();
    let size = |variable: &&GlobalVariable| module.types[variable.ty].inner.size(module.to_ctx()) as u64;
    let inside = |space: AddressSpace| used.iter().copied().filter(move |variable| variable.space == space);
    let bound = |(handle, variable)| {
        let place = module.global_variables.get_span(handle).to_range().unwrap_or_default();
        let (label, remedy) = ("no launch can bind it", "take var<storage> or var<uniform> in the groups 0 to 3");
        resource(module, variable).map_err(|message| told(source, place, message, label, remedy)).transpose()
    };
    let all = module.global_variables.iter().filter(is_used);
    let mut bindings = all.filter_map(bound).collect::<Result<Vec<_>, _>>()?;
    bindings.sort_by_key(|resource| (resource.point.group, resource.point.binding));
    let equally_long = equally_long(source, &bindings)?;
    let immediate_bytes = inside(AddressSpace::Immediate).map(|v| size(&v)).sum::<u64>();
    if immediate_bytes > MOST_IMMEDIATES {
        return Err(format!("the immediates take {immediate_bytes} bytes: wanted {MOST_IMMEDIATES} at most"));
    }
    // As WebGPU counts it.
    let workgroup_bytes = inside(AddressSpace::WorkGroup).map(|v| size(&v).next_multiple_of(16)).sum::<u64>();
    if workgroup_bytes > u32::MAX as u64 {
        return Err(format!("workgroup memory takes {workgroup_bytes} bytes: wanted less than 2^32"));
    }
    Ok(Reflection {
        bindings,
        equally_long,
        workgroup_size: module.entry_points[index].workgroup_size,
        workgroup_bytes: workgroup_bytes as u32,
        immediate_bytes: immediate_bytes as u32,
        immediates: inside(AddressSpace::Immediate).flat_map(|variable| immediates(module, variable)).collect(),
        sees_rows: sees_rows(&module.entry_points[index].function, module),
        overrides: program.overrides.clone(),
        features: features(module),
        unportable: vec![],
    })
}

/// The names in comments that begin with `@len(`.
fn equally_long(source: &str, bindings: &[Resource]) -> Result<Vec<Vec<String>>, String> {
    let contracts = source.lines().filter_map(|line| line.trim().strip_prefix("//")?.trim().strip_prefix("@len("));
    let names = |rest: &str| -> Result<Vec<String>, String> {
        let (names, _) = rest.split_once(')').ok_or(format!("@len({rest} has no closing parenthesis"))?;
        let names: Vec<String> = names.split(',').map(|name| name.trim().to_string()).collect();
        match names.iter().find(|name| !bindings.iter().any(|resource| resource.name == **name)) {
            Some(unknown) => Err(format!("@len({}) names {unknown:?}, which is no binding", names.join(", "))),
            None => Ok(names),
        }
    };
    contracts.map(names).collect()
}

/// The features without which the kernel is not valid.
pub(super) fn features(module: &Module) -> Vec<Feature> {
    let none = Feature::ALL.into_iter().fold(ALLOWED, |left, feature| left - feature.capabilities());
    let plain = !has_matrices(module) && Validator::new(ValidationFlags::all(), none).validate(module).is_ok();
    if plain { vec![] } else { Feature::ALL.into_iter().filter(|&feature| needs(module, feature)).collect() }
}

/// Whether the kernel is valid only with this feature.
pub fn needs(module: &Module, feature: Feature) -> bool {
    (feature == Feature::Tensor && has_matrices(module))
        || Validator::new(ValidationFlags::all(), ALLOWED - feature.capabilities()).validate(module).is_err()
}

/// Whether it has cooperative matrices. naga 30.0.1 looks at declared types alone: one that is loaded and stored again needs
/// none.
pub fn has_matrices(module: &Module) -> bool {
    let declared = module.types.iter().any(|(_, ty)| matches!(ty.inner, TypeInner::CooperativeMatrix { .. }));
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let mut functions = module.functions.iter().map(|(_, function)| function).chain(entries);
    declared
        || functions
            .any(|function| function.expressions.iter().any(|(_, e)| matches!(e, Expression::CooperativeLoad { .. })))
}

/// A global variable as a binding, if it is one.
fn resource(module: &Module, variable: &GlobalVariable) -> Result<Option<Resource>, String> {
    let name = variable.name.clone().unwrap_or_default();
    let (uniform, access) = match variable.space {
        AddressSpace::Uniform => (true, Access::Read),
        AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => (false, Access::Write),
        AddressSpace::Storage { .. } => (false, Access::Read),
        AddressSpace::Handle => {
            let ty = type_text(module, variable.ty);
            return Err(format!("{name} is a {ty}: a kernel here binds buffers, var<storage> or var<uniform>"));
        }
        _ => return Ok(None),
    };
    let Some(binding) = &variable.binding else { return Ok(None) };
    if binding.group > LAST_GROUP {
        return Err(format!("{name} is in group {}: every device has the groups 0 to {LAST_GROUP}", binding.group));
    }
    let inner = &module.types[variable.ty].inner;
    let stride = match inner {
        TypeInner::Array { stride, .. } => Some(*stride),
        _ => None,
    };
    let point = BindPoint { group: binding.group, binding: binding.binding, uniform, access };
    let (ty, element) = (type_text(module, variable.ty), element(module, inner));
    let members = members(module, variable.ty);
    Ok(Some(Resource { name, point, ty, element, stride, bytes: inner.size(module.to_ctx()) as u64, members }))
}

/// The members of a structure; none for other types.
fn members(module: &Module, ty: Handle<Type>) -> Vec<Member> {
    let TypeInner::Struct { members, .. } = &module.types[ty].inner else { return vec![] };
    let member = |member: &naga::StructMember| Member {
        name: member.name.clone().unwrap_or_default(),
        ty: type_text(module, member.ty),
        offset: member.offset,
        bytes: module.types[member.ty].inner.size(module.to_ctx()),
    };
    members.iter().map(member).collect()
}

/// What a launch gives the immediates one by one.
fn immediates(module: &Module, variable: &GlobalVariable) -> Vec<Member> {
    let members = members(module, variable.ty);
    if !members.is_empty() {
        return members;
    }
    let bytes = module.types[variable.ty].inner.size(module.to_ctx());
    vec![Member {
        name: variable.name.clone().unwrap_or_default(),
        ty: type_text(module, variable.ty),
        offset: 0,
        bytes,
    }]
}

/// The one type of scalars that a type is made of.
fn element(module: &Module, inner: &TypeInner) -> Option<DType> {
    let scalar = match *inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => scalar,
        TypeInner::Vector { scalar, .. } | TypeInner::Matrix { scalar, .. } => scalar,
        TypeInner::Array { base, .. } => return element(module, &module.types[base].inner),
        _ => return None,
    };
    number(scalar)
}

/// The type of a number.
pub fn number(scalar: naga::Scalar) -> Option<DType> {
    Some(match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => DType::F16,
        (ScalarKind::Float, 4) => DType::F32,
        (ScalarKind::Float, 8) => DType::F64,
        (ScalarKind::Sint, 4) => DType::I32,
        (ScalarKind::Sint, 8) => DType::I64,
        (ScalarKind::Uint, 4) => DType::U32,
        (ScalarKind::Uint, 8) => DType::U64,
        _ => return None,
    })
}

/// A type as WGSL writes it.
pub(crate) fn type_text(module: &Module, ty: Handle<Type>) -> String {
    module.to_ctx().type_to_string(ty)
}
