// Loads and arithmetic before the bounds are looked at, as vector code does it: past the end nothing is written.
struct Body {
    position: vec3<f32>,
    mass: f32,
    velocity: vec2<f32>,
}

@group(0) @binding(0) var<storage, read> bodies: array<Body>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;

fn moved(body: Body) -> vec3<f32> {
    var position = body.position;
    position += vec3(body.velocity, 1.0) * body.mass;
    return position;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var body = bodies[id.x];
    body.mass *= 2.0;
    let position = moved(body);
    let sum = dot(position, vec3(1.0)) + body.position[id.x % 3u];
    if id.x >= arrayLength(&bodies) {
        return;
    }
    output[id.x] = sum;
}
