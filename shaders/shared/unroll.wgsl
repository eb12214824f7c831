// Marks a loop whose turns are to be written out, as its first statement: src/kernel/unroll.

fn unroll() {
}
