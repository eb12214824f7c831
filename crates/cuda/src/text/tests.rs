//! The form of the text, and refused input.

use super::{CudaOptions, CudaSource};
use crosslane_core::error::ErrorKind;
use crosslane_core::kernel::{Driven, Kernel};

const OPTIONS: CudaOptions = CudaOptions { fast_math: false, architecture: 90 };

fn translated(source: &str) -> CudaSource {
    own(Kernel::wgsl(source).unwrap())
}

/// The same without run-time checks.
fn trusted(source: &str) -> CudaSource {
    // SAFETY: it is not launched.
    own(unsafe { Kernel::wgsl(source).unwrap().trusted() })
}

/// The translation without the prelude.
fn own(kernel: Kernel) -> CudaSource {
    let mut source = CudaSource::translated(&kernel, &OPTIONS).unwrap();
    source.text.drain(..source.text.find("namespace kernel {").unwrap());
    source
}

fn refused(source: &str) -> String {
    CudaSource::translated(&Kernel::wgsl(source).unwrap(), &OPTIONS).unwrap_err().to_string()
}

#[track_caller]
fn says(text: &CudaSource, lines: &[&str]) {
    for line in lines {
        assert!(text.text.contains(line), "{line} is not in\n{}", text.text);
    }
}

const SUM: &str = "
    struct Params { count: u32, factor: vec3<f32> }
    struct Tail { size: atomic<u32>, items: array<vec3<f32>> }
    @group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
    @group(0) @binding(0) var<storage, read_write> tail: Tail;
    @group(1) @binding(0) var<uniform> limits: Params;
    var<immediate> params: Params;
    var<workgroup> tile: array<i32, 100>;
    @compute @workgroup_size(8, 4) fn main(@builtin(local_invocation_index) i: u32) {
        tile[i] = tile[i + 1u] / i32(params.count);
        tail.items[i] = x[i].xyz * limits.factor;
    }";

#[test]
fn interfaces() {
    let text = translated(SUM);
    says(
        &text,
        &[
            "void __launch_bounds__(32) main_kernel(\n    Tail* __restrict__ tail, u64 tail_bytes,",
            "const vec<f32, 4>* __restrict__ x, u64 x_bytes,",
            "const Params* __restrict__ limits, u64 limits_bytes,",
            "const __grid_constant__ Params params\n)",
            "unsigned char pad0[12];",
            "WGSL_OFFSET(Params, factor, 16);",
            "static_assert(sizeof(padded<vec<f32, 3>>) == 16, \"\");",
            "__shared__ Workgroup workgroup;",
        ],
    );
    assert_eq!((text.workgroup_size, text.shared_bytes, text.dynamic_bytes), ([8, 4, 1], 400, 0));
}

#[test]
fn checks() {
    let checked =
        ["tile[at(i + 1u, 100u)]", "div(", "tail_items[at(i, tail_items.length())]", "sizeof(Workgroup) / 16"];
    says(&translated(SUM), &checked);
    let text = trusted(SUM);
    says(&text, &["tile[i + 1u]", "div_unguarded(", "tail_items[i]"]);
    assert!(checked.iter().all(|line| !text.text.contains(line)), "{}", text.text);
}

#[test]
fn vectors_of_four_64_bit_numbers_lie_at_multiples_of_32() {
    let text = translated(
        "var<workgroup> wide: array<vec4<i64>, 3>;
        var<workgroup> short: array<u32, 3>;
        @compute @workgroup_size(3) fn main(@builtin(local_invocation_index) i: u32) {
            wide[i].x = 1li;
            short[i] = 1u;
        }",
    );
    says(&text, &["alignas(32) array<vec<i64, 4>, 3>", "sizeof(Workgroup) == 128"]);
}

#[test]
fn large_workgroup_memory_is_dynamic() {
    let text = translated(
        "var<workgroup> tile: array<vec4<f32>, 4000>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { tile[i].x = 1.0; }",
    );
    says(&text, &["WGSL_DYNAMIC_SHARED(memory);"]);
    assert_eq!((text.shared_bytes, text.dynamic_bytes), (64000, 64000));
}

