//! Chains of tiles whose values are rounded: the same bits in any order of workgroups, whoever computes a tile's total,
//! and with a compiler that contracts products and sums at one place of the text and not at another.

use crate::support::*;
use crosslane::cpu::{Profile, WorkgroupOrder};
use crosslane::device::Caps;
use crosslane::op::{Expression, ExpressionStep, Function, Grid, Leaf, LeafSource, Op, Param, Pass, StepKind};
use crosslane::ops::{self, Operator};
use crosslane::{Argument, Array, DType, Device, Kernel, Scan, s};
use rand::Rng;
use std::collections::HashMap;

const ORDERS: [WorkgroupOrder; 5] = [
    WorkgroupOrder::Ascending,
    WorkgroupOrder::Descending,
    WorkgroupOrder::Shuffled(5),
    WorkgroupOrder::Shuffled(6),
    WorkgroupOrder::OneAtATime,
];

/// The same hardware in all orders of workgroups; phones have the smallest tiles.
fn ordered(profile: fn() -> Profile) -> Vec<Device> {
    ORDERS.map(|order| Device::cpu_as(Profile { order, ..profile() }).unwrap()).into()
}

/// x * y, a product that may be contracted with the sum that takes it in.
fn products(len: usize) -> Expression {
    let leaf = |slot| Leaf { source: LeafSource::Slot(slot), dtype: DType::F32, len, offset: 0, strides: vec![1] };
    let step = |what| ExpressionStep { what, dtype: DType::F32 };
    Expression {
        leaves: vec![leaf(0), leaf(1)],
        scalars: vec![],
        taken: None,
        steps: vec![
            step(StepKind::Leaf(0)),
            step(StepKind::Leaf(1)),
            step(StepKind::Call(Function::Multiply, vec![0, 1])),
        ],
    }
}

/// The scan of x * y, after its chain was cleared.
fn pass(len: usize, caps: &Caps) -> Pass {
    let op = ops::PrefixScan {
        expression: products(len),
        heads: None,
        shape: vec![len],
        axis: 0,
        operator: Operator::Sum,
        exclusive: false,
        reverse: false,
        output: 2,
    };
    let mut plan = op.plan(caps).unwrap();
    assert_eq!(plan.passes.len(), 2, "one that clears, one that scans in a chain");
    plan.passes.pop().unwrap()
}

/// How many paths of calls lead from the entry point to each function.
fn paths(source: &str) -> HashMap<String, usize> {
    fn calls(block: &naga::Block, found: &mut Vec<naga::Handle<naga::Function>>) {
        use naga::Statement as S;
        for statement in block {
            match statement {
                S::Call { function, .. } => found.push(*function),
                S::Block(inner) => calls(inner, found),
                S::If { accept, reject, .. } => [accept, reject].into_iter().for_each(|block| calls(block, found)),
                S::Switch { cases, .. } => cases.iter().for_each(|case| calls(&case.body, found)),
                S::Loop { body, continuing, .. } => {
                    [body, continuing].into_iter().for_each(|block| calls(block, found));
                }
                _ => {}
            }
        }
    }
    fn walk(module: &naga::Module, block: &naga::Block, counts: &mut HashMap<String, usize>) {
        let mut found = vec![];
        calls(block, &mut found);
        for handle in found {
            let function = &module.functions[handle];
            *counts.entry(function.name.clone().unwrap()).or_default() += 1;
            walk(module, &function.body, counts);
        }
    }
    let module =
        naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    let mut counts = HashMap::new();
    walk(&module, &module.entry_points[0].function.body, &mut counts);
    counts
}

/// However a compiler treats an expression here and there: what is published is computed at one place.
#[test]
fn each_total_is_computed_at_one_place() {
    // A processor's scan has no chain.
    for (preset, caps) in Caps::presets().into_iter().filter(|(_, caps)| caps.processor.is_none()) {
        let paths = paths(pass(1 << 20, &caps).kernel.source());
        for name in ["load", "load_part", "spread", "scan_totals", "settle", "carry_in", "gather", "latest"] {
            assert_eq!(paths[name], 1, "{preset}: {name}");
        }
    }
}

