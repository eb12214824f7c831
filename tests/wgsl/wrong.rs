//! Texts that are wrong: each error names the line and the column of what is wrong.

use crosslane::Kernel;

/// Declarations before the kernel, which are on line 3, and its body, on line 5.
const WRONG: &[[&str; 3]] = &[
    // Operators.
    ["", "x[0] = u32(vec2(true) || vec2(false));", "5:"],
    ["", "x[0] = u32(1u || 2u);", "5:"],
    ["", "if x[0] || x[1] { x[0] = 1u; }", "5:"],
    ["", "if x[0] && true { x[0] = 1u; }", "5:"],
    ["", "if true && x[0] { x[0] = 1u; }", "5:"],
    ["", "let a = x[0]; let b = vec2<bool>() && vec2<bool>();", "5:"],
    ["", "x[0] = x[0] + 1.5f;", "5:"],
    ["", "x[0] = -x[0];", "5:"],
    ["", "x[0] = !x[0];", "5:"],
    ["", "x[0] = ~true;", "5:"],
    ["", "x[0] = x[0] << 1i;", "5:"],
    ["", "x[0] = x[0] << 40u;", "5:"],
    ["", "x[0] = 1u / 0u;", "5:"],
    ["", "x[0] = 1u % 0u;", "5:"],
    ["", "x[0] += 1i;", "5:"],
    ["const a = 5000000000; @workgroup_size(1) fn f() {}", "x[0] = 1u;", "3:"],
    ["", "x[0] ||= 1u;", "5:"],
    ["", "x++;", "5:"],
    ["", "let v = vec2(1u) == vec3(1u);", "5:"],
    ["", "let v = mat2x2<f32>() * vec3<f32>();", "5:"],
    // Access.
    ["", "x[0u][1u] = 1u;", "5:"],
    ["", "x[0] = x[0u][1u];", "5:"],
    ["", "x[0] = x[0].y;", "5:"],
    ["", "x.y = 1u;", "5:"],
    ["", "x[1.5] = 1u;", "5:"],
    ["", "x[true] = 1u;", "5:"],
    ["", "x[-1] = 1u;", "5:"],
    ["", "var v = vec2(1u); v[2] = 1u;", "5:"],
    ["", "var v = vec2(1u); x[0] = v.z;", "5:"],
    ["", "var v = vec2(1u); x[0] = v.xyzwx;", "5:"],
    ["", "var v = vec2(1u); v.xy = v;", "5:"],
    ["", "var a: array<u32, 4>; x[0] = a[4];", "5:"],
    ["struct S { a: u32 }", "var s: S; x[0] = s.b;", "5:"],
    ["", "let p = &x[0]; *p = true;", "5:"],
    ["", "x[0] = *x;", "5:"],
    ["", "let p = &1u;", "5:"],
    ["", "let a = 1u; a = 2u;", "5:"],
    ["", "let a = x;", "5:"],
    ["", "var a = x;", "5:"],
    // Statements.
    ["", "if x[0] { }", "5:"],
    ["", "while x[0] { }", "5:"],
    ["", "for (var i = 0u; i; i++) { }", "5:"],
    ["", "switch 1.5 { default: {} }", "5:"],
    ["", "switch x[0] { case 1u: {} }", "5:"],
    ["", "switch x[0] { case 1u: {} case 1u: {} default: {} }", "5:"],
    ["", "switch x[0] { case 1i: {} default: {} }", "5:"],
    ["", "switch x[0] { default: {} default: {} }", "5:"],
    ["", "break;", "5:"],
    ["", "continue;", "5:"],
    ["", "loop { continuing { return; } }", "5:"],
    ["", "loop { continuing { break; } }", "5:"],
    ["", "loop { break if x[0]; }", "5:"],
    ["", "loop { continuing { break if x[0]; } }", "5:"],
    ["", "return 1u;", "5:"],
    ["", "discard;", "5:"],
    ["", "x[0] = 1.5;", "5:"],
    ["", "x[0] = ;", "5:"],
    ["", "x[0] = 1u", "6:"],
    ["", "var v: vec5<u32>;", "5:"],
    ["", "var v: array<u32>;", "5:"],
    ["", "var v: atomic<u32>;", "5:"],
    ["", "const c = x[0];", "5:"],
    ["", "const_assert 1 > 2;", "5:"],
    ["", "unknown(1u);", "5:"],
    ["", "x[0] = y;", "5:"],
    // Calls.
    ["", "x[0] = max(1u, 1.5f);", "5:"],
    ["", "x[0] = max(1u);", "5:"],
    ["", "x[0] = max(1u, 2u, 3u);", "5:"],
    ["", "x[0] = sqrt(x[0]);", "5:"],
    ["", "x[0] = select(1u, 2u, 3u);", "5:"],
    ["", "x[0] = select(1u, 2.0f, true);", "5:"],
    ["", "x[0] = arrayLength(x);", "5:"],
    ["", "x[0] = arrayLength(&x[0]);", "5:"],
    ["", "x[0] = atomicAdd(&x[0], 1u);", "5:"],
    ["", "atomicStore(&x[0], 1u);", "5:"],
    ["", "x[0] = u32(vec2(1u));", "5:"],
    ["", "let v = vec3(vec2(1u), vec2(1u));", "5:"],
    ["", "let v = vec2<u32>(1.5f, 1u);", "5:"],
    ["", "let v = array<u32, 2>(1u);", "5:"],
    ["", "x[0] = bitcast<u32>(vec2(1u));", "5:"],
    ["", "x[0] = bitcast<u32>(true);", "5:"],
    ["", "workgroupBarrier(1u);", "5:"],
    ["", "x[0] = workgroupUniformLoad(&x[0]);", "5:"],
    ["", "x[0] = subgroupAdd(true);", "5:"],
    ["", "x[0] = dot(1u, 2u);", "5:"],
    ["", "let v = cross(vec2(1.0), vec2(1.0));", "5:"],
    ["", "let m = transpose(vec2(1.0));", "5:"],
    ["", "let m = determinant(mat2x3<f32>());", "5:"],
    ["", "let p = pack4x8unorm(vec3(1.0));", "5:"],
    ["", "let e = ldexp(1.0, 2.0);", "5:"],
    ["", "let a = sqrt(-1.0);", "5:"],
    ["", "let a = clamp(1, 3, 2);", "5:"],
    ["", "let a = any(1u);", "5:"],
    ["", "let a = vec2<f32>(1e39, 1.0);", "5:"],
    ["", "let a = 1e39;", "5:"],
    ["fn f(a: u32) -> u32 { return a; }", "x[0] = f();", "5:"],
    ["fn f(a: u32) -> u32 { return a; }", "x[0] = f(1.5f);", "5:"],
    ["fn f(a: u32) -> u32 { return a; }", "x[0] = f(1u, 2u);", "5:"],
    ["fn f(a: u32) -> u32 { return a; }", "f(1u);", ""],
    ["fn f() { }", "x[0] = f();", "5:"],
    ["fn f(p: ptr<function, u32>) { }", "f(&x[0]);", "5:"],
    ["@must_use fn f() -> u32 { return 1u; }", "f();", "5:"],
    // Declarations.
    ["fn f() -> u32 { }", "", "3:"],
    ["fn f() -> u32 { return 1.5; }", "", "3:"],
    ["fn f() -> u32 { return; }", "", "3:"],
    ["fn f() { return 1u; }", "", "3:"],
    ["fn f() { f(); }", "", "3:"],
    ["fn f() { g(); } fn g() { f(); }", "", "3:"],
    ["fn f(a: array<u32>) { }", "", "3:"],
    ["fn f(a: u32, a: u32) { }", "", "3:"],
    ["fn f() -> array<u32> { }", "", "3:"],
    ["fn x() { }", "", "2:"],
    ["const a = b;", "", "3:"],
    ["const a: u32 = 1.5;", "", "3:"],
    ["const a = 1 / 0;", "", "3:"],
    ["const a = b; const b = a;", "", "3:"],
    ["const a = array<u32, 0>();", "", "3:"],
    ["var<private> p: array<u32, 0>;", "", "3:"],
    ["var<private> p: array<u32, -1>;", "", "3:"],
    ["var<private> p: array<u32>;", "", "3:"],
    ["var<private> p: atomic<u32>;", "", "3:"],
    ["var<private> p: u32 = x[0];", "", "3:"],
    ["var<workgroup> p: u32 = 1u;", "", "3:"],
    ["var<workgroup> p: array<u32>;", "", "3:"],
    ["var<storage> p: u32;", "", "3:"],
    ["var<nothing> p: u32;", "", "3:"],
    ["var p: u32;", "", "3:"],
    // As the extension uniform_buffer_standard_layout has it.
    ["@group(0) @binding(1) var<uniform> p: array<u32, 4>;", "", ""],
    ["@group(0) @binding(1) var<uniform> p: bool;", "", "3:"],
    ["@group(0) @binding(1) var<storage> p: array<bool>;", "", "3:"],
    ["@group(0) @binding(1) var<uniform> p: array<u32>;", "", "3:"],
    ["@group(0) @binding(0) var<storage> p: u32;", "x[0] = p;", "3:"],
    ["@binding(1) var<storage> p: u32;", "", "3:"],
    ["@group(0) @binding(1) var<private> p: u32;", "", "3:"],
    ["@group(0) @binding(-1) var<storage> p: u32;", "", "3:"],
    ["struct S { a: array<u32>, b: u32 }", "", "3:"],
    ["struct S { a: S }", "", "3:"],
    ["struct S { }", "", "3:"],
    ["struct S { a: u32, a: u32 }", "", "3:"],
    ["struct S { @align(3) a: u32 }", "", "3:"],
    ["struct S { @align(2) a: u32 }", "", "3:"],
    ["struct S { @size(2) a: u32 }", "", "3:"],
    ["struct S { a: ptr<function, u32> }", "", "3:"],
    ["struct S { @unknown a: u32 }", "", "3:"],
    ["struct S { a: undefined }", "", "3:"],
    ["alias A = B;", "", "3:"],
    ["alias A = A;", "", "3:"],
    ["override o: vec2<u32>;", "", "3:"],
    ["@id(1) override a = 1u; @id(1) override b = 2u;", "", "3:"],
    ["@id(-1) override a = 1u;", "", "3:"],
    ["@compute fn f() { }", "", "3:"],
    ["@compute @workgroup_size(0) fn f() { }", "", "3:"],
    ["@compute @workgroup_size(1, 1, 1, 1) fn f() { }", "", "3:"],
    ["@compute @workgroup_size(x) fn f() { }", "", "3:"],
    ["@compute @workgroup_size(1) fn f(a: u32) { }", "", "3:"],
    ["@compute @workgroup_size(1) fn f(@builtin(position) a: vec4<f32>) { }", "", "3:"],
    ["@compute @workgroup_size(1) fn f(@builtin(global_invocation_id) a: u32) { }", "", "3:"],
    ["@compute @workgroup_size(1) fn f(@builtin(nothing) a: u32) { }", "", "3:"],
    ["@compute @workgroup_size(1) fn f() -> u32 { return 1u; }", "", "3:"],
    ["const_assert false;", "", "3:"],
    ["enable f16;", "", "3:"],
    ["fn f() { \u{1F600} }", "", "3:"],
    ["fn f( { }", "", "3:"],
    ["}", "", "3:"],
    ["/* never closed", "", "3:"],
    ["const a = 0x;", "", "3:"],
    ["const a = 1.5.5;", "", "3:"],
    ["const a = 08;", "", "3:"],
    ["const while = 1;", "", "3:"],
    ["const __a = 1;", "", "3:"],
];

