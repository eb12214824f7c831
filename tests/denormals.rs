//! What needs no arithmetic has none: a device may take denormal f32 for 0 in arithmetic, comparisons included, and NVIDIA's
//! Vulkan driver does. The kernels' own instructions are looked at, since few devices here flush; and the results are.

mod support;

use crosslane::array::Side;
use crosslane::device::Caps;
use crosslane::op::{Expression, ExpressionStep, Function, Leaf, LeafSource, Op, StepKind};
use crosslane::ops::{Map, Operator, Reduce, SearchSorted};
use crosslane::{Array, DType, f16, s};
use naga::valid::{Capabilities, FunctionInfo, ValidationFlags, Validator};
use naga::{Expression as E, ScalarKind, UnaryOperator};
use support::*;

/// The instructions of a function that compute with singles.
fn arithmetic(module: &naga::Module, function: &naga::Function, info: &FunctionInfo) -> Vec<String> {
    let single = |handle: naga::Handle<E>| {
        let scalar = info[handle].ty.inner_with(&module.types).scalar();
        scalar.is_some_and(|scalar| scalar.kind == ScalarKind::Float && scalar.width == 4)
    };
    let computes = |expression: &E| match *expression {
        E::Binary { left, .. } => single(left),
        E::Unary { op: UnaryOperator::Negate, expr } => single(expr),
        E::Math { arg, .. } => single(arg),
        E::Relational { argument, .. } => single(argument),
        E::As { expr, convert: Some(_), .. } => single(expr),
        _ => false,
    };
    let found = function.expressions.iter().filter(|(_, expression)| computes(expression));
    found.map(|(_, expression)| format!("{:?}: {expression:?}", function.name)).collect()
}

/// The instructions of an operation's kernels that compute with singles.
fn computed(op: &dyn Op, caps: &Caps) -> Vec<String> {
    let mut found = vec![];
    for pass in op.plan(caps).unwrap().passes {
        let source = pass.kernel.source();
        let module =
            naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
        let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
        found.extend(module.functions.iter().flat_map(|(handle, f)| arithmetic(&module, f, &info[handle])));
        for (place, entry) in module.entry_points.iter().enumerate() {
            found.extend(arithmetic(&module, &entry.function, info.get_entry_point(place)));
        }
    }
    found
}

fn none_in(what: &str, op: &dyn Op, caps: &Caps) {
    let found = computed(op, caps);
    assert!(found.is_empty(), "{what} computes: {found:#?}");
}

fn leaf(slot: usize, len: usize, stride: i64) -> Leaf {
    Leaf { source: LeafSource::Slot(slot), dtype: DType::F32, len, offset: 0, strides: vec![stride] }
}

/// `function(x, y)`, or a cast, of so many elements.
fn map(what: StepKind, result: DType, stride: i64) -> Map {
    let leaves = vec![leaf(0, 4000, stride), leaf(1, 4000, stride)];
    let steps = vec![
        ExpressionStep { what: StepKind::Leaf(0), dtype: DType::F32 },
        ExpressionStep { what: StepKind::Leaf(1), dtype: DType::F32 },
        ExpressionStep { what, dtype: result },
    ];
    let expression = Expression { leaves, steps, ..Expression::default() };
    Map {
        expression,
        shape: vec![1000],
        output: 2,
        output_len: 1000,
        output_offset: 0,
        output_strides: vec![1],
        fresh: true,
        count: None,
        fill: None,
    }
}

