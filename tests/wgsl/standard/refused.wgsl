//// enable subgroup_size_control
//! 1:19 @builtin(subgroup_size)
enable subgroups, subgroup_size_control;
@compute @workgroup_size(64) fn main() { }
//// @subgroup_size
//! 2:31 @builtin(subgroup_size)
enable subgroups;
@compute @workgroup_size(64) @subgroup_size(32) fn main() { }
//// an unknown extension
//! 1:8 takes f16, subgroups
enable subgroup;
@compute @workgroup_size(1) fn main() { }
//// an extension of wgpu for rays
//! 1:8 no stages of rendering
enable wgpu_ray_query;
@compute @workgroup_size(1) fn main() { }
//// integers of 16 bits
//! 1:8 get_i16
enable wgpu_int16;
@compute @workgroup_size(1) fn main() { }
//// requires buffer_view
//! 1:23 bitcast
requires subgroup_id, buffer_view;
@compute @workgroup_size(1) fn main() { }
//// an unknown language extension
//! 2:10 takes packed_4x8_integer_dot_product
// two lines
requires everything;
@compute @workgroup_size(1) fn main() { }
//// a directive without a semicolon
//! 2:1 `,` or `;`
enable subgroups
@compute @workgroup_size(1) fn main() { }
//// two commas
//! 1:13 an extension's name
enable f16, , subgroups;
@compute @workgroup_size(1) fn main() { }
//// a directive after a declaration
//! 2:1 before global declarations
const a = 1;
enable subgroups;
@compute @workgroup_size(1) fn main() { }
//// an unknown severity
//! 1:12 severity
diagnostic(never, derivative_uniformity);
@compute @workgroup_size(1) fn main() { }
//// f16 without its directive
//! 1:61 enable f16;
@compute @workgroup_size(1) fn main() { var x = 1.0; let y: f16 = f16(x); }
//// a texture
//! 1:23 var<storage>
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = textureLoad(image, vec2u(), 0).x; }
//// a texture to store to
//! 2:23 var<storage>
requires readonly_and_readwrite_storage_textures;
@group(0) @binding(0) var image: texture_storage_2d<r32float, read_write>;
@compute @workgroup_size(1) fn main() { textureStore(image, vec2u(), vec4f()); }
//// a sampler
//! 1:23 sampled is a sampler
@group(0) @binding(1) var sampled: sampler;
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = textureSampleLevel(image, sampled, vec2f(), 0.0).x; }
//// halves out of a word
//! 4:52 unpack2x16float
enable f16;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
// naga makes one number of two.
@compute @workgroup_size(1) fn main() { let pair = bitcast<vec2<f16>>(out[0]); out[1] = u32(pair.y); }
//// a group that few devices have
//! 1:23 groups 0 to 3
@group(4) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = 1.0; }
//// a derivative
//! 3:35 differences of its own
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
// In a function.
fn slope(x: f32) -> f32 { let y = dpdx(x); return y; }
@compute @workgroup_size(1) fn main() { out[0] = slope(out[1]); }
//// discard
//! 1:41 fragment shaders
@compute @workgroup_size(1) fn main() { discard; }
//// a built-in value of vertices
//! 1:46 global_invocation_id
@compute @workgroup_size(1) fn main(@builtin(vertex_index) i: u32) { }
//// a built-in value of fragments in a structure
//! 1:22 local_invocation_index
struct In { @builtin(sample_index) i: u32 }
@compute @workgroup_size(1) fn main(in: In) { }
//// a value by @location
//! 1:38 a buffer
@compute @workgroup_size(1) fn main(@location(0) i: u32) { }
//// an atomic variable that is read as others are
//! 2:49 atomic
@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;
@compute @workgroup_size(1) fn main() { let x = out[1]; }
//// a type buffer
//! 1:51 buffer
@group(0) @binding(0) var<storage, read_write> x: buffer;
@compute @workgroup_size(1) fn main() { }
//// no entry point of a kernel
//! - an entry point
@fragment fn colour() -> @location(0) vec4f { return vec4f(); }
