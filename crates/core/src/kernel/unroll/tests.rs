//! Marked loops are unrolled, and compute the same.

use super::*;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Literal, TypeInner};

const HEAD: &str = "fn unroll() {} fn unroll_if(holds: bool) {} const ITEMS = 4u; const WIDE = 3u;
    @group(0) @binding(0) var<storage, read> x: array<u32>;
    @group(0) @binding(1) var<storage, read_write> y: array<u32>;
    fn load(v: ptr<function, array<u32, ITEMS>>, first: u32, last: u32) {
        var sum: u32;
        var turns = 0u;
        if (last > 40u) {
            for (var i = 0u; i < ITEMS; i++) { unroll(); sum += x[first + i]; turns += 1u; (*v)[i] += sum; }
            for (var i = 0u; i < last; i++) { turns++; }
            (*v)[0] += turns;
        } else if (last > 20u) {
            for (var i = 0u; i < ITEMS; i++) { unroll(); (*v)[i] = x[last] + i; }
        }
    }
    fn load_both(v: ptr<function, array<u32, ITEMS>>, lane: u32) {
        load(v, lane, lane + 15u);
        load(v, lane * 2u, lane + 20u);
    } ";

fn main(body: &str) -> String {
    format!("{HEAD} @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) lane: u32) {{ {body} }}")
}

fn made(text: &str) -> Module {
    let mut module = naga::front::wgsl::parse_str(text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(text)));
    unroll(&mut module);
    let valid = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
    valid.unwrap_or_else(|error| panic!("{text}: {}", error.emit_to_string(text)));
    module
}

fn entry(module: &Module) -> &Function {
    &module.entry_points[0].function
}

fn loops(function: &Function) -> usize {
    let mut count = 0;
    each(&function.body, &mut |_, statement| count += matches!(statement, Statement::Loop { .. }) as usize);
    count
}

fn local_arrays(module: &Module, function: &Function) -> usize {
    let is_array = |ty| matches!(module.types[ty].inner, TypeInner::Array { .. });
    function.local_variables.iter().filter(|(_, variable)| is_array(variable.ty)).count()
}

/// Texts with marked loops: loops, local arrays and local variables that are left.
const TEXTS: [(&str, [usize; 3]); 11] = [
    ("var sum = 0u; for (var i = 0u; i < ITEMS; i++) { unroll(); sum += x[i * 32u + lane]; } y[lane] = sum;", [0, 0, 0]),
    // All loads before what waits for them.
    (
        "var v: array<u32, ITEMS>;
        for (var i = 0u; i < ITEMS; i++) { unroll(); v[i] = x[lane + i * 32u]; }
        for (var i = 0u; i < ITEMS; i++) { unroll(); y[lane + i * 32u] = v[i] * v[ITEMS - 1u - i]; }",
        [0, 0, 0],
    ),
    // Neighbours exchanged by turns, arrays of arrays, conditions of the counter.
    (
        "var v: array<array<u32, 2>, ITEMS>;
        for (var i = 0u; i < ITEMS; i++) {
            unroll();
            for (var j = 0; j < 2; j++) { unroll(); v[i][j] = x[lane + i * 32u] + u32(j); }
        }
        for (var round = 0u; round < ITEMS; round++) {
            unroll();
            for (var i = round % 2u; i + 1u < ITEMS; i += 2u) {
                unroll();
                if (v[i][0] > v[i + 1u][0]) { let held = v[i][0]; v[i][0] = v[i + 1u][0]; v[i + 1u][0] = held; }
            }
        }
        for (var i = 0u; i < ITEMS; i++) { unroll(); if (i < 3u) { y[lane + i * 32u] = v[i][0]; } else { y[lane + 96u] = v[3][1]; } }",
        [0, 0, 4],
    ),
    // Steps that double, and that go down.
    (
        "var sum = x[lane];
        for (var reach = 1u; reach < 16u; reach *= 2u) { unroll(); sum += x[lane ^ reach]; }
        for (var i = 3i; i >= 0i; i -= 1i) { unroll(); sum = sum * 2u + u32(i); }
        y[lane] = sum;",
        [0, 0, 0],
    ),
    // A loop that stays around one that goes, and the other way round.
    (
        "var sum: array<u32, 2>;
        for (var k = 0u; k < x[0] % 5u; k++) { for (var j = 0u; j < 2u; j++) { unroll(); sum[j] += x[k * 2u + j]; } }
        for (var j = 0u; j < 2u; j++) { unroll(); for (var k = 0u; k <= j + lane % 2u; k++) { sum[j] += k; } }
        y[lane] = sum[0] * 100u + sum[1];",
        [3, 0, 4],
    ),
    // Variables that are declared in a turn begin anew.
    (
        "for (var i = 0u; i < ITEMS; i++) {
            unroll();
            var own: array<u32, WIDE>;
            own[i % WIDE] += x[lane];
            var sum = i;
            for (var j = 0u; j < WIDE; j++) { unroll(); sum += own[j]; }
            y[lane + 32u * i] = sum;
        }",
        [0, 0, 0],
    ),
    // An array that something unknown indexes stays.
    (
        "var v: array<u32, ITEMS>;
        for (var i = 0u; i < ITEMS; i++) { unroll(); v[i] = x[lane + i * 32u]; }
        y[lane] = v[lane % ITEMS];",
        [0, 1, 1],
    ),
    // No turn at all; values that are only passed on.
    (
        "var sum = 7u;
        for (var i = ITEMS; i < ITEMS; i++) { unroll(); sum = 0u; }
        for (var i = 0u; i < 2u; i++) { unroll(); sum += select(x[lane], 5u, i == 1u); }
        y[lane] = sum;",
        [0, 0, 0],
    ),
    // Marked by a condition, which holds or does not.
    (
        "var sum = 0u;
        for (var i = 0u; i < 4u; i++) { unroll_if(ITEMS == 4u); sum += x[i]; }
        for (var i = 0u; i < 4u; i++) { unroll_if(ITEMS == 3u); sum += x[i + lane]; }
        y[lane] = sum;",
        [1, 0, 2],
    ),
    // Functions that are given arrays: 3 loops that are not marked; 4 elements and 3 x 3 variables of the function.
    (
        "var v: array<u32, ITEMS>;
        load_both(&v, lane);
        for (var i = 0u; i < ITEMS; i++) { unroll(); y[lane + i * 32u] = v[i]; }
        if (lane > 16u) { load(&v, lane, 64u - lane); y[lane] = v[0] + v[3]; }",
        [3, 0, 13],
    ),
    // What is known to end the function.
    (
        "for (var i = 0u; i < ITEMS; i++) { unroll(); if (i == 2u) { return; } y[lane + i * 32u] = x[lane]; }
        if (ITEMS > 3u) { return; }
        y[lane] = 1u;",
        [0, 0, 0],
    ),
];

