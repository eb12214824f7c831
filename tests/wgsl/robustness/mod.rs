//! Accesses out of bounds, as a table: address spaces x containers x accesses x indices. Neighbours never change, and what
//! is read comes from the container or is 0.

#[cfg(feature = "cpu")]
mod checked;
mod containers;
mod windows;

use crate::judge::{Judge, judges};
use containers::{BARE, CONTAINERS, Container, TAIL, TYPES};
use std::fmt::Write;

/// What is done with an element.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Access {
    Load,
    Store,
    Compound,
    /// Both by a pointer to the container that `let` names.
    Pointer,
    /// Both in a function that is given a pointer to the variable.
    Call,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Space {
    Function,
    Private,
    Workgroup,
    Storage,
    Uniform,
}
use Space::*;

impl Space {
    fn letter(self) -> char {
        match self {
            Function => 'f',
            Private => 'p',
            Workgroup => 'w',
            Storage => 's',
            Uniform => 'u',
        }
    }

    fn accesses(self) -> &'static [Access] {
        match self {
            Function | Private => &[Access::Load, Access::Store, Access::Compound, Access::Pointer, Access::Call],
            Workgroup | Storage => &[Access::Load, Access::Store, Access::Compound, Access::Pointer],
            Uniform => &[Access::Load],
        }
    }
}

/// A container in a program.
struct Placed {
    container: Container,
    place: String,
    /// Its first leaf among all.
    first: usize,
}

/// A program over one address space, with a case for each container and access.
struct Program {
    source: String,
    placed: Vec<Placed>,
    cases: Vec<(usize, Access)>,
    leaves: usize,
}

const WRITTEN: u32 = 900;