/// What the end of a loop needs of its body is declared before it.
#[test]
fn loops() {
    let text = translated(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn main() {
            var i = 0u;
            loop {
                let next = i + x[i];
                if next == 3u { continue; }
                x[i] = next;
                continuing { i = next; break if next > 9u; }
            }
            for (var k = 0u; k < 4u; k++) { x[k] = k; }
        }",
    );
    says(
        &text,
        &["u32 next;", "goto next1;", "next1:;\n            i = next;", "while (true) {\n            const u32"],
    );
}

/// A warp's lanes are all there only where nothing can have parted them.
#[test]
fn lanes() {
    let text = translated(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        var<immediate> n: u32;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
            var sum = lane;
            for (var i = 0u; i < n; i++) { sum += subgroupAdd(sum); }
            for (var i = 0u; i < lane; i++) { sum += subgroupMul(sum); }
            if sum > 3u { return; }
            x[lane] = subgroupMax(sum);
        }",
    );
    says(&text, &["subgroupAdd(lanes, ", "subgroupMul(__activemask(), ", "subgroupMax(__activemask(), "]);
}

/// A structure of builtins is looked into: an invocation that returns by the workgroup's number returns with all
/// others.
#[test]
fn lanes_after_a_whole_workgroup_may_have_returned() {
    let text = translated(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        struct At { @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32 }
        @compute @workgroup_size(64) fn main(at: At) {
            if at.group.x > 3u { return; }
            x[at.lane] = subgroupAdd(at.lane);
            if at.lane > 3u { return; }
            x[at.lane] = subgroupMax(at.lane);
        }",
    );
    says(&text, &["subgroupAdd(lanes, ", "subgroupMax(__activemask(), "]);
}

#[test]
fn names_of_cpp_and_the_prelude_give_way() {
    let text = translated(
        "@group(0) @binding(0) var<storage, read_write> short: array<f32>;
        struct float4 { double: f32 }
        fn add(vec: f32) -> f32 { return vec + 1.0; }
        @compute @workgroup_size(1) fn main() { let int = float4(2.0); short[0] = add(int.double); }",
    );
    says(&text, &["span<f32> short_;", "f32 double_;", "f32 add_(f32 vec_)", "const float4_ int_ = "]);
}

#[test]
fn numbers() {
    let text = translated(
        "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> n: array<i32>;
        @compute @workgroup_size(1) fn main() {
            x[0] = 1e-45; x[1] = -0.0; x[2] = 3.4028235e38; x[3] = 0.1 + x[4];
            n[0] = -2147483648;
        }",
    );
    says(&text, &["= 1e-45f;", "= -0.0f;", "= 3.4028235e38f;", "0.1f + ", "= i32(0x80000000u);"]);
}

/// A refusal says what and where.
#[test]
fn refusals() {
    let message = refused(
        "enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(32) fn main() {
    let a = coopLoad<coop_mat8x8<f32, A>>(&x[0], 8u);
    coopStore(a, &x[0], 8u);
}",
    );
    assert!(message.contains("line 4, column 13") && message.contains("16 x 16"), "{message}");
}

/// What runs on CUDA is translated from the changed module: NVRTC takes it where it is there.
#[test]
fn counting_kernels_have_a_cuda_form() {
    let text = "@group(0) @binding(0) var<storage, read_write> n: u32;
        @compute @workgroup_size(1) fn main() { loop { f(); if n == 4u { break; } } }
        fn f() { while n != 3u { n++; } }";
    let kernel = Kernel::wgsl(text).unwrap();
    let counting = kernel.counting(Driven::Runs).unwrap().expect("its loops count");
    let source = CudaSource::translated(counting, &OPTIONS).unwrap();
    assert!(source.text.matches("crosslane_overdue(").count() >= 3, "{}", source.text);
    match source.compile() {
        Ok(_) => {}
        Err(error) if matches!(error.kind(), ErrorKind::Compile { .. }) => panic!("{error}\n{}", source.text),
        Err(error) => eprintln!("skipped: {error}"),
    }
}
