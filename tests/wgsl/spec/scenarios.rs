//! What an expression cannot show: memory layout, control flow, references, atomics, initial values, order.

use crate::run::{devices, run};
use crate::support::name;

/// A name, WGSL with a function `test(i: u32) -> u32`, and its results for i = 0, 1, ...
type Scenario = (&'static str, &'static str, &'static [u32]);

const N: u32 = u32::MAX;

const SCENARIOS: &[Scenario] = &[
    (
        "constant expressions",
        "const A = 7; const B = A / 2 * 3 - 1; const F = 1.5 * 4.0; const V = vec3<u32>(1u, 2u, 3u).zyx;
         const T = array<i32, 3>(-1, B, A % 4); const_assert B == 8;
         fn test(i: u32) -> u32 {
             let r = array<u32, 6>(u32(B), u32(F), V.x, bitcast<u32>(T[0]), u32(T[1]), u32(T[2]));
             return r[i];
         }",
        &[8, 6, 3, N, 8, 3],
    ),
    (
        "overrides",
        "override A: u32 = 5u; override B = A * 2u + 1u; override F: f32 = 0.5; override C: bool = true; @id(7) override D: i32 = -3;
         var<workgroup> w: array<u32, A>;
         fn test(i: u32) -> u32 {
             switch i {
                 case 0u: { return A; } case 1u: { return B; } case 2u: { return u32(F * 4.0); }
                 case 3u: { return u32(C); } case 4u: { return bitcast<u32>(D); } default: { return w[A - 1u] + 9u; }
             }
         }",
        &[5, 11, 2, 1, N - 2, 9],
    ),
    (
        "constant array, dynamic index",
        "const T = array<vec2<u32>, 3>(vec2<u32>(1u, 2u), vec2<u32>(3u, 4u), vec2<u32>(5u, 6u));
         fn test(i: u32) -> u32 { return T[i % 3u][i % 2u]; }",
        &[1, 4, 5, 2, 3, 6],
    ),
    (
        "private variables",
        "var<private> a: i32 = -5; var<private> b: vec3<u32>; var<private> c: array<u32, 3> = array(7u, 8u, 9u);
         fn change() { a += 1; c[1] = 80u; b.y = 4u; }
         fn test(i: u32) -> u32 {
             change(); change();
             let r = array<u32, 5>(bitcast<u32>(a), b.x, b.y, c[1], c[2]);
             return r[i];
         }",
        &[N - 2, 0, 4, 80, 9],
    ),
    (
        "variables start as zero, each time",
        "fn test(i: u32) -> u32 {
             var sum = 0u;
             for (var t = 0u; t < 3u; t++) { var x: u32; var v: vec2<u32>; x += t + 1u; v.y += x; sum = sum * 10u + x + v.y; }
             return sum + i;
         }",
        &[246, 247],
    ),
    (
        "workgroup variables start as zero",
        "struct S { a: u32, b: vec3<f32>, c: array<i32, 4> }
         var<workgroup> w: array<S, 4>; var<workgroup> x: atomic<u32>;
         fn test(i: u32) -> u32 { return w[i].a + u32(w[i].b.z) + u32(w[i].c[3]) + atomicLoad(&x); }",
        &[0, 0, 0, 0],
    ),
    (
        "switch",
        "fn f(x: i32) -> u32 {
             var r = 0u;
             switch x { case 1, 2: { r = 10u; } default: { r = 20u; } case -3: { r = 30u; if r == 30u { break; } r = 99u; } }
             return r;
         }
         fn test(i: u32) -> u32 {
             switch i { case 0u: { return f(1); } case 1u: { return f(2); } case 2u: { return f(-3); } default { return f(bitcast<i32>(i)); } }
         }",
        &[10, 10, 30, 20, 20],
    ),
    (
        "switch on u32, cases over half the range",
        "fn test(i: u32) -> u32 {
             switch i - 1u { case 0xffffffffu: { return 1u; } case 0x80000000u: { return 2u; } case 0u, default: { return 3u; } }
         }",
        &[1, 3, 3],
    ),
    (
        "continue and break inside switch inside loop",
        "fn test(i: u32) -> u32 {
             var r = 0u;
             for (var t = 0u; t < 6u; t++) {
                 switch t { case 1u: { continue; } case 2u: { break; } default: { r += 1u; } }
                 r += 100u;
                 if t > i + 2u { break; }
             }
             return r;
         }",
        &[302, 403, 504],
    ),
    (
        "loop with continuing and break if",
        "fn test(i: u32) -> u32 {
             var a = 0u; var b = 0u;
             loop {
                 a += 1u;
                 if a % 2u == 0u { continue; }
                 b += 10u;
                 continuing { let done = a > i; b += 1u; break if done; }
             }
             return b;
         }",
        &[11, 12, 23, 24],
    ),
    (
        "nested loops, inner break, outer continue",
        "fn test(i: u32) -> u32 {
             var r = 0u;
             for (var a = 0u; a < 4u; a++) {
                 if a == i { continue; }
                 var b = 0u;
                 while true { b++; if b > a { break; } r += b; }
                 r += 100u;
             }
             return r;
         }",
        &[310, 309, 307, 304, 410],
    ),
    (
        "returns from inside loops",
        "fn find(x: u32) -> u32 {
             for (var a = 0u; a < 10u; a++) { for (var b = 0u; b < 10u; b++) { if a * b == x { return a * 16u + b; } } }
             return 999u;
         }
         fn test(i: u32) -> u32 { return find(i * 12u + 1u); }",
        &[0x11, 999, 0x55, 999],
    ),
    (
        "short circuit",
        "var<private> calls: u32;
         fn count(x: bool) -> bool { calls += 1u; return x; }
         fn test(i: u32) -> u32 {
             let f = i > 100u; // false
             switch i {
                 case 0u: { let r = f && count(true); return calls * 2u + u32(r); }
                 case 1u: { let r = !f || count(false); return calls * 2u + u32(r); }
                 case 2u: { let r = !f && count(true); return calls * 2u + u32(r); }
                 case 3u: { let r = f || count(false); return calls * 2u + u32(r); }
                 case 4u: { let r = (f && count(true)) || (count(true) && count(false)); return calls * 2u + u32(r); }
                 default: { let r = f & count(true); return calls * 2u + u32(r); }
             }
         }",
        &[0, 1, 3, 2, 4, 2],
    ),
    (
        "order of evaluation: left to right",
        "var<private> x: u32 = 1u;
         fn next() -> u32 { x = x * 3u + 1u; return x; }
         fn three(a: u32, b: u32, c: u32) -> u32 { return a * 10000u + b * 100u + c; }
         fn test(i: u32) -> u32 {
             switch i {
                 case 0u: { return three(next(), next(), next()); }
                 case 1u: { return x * 100u + next(); }
                 case 2u: { return next() * 100u + x; }
                 case 3u: { let v = vec2<u32>(next(), next()); return v.x * 100u + v.y; }
                 default: { var a = array<u32, 20>(); a[next()] = next(); return a[4] + a[13] * 100u; }
             }
         }",
        &[41340, 104, 404, 413, 13],
    ),
    (
        "parameters are copies, pointers are not",
        "fn by_value(v: vec3<u32>) -> u32 { var w = v; w.y = 90u; return w.y; }
         fn by_pointer(v: ptr<function, vec3<u32>>) -> u32 { (*v).y = 50u; (*v)[2] += 1u; return (*v).x; }
         fn deeper(v: ptr<function, vec3<u32>>) { let r = by_pointer(v); *v += vec3<u32>(r); }
         fn of_private(p: ptr<private, u32>) { *p += 5u; }
         var<private> g: u32 = 2u;
         fn test(i: u32) -> u32 {
             var v = vec3<u32>(1u, 2u, 3u);
             let a = by_value(v);
             deeper(&v);
             of_private(&g);
             let r = array<u32, 5>(a, v.x, v.y, v.z, g);
             return r[i];
         }",
        &[90, 2, 51, 5, 7],
    ),
    (
        "pointers to elements and members",
        "struct S { a: u32, b: array<vec2<i32>, 3> }
         fn test(i: u32) -> u32 {
             var s = array<S, 2>();
             let p = &s[i % 2u]; let q = &(*p).b[i];
             (*p).a = 4u; (*q).y = 7; *q += vec2<i32>(1, 1);
             var t = s; t[0].a += 100u;
             return s[0].a * 1000u + s[1].a * 100u + u32(s[i % 2u].b[i].x * 10 + s[i % 2u].b[i].y);
         }",
        &[4018, 418, 4018],
    ),
    (
        "assignment to components, compound assignment, increment",
        "fn test(i: u32) -> u32 {
             var v = vec4<u32>(1u, 2u, 3u, 4u); var m = mat2x2<f32>(); var a = array<i32, 3>(1, 2, 3);
             v.z = 30u; v[i] += 5u; v.w <<= 2u; v *= vec4<u32>(2u); v.x--; v.y |= 1u; v.y ^= 4u; v %= vec4<u32>(50u);
             m[1] = vec2<f32>(3.0, 4.0); m[1].y += 1.0; m[i % 2u][0] *= 2.0; m *= 2.0;
             a[i % 3u]++; a[2] -= 10; a[1] /= 2; a[0] = -a[0]; _ = a[0];
             return v.x + v.y * 100u + v.z * 10000u + u32(m[1].x + m[1].y) + u32(a[0] + a[1] * 10 - a[2]) * 1000000u;
         }",
        &[15_100_127, 16_101_123, 15_200_117],
    ),
    (
        "atomics give the old value",
        "var<workgroup> a: atomic<u32>; var<workgroup> s: atomic<i32>;
         fn test(i: u32) -> u32 {
             if i > 0u { return 0u; }
             atomicStore(&a, 10u); atomicStore(&s, -4);
             var r = atomicAdd(&a, 5u);                 // 10 -> 15
             r = r * 100u + atomicSub(&a, 3u);          // 15 -> 12
             r = r * 100u + atomicMax(&a, 40u);         // 12 -> 40
             r = r * 100u + atomicMin(&a, 33u);         // 40 -> 33
             var q = atomicAnd(&a, 48u);                // 33 -> 32
             q = q * 100u + atomicOr(&a, 3u);           // 32 -> 35
             q = q * 100u + atomicXor(&a, 1u);          // 35 -> 34
             q = q * 100u + atomicExchange(&a, 7u);     // 34 -> 7
             let t = atomicMin(&s, -9) * 100 + atomicMax(&s, 2); // -4, -9 -> 2
             return (r ^ q) + bitcast<u32>(t) + atomicLoad(&a) + u32(atomicLoad(&s));
         }",
        &[(10_151_240 ^ 33_323_534) - 409 + 7 + 2, 0],
    ),
    (
        "compare and exchange",
        "var<workgroup> a: atomic<u32>;
         fn test(i: u32) -> u32 {
             if i > 0u { return 0u; }
             atomicStore(&a, 5u);
             let miss = atomicCompareExchangeWeak(&a, 4u, 9u);
             var old = 0u;
             loop { let hit = atomicCompareExchangeWeak(&a, 5u, 8u); old = hit.old_value; if hit.exchanged { break; } }
             return miss.old_value + u32(miss.exchanged) * 10u + old * 100u + atomicLoad(&a) * 1000u;
         }",
        &[8505, 0],
    ),
    (
        "a shadowing name ends with its block",
        "fn test(i: u32) -> u32 {
             let x = i + 1u;
             var r = x;
             { let x = x * 10u; r += x; { var x = 7u; x++; r += x; } }
             if x > 1u { let r2 = r; var r = 0u; r = r2; }
             return r + x;
         }",
        &[20, 32],
    ),
    (
        "structs and arrays by value",
        "struct P { x: i32, v: vec3<u32>, f: array<f32, 2> }
         fn moved(p: P, by: i32) -> P { var q = p; q.x += by; q.f[1] = 9.0; q.v = q.v.zxy; return q; }
         fn test(i: u32) -> u32 {
             let p = P(3, vec3<u32>(1u, 2u, 3u), array(1.0, 2.0));
             let q = moved(p, 4);
             let r = array<u32, 6>(u32(p.x), u32(q.x), q.v.x, q.v.z, u32(p.f[1]), u32(q.f[1]));
             return r[i];
         }",
        &[3, 7, 3, 2, 2, 9],
    ),
    (
        "workgroupUniformLoad and barriers",
        "var<workgroup> w: array<u32, 8>; var<workgroup> one: u32;
         fn test(i: u32) -> u32 {
             w[i] = i * i;
             if i == 3u { one = 70u; }
             let u = workgroupUniformLoad(&one);
             let left = w[(i + 7u) % 8u];
             workgroupBarrier();
             w[i] = left;
             workgroupBarrier();
             return w[(i + 7u) % 8u] + u;
         }",
        &[36 + 70, 49 + 70, 70, 71, 74, 79, 86, 95],
    ),
];

