//! What can be indexed in WGSL: with the text of each access, and every scalar of it.

/// Something with elements. In the templates `X` is the place of the whole and `I` the index.
#[derive(Clone, Copy)]
pub struct Container {
    pub name: &'static str,
    pub ty: &'static str,
    /// Where it may stand, a letter each: see [`CONTAINERS`].
    pub spaces: &'static str,
    /// An element as u32.
    pub load: &'static str,
    pub store: &'static str,
    pub compound: &'static str,
    /// Every scalar of it.
    pub leaves: &'static [&'static str],
    /// The leaves of what is indexed.
    pub inside: [usize; 2],
    /// Elements: the first leaf of the first, leaves from one to the next, how many an access writes, how many there are.
    pub elements: [usize; 4],
    /// The leaf of an element that a load gives.
    pub loaded: usize,
}

impl Container {
    pub fn is_float(&self) -> bool {
        self.ty.contains("f32")
    }

    pub fn is_atomic(&self, leaf: &str) -> bool {
        self.load.starts_with("atomic") && !leaf.ends_with(".a")
    }
}

macro_rules! container {
    ($name:literal: $ty:literal in $spaces:literal, $load:literal, $store:literal, $compound:literal,
     [$($leaf:literal)*], $inside:expr, $elements:expr, $loaded:literal) => {
        Container {
            name: $name, ty: $ty, spaces: $spaces, load: $load, store: $store, compound: $compound,
            leaves: &[$($leaf),*], inside: [$inside.start, $inside.end], elements: $elements, loaded: $loaded,
        }
    };
}

/// The types that the containers name.
pub const TYPES: &str = "struct Inner { head: u32, list: array<u32, 3>, tail: u32 }
struct Lined { head: u32, v: vec3<u32>, tail: u32 }
struct Two { a: u32, b: u32 }
struct Three { a: u32, b: u32, c: u32 }
struct Counter { a: u32, n: atomic<u32> }
";

