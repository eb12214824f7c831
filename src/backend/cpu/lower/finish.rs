//! From the builder's list to a program: drops values that are not read, spreads values that were computed once, and
//! assigns the same register to values whose lifetimes do not overlap.

use super::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) fn finish(mut builder: Builder, name: &str, source: &str) -> Program {
    if !builder.checked {
        contract(&mut builder);
    }
    drop_unused(&mut builder);
    spread(&mut builder);
    let (places, registers) = allocate(&builder);
    let place = |reg: Reg| if reg == NONE { NONE } else { places[reg as usize] };
    let mut labels = vec![0; builder.labels as usize];
    let mut code: Vec<Step> = Vec::with_capacity(builder.code.len());
    for mut step in builder.code {
        if let Instr::Label(label) = step.instr {
            labels[label as usize] = code.len() as u32;
            continue;
        }
        step.instr.each(&mut |reg, _| *reg = place(*reg), &mut |_, _| ());
        code.push(step);
    }
    // The label that nothing defines is the end.
    labels[builder.end as usize] = code.len() as u32 - 1;
    let lists = builder.lists.into_iter().map(|list| list.into_iter().map(place).collect()).collect();
    Program {
        name: name.into(),
        source: Arc::from(source),
        code,
        lists,
        labels,
        sites: builder.sites,
        registers,
        frames: builder.frames as usize,
        given: builder.given.into_iter().map(|(given, reg)| (place(reg), given)).collect(),
        size: builder.size,
        subgroup: builder.types.subgroup,
        workgroup_bytes: builder.workgroup_bytes,
        workgroup_names: builder.workgroup_names,
        buffers: builder.buffers,
        names: builder.names,
        small: builder.small,
    }
}

/// Makes one instruction of a product that only one sum reads; both are rounded as before.
fn contract(builder: &mut Builder) {
    let mut reads = vec![0u32; builder.registers.len()];
    for step in &builder.code {
        step.instr.visit(&builder.lists, |reg, role| reads[reg as usize] += (role == Role::Read) as u32);
    }
    let mut products: HashMap<Reg, (Reg, Reg)> = HashMap::new();
    for step in &mut builder.code {
        match step.instr {
            Instr::Bin(Bin::MulF32, to, a, b) if reads[to as usize] == 1 => {
                products.insert(to, (a, b));
            }
            Instr::Bin(Bin::AddF32, to, a, b) => {
                let product = products.get(&a).map(|p| (*p, b)).or_else(|| products.get(&b).map(|p| (*p, a)));
                if let Some(((x, y), z)) = product {
                    step.instr = Instr::Tern(Tern::MulAddF32, to, x, y, z);
                }
            }
            _ => {}
        }
    }
}

/// Whether an instruction does something, or writes what is read.
fn wanted(builder: &Builder, instr: &Instr, read: &[bool]) -> bool {
    let writes = instr.pure() || matches!(instr, Instr::Set { .. } | Instr::Put { .. });
    let finds = builder.checked && matches!(instr, Instr::Load { .. });
    let mut wanted = !writes || finds;
    if !wanted {
        instr.visit(&builder.lists, |reg, role| wanted |= role != Role::Read && read[reg as usize]);
    }
    wanted
}

/// Which registers something reads that is wanted itself. Values are defined before they are read, so a pass back finds
/// all; a variable may be read in the next iteration of a loop, which takes another pass.
fn find_read(builder: &Builder) -> Vec<bool> {
    let mut read = vec![false; builder.registers.len()];
    let mut more = true;
    while more {
        more = false;
        for step in builder.code.iter().rev() {
            if wanted(builder, &step.instr, &read) {
                step.instr.visit(&builder.lists, |reg, role| {
                    let first = role == Role::Read && !read[reg as usize];
                    read[reg as usize] |= first;
                    more |= first;
                });
            }
        }
    }
    read
}

/// Drops instructions whose results nothing reads.
fn drop_unused(builder: &mut Builder) {
    let read = find_read(builder);
    // Homes refer to positions.
    let mut moved = Vec::with_capacity(builder.code.len());
    let mut kept = Vec::with_capacity(builder.code.len());
    for mut step in std::mem::take(&mut builder.code) {
        moved.push(kept.len() as u32);
        if let Instr::Atomic { to, .. } = &mut step.instr
            && !to.iter().any(|&reg| reg != NONE && read[reg as usize])
        {
            *to = [NONE, NONE];
        }
        if wanted(builder, &step.instr, &read) {
            kept.push(step);
        }
    }
    builder.code = kept;
    rehome(builder, &moved);
}