/// The number of invocations of a scenario: those past its results do nothing that matters.
const LANES: usize = 8;

#[test]
fn scenarios() {
    for device in devices() {
        let mut wrong = vec![];
        for (what, text, wanted) in SCENARIOS {
            let source = format!(
                "@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@compute @workgroup_size({LANES})
fn main(@builtin(local_invocation_index) i: u32) {{ output[i] = test(i); }}
{text}"
            );
            match run(device, &source, [1, 1, 1], &[vec![0xcdcd_cdcd; LANES]]) {
                Ok(results) if results[0][..wanted.len()] == **wanted => {}
                Ok(results) => wrong.push(format!("{what}: got {:?}, wanted {wanted:?}", &results[0][..wanted.len()])),
                Err(error) => wrong.push(format!("{what}: {error}")),
            }
        }
        assert!(wrong.is_empty(), "wrong on {}:\n{}", name(device), wrong.join("\n"));
    }
}

/// Reads members at the offsets that the layout rules give them, and writes them back elsewhere.
#[test]
fn layout() {
    // Each pair: a struct, and the word offset of each scalar of it in order, with the words of the whole.
    const STRUCTS: &[(&str, &[&str], &[usize], usize)] = &[
        ("a: vec3<u32>, b: u32, c: u32", &["a.x", "a.y", "a.z", "b", "c"], &[0, 1, 2, 3, 4], 8),
        ("a: u32, b: vec3<u32>", &["a", "b.x", "b.z"], &[0, 4, 6], 8),
        ("a: u32, b: vec2<u32>, c: u32", &["a", "b.x", "b.y", "c"], &[0, 2, 3, 4], 6),
        ("a: array<vec3<u32>, 2>, b: u32", &["a[0].z", "a[1].x", "a[1].z", "b"], &[2, 4, 6, 8], 12),
        ("a: u32, b: Inner, c: u32", &["a", "b.x", "b.y.x", "c"], &[0, 4, 8, 12], 16),
        ("a: array<Inner, 2>", &["a[1].x", "a[1].y.z"], &[8, 14], 16),
        ("@size(16) a: u32, @align(32) b: u32, c: u32", &["a", "b", "c"], &[0, 8, 9], 16),
        ("a: array<u32, 3>, b: vec2<u32>", &["a[2]", "b.x"], &[2, 4], 6),
    ];
    for device in devices() {
        for (members, paths, offsets, words) in STRUCTS {
            let copies: String = paths
                .iter()
                .enumerate()
                .map(|(n, path)| format!("output[{n}] = data[1].{path}; data[0].{path} = {n}u + 500u;\n"))
                .collect();
            let source = format!(
                "struct Inner {{ x: u32, y: vec3<u32> }} struct Outer {{ {members} }}
@group(0) @binding(0) var<storage, read_write> data: array<Outer>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {{ {copies} output[{}] = arrayLength(&data); }}",
                paths.len()
            );
            let input: Vec<u32> = (0..*words as u32 * 3).collect();
            let results = run(device, &source, [1, 1, 1], &[input.clone(), vec![0; paths.len() + 1]]).unwrap();
            let mut wanted: Vec<u32> = offsets.iter().map(|&offset| (offset + words) as u32).collect();
            wanted.push(3);
            assert_eq!(results[1], wanted, "{members} on {}", name(device));
            let mut data = input;
            offsets.iter().zip(500..).for_each(|(&offset, value)| data[offset] = value);
            assert_eq!(results[0], data, "{members} on {}", name(device));
        }
    }
}