/// As if a compiler had contracted products in `load_part` alone: the last tile has no element more or less than the
/// others, so that nobody should call it. Patience is nothing, so that totals are missing wherever they can be.
#[test]
fn a_total_that_was_missing_is_the_owners_own() {
    let len = 1 << 16;
    let mut rng = random(20);
    let [x, y] = [(); 2].map(|()| (0..len).map(|_| rng.random::<f32>() - 0.5).collect::<Vec<_>>());
    let mut first: Option<Vec<u32>> = None;
    // Parameters are given as immediates.
    let phone = || {
        let phone = Profile::mobile_like();
        Profile { caps: phone.caps.clone().with(|caps| caps.immediate_bytes = 128), ..phone }
    };
    for device in ordered(phone) {
        let pass = pass(len, device.caps());
        let source = pass.kernel.source();
        let (before, part) = source.split_once("fn load_part(").expect("tiles that are not full have a function");
        let part = part.replacen("items.s0_0 = ", "items.s0_0 = 1.0000002 * ", 1);
        let altered = format!("{before}fn load_part({part}").replace("const SPINS = 64u", "const SPINS = 0u");
        assert!(altered.contains("const SPINS = 0u") && altered.contains("1.0000002"));
        let kernel = Kernel::wgsl(&altered).unwrap();
        let Grid::Count(tiles) = pass.grid else { panic!("a number of tiles") };
        let [x, y] = [&x, &y].map(|host| Array::from_slice(&device, host));
        let mut sums = Array::<f32>::zeros(&device, &[len]);
        let mut chain = Array::<u32>::zeros(&device, &[pass.buffers[3].bytes as usize / 4]);
        let known = |param: &Param| match param {
            Param::Is(word) => word.to_le_bytes(),
            other => panic!("{other:?} depends on no value"),
        };
        let words: Vec<u8> = pass.params.iter().flat_map(known).collect();
        let params = Argument::immediates(&words);
        kernel.grid([tiles as u32]).args((&x, &y, &mut sums, &mut chain, params)).launch(&device).unwrap();
        let got: Vec<u32> = sums.to_vec().unwrap().into_iter().map(f32::to_bits).collect();
        let wanted = first.get_or_insert_with(|| got.clone());
        let differ = (0..len).find(|&at| got[at] != wanted[at]);
        assert_eq!(differ, None, "the first element that differs on {}", name(&device));
    }
}

/// The bits of some results.
fn bits(x: &Array<f32>) -> Vec<u32> {
    x.to_vec().unwrap().into_iter().map(f32::to_bits).collect()
}

/// Sums, one's own operators, segments, rows, selections and reductions by key of what is computed on the way.
fn chained(device: &Device, len: usize) -> Vec<(&'static str, Vec<u32>)> {
    let mut rng = random(7);
    let [x, y] = [(); 2].map(|()| (0..len).map(|_| rng.random::<f32>() - 0.5).collect::<Vec<_>>());
    let [x, y] = [x, y].map(|host| Array::from_slice(device, &host));
    let heads: Vec<bool> = (0..len).map(|_| rng.random_ratio(1, 3_000)).collect();
    let heads = Array::from_slice(device, &heads);
    let keys = Array::from_slice(device, &(0..len).map(|at| (at / 700) as u32).collect::<Vec<_>>());
    let product = || &x * &y;
    // It rounds at each step.
    let blend: Array<f32> = Scan::new("a * b + a + b", "0.0").call(&product());
    let segments: Array<f32> = Scan::sum().call_segments(&product(), &heads);
    let backwards: Array<f32> = Scan::sum().exclusive().reverse().call(&(product() + 1.0));
    let picked = x.compress(&(product() + 0.1).greater(0.0));
    let (_, sums) = Scan::sum().reduce_by_key::<_, _, f32>(&keys, &product());
    vec![
        ("cumsum", bits(&product().cumsum(0))),
        ("an operator of one's own", bits(&blend)),
        ("segments", bits(&segments)),
        ("backwards", bits(&backwards)),
        ("rows", bits(&product().reshape(&[2, len / 2]).cumsum(1))),
        ("a selection", bits(&picked.to_array().unwrap())),
        ("sums by key", bits(&sums.to_array().unwrap())),
        ("from the second on", bits(&product().slice(s![1..]).cumsum(0))),
    ]
}

#[test]
fn bits_do_not_depend_on_the_order_of_workgroups() {
    for profile in [Profile::mobile_like, Profile::software_like, Profile::apple_like] {
        let mut first: Option<Vec<(&str, Vec<u32>)>> = None;
        for device in ordered(profile) {
            // Two groups of tiles on a phone, tiles of one group elsewhere.
            let len = if device.caps().workgroup_invocations < 256 { 300_000 } else { 100_000 };
            let got = chained(&device, len);
            let wanted = first.get_or_insert_with(|| got.clone());
            for ((what, got), (_, wanted)) in got.iter().zip(wanted.iter()) {
                let differ = (0..got.len().max(wanted.len())).find(|&at| got.get(at) != wanted.get(at));
                assert_eq!(differ, None, "{what}: the first element that differs on {}", name(&device));
            }
        }
    }
}
