//! What an expression cannot show: control flow, references, atomics, initial values, order.

use crate::judge::judges;

/// A name, WGSL with a function `test(i: u32) -> u32`, and its results for i = 0, 1, ...
type Scenario = (&'static str, &'static str, &'static [u32]);

/// -1 as a word.
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
    (
        "indices that begin again at 0 several times",
        "fn test(i: u32) -> u32 {
             if (i * 0x18000000u < 0x70000000u) {
                 var sum = 0u;
                 for (var t = 0u; t < 3u; t++) { sum += i + t; }
                 return sum;
             }
             return 1000u + i;
         }",
        &[3, 6, 9, 12, 15, 1005, 1006, 1007, 1008, 1009, 1010, 36, 39, 42, 45, 48],
    ),
];

/// The least number of invocations of a scenario: those past its results do nothing that matters.
const LANES: usize = 8;

#[test]
fn scenarios() {
    for judge in judges() {
        let mut wrong = vec![];
        for (what, text, wanted) in SCENARIOS {
            let lanes = wanted.len().max(LANES);
            let source = format!(
                "@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@compute @workgroup_size({lanes})
fn main(@builtin(local_invocation_index) i: u32) {{ output[i] = test(i); }}
{text}"
            );
            match judge.run(&source, [1, 1, 1], &[vec![0xcdcd_cdcd; lanes]]) {
                Ok(results) if results[0][..wanted.len()] == **wanted => {}
                Ok(results) => wrong.push(format!("{what}: got {:?}, wanted {wanted:?}", &results[0][..wanted.len()])),
                Err(error) => wrong.push(format!("{what}: {error}")),
            }
        }
        assert!(wrong.is_empty(), "wrong on {}:\n{}", judge.name(), wrong.join("\n"));
    }
}
