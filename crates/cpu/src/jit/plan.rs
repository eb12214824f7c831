//! How a kernel is cut into chunks, and what of it lies in a workgroup's memory.

use super::emit::{Chunks, FEW, Layout, MOST_VECTORS, VECTOR, conditions, visit_regions, written};
use super::live::Liveness;
use super::shape::{Shape, Shapes};
use super::tree::Tree;
use crate::program::{Address, Instr, Lowered, NONE, Reg, Role, Space};

/// Vector registers that code may use without keeping much on the stack.
const REGISTERS: usize = 16;

pub(super) struct Planned {
    pub chunks: Chunks,
    pub shapes: Shapes,
    pub layout: Layout,
}

pub(super) fn plan(kernel: &Lowered, tree: &Tree, live: &Liveness) -> Planned {
    let invocations = kernel.size.iter().product::<u32>();
    if invocations == 1 {
        let chunks = Chunks { vectors: 0, lanes: 1, full: 1, rest: 0 };
        return planned(kernel, tree, live, chunks);
    }
    let widest = (1..=MOST_VECTORS).rev().filter(|vectors| vectors.is_power_of_two());
    let fits = |vectors: &usize| invocations.is_multiple_of((vectors * VECTOR) as u32);
    let mut widths = widest.filter(fits).collect::<Vec<_>>();
    if widths.is_empty() {
        widths.push(1);
    }
    let mut last = None;
    for vectors in widths {
        let lanes = (vectors * VECTOR) as u32;
        let chunks = Chunks { vectors, lanes, full: invocations / lanes, rest: invocations % lanes };
        let planned = planned(kernel, tree, live, chunks);
        // One chunk alone needs no memory between barriers, which is worth more than registers.
        if planned.chunks.count() == 1 || vectors * pressure(kernel, &planned.shapes) <= REGISTERS {
            return planned;
        }
        last = Some(planned);
    }
    last.expect("there is a width")
}

fn planned(kernel: &Lowered, tree: &Tree, live: &Liveness, chunks: Chunks) -> Planned {
    let indexed = indexed(kernel, live);
    let shapes = Shapes::new(kernel, tree, live, &indexed, chunks.lanes);
    let mut layout = Layout {
        kept: vec![None; kernel.registers.len()],
        elements: vec![None; kernel.registers.len()],
        bytes: kernel.workgroup_bytes.next_multiple_of(64),
    };
    let lanes = chunks.count() * chunks.lanes;
    for list in &indexed {
        let bytes = if lanes == 1 { 4 } else { lanes * 4 };
        for &reg in list {
            layout.elements[reg as usize] = Some(layout.bytes);
            layout.bytes += bytes;
        }
    }
    layout.bytes = layout.bytes.next_multiple_of(64);
    if chunks.count() > 1 {
        keep(kernel, tree, &shapes, chunks, &mut layout);
    }
    Planned { chunks, shapes, layout }
}

/// Variables that an index chooses from, where they are too many to be compared with.
fn indexed(kernel: &Lowered, live: &Liveness) -> Vec<Vec<Reg>> {
    let mut all: Vec<Vec<Reg>> = vec![];
    let mut seen = vec![false; kernel.lists.len()];
    for step in &kernel.code {
        if let Instr::Pick { list, .. } | Instr::Put { list, .. } = step.instr {
            let regs = &kernel.lists[list as usize];
            let first = !std::mem::replace(&mut seen[list as usize], true);
            if first && regs.len() > FEW && regs.iter().all(|&reg| live.is_variable(reg)) {
                all.push(regs.clone());
            }
        }
    }
    all
}

/// Registers that several regions use are kept in memory, one place for all chunks.
fn keep(kernel: &Lowered, tree: &Tree, shapes: &Shapes, chunks: Chunks, layout: &mut Layout) {
    let mut region = vec![None; kernel.registers.len()];
    let mut several = vec![false; kernel.registers.len()];
    let mut count = 0;
    visit_regions(kernel, &tree.nodes, &mut vec![], false, &mut |nodes| {
        count += 1;
        let mut note = |reg: Reg| {
            let first = region[reg as usize].get_or_insert(count);
            several[reg as usize] |= *first != count;
        };
        for node in nodes {
            node.steps(&mut |at| kernel.code[at].instr.visit(&kernel.lists, |reg, _| note(reg)));
            conditions(node, &mut note);
        }
    });
    kernel.given.iter().for_each(|&(reg, _)| several[reg as usize] = false);
    for (reg, _) in several.iter().enumerate().filter(|(_, several)| **several) {
        if layout.elements[reg].is_some() {
            continue;
        }
        let bytes = match shapes.of(reg as Reg) {
            Shape::Uniform => continue,
            Shape::Vector => 4 * chunks.lanes,
            _ => 4,
        };
        layout.kept[reg] = Some(layout.bytes);
        layout.bytes = (layout.bytes + bytes * chunks.count()).next_multiple_of(16);
    }
}

/// What neighbours load one after the other from buffers that the kernel does not write: code loads it where it is used.
fn loaded_late(kernel: &Lowered, shapes: &Shapes) -> Vec<bool> {
    let (mut late, written) = (vec![false; kernel.registers.len()], written(kernel));
    for step in &kernel.code {
        if let Instr::Load { to, at: Address { space: Space::Buffer(buffer), base, .. }, width: 4 } = step.instr
            && let [to] = kernel.lists[to as usize][..]
            && !written[buffer as usize]
            && base != NONE
        {
            late[to as usize] = shapes.of(base).stride() == Some(4);
        }
    }
    late
}

/// The most vectors of one invocation each that live at the same time, roughly: from the first to the last step that names them.
fn pressure(kernel: &Lowered, shapes: &Shapes) -> usize {
    let mut lives: Vec<Option<(usize, usize)>> = vec![None; kernel.registers.len()];
    let late = loaded_late(kernel, shapes);
    for (at, step) in kernel.code.iter().enumerate() {
        step.instr.visit(&kernel.lists, |reg, role| {
            if shapes.of(reg) == Shape::Vector && !late[reg as usize] {
                let live = lives[reg as usize].get_or_insert((at, at));
                live.1 = if role == Role::Write { live.1 } else { at };
            }
        });
    }
    let mut changes = vec![0i32; kernel.code.len() + 1];
    for (first, last) in lives.into_iter().flatten() {
        changes[first] += 1;
        changes[last] -= 1;
    }
    let alive = changes.iter().scan(0, |alive, change| {
        *alive += change;
        Some(*alive)
    });
    alive.max().unwrap_or(0) as usize
}
