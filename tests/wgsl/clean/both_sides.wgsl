// Conditions whose both sides are evaluated: the one that is out of bounds does not decide.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let inside = id.x < arrayLength(&input);
    let odd = (input[id.x] & 1u) == 1u;
    var count = 0u;
    if inside & odd { count += 1u; }
    if !inside | !odd { count += 2u; }
    if all(vec2(inside, odd)) { count += 4u; }
    if select(false, odd, inside) { count += 8u; }
    if inside && odd { count += 16u; }
    output[id.x] = count;
}