/// Copies to all lanes what was computed in one and is read by an instruction of many.
fn spread(builder: &mut Builder) {
    let mut given = vec![false; builder.registers.len()];
    builder.given.values().for_each(|&reg| given[reg as usize] = true);
    let mut wanted = vec![false; builder.registers.len()];
    for step in builder.code.iter().filter(|step| !step.uniform) {
        step.instr.visit(&builder.lists, |reg, role| {
            wanted[reg as usize] |=
                role == Role::Read && !given[reg as usize] && !builder.registers[reg as usize].varying;
        });
    }
    let mut moved = Vec::with_capacity(builder.code.len() + 1);
    let mut code = Vec::with_capacity(builder.code.len());
    for step in std::mem::take(&mut builder.code) {
        moved.push(code.len() as u32);
        let mut copies = vec![];
        if step.uniform {
            step.instr.visit(&builder.lists, |reg, role| {
                if role != Role::Read && wanted[reg as usize] {
                    copies.push(reg);
                }
            });
        }
        let site = step.site;
        code.push(step);
        code.extend(copies.into_iter().map(|reg| Step { instr: Instr::Broadcast(reg), uniform: false, site }));
    }
    builder.code = code;
    rehome(builder, &moved);
}

/// Homes after steps have moved.
fn rehome(builder: &mut Builder, moved: &[u32]) {
    let end = builder.code.len() as u32;
    for register in &mut builder.registers {
        register.home = moved.get(register.home as usize).copied().unwrap_or(end);
    }
}

/// A place for each register, and how many there are: linear scan (Poletto and Sarkar, 1999).
fn allocate(builder: &Builder) -> (Vec<Reg>, usize) {
    let lives = lifetimes(builder);
    let mut places = vec![NONE; builder.registers.len()];
    let mut count = 0;
    let mut take = |free: &mut Vec<Reg>| {
        free.pop().unwrap_or_else(|| {
            count += 1;
            count - 1
        })
    };
    let mut given: Vec<Reg> = builder.given.values().copied().collect();
    given.sort_unstable();
    for reg in given {
        places[reg as usize] = take(&mut vec![]);
    }
    let mut order: Vec<Reg> = (0..places.len() as Reg).filter(|&r| lives[r as usize].is_some()).collect();
    order.sort_by_key(|&r| lives[r as usize]);
    let mut free = vec![];
    let mut busy: BinaryHeap<Reverse<(u32, Reg)>> = BinaryHeap::new();
    for reg in order {
        let Some((start, end)) = lives[reg as usize] else { continue };
        if places[reg as usize] != NONE {
            continue;
        }
        while let Some(&Reverse((until, place))) = busy.peek()
            && until < start
        {
            busy.pop();
            free.push(place);
        }
        let place = take(&mut free);
        places[reg as usize] = place;
        busy.push(Reverse((end, place)));
    }
    (places, count as usize)
}

/// From which step to which a register holds something that is still wanted.
fn lifetimes(builder: &Builder) -> Vec<Option<(u32, u32)>> {
    let loops = loops(&builder.code);
    let mut lives: Vec<Option<(u32, u32)>> = vec![None; builder.registers.len()];
    for (at, step) in (0..).zip(&builder.code) {
        step.instr.visit(&builder.lists, |reg, _| {
            let home = builder.registers[reg as usize].home;
            // What comes from before a loop is wanted in each of its iterations.
            let mut end = at;
            let mut around = loops.around[at as usize];
            while let Some(index) = around {
                let (start, last, outer) = loops.all[index];
                if home < start {
                    end = end.max(last);
                }
                around = outer;
            }
            let live = lives[reg as usize].get_or_insert((at.min(home), end));
            *live = (live.0.min(at), live.1.max(end));
        });
    }
    lives
}

struct Loops {
    /// First and last step, and the loop around it.
    all: Vec<(u32, u32, Option<usize>)>,
    /// The innermost loop of each step.
    around: Vec<Option<usize>>,
}

fn loops(code: &[Step]) -> Loops {
    let mut starts: HashMap<Label, u32> = HashMap::new();
    for (at, step) in (0..).zip(code) {
        if let Instr::Label(label) = step.instr {
            starts.insert(label, at);
        }
    }
    let mut all: Vec<(u32, u32, Option<usize>)> = vec![];
    for (at, step) in (0..).zip(code) {
        if let Instr::Again { start, .. } = step.instr {
            all.push((starts[&start], at, None));
        }
    }
    all.sort_by_key(|&(start, end, _)| (start, Reverse(end)));
    let mut around = vec![None; code.len()];
    let mut open: Vec<usize> = vec![];
    let mut next = 0;
    for at in 0..code.len() as u32 {
        while next < all.len() && all[next].0 == at {
            all[next].2 = open.last().copied();
            open.push(next);
            next += 1;
        }
        around[at as usize] = open.last().copied();
        while open.last().is_some_and(|&index| all[index].1 == at) {
            open.pop();
        }
    }
    Loops { all, around }
}
