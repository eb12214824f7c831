enable f16;
// Every function of f16, over scalars and vectors. Not frexp and ldexp: naga 30 gives their exponents 16 bits, and has
// no such type in WGSL.
@group(0) @binding(0) var<storage, read> input: array<f16>;
@group(0) @binding(1) var<storage, read_write> output: array<f16>;

fn scalar(a: f16, b: f16, c: f16) -> f16 {
    var r = a;
    r += abs(a);
    r += acos(a);
    r += acosh(a);
    r += asin(a);
    r += asinh(a);
    r += atan(a);
    r += atanh(a);
    r += ceil(a);
    r += cos(a);
    r += cosh(a);
    r += degrees(a);
    r += exp(a);
    r += exp2(a);
    r += floor(a);
    r += fract(a);
    r += inverseSqrt(a);
    r += log(a);
    r += log2(a);
    r += radians(a);
    r += round(a);
    r += saturate(a);
    r += sign(a);
    r += sin(a);
    r += sinh(a);
    r += sqrt(a);
    r += tan(a);
    r += tanh(a);
    r += trunc(a);
    r += atan2(a, b);
    r += max(a, b);
    r += min(a, b);
    r += pow(a, b);
    r += step(a, b);
    r += clamp(a, b, c);
    r += fma(a, b, c);
    r += mix(a, b, c);
    r += smoothstep(a, b, c);
    { let p = modf(a); r += p.fract + p.whole; }
    r += a % b; r += a / b; r += -a; r += select(a, b, a < c);
    return r;
}

fn vector2(a: vec2<f16>, b: vec2<f16>, c: vec2<f16>) -> f16 {
    var r = a;
    r += abs(a);
    r += acos(a);
    r += acosh(a);
    r += asin(a);
    r += asinh(a);
    r += atan(a);
    r += atanh(a);
    r += ceil(a);
    r += cos(a);
    r += cosh(a);
    r += degrees(a);
    r += exp(a);
    r += exp2(a);
    r += floor(a);
    r += fract(a);
    r += inverseSqrt(a);
    r += log(a);
    r += log2(a);
    r += radians(a);
    r += round(a);
    r += saturate(a);
    r += sign(a);
    r += sin(a);
    r += sinh(a);
    r += sqrt(a);
    r += tan(a);
    r += tanh(a);
    r += trunc(a);
    r += atan2(a, b);
    r += max(a, b);
    r += min(a, b);
    r += pow(a, b);
    r += step(a, b);
    r += clamp(a, b, c);
    r += fma(a, b, c);
    r += mix(a, b, c);
    r += smoothstep(a, b, c);
    { let p = modf(a); r += p.fract + p.whole; }
    r += a % b; r += a / b; r += -a; r += select(a, b, a < c);
    r += mix(a, b, c.x); r += normalize(a); r += faceForward(a, b, c); r += reflect(a, b); r += refract(a, b, c.x);
    r += length(a) + distance(a, b); r += a * c.x + c.y * b; r += a / c.x; r *= c.x; r %= b;
    return dot(r, c);
}

fn vector3(a: vec3<f16>, b: vec3<f16>, c: vec3<f16>) -> f16 {
    var r = a;
    r += abs(a);
    r += acos(a);
    r += acosh(a);
    r += asin(a);
    r += asinh(a);
    r += atan(a);
    r += atanh(a);
    r += ceil(a);
    r += cos(a);
    r += cosh(a);
    r += degrees(a);
    r += exp(a);
    r += exp2(a);
    r += floor(a);
    r += fract(a);
    r += inverseSqrt(a);
    r += log(a);
    r += log2(a);
    r += radians(a);
    r += round(a);
    r += saturate(a);
    r += sign(a);
    r += sin(a);
    r += sinh(a);
    r += sqrt(a);
    r += tan(a);
    r += tanh(a);
    r += trunc(a);
    r += atan2(a, b);
    r += max(a, b);
    r += min(a, b);
    r += pow(a, b);
    r += step(a, b);
    r += clamp(a, b, c);
    r += fma(a, b, c);
    r += mix(a, b, c);
    r += smoothstep(a, b, c);
    { let p = modf(a); r += p.fract + p.whole; }
    r += a % b; r += a / b; r += -a; r += select(a, b, a < c);
    r += mix(a, b, c.x); r += normalize(a); r += faceForward(a, b, c); r += reflect(a, b); r += refract(a, b, c.x);
    r += length(a) + distance(a, b); r += a * c.x + c.y * b; r += a / c.x; r *= c.x; r %= b;
    r += cross(a, b);
    return dot(r, c);
}

