//! Plans as templates: operations of one structure have one, and filled with the values of any of them it is that operation's
//! own plan.

use super::*;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// All that devices tell operations by, once their values are taken out.
struct Key(Vec<u8>);

impl Hasher for Key {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("nobody asks for the hash")
    }
}

/// An operation's structure: its key, its template, and the values that were taken out.
struct Taken {
    key: Vec<u8>,
    template: Plan,
    values: Values,
}

fn taken(op: &mut dyn Op, caps: &Caps) -> Taken {
    let mut values = Values::default();
    op.vary(&mut values);
    let mut key = Key(op.name().as_bytes().to_vec());
    op.identify(&mut key);
    Taken { key: key.0, template: op.plan(caps).unwrap(), values }
}

/// All of a plan: kernels of one name are told apart by their texts. (Their numbers are others once so many random kernels came
/// that the first was forgotten and made again.)
fn text(plan: &Plan) -> String {
    let hash = |pass: &Pass| {
        let mut hasher = DefaultHasher::new();
        pass.kernel.source().hash(&mut hasher);
        hasher.finish()
    };
    let kernels: Vec<u64> = plan.passes.iter().map(hash).collect();
    format!("{kernels:?} {plan:?}")
}

/// Makes an operation one that has scalars, and room for arrays to begin elsewhere.
struct Grown;

/// Elements by which arrays may begin later.
const ROOM: usize = 1 << 16;

impl Vary for Grown {
    fn expression(&mut self, expression: &mut Expression) {
        for leaf in expression.leaves.iter_mut().filter(|leaf| matches!(leaf.source, LeafSource::Slot(_))) {
            leaf.len += ROOM;
        }
        let dtype = expression.dtype();
        if has_kernel(Function::Add, dtype) {
            expression.scalars.push(Scalar { dtype, bits: 1 });
            let last = expression.steps.len() - 1;
            expression.steps.push(step(StepKind::Scalar(expression.scalars.len() - 1), dtype));
            expression.steps.push(step(StepKind::Call(Function::Add, vec![last, last + 1]), dtype));
        }
    }

    fn offset(&mut self, _: &mut i64) {}
}

/// Gives an operation other values: offsets a few of these steps further.
struct Other {
    random: StdRng,
    step: i64,
    /// What it came across.
    seen: usize,
}

impl Vary for Other {
    fn expression(&mut self, expression: &mut Expression) {
        for scalar in &mut expression.scalars {
            self.seen += 1;
            let mask = if scalar.dtype == DType::Bool { 1 } else { u128::MAX >> (128 - 8 * scalar.dtype.size()) };
            scalar.bits = self.random.random::<u128>() & mask;
        }
        expression.leaves.iter_mut().for_each(|leaf| self.offset(&mut leaf.offset));
    }

    fn offset(&mut self, offset: &mut i64) {
        self.seen += 1;
        *offset += self.step * self.random.random_range(0..ROOM as i64 / 16);
    }
}

/// Checks that an operation's template is its own plan once it is filled, and that of another with other values if their keys
/// are the same; gives whether they are, and whether there is anything to fill.
fn check(what: &str, one: &mut dyn Op, other: &mut dyn Op, caps: &Caps) -> (bool, bool) {
    let plans = [&*one, &*other].map(|op| text(&op.plan(caps).unwrap_or_else(|error| panic!("{what}: {error}"))));
    let [a, b] = [taken(one, caps), taken(other, caps)];
    assert_eq!(text(&a.template.filled(&a.values)), plans[0], "{what}: filled with its own values");
    if a.key != b.key {
        return (false, true);
    }
    assert_eq!(text(&a.template), text(&b.template), "{what}: templates of one key");
    assert_eq!(text(&a.template.filled(&b.values)), plans[1], "{what}: filled with another's values");
    (true, a.values != Values::default())
}

type Named = (String, Box<dyn Op>);

/// Every operation, many times.
fn everything(caps: &Caps) -> Vec<Named> {
    let of = |(_, cases): &(&str, Cases)| cases(caps).into_iter().map(|case| (case.what, case.op));
    ALL.iter().flat_map(of).collect()
}