#[test]
fn no_instruction_computes() {
    use Function::*;
    let two =
        [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Minimum, Maximum, FMin, FMax, CopySign, NextAfter];
    let two = two.into_iter().chain([Heaviside, Remainder]).map(|f| (f, vec![0, 1]));
    let one =
        [Negate, Absolute, Sign, Relu, IsNan, IsInfinite, IsFinite, SignBit, Mantissa, Exponent].map(|f| (f, vec![0]));
    for caps in [Caps::nvidia_like(), Caps::webgpu()] {
        for (function, args) in two.clone().chain(one.clone()) {
            for stride in [1, 2] {
                let result = function.result(DType::F32);
                none_in(function.name(), &map(StepKind::Call(function, args.clone()), result, stride), &caps);
            }
        }
        assert_eq!(
            computed(&map(StepKind::Call(Add, vec![0, 1]), DType::F32, 2), &caps).len(),
            1,
            "what there is, is found"
        );
        none_in("a cast to bool", &map(StepKind::Cast(0), DType::Bool, 1), &caps);
        let read = Expression {
            leaves: vec![leaf(0, 1000, 1)],
            steps: vec![ExpressionStep { what: StepKind::Leaf(0), dtype: DType::F32 }],
            ..Expression::default()
        };
        for operator in [Operator::Any, Operator::All, Operator::CountNonzero] {
            let (expression, name) = (read.clone(), operator.name());
            let (shape, reduced) = (vec![1000], vec![true]);
            none_in(name, &Reduce { expression, shape, reduced, operator, count: None, output: 1 }, &caps);
        }
        for side in [Side::Left, Side::Right] {
            let sorted = Expression { leaves: vec![leaf(1, 1000, 1)], ..read.clone() };
            let search = SearchSorted { values: read.clone(), sorted, shape: vec![1000], len: 1000, side, output: 2 };
            none_in("searchsorted", &search, &caps);
        }
    }
}

