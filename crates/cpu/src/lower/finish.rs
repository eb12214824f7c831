//! From the builder's list to a program: drops values that are not read. For the interpreter it also spreads values that
//! were computed once, and assigns the same register to values whose lifetimes do not overlap.

use super::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) fn finish(mut builder: Builder, name: &str, source: &str) -> Lowered {
    if !builder.checked {
        contract(&mut builder);
    }
    drop_unused(&mut builder);
    // The label that nothing defines is the end.
    let end = Step { instr: Instr::Label(builder.end), uniform: false, site: 0 };
    builder.code.insert(builder.code.len() - 1, end);
    Lowered {
        name: name.into(),
        source: Arc::from(source),
        code: builder.code,
        lists: builder.lists,
        labels: builder.labels as usize,
        sites: builder.sites,
        registers: builder.registers,
        frames: builder.frames as usize,
        given: builder.given.into_iter().map(|(given, reg)| (reg, given)).collect(),
        size: builder.size,
        subgroup: builder.types.subgroup,
        workgroup_bytes: builder.workgroup_bytes,
        workgroup_names: builder.workgroup_names,
        buffers: builder.buffers,
        names: builder.names,
        small: builder.small,
    }
}

impl Lowered {
    /// The kernel as the interpreter runs it.
    pub fn program(&self) -> Program {
        let mut registers = self.registers.clone();
        let code = spread(self, &mut registers);
        let (places, count) = allocate(self, &code, &registers);
        let place = |reg: Reg| if reg == NONE { NONE } else { places[reg as usize] };
        let mut labels = vec![0; self.labels];
        let mut placed: Vec<Step> = Vec::with_capacity(code.len());
        for mut step in code {
            if let Instr::Label(label) = step.instr {
                labels[label as usize] = placed.len() as u32;
                continue;
            }
            step.instr.each(&mut |reg, _| *reg = place(*reg), &mut |_, _| ());
            placed.push(step);
        }
        Program {
            name: self.name.clone(),
            source: self.source.clone(),
            code: placed,
            lists: self.lists.iter().map(|list| list.iter().copied().map(place).collect()).collect(),
            labels,
            sites: self.sites.clone(),
            registers: count,
            frames: self.frames,
            given: self.given.iter().map(|&(reg, given)| (place(reg), given)).collect(),
            size: self.size,
            subgroup: self.subgroup,
            workgroup_bytes: self.workgroup_bytes,
            workgroup_names: self.workgroup_names.clone(),
            buffers: self.buffers.clone(),
            names: self.names.clone(),
            small: self.small,
        }
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
    rehome(&mut builder.registers, &moved, kept.len());
    builder.code = kept;
}

/// Copies to all lanes what was computed in one and is read by an instruction of many.
fn spread(lowered: &Lowered, registers: &mut [Register]) -> Vec<Step> {
    let mut given = vec![false; registers.len()];
    lowered.given.iter().for_each(|&(reg, _)| given[reg as usize] = true);
    let mut wanted = vec![false; registers.len()];
    for step in lowered.code.iter().filter(|step| !step.uniform) {
        step.instr.visit(&lowered.lists, |reg, role| {
            wanted[reg as usize] |= role == Role::Read && !given[reg as usize] && !registers[reg as usize].varying;
        });
    }
    let mut moved = Vec::with_capacity(lowered.code.len() + 1);
    let mut code = Vec::with_capacity(lowered.code.len());
    for step in &lowered.code {
        moved.push(code.len() as u32);
        code.push(step.clone());
        if step.uniform {
            step.instr.visit(&lowered.lists, |reg, role| {
                if role != Role::Read && wanted[reg as usize] {
                    code.push(Step { instr: Instr::Broadcast(reg), uniform: false, site: step.site });
                }
            });
        }
    }
    rehome(registers, &moved, code.len());
    code
}

/// Homes after steps have moved.
fn rehome(registers: &mut [Register], moved: &[u32], end: usize) {
    for register in registers {
        register.home = moved.get(register.home as usize).copied().unwrap_or(end as u32);
    }
}

/// A place for each register, and how many there are: linear scan (Poletto and Sarkar, 1999).
fn allocate(lowered: &Lowered, code: &[Step], registers: &[Register]) -> (Vec<Reg>, usize) {
    let lives = lifetimes(lowered, code, registers);
    let mut places = vec![NONE; registers.len()];
    let mut count = 0;
    let mut take = |free: &mut Vec<Reg>| {
        free.pop().unwrap_or_else(|| {
            count += 1;
            count - 1
        })
    };
    let mut given: Vec<Reg> = lowered.given.iter().map(|&(reg, _)| reg).collect();
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
fn lifetimes(lowered: &Lowered, code: &[Step], registers: &[Register]) -> Vec<Option<(u32, u32)>> {
    let loops = loops(code);
    let mut lives: Vec<Option<(u32, u32)>> = vec![None; registers.len()];
    for (at, step) in (0..).zip(code) {
        step.instr.visit(&lowered.lists, |reg, _| {
            let home = registers[reg as usize].home;
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
