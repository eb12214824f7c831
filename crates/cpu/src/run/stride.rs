//! Neighbouring invocations whose accesses are far apart: no defect, but slow on a GPU, and seen here.

use super::*;
use crate::check::Stride;

/// Bytes from one invocation to the next from which a GPU fetches a line of its cache for each.
const FAR: u64 = 128;
/// Pairs of neighbours that are examined.
const PAIRS: usize = 7;

impl Machine {
    /// Notes an access to a buffer if most neighbours in a subgroup are the same large distance apart. What they gather
    /// by indices from memory is not: that cannot be improved.
    pub(super) fn look_at_stride(&self, context: &Context, checker: &mut Checker, step: u32, at: Address) {
        let Space::Buffer(buffer) = at.space else { return };
        if at.base == NONE || checker.strides.as_ref().is_none_or(|known| known.iter().any(|known| known.step == step))
        {
            return;
        }
        let subgroup = context.program.subgroup as usize;
        let (mut pairs, mut far, mut stride) = (0, 0, 0i64);
        for lane in self.active.low + 1..self.active.high {
            if lane % subgroup == 0 || !self.active.has(lane) || !self.active.has(lane - 1) {
                continue;
            }
            pairs += 1;
            let apart = self.address(at, lane) as i64 - self.address(at, lane - 1) as i64;
            if stride == 0 && apart.unsigned_abs() >= FAR {
                stride = apart;
            }
            far += (stride != 0 && apart == stride) as usize;
        }
        if pairs >= PAIRS && far * 4 >= pairs * 3 {
            let line = context.program.sites[context.program.code[step as usize].site as usize];
            let line = line.location(&context.program.source).line_number;
            let of = context.program.buffers[buffer as usize].name.clone();
            checker.strides.as_mut().expect("as asked above").push(Stride { step, line, of, bytes: stride });
        }
    }
}