#[test]
fn each_names_its_place() {
    let mut without = vec![];
    for [declares, body, place] in WRONG {
        let source = format!(
            "\n@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n{declares}\n@compute @workgroup_size(1) fn main() {{\n{body}\n}}\n"
        );
        match Kernel::wgsl_with(&source, Some("main"), &[]) {
            Ok(_) if place.is_empty() => {}
            Ok(_) => without.push(format!("accepted: {declares} {body}")),
            Err(error) => {
                let error = error.to_string();
                if place.is_empty() || !error.contains(&format!("wgsl:{place}")) {
                    without.push(format!("{declares} {body}: {error}"));
                }
            }
        }
    }
    assert!(without.is_empty(), "{} of {}:\n{}", without.len(), WRONG.len(), without.join("\n---\n"));
}

/// The place that nests deepest, in a declaration too.
#[test]
fn brackets_name_their_place() {
    let deep = format!("{}1u{}", "(".repeat(300), ")".repeat(300));
    for (declares, body) in [(format!("const c = {deep};"), ""), (String::new(), &*format!("x[1] =\n {deep};"))] {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n{declares}\n@compute @workgroup_size(1) fn main() {{ {body} }}"
        );
        let error = Kernel::wgsl(&text).unwrap_err().to_string();
        let place = if body.is_empty() { "wgsl:2:310" } else { "wgsl:4:301" };
        assert!(error.contains("at most 200 brackets") && error.contains(place), "{error}");
    }
}
