//! Messages of kernels (`crosslane::Device::messages`): the layout of the buffer, and the pass that passes the kernel's
//! number and the line to each call of `print_f32` and similar functions.

use super::blocks::each_mut;
use naga::{Expression, Function, Literal, Module, ResourceBinding, Span, Statement};

/// Functions whose calls are given their kernel and line.
const MESSENGERS: [&str; 4] = ["print_f32", "print_i32", "print_u32", "assert_that"];

/// The buffer's name.
pub(crate) const MESSAGES: &str = "crosslane_messages";

/// Words of a message.
pub const MESSAGE_WORDS: usize = 8;

/// Messages that the buffer holds, a power of two.
pub const MOST_MESSAGES: usize = 1 << 14;

/// Words before the messages: how many there have been, how many of them say that an assertion failed, and how many the host
/// has seen. All of them only grow, past 2^32 from 0 on: what kernels say while the host looks is seen the next time.
pub const HEAD_WORDS: usize = 4;

/// The buffer; the pass gives it a binding that the program has not taken.
pub(super) const BUFFER: &str = "
struct CrosslaneMessages { count: atomic<u32>, failed: atomic<u32>, seen: u32, unused: u32, words: array<u32> }
@group(0) @binding(0) var<storage, read_write> crosslane_messages: CrosslaneMessages;
";

/// Whether a function of the library needs the buffer.
pub(super) fn says(name: &str) -> bool {
    MESSENGERS.contains(&name)
}

/// The first of so many bindings of group 0 in a row that nobody has: after all others, where there are numbers left.
pub(super) fn free(taken: impl Iterator<Item = ResourceBinding>, count: u32) -> u32 {
    let mut taken: Vec<u32> = taken.filter(|point| point.group == 0).map(|point| point.binding).collect();
    taken.sort_unstable();
    let after = taken.last().map_or(Some(0), |last| last.checked_add(1));
    if let Some(after) = after.filter(|after| after.checked_add(count).is_some()) {
        return after;
    }
    // Far fewer are taken than there are, so that there is a gap.
    taken
        .into_iter()
        .fold(0, |first, taken| if taken.wrapping_sub(first) < count { taken.wrapping_add(1) } else { first })
}

/// Binds the buffer, if the module has it, and puts in place of each call of a messenger one that also says the kernel's
/// number and the call's line in the program's text.
pub(super) fn settle(module: &mut Module, program: &str, kernel: u32) {
    let named = |name: &Option<String>| name.as_deref() == Some(MESSAGES);
    let Some((buffer, _)) = module.global_variables.iter().find(|(_, variable)| named(&variable.name)) else { return };
    let others = module.global_variables.iter().filter(|(handle, _)| *handle != buffer);
    let binding = free(others.filter_map(|(_, variable)| variable.binding), 1);
    module.global_variables.get_mut(buffer).binding = Some(ResourceBinding { group: 0, binding });
    let find = |name: &str| {
        let mut functions = module.functions.iter();
        functions.find(|(_, function)| function.name.as_deref() == Some(name)).map(|(handle, _)| handle)
    };
    let pair = |name: &&str| Some((find(name)?, find(&format!("crosslane_{name}"))?));
    let replaced: Vec<_> = MESSENGERS.iter().filter_map(pair).collect();
    let settle = |function: &mut Function| {
        let Function { body, expressions, .. } = function;
        let mut word = |word| expressions.append(Expression::Literal(Literal::U32(word)), Span::UNDEFINED);
        each_mut(body, &mut |statement, span| {
            if let Statement::Call { function, arguments, .. } = statement
                && let Some((_, full)) = replaced.iter().find(|(messenger, _)| messenger == function)
            {
                *function = *full;
                arguments.splice(0..0, [kernel, span.location(program).line_number].map(&mut word));
            }
        });
    };
    module.functions.iter_mut().map(|(_, function)| function).for_each(settle);
    module.entry_points.iter_mut().map(|entry| &mut entry.function).for_each(settle);
}