/// Matrices in memory: columns of three rows take four words. And the length of an array behind a head.
#[test]
fn matrices_and_heads_in_memory() {
    let source =
        "struct Head { count: u32, scale: mat3x3<f32>, small: mat2x2<f32>, tall: mat2x4<f32>, tail: array<vec3<f32>> }
@group(0) @binding(0) var<storage, read_write> data: Head;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(1) fn main(@builtin(num_workgroups) groups: vec3<u32>) {
    let v = data.scale * vec3<f32>(1.0, 10.0, 100.0);
    output[0] = v.x; output[1] = v.y; output[2] = v.z;
    output[3] = data.small[groups.x][1]; output[4] = data.tall[1].w; output[5] = data.tail[1].z;
    output[6] = f32(arrayLength(&data.tail));
    data.scale[2] = vec3<f32>(-1.0, -2.0, -3.0); data.tail[0].y = -4.0;
}";
    // Words: count 0, scale 4..16, small 16..20, tall 20..28, tail from 28 in steps of 4.
    let words: Vec<u32> = (0..28 + 11).map(|i| (i as f32).to_bits()).collect();
    for device in devices() {
        let results = run(device, source, [1, 1, 1], &[words.clone(), vec![0; 7]]).unwrap();
        let got: Vec<f32> = results[1].iter().map(|&x| f32::from_bits(x)).collect();
        let column = |row: u32| (4 + row) as f32 + 10.0 * (8 + row) as f32 + 100.0 * (12 + row) as f32;
        assert_eq!(got, [column(0), column(1), column(2), 19.0, 27.0, 34.0, 2.0], "{}", name(device));
        let mut wanted = words.clone();
        for (at, value) in [(12, -1.0f32), (13, -2.0), (14, -3.0), (29, -4.0)] {
            wanted[at] = value.to_bits();
        }
        assert_eq!(results[0], wanted, "{}", name(device));
    }
}