fn vector4(a: vec4<f16>, b: vec4<f16>, c: vec4<f16>) -> f16 {
    var r = a;
    r += abs(a);
    r += acos(a);
    r += acosh(a);
    r += asin(a);
    r += asinh(a);
    r += atan(a);
    r += atanh(a);
    r += ceil(a);
    r += cos(a);
    r += cosh(a);
    r += degrees(a);
    r += exp(a);
    r += exp2(a);
    r += floor(a);
    r += fract(a);
    r += inverseSqrt(a);
    r += log(a);
    r += log2(a);
    r += radians(a);
    r += round(a);
    r += saturate(a);
    r += sign(a);
    r += sin(a);
    r += sinh(a);
    r += sqrt(a);
    r += tan(a);
    r += tanh(a);
    r += trunc(a);
    r += atan2(a, b);
    r += max(a, b);
    r += min(a, b);
    r += pow(a, b);
    r += step(a, b);
    r += clamp(a, b, c);
    r += fma(a, b, c);
    r += mix(a, b, c);
    r += smoothstep(a, b, c);
    { let p = modf(a); r += p.fract + p.whole; }
    r += a % b; r += a / b; r += -a; r += select(a, b, a < c);
    r += mix(a, b, c.x); r += normalize(a); r += faceForward(a, b, c); r += reflect(a, b); r += refract(a, b, c.x);
    r += length(a) + distance(a, b); r += a * c.x + c.y * b; r += a / c.x; r *= c.x; r %= b;
    return dot(r, c);
}

fn mat2x2_(m: mat2x2<f16>, n: mat2x2<f16>, v: vec2<f16>, w: vec2<f16>) -> f16 {
    var k = m + n - m * w.x;
    k = w.y * k;
    k[1] = w; k[0].y = v.x;
    let t = transpose(k);
    let p = k * t;
    var r = dot(k * v, w) + dot(w * k, v) + p[0].x;
    r += determinant(k);
    return r;
}

fn mat2x3_(m: mat2x3<f16>, n: mat2x3<f16>, v: vec2<f16>, w: vec3<f16>) -> f16 {
    var k = m + n - m * w.x;
    k = w.y * k;
    k[1] = w; k[0].y = v.x;
    let t = transpose(k);
    let p = k * t;
    var r = dot(k * v, w) + dot(w * k, v) + p[0].x;
    return r;
}

fn mat2x4_(m: mat2x4<f16>, n: mat2x4<f16>, v: vec2<f16>, w: vec4<f16>) -> f16 {
    var k = m + n - m * w.x;
    k = w.y * k;
    k[1] = w; k[0].y = v.x;
    let t = transpose(k);
    let p = k * t;
    var r = dot(k * v, w) + dot(w * k, v) + p[0].x;
    return r;
}

fn mat3x2_(m: mat3x2<f16>, n: mat3x2<f16>, v: vec3<f16>, w: vec2<f16>) -> f16 {
    var k = m + n - m * w.x;
    k = w.y * k;
    k[1] = w; k[0].y = v.x;
    let t = transpose(k);
    let p = k * t;
    var r = dot(k * v, w) + dot(w * k, v) + p[0].x;
    return r;
}

fn mat3x3_(m: mat3x3<f16>, n: mat3x3<f16>, v: vec3<f16>, w: vec3<f16>) -> f16 {
    var k = m + n - m * w.x;
    k = w.y * k;
    k[1] = w; k[0].y = v.x;
    let t = transpose(k);
    let p = k * t;
    var r = dot(k * v, w) + dot(w * k, v) + p[0].x;
    r += determinant(k);
    return r;
}