#[test]
fn a_template_filled_with_values_is_the_plan_of_the_operation_that_has_them() {
    let known = ["nvidia-like", "webgpu", "apple-like"];
    for (preset, caps) in Caps::presets().into_iter().filter(|(preset, _)| known.contains(preset)) {
        let (mut filled, mut found) = (BTreeSet::new(), 0);
        for step in [8, 1] {
            for (nth, ((what, mut one), (_, mut other))) in
                everything(&caps).into_iter().zip(everything(&caps)).enumerate()
            {
                let what = format!("{preset}: {what}");
                one.vary(&mut Grown);
                other.vary(&mut Grown);
                let mut values = Other { random: StdRng::seed_from_u64(nth as u64), step, seen: 0 };
                other.vary(&mut values);
                let (same, fills) = check(&what, &mut *one, &mut *other, &caps);
                assert!(same || step == 1, "{what}: values are part of the key");
                assert_eq!(fills, values.seen > 0, "{what}");
                found += same as usize;
                if fills {
                    filled.insert(one.name());
                }
            }
        }
        println!("{preset}: {found} templates of two operations each");
        let all = [
            "components",
            "concatenate",
            "correlate",
            "envelope",
            "fft",
            "gather",
            "histogram",
            "map",
            "matmul",
            "neighbours",
            "normalise",
            "pad",
            "recurrence",
            "reduce",
            "reduce_by_key",
            "resample",
            "sample",
            "scan",
            "scatter",
            "searchsorted",
            "select",
            "stencil",
        ];
        assert_eq!(filled.into_iter().collect::<Vec<_>>(), all, "{preset}");
    }
}

/// Operations that devices would take for one another have one plan.
#[test]
fn what_identifies_operations_tells_their_plans_apart() {
    let caps = Caps::nvidia_like();
    let mut known: HashMap<Vec<u8>, (String, String)> = HashMap::new();
    for (what, mut op) in everything(&caps) {
        let Taken { key, template, .. } = taken(&mut *op, &caps);
        let plan = text(&template);
        if let Some((other, same)) = known.get(&key) {
            assert_eq!(*same, plan, "{what} is taken for {other}");
        }
        known.insert(key, (what, plan));
    }
    assert!(known.len() > 2500, "only {} differ", known.len());
}

#[test]
fn other_scalars_need_no_other_kernel() {
    let plus = |bits: u64| {
        let mut read = expression(None, leaf(0, DType::F32, 100, 0, &[1]));
        read.scalars.push(Scalar { dtype: DType::F32, bits: bits as u128 });
        read.steps.push(step(StepKind::Scalar(0), DType::F32));
        read.steps.push(step(StepKind::Call(Function::Add, vec![0, 1]), DType::F32));
        fresh(read, &[100]).plan(&Caps::webgpu()).unwrap().passes.remove(0)
    };
    let (a, b) = (plus(1), plus(2));
    assert_eq!(a.kernel.id(), b.kernel.id());
    assert_ne!(a.params, b.params);
}

