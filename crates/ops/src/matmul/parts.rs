//! Products in several launches: inner elements in parts where there are few tiles, and boxes of the index space where
//! an array is larger than a binding.

use super::*;
use crosslane_core::op::{ExpressionStep, Function, Leaf, LeafSource, Plan, StepKind};

/// Inner elements that a part of a product has at least, where it is cut so that there are enough workgroups.
const PART: u64 = 256;

/// In how many parts the inner elements are cut, since there are few workgroups: each has `span` of them, the last
/// perhaps fewer.
fn parts(caps: &Caps, groups: u64, inner: u64, most: u64, least: u64) -> (u64, u64) {
    let wanted = if caps.short_vectors() || caps.processor.is_some() {
        1
    } else {
        (2 * caps.multiprocessors as u64).div_ceil(groups).min(inner / least).min(most)
    };
    let span = inner.div_ceil(wanted.max(1)).next_multiple_of(64);
    (inner.div_ceil(span), span)
}

/// With the sum of this and some arrays in the place of what is given.
fn with_sums(expression: &Expression, given: bool, leaves: &[Leaf]) -> Expression {
    let mut sum = Expression::default();
    let mut total: Option<usize> = None;
    let own = expression.leaves.iter().find(|leaf| leaf.source == LeafSource::Given).filter(|_| given);
    for leaf in own.into_iter().chain(leaves) {
        let dtype = leaf.dtype;
        sum.leaves.push(leaf.clone());
        sum.steps.push(ExpressionStep { what: StepKind::Leaf(sum.leaves.len() - 1), dtype });
        let last = sum.steps.len() - 1;
        total = Some(total.map_or(last, |total| {
            sum.steps.push(ExpressionStep { what: StepKind::Call(Function::Add, vec![total, last]), dtype });
            last + 1
        }));
    }
    let total = total.expect("something is added");
    let mut moved = vec![];
    for step in &expression.steps {
        let what = match &step.what {
            StepKind::Leaf(leaf) if expression.leaves[*leaf].source == LeafSource::Given => {
                moved.push(total);
                continue;
            }
            StepKind::Leaf(leaf) => {
                sum.leaves.push(expression.leaves[*leaf].clone());
                StepKind::Leaf(sum.leaves.len() - 1)
            }
            StepKind::Scalar(scalar) => StepKind::Scalar(*scalar),
            StepKind::Cast(from) => StepKind::Cast(moved[*from]),
            StepKind::Call(function, args) => StepKind::Call(*function, args.iter().map(|&arg| moved[arg]).collect()),
            StepKind::Formula(formula, args) => {
                StepKind::Formula(formula.clone(), args.iter().map(|&arg| moved[arg]).collect())
            }
        };
        sum.steps.push(ExpressionStep { what, dtype: step.dtype });
        moved.push(sum.steps.len() - 1);
    }
    (sum.scalars, sum.taken) = (expression.scalars.clone(), expression.taken);
    sum
}

/// Steps between neighbours of arrays without gaps over these extents.
fn row_major(extents: &[u64]) -> Vec<i64> {
    let mut strides = vec![1; extents.len()];
    for axis in (1..extents.len()).rev() {
        strides[axis - 1] = strides[axis] * extents[axis] as i64;
    }
    strides
}

impl Matmul {
    /// In one launch, or in parts whose sums are added by a map.
    pub(super) fn plan_whole(&self, settled: &Settled, caps: &Caps) -> Plan {
        let cut = settled.whole();
        let extent = |group| settled.extent(group, &cut);
        let (batch, inner) = (extent(BATCH), extent(INNER));
        let work = self.work(settled, &cut);
        let shape = Shape::choose(caps, &work);
        let groups = shape.groups(shape.tiles(&work));
        let len = self.len() as u64;
        let size = self.own_sums().size() as u64;
        let reads = self.epilogue.leaves.iter().filter(|leaf| leaf.source != LeafSource::Given).count() as u64;
        let bindings = (caps.bindings as u64).saturating_sub(reads + 1);
        let most = bindings.min((caps.binding_bytes - 512) / (len * size)).min(16);
        let one_axis = settled.kept() + 1 == settled.dims.len();
        let (parts, span) =
            if one_axis { parts(caps, groups, inner, most, PART * shape.slices() as u64) } else { (1, inner) };
        if parts <= 1 {
            let share = Share { span: inner, part: batch };
            let bytes = |slot: usize| self.bytes_of(slot, &[]);
            let pass = self.launch(settled, self.output, share, caps, (&cut, &settled.chunk()), &bytes);
            return Plan { scratch: vec![], passes: vec![pass] };
        }
        let scratch = vec![buffer_bytes(self.own_sums(), (len * parts) as usize)];
        let share = Share { span, part: batch };
        let cut_up = self.in_parts(settled, parts, span, len);
        let whole = cut_up.whole();
        let bytes = |slot: usize| self.bytes_of(slot, &scratch);
        let pass = self.launch(&cut_up, self.output + 1, share, caps, (&whole, &cut_up.chunk()), &bytes);
        let mut plan = self.sum_parts(settled, parts, len).plan(caps).expect("a map has a plan");
        plan.passes.insert(0, pass);
        Plan { scratch, ..plan }
    }