fn mat3x4_(m: mat3x4<f16>, n: mat3x4<f16>, v: vec3<f16>, w: vec4<f16>) -> f16 {
    var k = m + n - m * w.x;
    k = w.y * k;
    k[1] = w; k[0].y = v.x;
    let t = transpose(k);
    let p = k * t;
    var r = dot(k * v, w) + dot(w * k, v) + p[0].x;
    return r;
}

fn mat4x2_(m: mat4x2<f16>, n: mat4x2<f16>, v: vec4<f16>, w: vec2<f16>) -> f16 {
    var k = m + n - m * w.x;
    k = w.y * k;
    k[1] = w; k[0].y = v.x;
    let t = transpose(k);
    let p = k * t;
    var r = dot(k * v, w) + dot(w * k, v) + p[0].x;
    return r;
}

fn mat4x3_(m: mat4x3<f16>, n: mat4x3<f16>, v: vec4<f16>, w: vec3<f16>) -> f16 {
    var k = m + n - m * w.x;
    k = w.y * k;
    k[1] = w; k[0].y = v.x;
    let t = transpose(k);
    let p = k * t;
    var r = dot(k * v, w) + dot(w * k, v) + p[0].x;
    return r;
}

fn mat4x4_(m: mat4x4<f16>, n: mat4x4<f16>, v: vec4<f16>, w: vec4<f16>) -> f16 {
    var k = m + n - m * w.x;
    k = w.y * k;
    k[1] = w; k[0].y = v.x;
    let t = transpose(k);
    let p = k * t;
    var r = dot(k * v, w) + dot(w * k, v) + p[0].x;
    r += determinant(k);
    return r;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let a = input[i]; let b = input[i + 1u]; let c = input[i + 2u];
    var r = scalar(a, b, c);
    r += vector2(vec2<f16>(a), vec2<f16>(b), vec2<f16>(c));
    r += vector3(vec3<f16>(a), vec3<f16>(b), vec3<f16>(c));
    r += vector4(vec4<f16>(a), vec4<f16>(b), vec4<f16>(c));
    r += mat2x2_(mat2x2<f16>(vec2<f16>(a), vec2<f16>(b)), mat2x2<f16>(), vec2<f16>(b), vec2<f16>(c));
    r += mat2x3_(mat2x3<f16>(vec3<f16>(a), vec3<f16>(b)), mat2x3<f16>(), vec2<f16>(b), vec3<f16>(c));
    r += mat2x4_(mat2x4<f16>(vec4<f16>(a), vec4<f16>(b)), mat2x4<f16>(), vec2<f16>(b), vec4<f16>(c));
    r += mat3x2_(mat3x2<f16>(vec2<f16>(a), vec2<f16>(b), vec2<f16>(c)), mat3x2<f16>(), vec3<f16>(b), vec2<f16>(c));
    r += mat3x3_(mat3x3<f16>(vec3<f16>(a), vec3<f16>(b), vec3<f16>(c)), mat3x3<f16>(), vec3<f16>(b), vec3<f16>(c));
    r += mat3x4_(mat3x4<f16>(vec4<f16>(a), vec4<f16>(b), vec4<f16>(c)), mat3x4<f16>(), vec3<f16>(b), vec4<f16>(c));
    r += mat4x2_(mat4x2<f16>(vec2<f16>(a), vec2<f16>(b), vec2<f16>(c), vec2<f16>(a)), mat4x2<f16>(), vec4<f16>(b), vec2<f16>(c));
    r += mat4x3_(mat4x3<f16>(vec3<f16>(a), vec3<f16>(b), vec3<f16>(c), vec3<f16>(a)), mat4x3<f16>(), vec4<f16>(b), vec3<f16>(c));
    r += mat4x4_(mat4x4<f16>(vec4<f16>(a), vec4<f16>(b), vec4<f16>(c), vec4<f16>(a)), mat4x4<f16>(), vec4<f16>(b), vec4<f16>(c));
    output[i] = r;
}
