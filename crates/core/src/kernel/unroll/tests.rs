//! Marked loops are unrolled, and compute the same.

use super::texts::{HEAD, TEXTS, main};
use super::*;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Literal, TypeInner};

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