impl Program {
    fn new(space: Space) -> Program {
        let here = |container: &&Container| container.spaces.contains(space.letter());
        let (mut members, mut variables) = (String::new(), String::new());
        // Text, whether it is a float, whether it is atomic.
        let mut leaves: Vec<(String, bool, bool)> = vec![];
        let mut placed: Vec<Placed> = vec![];
        let mut put = |leaves: &mut Vec<(String, bool, bool)>, container: Container, place: String| {
            let first = leaves.len();
            let all = container.leaves.iter();
            leaves.extend(all.map(|l| (l.replace('X', &place), container.is_float(), container.is_atomic(l))));
            placed.push(Placed { container, place, first });
        };
        let (canary, part) = if space == Uniform { ("vec4<u32>", ".w") } else { ("u32", "") };
        let align = if space == Uniform { "@align(16) " } else { "" };
        for (n, &container) in CONTAINERS.iter().filter(here).enumerate() {
            leaves.push((format!("s.c{n}{part}"), false, false));
            put(&mut leaves, container, format!("s.x{n}"));
            write!(members, "{align}c{n}: {canary}, {align}x{n}: {}, ", container.ty).unwrap();
        }
        leaves.push((format!("s.last{part}"), false, false));
        write!(members, "{align}last: {canary}").unwrap();
        if space == Storage {
            put(&mut leaves, TAIL, "s.x_tail".into());
            write!(members, ", x_tail: array<u32>").unwrap();
        }
        let declare = |name: &str, ty: &str, binding: usize| match space {
            Function => format!("var {name}: {ty};\n"),
            Private => format!("var<private> {name}: {ty};\n"),
            Workgroup => format!("var<workgroup> {name}: {ty};\n"),
            Storage => format!("@group(0) @binding({binding}) var<storage, read_write> {name}: {ty};\n"),
            Uniform => format!("@group(0) @binding({binding}) var<uniform> {name}: {ty};\n"),
        };
        variables += &declare("s", "All", 2);
        for (n, &container) in BARE.iter().filter(here).enumerate() {
            if space != Storage {
                variables += &declare(&format!("before{n}"), "u32", 0);
                leaves.push((format!("before{n}"), false, false));
            }
            variables += &declare(&format!("bare{n}"), container.ty, 3 + n);
            put(&mut leaves, container, format!("bare{n}"));
        }
        if !matches!(space, Storage | Uniform) {
            variables += &declare("after", "u32", 0);
            leaves.push(("after".into(), false, false));
        }
        let mut program = Program { source: String::new(), placed, cases: vec![], leaves: leaves.len() };
        let (functions, cases) = program.cases(space);
        let (mut set, mut get) = (String::new(), String::new());
        for (n, (text, float, atomic)) in leaves.iter().enumerate() {
            set += &match (float, atomic) {
                (true, _) => format!("{text} = {}.0; ", n + 1),
                (_, true) => format!("atomicStore(&{text}, {}u); ", n + 1),
                _ => format!("{text} = {}u; ", n + 1),
            };
            let value = match (float, atomic) {
                (true, _) => format!("u32({text})"),
                (_, true) => format!("atomicLoad(&{text})"),
                _ => text.clone(),
            };
            writeln!(get, "output[at + {}u] = {value};", n + 1).unwrap();
        }
        let set = if space == Uniform { String::new() } else { set };
        let (outside, inside) = if space == Function { ("", variables.as_str()) } else { (variables.as_str(), "") };
        let each = format!(
            "{inside}{set}\nvar value = 0u; let i = rows[row].y;\nswitch rows[row].x {{\n{cases}default: {{}}\n}}
let at = row * {}u; output[at] = value;\n{get}",
            leaves.len() + 1
        );
        // Where invocations share a variable there is one.
        let body = match space {
            Function | Private => format!(
                "@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
let row = id.x; if row >= arrayLength(&rows) {{ return; }}\n{each}}}"
            ),
            _ => format!(
                "@compute @workgroup_size(1) fn main() {{
for (var row = 0u; row < arrayLength(&rows); row++) {{\n{each}}}\n}}"
            ),
        };
        program.source = format!(
            "{TYPES}struct All {{ {members} }}\n@group(0) @binding(0) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;\n{outside}{functions}{body}\n"
        );
        program
    }

    /// The functions that are called, and a line for each case: notes them.
    fn cases(&mut self, space: Space) -> (String, String) {
        let (mut functions, mut cases) = (String::new(), String::new());
        for (n, Placed { container, place, .. }) in self.placed.iter().enumerate() {
            let text = |template: &str, place: &str, index: &str| template.replace('X', place).replace('I', index);
            for &access in space.accesses() {
                let in_all = place.starts_with("s.");
                let body = match access {
                    Access::Load => format!("value = {};", text(container.load, place, "i")),
                    Access::Store => format!("{};", text(container.store, place, "i")),
                    Access::Compound => format!("{};", text(container.compound, place, "bitcast<i32>(i)")),
                    Access::Pointer => {
                        let [load, compound] = [container.load, container.compound].map(|t| text(t, "(*q)", "i"));
                        format!("let q = &{place}; value = {load}; {compound};")
                    }
                    Access::Call if in_all => {
                        let within = place.replace("s.", "(*p).");
                        let [load, compound] = [container.load, container.compound].map(|t| text(t, &within, "i"));
                        let space = if space == Function { "function" } else { "private" };
                        writeln!(
                            functions,
                            "fn call{n}(p: ptr<{space}, All>, i: i32) -> u32 {{ let value = {load}; {compound}; \
                             return value; }}"
                        )
                        .unwrap();
                        format!("value = call{n}(&s, bitcast<i32>(i));")
                    }
                    Access::Call => continue,
                };
                writeln!(cases, "case {}u: {{ {body} }}", self.cases.len()).unwrap();
                self.cases.push((n, access));
            }
        }
        (functions, cases)
    }

    /// Each case with indices inside, at the end, just past it, and far out; some wrap round when they are scaled.
    fn rows(&self) -> Vec<[u32; 2]> {
        let mut rows = vec![];
        for (case, (n, _)) in self.cases.iter().enumerate() {
            let count = self.placed[*n].container.elements[3] as u32;
            let far = [0x1555_5556, 0x3fff_ffff, 0x4000_0000, 0x5555_5556, 0x7fff_ffff, i32::MIN as u32];
            let all = [0, count - 1, count, count + 1, 2 * count + 1, 17, 100].into_iter().chain(far);
            rows.extend(all.chain([-3i32, -2, -1].map(|i| i as u32)).map(|index| [case as u32, index]));
        }
        rows
    }

    /// Invocations share some variables: there is one then, that goes through the rows.
    fn grid(&self, space: Space, rows: &[[u32; 2]]) -> [u32; 3] {
        let own = matches!(space, Function | Private);
        [if own { rows.len().div_ceil(32) as u32 } else { 1 }, 1, 1]
    }

    /// The buffers before.
    fn buffers(&self, space: Space, rows: &[[u32; 2]]) -> Vec<Vec<u32>> {
        let output = vec![0xcdcd_cdcd; rows.len() * (self.leaves + 1)];
        let mut buffers = vec![rows.concat(), output];
        match space {
            Storage => {
                let whole = self.structure_words() + TAIL.leaves.len();
                buffers.extend([vec![0; whole], vec![0; 4], vec![0; 6]]);
            }
            // Of floats as of integers no two are alike.
            Uniform => buffers.push((1..=self.structure_words()).map(|word| (word as f32).to_bits()).collect()),
            _ => {}
        }
        buffers
    }

    /// Words of the structure, without the runtime-sized array at its end.
    fn structure_words(&self) -> usize {
        let module = naga::front::wgsl::parse_str(&self.source).unwrap_or_else(|e| panic!("{e}\n{}", self.source));
        let (_, all) = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some("All")).unwrap();
        let naga::TypeInner::Struct { members, span } = &all.inner else { panic!("a structure") };
        let end = members.last().filter(|last| last.name.as_deref() == Some("x_tail")).map(|last| last.offset);
        end.unwrap_or(*span) as usize / 4
    }

    /// What is wrong with a row of the output. `lax`: an access out of bounds may reach all of the variable.
    fn wrong(&self, space: Space, [case, index]: [u32; 2], row: &[u32], lax: bool) -> Option<String> {
        let (n, access) = self.cases[case as usize];
        let Placed { container, place, first } = &self.placed[n];
        let (value, leaves) = (row[0], &row[1..]);
        let old = |leaf: usize| if space == Uniform { leaves[leaf] } else { leaf as u32 + 1 };
        let [start, step, width, count] = container.elements;
        let start = first + start;
        let (loads, stores) = (matches!(access, Access::Load | Access::Pointer | Access::Call), access != Access::Load);
        let what = format!("{space:?}, {}, {access:?}, index {index:#x}", container.name);
        if (index as usize) < count {
            let target = start + step * index as usize;
            let loaded = target + container.loaded;
            if loads && value != old(loaded) {
                return Some(format!("{what}: loaded {value}, wanted {}", old(loaded)));
            }
            let after = |leaf: usize| match (stores && (target..target + width).contains(&leaf), access) {
                (false, _) => old(leaf),
                (true, Access::Store) => WRITTEN,
                (true, _) => old(leaf) + WRITTEN,
            };
            let wrong = (0..self.leaves).find(|&leaf| leaves[leaf] != after(leaf))?;
            return Some(format!("{what}: leaf {wrong} of {} is {}", self.leaves, leaves[wrong]));
        }
        let variable = || match place.starts_with("s.") {
            true => 0..self.placed.iter().filter(|p| p.place.starts_with("s.")).map(Placed::end).max().unwrap_or(0),
            false => *first..first + container.leaves.len(),
        };
        let inside = if lax { variable() } else { first + container.inside[0]..first + container.inside[1] };
        let mut known: Vec<u32> = inside.clone().map(old).collect();
        known.push(0);
        if loads && !lax && !known.contains(&value) {
            return Some(format!("{what}: loaded {value}, which is not inside"));
        }
        let allowed = |leaf: usize| {
            let now = leaves[leaf];
            let new = now == WRITTEN || known.iter().any(|was| now == was + WRITTEN);
            // Among leaves of other types the bits that were written are other numbers.
            now == old(leaf) || stores && inside.contains(&leaf) && (new || lax)
        };
        let wrong = (0..self.leaves).find(|&leaf| !allowed(leaf))?;
        Some(format!("{what}: leaf {wrong} of {} became {}", self.leaves, leaves[wrong]))
    }
}

