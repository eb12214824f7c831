//! Subgroup operations.

use super::*;
use crate::subgroups;
use naga::{CollectiveOperation, SubgroupOperation as Op};
use std::mem::take;

impl Machine {
    pub(super) fn ballot(&mut self, context: &Context, to: List, predicate: Reg) {
        let list = &context.program.lists[to as usize];
        let mut results = [0, 1, 2, 3].map(|nth| take(&mut self.regs[list[nth] as usize]));
        let predicate = &self.regs[predicate as usize];
        let to = results.each_mut().map(|lanes| &mut **lanes);
        subgroups::ballot(self.lanes, context.program.subgroup as usize, |lane| self.active.has(lane), predicate, to);
        list.iter().zip(results).for_each(|(&to, lanes)| self.regs[to as usize] = lanes);
    }

    pub(super) fn gather(&mut self, context: &Context, mode: Gather, to: Reg, from: Reg, index: Reg) {
        let mut lanes = take(&mut self.regs[to as usize]);
        let index = (index != NONE).then(|| &*self.regs[index as usize]);
        let (from, active) = (&self.regs[from as usize], |lane| self.active.has(lane));
        subgroups::gather(self.lanes, context.program.subgroup as usize, active, mode, &mut lanes, from, index);
        self.regs[to as usize] = lanes;
    }

    pub(super) fn collective(
        &mut self,
        context: &Context,
        op: Op,
        scan: CollectiveOperation,
        kind: Kind,
        to: Pair,
        from: Pair,
    ) {
        let mut results = to.map(|reg| if reg == NONE { Box::default() } else { take(&mut self.regs[reg as usize]) });
        let from = from.map(|reg| if reg == NONE { &[][..] } else { &self.regs[reg as usize] });
        let (active, to_lanes) = (|lane| self.active.has(lane), results.each_mut().map(|lanes| &mut **lanes));
        subgroups::collective(self.lanes, context.program.subgroup as usize, active, (op, scan, kind), to_lanes, from);
        to.into_iter()
            .zip(results)
            .filter(|(reg, _)| *reg != NONE)
            .for_each(|(to, lanes)| self.regs[to as usize] = lanes);
    }
}