#[test]
fn marked_loops_are_written_out_and_arrays_taken_apart() {
    for (body, left) in TEXTS {
        let text = main(body);
        let module = made(&text);
        let function = entry(&module);
        let found = [loops(function), local_arrays(&module, function), function.local_variables.len()];
        assert_eq!(found, left, "{body}");
        let markers: Vec<_> = module.functions.iter().take(2).map(|(handle, _)| handle).collect();
        assert!(!calls(function, &markers), "{body}");
    }
}

/// On the checked device, whose locks are shuttle's in these tests.
#[test]
fn what_is_written_out_computes_the_same() {
    let mut config = shuttle::Config::new();
    config.stack_size = 4 << 20;
    shuttle::Runner::new(shuttle::scheduler::RandomScheduler::new(1), config).run(compare);
}

fn compare() {
    use crate::{Array, Device, Kernel};
    let device = Device::cpu_checked().unwrap();
    let x: Vec<u32> = (0..200u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    for (body, ..) in TEXTS {
        let kernel = Kernel::wgsl(&main(body)).unwrap();
        let run = |kernel: &Kernel| {
            let (input, mut output) = (Array::from_slice(&device, &x), Array::<u32>::zeros(&device, &[128]));
            kernel.grid([1]).args((&input, &mut output)).launch(&device).unwrap();
            output.to_vec().unwrap()
        };
        assert_eq!(run(&kernel), run(&kernel.with_module(made(&main(body)))), "{body}");
    }
}

#[test]
fn only_what_is_marked_changes() {
    let text = main("var sum = 0u; for (var i = 0u; i < ITEMS; i++) { sum += x[i]; } y[lane] = sum;");
    let module = naga::front::wgsl::parse_str(&text).unwrap();
    assert_eq!(format!("{:?}", entry(&module)), format!("{:?}", entry(&made(&text))));
    // Functions too.
    let text = format!(
        "{HEAD} fn sum(lane: u32) -> u32 {{
            var sum = 0u;
            for (var i = 0u; i < ITEMS; i++) {{ unroll(); sum += x[i + lane]; }}
            return sum;
        }}
        @compute @workgroup_size(1) fn main() {{ y[0] = sum(3u); }}"
    );
    let module = made(&text);
    let sum = module.functions.iter().find(|(_, f)| f.name.as_deref() == Some("sum")).unwrap().1;
    assert_eq!(loops(sum), 0);
    let added = sum.expressions.iter().filter(|(_, e)| matches!(e, naga::Expression::Literal(Literal::U32(_)))).count();
    assert!(added >= 4);
}

/// What cannot be written out is a mistake in a file of the library's, which no kernel is then made of.
#[test]
#[should_panic = "known before the kernel runs"]
fn a_loop_of_unknown_length_is_a_mistake() {
    made(&main("for (var i = 0u; i < x[0]; i++) { unroll(); y[i] = i; }"));
}
