//! The extensions of WGSL's standard, and whether they are there for kernels.

/// Whether kernels have what an extension adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// naga wants the directive too.
    Asked,
    /// It is there without the directive, which naga does not know.
    Given,
    /// It is not there; how to do without.
    Missing(&'static str),
}

use Taken::{Asked, Given, Missing};

/// The standard's list (W3C's draft of 2026-08-19) and naga's own extensions, for `enable`.
pub(super) const ENABLE: &[(&str, Taken)] = &[
    ("f16", Asked),
    ("subgroups", Given),
    // Of rendering: entry points of other stages are left out, and then nothing needs them.
    ("clip_distances", Asked),
    ("dual_source_blending", Asked),
    ("primitive_index", Asked),
    ("subgroup_size_control", Missing(NO_SIZE)),
    ("wgpu_cooperative_matrix", Asked),
    ("draw_index", Asked),
    ("wgpu_int16", Missing("take i32, or packed integers by get_i16 and set_u16: no engine has 16-bit integers")),
    ("wgpu_binding_array", Missing("bind one buffer, and index its parts")),
    ("wgpu_mesh_shader", Missing(NO_STAGE)),
    ("wgpu_ray_query", Missing(NO_STAGE)),
    ("wgpu_ray_query_vertex_return", Missing(NO_STAGE)),
    ("wgpu_ray_tracing_pipeline", Missing(NO_STAGE)),
    ("wgpu_per_vertex", Missing(NO_STAGE)),
];

pub(super) const NO_SIZE: &str = "leave out the extension and `@subgroup_size`, enable `subgroups`, and read \
    `@builtin(subgroup_size)`: no engine lets a kernel choose the size";

const NO_STAGE: &str = "leave it out, and what needs it: kernels have buffers, and no stages of rendering";

/// The standard's list, for `requires`, which only says what a text uses.
pub(super) const REQUIRES: &[(&str, Taken)] = &[
    ("packed_4x8_integer_dot_product", Given),
    ("unrestricted_pointer_parameters", Given),
    ("pointer_composite_access", Given),
    ("uniform_buffer_standard_layout", Given),
    ("subgroup_id", Given),
    ("subgroup_uniformity", Given),
    ("linear_indexing", Given),
    ("immediate_address_space", Given),
    // Of textures and of rendering: a text may have them beside its kernel, which cannot bind textures.
    ("readonly_and_readwrite_storage_textures", Given),
    ("texture_and_sampler_let", Given),
    ("texture_formats_tier1", Given),
    ("fragment_depth", Given),
    (
        "buffer_view",
        Missing("declare the variable with the type that the kernel reads, such as array<u32>, and bitcast its words"),
    ),
];