/// An operation over random views, of a structure and values by two numbers.
struct Random {
    structure: StdRng,
    values: StdRng,
    /// What offsets of one structure differ by.
    step: i64,
}

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.structure.random_range(0..end)
    }

    fn offset(&mut self) -> i64 {
        self.below(8) as i64 + self.step * self.values.random_range(0..60)
    }

    /// A leaf over a shape: rows or columns first, backwards, repeated, with gaps, from anywhere on.
    fn leaf(&mut self, slot: usize, dtype: DType, shape: &[usize]) -> Leaf {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if self.below(3) == 0 {
            order.reverse();
        }
        let (mut strides, mut step) = (vec![0; shape.len()], 1 + (self.below(4) == 0) as i64);
        for &axis in order.iter().rev() {
            strides[axis] = step;
            step *= shape[axis] as i64 + (self.below(4) == 0) as i64 * 4;
        }
        for stride in &mut strides {
            match self.below(8) {
                0 => *stride = 0,
                1 => *stride = -*stride,
                _ => {}
            }
        }
        let back: i64 = strides.iter().zip(shape).map(|(&s, &e)| (-s).max(0) * (e as i64 - 1)).sum();
        let offset = back + self.offset();
        let index = self.below(8) == 0;
        let (source, dtype) = if index { (LeafSource::Index, DType::U32) } else { (LeafSource::Slot(slot), dtype) };
        Leaf { source, dtype, len: if index { 0 } else { step as usize + 512 }, offset, strides }
    }

    /// Sums of leaves, from this slot on, and of scalars.
    fn expression(&mut self, first: usize, dtype: DType, shape: &[usize]) -> Expression {
        let mut sum = Expression::default();
        for term in 0..1 + self.below(3) {
            let leaf = self.leaf(first + term, dtype, shape);
            let from = leaf.dtype;
            sum.leaves.push(leaf);
            sum.steps.push(step(StepKind::Leaf(term), from));
            sum.steps.push(step(StepKind::Cast(sum.steps.len() - 1), dtype));
            let last = sum.steps.len() - 1;
            let scalar = Scalar { dtype, bits: self.values.random_range(0..1 << 15) };
            sum.scalars.push(scalar);
            sum.steps.push(step(StepKind::Scalar(term), dtype));
            sum.steps.push(step(StepKind::Call(Function::Add, vec![last, last + 1]), dtype));
            if term > 0 {
                sum.steps.push(step(StepKind::Call(Function::Multiply, vec![last - 2, last + 2]), dtype));
            }
        }
        sum
    }

    fn op(&mut self) -> Box<dyn Op> {
        let dtype = [DType::F32, DType::F16, DType::I64, DType::U32][self.below(4)];
        let shape: Vec<usize> = (0..1 + self.below(3)).map(|_| [1, 3, 8, 40, 100][self.below(5)]).collect();
        let read = self.expression(0, dtype, &shape);
        let output = 4;
        match self.below(6) {
            0 => {
                let offset = self.offset();
                let len = shape.iter().product::<usize>() + 512;
                Box::new(Map { output, ..map(read, &shape, len, offset, contiguous(&shape), false) })
            }
            1 => {
                let reduced = shape.iter().map(|_| self.below(2) == 0).collect();
                let operator = [Operator::Sum, Operator::ArgMaximum][self.below(2)].clone();
                Box::new(Reduce { expression: read, shape, reduced, operator, count: None, output })
            }
            2 => {
                let axis = self.below(shape.len());
                Box::new(PrefixScan {
                    expression: read,
                    heads: None,
                    axis,
                    shape,
                    operator: Operator::Sum,
                    exclusive: self.below(2) == 0,
                    reverse: self.below(2) == 0,
                    output,
                })
            }
            3 => {
                let (dtype, axis) = (read.dtype(), self.below(shape.len()));
                let parts = (0..1 + self.below(4)).map(|nth| (self.expression(nth, dtype, &shape), shape.clone()));
                Box::new(Concatenate { parts: parts.collect(), axis, output: 8 })
            }
            4 => {
                let extents = [vec![1 + self.below(2)], vec![4], vec![8], vec![32, 1 + self.below(3) * 2]];
                let axes: Vec<usize> = extents.iter().flatten().copied().collect();
                let sides = [self.expression(0, dtype, &axes), self.expression(4, dtype, &axes)];
                let epilogue = Expression::given(Matmul::sums(dtype), axes.len());
                let mut matmul = Matmul { extents, sides, epilogue, precision: Precision::Exact, output: 8 };
                matmul.epilogue.scalars.push(Scalar { dtype: DType::F32, bits: self.values.random_range(0..99) });
                Box::new(matmul)
            }
            _ => {
                let values = self.expression(0, DType::F32, &shape);
                let base = self.leaf(3, DType::U32, &shape);
                let source = expression(None, leaf(4, dtype, 4096, 0, &[1]));
                let mut indices = expression(None, self.leaf(2, DType::U32, &shape));
                indices.leaves[0].dtype = DType::U32;
                let base = Leaf { source: LeafSource::Index, dtype: DType::U32, len: 0, ..base };
                let indexing = Indexing {
                    indices,
                    base: expression(None, base),
                    extent: 4096,
                    stride: 1,
                    outside: OutOfRange::Clamp,
                    report: None,
                };
                match self.below(2) {
                    0 => Box::new(Gather { source, indexing, shape, output: 5 }),
                    _ => {
                        let (target, target_shape) = (expression(None, leaf(4, DType::F32, 4096, 0, &[1])), vec![4096]);
                        let combine = Combine::Add;
                        Box::new(Scatter { target, target_shape, values, indexing, shape, combine, output: 5 })
                    }
                }
            }
        }
    }
}

/// Random expressions, views and scalars, in windows of random sizes; pairs of one structure.
#[test]
fn random_operations_of_one_structure_have_one_template() {
    let (mut same, mut presets) = (0, Caps::presets());
    for seed in 0..1500 {
        let nth = seed as usize % presets.len();
        let caps = &mut presets[nth].1;
        caps.binding_bytes = [1 << 14, 1 << 16, 1 << 27][seed as usize / 7 % 3];
        let step = if seed % 4 == 0 { 1 } else { 8 };
        let op = |values: u64| {
            let (structure, values) = (StdRng::seed_from_u64(seed), StdRng::seed_from_u64(values));
            Random { structure, values, step }.op()
        };
        let (mut one, mut other) = (op(2 * seed), op(2 * seed + 1));
        if one.plan(caps).is_err() {
            continue; // past what one binding may hold
        }
        let equal = check(&format!("{seed}"), &mut *one, &mut *other, caps).0;
        assert!(equal || step == 1, "{seed}: values are part of the key");
        same += equal as usize;
    }
    println!("{same} pairs had one key");
    assert!(same > 100, "only {same} pairs had one key");
}