/// Denormal numbers, the least normal ones and zeros in all pairs, by their bits.
#[test]
fn denormal_numbers_stay_what_they_are() {
    let sizes = [0u32, 1, 2, 0x40_0000, 0x7f_ffff, 0x80_0000, 0x80_0001, 0x3f80_0000, 0x7f80_0000];
    let some: Vec<f32> = sizes.iter().flat_map(|&bits| [bits, bits | 1 << 31]).map(f32::from_bits).collect();
    let a: Vec<f32> = some.iter().flat_map(|&a| some.iter().map(move |_| a)).collect();
    let b: Vec<f32> = some.iter().flat_map(|_| some.iter().copied()).collect();
    for device in apis() {
        let what = name(device);
        let (x, y) = (Array::from_slice(device, &a), Array::from_slice(device, &b));
        let bits = |x: &Array<f32>| x.to_vec().unwrap().into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let by = |f: &dyn Fn(f32, f32) -> f32| a.iter().zip(&b).map(|(&a, &b)| f(a, b).to_bits()).collect::<Vec<_>>();
        let truths = |f: &dyn Fn(f32, f32) -> bool| a.iter().zip(&b).map(|(&a, &b)| f(a, b)).collect::<Vec<_>>();
        assert_eq!(bits(&-&x), by(&|a, _| -a), "negation on {what}");
        assert_eq!(bits(&x.abs()), by(&|a, _| a.abs()), "abs on {what}");
        assert_eq!(bits(&x.copysign(&y)), by(&|a, b| a.copysign(b)), "copysign on {what}");
        assert_eq!(x.equal(&y).to_vec().unwrap(), truths(&|a, b| a == b), "equal on {what}");
        assert_eq!(x.not_equal(&y).to_vec().unwrap(), truths(&|a, b| a != b), "not_equal on {what}");
        assert_eq!(x.less(&y).to_vec().unwrap(), truths(&|a, b| a < b), "less on {what}");
        assert_eq!(x.less_equal(&y).to_vec().unwrap(), truths(&|a, b| a <= b), "less_equal on {what}");
        assert_eq!(x.greater(&y).to_vec().unwrap(), truths(&|a, b| a > b), "greater on {what}");
        assert_eq!(x.greater_equal(&y).to_vec().unwrap(), truths(&|a, b| a >= b), "greater_equal on {what}");
        let (mantissas, exponents) = x.frexp();
        let finite = |a: f32| a != 0.0 && a.is_finite();
        let of = |a: f32| if finite(a) { libm::frexpf(a) } else { (a, 0) };
        assert_eq!(bits(&mantissas), by(&|a, _| of(a).0), "frexp on {what}");
        let wanted: Vec<i32> = a.iter().map(|&a| of(a).1).collect();
        assert_eq!(exponents.to_vec().unwrap(), wanted, "exponents of frexp on {what}");
        for power in [-1, 23, -127] {
            assert_eq!(bits(&x.ldexp(power)), by(&|a, _| libm::scalbnf(a, power)), "ldexp of {power} on {what}");
        }
        assert_eq!(x.signbit().to_vec().unwrap(), truths(&|a, _| a.is_sign_negative()), "signbit on {what}");
        // Of two zeros either may be the smaller.
        let numbers = |x: &Array<f32>| x.to_vec().unwrap();
        let each = |f: &dyn Fn(f32, f32) -> f32| a.iter().zip(&b).map(|(&a, &b)| f(a, b)).collect::<Vec<_>>();
        assert_eq!(numbers(&x.minimum(&y)), each(&|a, b| if a < b { a } else { b }), "minimum on {what}");
        assert_eq!(numbers(&x.maximum(&y)), each(&|a, b| if a < b { b } else { a }), "maximum on {what}");
        let clamped = x.clamp(f32::from_bits(2), f32::from_bits(0x40_0000)).to_vec().unwrap();
        let (low, high) = (f32::from_bits(2), f32::from_bits(0x40_0000));
        assert!(clamped.iter().zip(&a).all(|(got, a)| *got == a.clamp(low, high)), "clamp on {what}");
        assert_eq!(x.cast::<bool>().to_vec().unwrap(), truths(&|a, _| a != 0.0), "bool on {what}");
        let places: Vec<u32> = (0..a.len() as u32).filter(|&i| a[i as usize] != 0.0).collect();
        assert_eq!(x.nonzero().to_vec().unwrap(), places, "nonzero on {what}");
        assert_eq!(x.count_nonzero().item().unwrap(), places.len() as u32, "count_nonzero on {what}");
        assert!(x.slice(s![36..54]).any().item().unwrap(), "any on {what}");
        let mask = x.less(&y);
        assert_eq!(bits(&mask.select(&x, &y)), by(&|a, b| if a < b { a } else { b }), "select on {what}");
        let mut order = some.clone();
        order.sort_by(f32::total_cmp);
        let sorted = Array::from_slice(device, &some).sort();
        assert!(sorted.to_vec().unwrap().iter().zip(&order).all(|(a, b)| a == b), "sort on {what}");
        let found = sorted.searchsorted(&x, Side::Left).to_vec().unwrap();
        let wanted: Vec<u32> = a.iter().map(|a| order.partition_point(|o| o < a) as u32).collect();
        assert_eq!(found, wanted, "searchsorted on {what}");
        if has(device, DType::F64) {
            let wide: Vec<u64> = x.cast::<f64>().to_vec().unwrap().into_iter().map(f64::to_bits).collect();
            assert_eq!(wide, a.iter().map(|&a| (a as f64).to_bits()).collect::<Vec<_>>(), "f64 on {what}");
        }
        if has(device, DType::F16) {
            let halves = Array::from_slice(device, &[1u16, 0x8001, 0x3ff].map(f16::from_bits));
            let got: Vec<u16> = halves.abs().to_vec().unwrap().into_iter().map(f16::to_bits).collect();
            assert_eq!(got, [1, 1, 0x3ff], "halves on {what}");
        }
        let pairs = |f: &dyn Fn(f32, f32) -> f32| a.iter().zip(&b).map(|(&a, &b)| f(a, b)).collect::<Vec<_>>();
        let same = |got: Array<f32>, wanted: Vec<f32>| {
            let pairs = got.to_vec().unwrap().into_iter().zip(wanted);
            pairs.into_iter().all(|(got, wanted)| got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan())
        };
        assert!(same(&x % &y, pairs(&|a, b| a % b)), "remainder on {what}");
        let modulo = |a: f32, b: f32| match a % b {
            0.0 => 0f32.copysign(b),
            rest if (rest < 0.0) != (b < 0.0) => rest + b,
            rest => rest,
        };
        assert!(same(x.modulo(&y), pairs(&modulo)), "modulo on {what}");
    }
}