impl Placed {
    fn end(&self) -> usize {
        self.first + self.container.leaves.len()
    }
}

/// Whether naga leaves the bounds of buffers to Vulkan's robust access, which knows only the binding: WGSL allows that an
/// access out of bounds reaches any part of the variable.
fn knows_only_bindings(judge: &Judge, space: Space) -> bool {
    matches!(space, Storage | Uniform) && judge.is_vulkan()
}

/// The rows that a judge gets wrong.
fn wrong_rows(judge: &Judge, program: &Program, space: Space) -> Vec<String> {
    let rows = program.rows();
    let buffers = program.buffers(space, &rows);
    let results = judge.run(&program.source, program.grid(space, &rows), &buffers);
    let results = results.unwrap_or_else(|error| panic!("{}: {error}\n{}", judge.name(), program.source));
    assert_eq!(results[0], buffers[0], "on {}", judge.name());
    let lax = knows_only_bindings(judge, space);
    let outputs = results[1].chunks(program.leaves + 1);
    rows.iter().zip(outputs).filter_map(|(&row, output)| program.wrong(space, row, output, lax)).collect()
}

#[track_caller]
fn check(space: Space) {
    let program = Program::new(space);
    for judge in judges() {
        let wrong = wrong_rows(judge, &program, space);
        assert!(wrong.is_empty(), "{} rows are wrong on {}:\n{}", wrong.len(), judge.name(), wrong.join("\n"));
    }
}

#[test]
fn function() {
    check(Function);
}

#[test]
fn private() {
    check(Private);
}

#[test]
fn workgroup() {
    check(Workgroup);
}

#[test]
fn storage() {
    check(Storage);
}

#[test]
fn uniform() {
    check(Uniform);
}
