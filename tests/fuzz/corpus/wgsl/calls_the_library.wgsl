@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(32) fn main(
    @builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>, @builtin(local_invocation_index) i: u32,
) {
    let at = linear_index(id, n);
    assert_that(id, at < 1000u);
    let sum = workgroup_sum_f32(x[at], i);
    print_f32(id, sum);
    x[at] = sum + uniform_f32(philox(vec4(at), vec2(1u, 2u)).x);
}