/// Out of bounds: a read gives some value of the same variable or zero, and a write goes nowhere else than there. It may
/// leave an array inside a struct: Vulkan's robust access, which naga relies on, knows only the binding.
#[test]
fn out_of_bounds() {
    let source = "struct S { before: u32, list: array<u32, 4>, after: u32 }
@group(0) @binding(0) var<storage, read_write> fixed: S;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;
@group(0) @binding(2) var<storage, read> at: array<u32>;
@group(0) @binding(3) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {
    var local = array<u32, 3>(7u, 7u, 7u);
    for (var i = 0u; i < arrayLength(&at); i++) {
        output[i * 3u] = list[at[i]];
        output[i * 3u + 1u] = fixed.list[at[i]];
        output[i * 3u + 2u] = local[at[i]];
    }
    for (var i = 0u; i < arrayLength(&at); i++) { fixed.list[at[i]] = 900u; local[at[i]] = 1u; list[at[i]] = 800u; }
}";
    let at = vec![4, 5, 100, 0x3fff_ffff, 0x8000_0000, u32::MAX];
    for device in devices() {
        let buffers = [vec![10, 11, 12, 13, 14, 15], vec![20, 21, 22, 23], at.clone(), vec![0xcdcd_cdcd; at.len() * 3]];
        let results = run(device, source, [1, 1, 1], &buffers).unwrap();
        for row in results[3].chunks(3) {
            assert!(row[0] == 0 || (20..24).contains(&row[0]), "{row:?} on {}", name(device));
            assert!(row[1] == 0 || (10..16).contains(&row[1]), "{row:?} on {}", name(device));
            assert!(row[2] == 0 || row[2] == 7, "{row:?} on {}", name(device));
        }
        assert!(results[0].iter().zip(10..).all(|(&x, was)| x == was || x == 900), "{:?}", results[0]);
        assert_eq!(results[2], at, "{}", name(device));
        assert!(results[1].iter().zip(20..).all(|(&x, was)| x == was || x == 800), "{:?}", results[1]);
    }
}
