// Marks a loop whose turns are to be written out, as its first statement: crates/core/src/kernel/unroll.

fn unroll() {
}

// Marks a loop where a constant condition holds.
fn unroll_if(holds: bool) {
}