    /// The parts as a leading axis of the batch: each part of both sides begins `span` inner elements after the one
    /// before.
    fn in_parts(&self, settled: &Settled, parts: u64, span: u64, len: u64) -> Settled {
        let inner = settled.kept();
        let mut dims = settled.dims.clone();
        dims.insert(0, Dim { group: BATCH, extent: parts });
        let lead = |strides: &[i64], first: i64| [vec![first], strides.to_vec()].concat();
        let sides = settled.sides.clone().map(|mut side| {
            for leaf in &mut side.leaves {
                leaf.strides = lead(&leaf.strides, leaf.strides[inner] * span as i64);
            }
            side
        });
        let output =
            Walk { strides: lead(&settled.output.strides, len as i64), size: self.own_sums().size() as u64, offset: 0 };
        Settled { epilogue: Expression::given(self.own_sums(), dims.len()), dims, sides, output }
    }

    /// What makes the output of the parts' sums.
    fn sum_parts(&self, settled: &Settled, parts: u64, len: u64) -> Map {
        let kept = settled.kept();
        let strides = &settled.output.strides[..kept];
        let leaf = |part: u64| Leaf {
            source: LeafSource::Slot(self.output + 1),
            dtype: self.own_sums(),
            len: (len * parts) as usize,
            offset: (part * len) as i64,
            strides: strides.to_vec(),
        };
        let leaves: Vec<Leaf> = (0..parts).map(leaf).collect();
        let mut expression = settled.epilogue.clone();
        expression.leaves.iter_mut().for_each(|leaf| leaf.strides.truncate(kept));
        Map {
            expression: with_sums(&expression, false, &leaves),
            shape: settled.dims[..kept].iter().map(|dim| dim.extent as usize).collect(),
            output: self.output,
            output_len: self.len(),
            output_offset: 0,
            output_strides: strides.to_vec(),
            fresh: true,
            count: None,
            fill: None,
        }
    }

    /// A launch for each box. Those of the same results, one after the other, hand their sums on through scratch, of which
    /// there are two: none reads what it writes.
    pub(super) fn plan_boxes(&self, settled: &Settled, boxes: &[Vec<Range<u64>>], chunk: &[u64], caps: &Caps) -> Plan {
        let kept = settled.kept();
        let results = |cut: &[Range<u64>]| cut[..kept].iter().map(|range| range.end - range.start).product::<u64>();
        let chained = boxes.windows(2).any(|pair| pair[0][..kept] == pair[1][..kept]);
        let most = boxes.iter().map(|cut| results(cut)).max().unwrap_or(0) as usize;
        let scratch = if chained { vec![buffer_bytes(self.own_sums(), most); 2] } else { vec![] };
        let bytes = |slot: usize| self.bytes_of(slot, &scratch);
        let mut plan = Plan { scratch: scratch.clone(), passes: vec![] };
        for (at, cut) in boxes.iter().enumerate() {
            let same = |other: Option<&Vec<Range<u64>>>| other.is_some_and(|other| other[..kept] == cut[..kept]);
            let (first, last) = (!same(at.checked_sub(1).map(|at| &boxes[at])), !same(boxes.get(at + 1)));
            // Sums lie without gaps over the box.
            let extents: Vec<u64> = cut[..kept].iter().map(|range| range.end - range.start).collect();
            let strides = [row_major(&extents), vec![0; cut.len() - kept]].concat();
            let offset = -strides.iter().zip(cut).map(|(stride, range)| stride * range.start as i64).sum::<i64>();
            let before = Leaf {
                source: LeafSource::Slot(self.output + 1 + (at + 1) % 2),
                dtype: self.own_sums(),
                len: most,
                offset,
                strides: strides.clone(),
            };
            let before = if first { vec![] } else { vec![before] };
            let (epilogue, output, slot) = match last {
                true => (with_sums(&settled.epilogue, true, &before), settled.output.clone(), self.output),
                false => {
                    let walk = Walk { offset, strides, size: self.own_sums().size() as u64 };
                    let given = Expression::given(self.own_sums(), cut.len());
                    (with_sums(&given, true, &before), walk, self.output + 1 + at % 2)
                }
            };
            let step = Settled { dims: settled.dims.clone(), sides: settled.sides.clone(), epilogue, output };
            let extent = |group| settled.extent(group, cut);
            let share = Share { span: extent(INNER), part: extent(BATCH) };
            plan.passes.push(self.launch(&step, slot, share, caps, (cut, chunk), &bytes));
        }
        plan
    }
}