/// f function, p private, w workgroup, s storage, u uniform.
pub const CONTAINERS: &[Container] = &[
    container!("array": "array<u32, 3>" in "fpws", "X[I]", "X[I] = 900u", "X[I] += 900u",
        ["X[0]" "X[1]" "X[2]"], 0..3, [0, 1, 1, 3], 0),
    container!("vector of two": "vec2<u32>" in "fpwsu", "X[I]", "X[I] = 900u", "X[I] += 900u",
        ["X.x" "X.y"], 0..2, [0, 1, 1, 2], 0),
    container!("vector of three": "vec3<u32>" in "fpwsu", "X[I]", "X[I] = 900u", "X[I] += 900u",
        ["X.x" "X.y" "X.z"], 0..3, [0, 1, 1, 3], 0),
    container!("vector of four": "vec4<f32>" in "fpwsu", "u32(X[I])", "X[I] = 900.0", "X[I] += 900.0",
        ["X.x" "X.y" "X.z" "X.w"], 0..4, [0, 1, 1, 4], 0),
    container!("column of three rows": "mat2x3<f32>" in "fpwsu", "u32(X[I].y)", "X[I] = vec3<f32>(900.0)",
        "X[I] += vec3<f32>(900.0)",
        ["X[0].x" "X[0].y" "X[0].z" "X[1].x" "X[1].y" "X[1].z"], 0..6, [0, 3, 3, 2], 1),
    container!("column of four rows": "mat3x4<f32>" in "fpwsu", "u32(X[I].w)", "X[I] = vec4<f32>(900.0)",
        "X[I] += vec4<f32>(900.0)",
        ["X[0].x" "X[0].y" "X[0].z" "X[0].w" "X[1].x" "X[1].y" "X[1].z" "X[1].w" "X[2].x" "X[2].y" "X[2].z" "X[2].w"],
        0..12, [0, 4, 4, 3], 3),
    container!("element of a column": "mat3x2<f32>" in "fpws", "u32(X[1][I])", "X[1][I] = 900.0", "X[1][I] += 900.0",
        ["X[0].x" "X[0].y" "X[1].x" "X[1].y" "X[2].x" "X[2].y"], 2..4, [2, 1, 1, 2], 0),
    container!("element of a column of three": "mat2x3<f32>" in "fpwsu", "u32(X[0][I])", "X[0][I] = 900.0",
        "X[0][I] += 900.0",
        ["X[0].x" "X[0].y" "X[0].z" "X[1].x" "X[1].y" "X[1].z"], 0..3, [0, 1, 1, 3], 0),
    container!("array in a structure": "Inner" in "fpws", "X.list[I]", "X.list[I] = 900u", "X.list[I] += 900u",
        ["X.head" "X.list[0]" "X.list[1]" "X.list[2]" "X.tail"], 1..4, [1, 1, 1, 3], 0),
    container!("vector in a structure": "Lined" in "fpwsu", "X.v[I]", "X.v[I] = 900u", "X.v[I] += 900u",
        ["X.head" "X.v.x" "X.v.y" "X.v.z" "X.tail"], 1..4, [1, 1, 1, 3], 0),
    container!("member of an element": "array<Three, 3>" in "fpws", "X[I].b", "X[I].b = 900u", "X[I].b += 900u",
        ["X[0].a" "X[0].b" "X[0].c" "X[1].a" "X[1].b" "X[1].c" "X[2].a" "X[2].b" "X[2].c"], 0..9, [1, 3, 1, 3], 0),
    container!("structure in an array": "array<Two, 2>" in "fpws", "X[I].b", "X[I] = Two(900u, 900u)",
        "X[I].a += 900u; X[I].b += 900u", ["X[0].a" "X[0].b" "X[1].a" "X[1].b"], 0..4, [0, 2, 2, 2], 1),
    container!("array of arrays": "array<array<u32, 3>, 2>" in "fpws", "X[I][2]", "X[I][2] = 900u", "X[I][2] += 900u",
        ["X[0][0]" "X[0][1]" "X[0][2]" "X[1][0]" "X[1][1]" "X[1][2]"], 0..6, [2, 3, 1, 2], 0),
    container!("array in an array": "array<array<u32, 3>, 3>" in "fpws", "X[1][I]", "X[1][I] = 900u",
        "X[1][I] += 900u",
        ["X[0][0]" "X[0][1]" "X[0][2]" "X[1][0]" "X[1][1]" "X[1][2]" "X[2][0]" "X[2][1]" "X[2][2]"],
        3..6, [3, 1, 1, 3], 0),
    container!("vector in an array": "array<vec2<u32>, 3>" in "fpws", "X[1][I]", "X[1][I] = 900u", "X[1][I] += 900u",
        ["X[0].x" "X[0].y" "X[1].x" "X[1].y" "X[2].x" "X[2].y"], 2..4, [2, 1, 1, 2], 0),
    container!("array of vectors": "array<vec4<u32>, 2>" in "fpwsu", "X[I].z", "X[I] = vec4<u32>(900u)",
        "X[I] += vec4<u32>(900u)",
        ["X[0].x" "X[0].y" "X[0].z" "X[0].w" "X[1].x" "X[1].y" "X[1].z" "X[1].w"], 0..8, [0, 4, 4, 2], 2),
    container!("array of vectors of three": "array<vec3<f32>, 2>" in "fpwsu", "u32(X[I].z)",
        "X[I] = vec3<f32>(900.0)", "X[I] += vec3<f32>(900.0)",
        ["X[0].x" "X[0].y" "X[0].z" "X[1].x" "X[1].y" "X[1].z"], 0..6, [0, 3, 3, 2], 2),
    container!("atomics": "array<atomic<u32>, 3>" in "ws", "atomicLoad(&X[I])", "atomicStore(&X[I], 900u)",
        "atomicAdd(&X[I], 900u)", ["X[0]" "X[1]" "X[2]"], 0..3, [0, 1, 1, 3], 0),
    container!("atomics in structures": "array<Counter, 2>" in "ws", "atomicLoad(&X[I].n)",
        "atomicStore(&X[I].n, 900u)", "atomicAdd(&X[I].n, 900u)",
        ["X[0].a" "X[0].n" "X[1].a" "X[1].n"], 0..4, [1, 2, 1, 2], 0),
];

/// Containers that are variables of their own, between two others.
pub const BARE: &[Container] = &[
    container!("variable": "array<u32, 4>" in "fpw", "X[I]", "X[I] = 900u", "X[I] += 900u",
        ["X[0]" "X[1]" "X[2]" "X[3]"], 0..4, [0, 1, 1, 4], 0),
    container!("variable of vectors": "array<vec2<u32>, 2>" in "fpw", "X[I].y", "X[I].y = 900u", "X[I].y += 900u",
        ["X[0].x" "X[0].y" "X[1].x" "X[1].y"], 0..4, [1, 2, 1, 2], 0),
    container!("runtime-sized": "array<u32>" in "s", "X[I]", "X[I] = 900u", "X[I] += 900u",
        ["X[0]" "X[1]" "X[2]" "X[3]"], 0..4, [0, 1, 1, 4], 0),
    container!("runtime-sized of structures": "array<Three>" in "s", "X[I].c", "X[I].c = 900u", "X[I].c += 900u",
        ["X[0].a" "X[0].b" "X[0].c" "X[1].a" "X[1].b" "X[1].c"], 0..6, [2, 3, 1, 2], 0),
];

/// The runtime-sized array at the end of the structure in storage: before it all else lies.
pub const TAIL: Container = container!("runtime-sized in a structure": "array<u32>" in "s", "X[I]", "X[I] = 900u",
    "X[I] += 900u", ["X[0]" "X[1]" "X[2]" "X[3]"], 0..4, [0, 1, 1, 4], 0);
