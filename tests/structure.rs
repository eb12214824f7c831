//! The house's order: which crate may know which, and within a crate which module. Arrows between modules go down the floors of
//! [`CRATES`], there is no circle among top-level modules, and none of more than ten files.
//!
//! It reads the sources as tokens: `use` trees, paths that begin with `crate`, `super`, `self` or a crate's name, and calls of
//! macros, which need no path. Re-exports are followed to where a name is defined. Files and modules that only tests have do not
//! count.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A crate: which others it knows, and its top-level modules from the ground up. A module knows those before it, its own
/// floor's included. No floors: an operation or a part of an engine stands beside the others.
struct Crate {
    name: &'static str,
    folder: &'static str,
    knows: &'static [&'static str],
    floors: &'static [&'static [&'static str]],
}

const CRATES: [Crate; 7] = [
    Crate {
        name: "crosslane_core",
        folder: "crates/core/src",
        knows: &[],
        floors: &[
            &[
                "platform",
                "threads",
                "countdown",
                "recent",
                "files",
                "cache",
                "report",
                "error",
                "element",
                "layout",
                "tuning",
                "caps",
            ],
            &["kernel", "properties"],
            &["op"],
            &["memory", "work", "occupancy", "advice", "trace"],
            &["engine"],
        ],
    },
    Crate { name: "crosslane_ops", folder: "crates/ops/src", knows: &["crosslane_core"], floors: &[] },
    Crate { name: "wgsl_to_cuda", folder: "crates/wgsl-to-cuda/src", knows: &[], floors: &[] },
    Crate { name: "crosslane_cpu", folder: "crates/cpu/src", knows: &["crosslane_core"], floors: &[] },
    Crate { name: "crosslane_wgpu", folder: "crates/wgpu/src", knows: &["crosslane_core"], floors: &[] },
    Crate {
        name: "crosslane_cuda",
        folder: "crates/cuda/src",
        knows: &["crosslane_core", "wgsl_to_cuda"],
        floors: &[],
    },
    Crate {
        name: "crosslane",
        folder: "src",
        knows: &["crosslane_core", "crosslane_ops", "crosslane_cpu", "crosslane_wgpu", "crosslane_cuda"],
        floors: &[
            &["element", "op", "ops", "sync"],
            &["kernel"],
            &["cuda"],
            &["device", "event", "stream"],
            &["graph", "array", "launch"],
            &["random", "share", "profile", "image", "ndarray", "npy", "streamed", "export", "guide"],
        ],
    },
];
/// Files of the largest circle.
const LARGEST_CIRCLE: usize = 10;

type Module = Vec<String>;
type Arrows = BTreeMap<Module, BTreeSet<Module>>;

/// What a file says: the paths it names, the names it passes on, and the macros that it calls and defines.
#[derive(Default)]
struct Said {
    paths: Vec<Vec<String>>,
    passed_on: BTreeMap<String, Vec<String>>,
    calls: BTreeSet<String>,
    macros: BTreeSet<String>,
}

/// The words of a path from this token on, and how many tokens they are.
fn path(tokens: &[TokenTree]) -> (Vec<String>, usize) {
    let (mut words, mut at) = (vec![], 0);
    while let Some(TokenTree::Ident(word)) = tokens.get(at) {
        words.push(word.to_string());
        match (tokens.get(at + 1), tokens.get(at + 2)) {
            (Some(TokenTree::Punct(a)), Some(TokenTree::Punct(b))) if a.as_char() == ':' && b.as_char() == ':' => {
                at += 3
            }
            _ => return (words, at + 1),
        }
    }
    (words, at)
}

/// The paths of a `use` tree; `as` and what follows it is left out.
fn tree(prefix: &[String], tokens: &[TokenTree], to: &mut Vec<Vec<String>>) {
    for part in tokens.split(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == ',')) {
        let (words, end) = path(part);
        let words: Vec<String> =
            prefix.iter().cloned().chain(words.into_iter().filter(|w| w != "self" || prefix.is_empty())).collect();
        match part.get(end) {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                tree(&words, &group.stream().into_iter().collect::<Vec<_>>(), to);
            }
            _ if words.is_empty() => {}
            _ => to.push(words),
        }
    }
}

fn read(tokens: TokenStream, said: &mut Said) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, word: &str| matches!(tokens.get(at), Some(TokenTree::Ident(ident)) if ident == word);
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) if group.to_string().replace(' ', "") == "[cfg(test)]" && is(at + 1, "mod") => {
                at += 4
            }
            // Who may see an item is no arrow: `pub(in crate::ops)`.
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis && at > 0 && is(at - 1, "pub") => {
                at += 1
            }
            TokenTree::Group(group) => {
                read(group.stream(), said);
                at += 1;
            }
            // `use<T>` of a type is none.
            TokenTree::Ident(word) if word == "use" && !matches!(tokens.get(at + 1), Some(TokenTree::Punct(_))) => {
                let len =
                    tokens[at..].iter().position(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == ';'));
                let end = at + len.expect("a `use` ends");
                let mut paths = vec![];
                tree(&[], &tokens[at + 1..end], &mut paths);
                let public = at > 0 && (is(at - 1, "pub") || at > 1 && is(at - 2, "pub"));
                for path in paths {
                    if public {
                        said.passed_on.insert(path.last().expect("a path has words").clone(), path.clone());
                    }
                    // What a module passes on of its own files is no arrow.
                    if !public || matches!(path[0].as_str(), "crate" | "super") || is_crate(&path[0]) {
                        said.paths.push(path);
                    }
                }
                at = end + 1;
            }
            TokenTree::Ident(word) if matches!(tokens.get(at + 1), Some(TokenTree::Punct(p)) if p.as_char() == '!') => {
                match tokens.get(at + 2) {
                    Some(TokenTree::Ident(name)) if word == "macro_rules" => said.macros.insert(name.to_string()),
                    Some(TokenTree::Group(_)) => said.calls.insert(word.to_string()),
                    _ => false,
                };
                at += 2;
            }
            TokenTree::Ident(word)
                if ["crate", "super", "self"].iter().any(|own| word == own) || is_crate(&word.to_string()) =>
            {
                let (words, len) = path(&tokens[at..]);
                if words.len() > 1 {
                    said.paths.push(words);
                }
                at += len;
            }
            _ => at += 1,
        }
    }
}

fn is_crate(word: &str) -> bool {
    CRATES.iter().any(|of| of.name == word)
}

/// All crates' modules, each under its crate's name.
fn all_sources() -> BTreeMap<Module, Said> {
    let mut all = BTreeMap::new();
    for Crate { name, folder, .. } in &CRATES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        sources(&folder, &[name.to_string()], &mut all);
    }
    all
}

fn sources(folder: &Path, module: &[String], to: &mut BTreeMap<Module, Said>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let own: Module = match name.as_str() {
            "mod" | "lib" => module.to_vec(),
            _ => module.iter().cloned().chain([name.clone()]).collect(),
        };
        if path.is_dir() && name != "bin" {
            sources(&path, &own, to);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !matches!(name.as_str(), "tests" | "model")
        {
            let said = to.entry(own).or_default();
            read(fs::read_to_string(&path).unwrap().parse().unwrap(), said);
        }
    }
}

/// The module in which what a path names is defined.
fn target(all: &BTreeMap<Module, Said>, from: &[String], path: &[String], depth: usize) -> Option<Module> {
    let (mut module, mut rest): (Module, &[String]) = match path[0].as_str() {
        "crate" => (from[..1].to_vec(), &path[1..]),
        first if is_crate(first) => (vec![first.to_string()], &path[1..]),
        "self" => (from.to_vec(), &path[1..]),
        // In a module of the crate's root file, such as its tests, it is the root.
        "super" => (from[..(from.len() - 1).max(1)].to_vec(), &path[1..]),
        first if all.contains_key(&[from, &[first.to_string()]].concat()) => (from.to_vec(), path),
        _ => return None,
    };
    while let Some((word, after)) = rest.split_first() {
        let inner = [&module[..], std::slice::from_ref(word)].concat();
        if word == "super" {
            module.truncate((module.len() - 1).max(1));
        } else if all.contains_key(&inner) {
            module = inner;
        } else if let Some(on) = all.get(&module).and_then(|said| said.passed_on.get(word)).filter(|_| depth < 8) {
            return target(all, &module, &[&on[..], after].concat(), depth + 1).or(Some(module));
        } else {
            break;
        }
        rest = after;
    }
    Some(module)
}

/// Modules that reach each other, by twos and more.
fn circles(arrows: &Arrows) -> Vec<BTreeSet<Module>> {
    let reach = |from: &Module| {
        let (mut seen, mut queue) = (BTreeSet::new(), vec![from]);
        while let Some(module) = queue.pop() {
            queue.extend(arrows.get(module).into_iter().flatten().filter(|&next| seen.insert(next.clone())));
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = arrows.keys().map(|module| (module, reach(module))).collect();
    let of = |module: &Module| -> BTreeSet<Module> {
        let back = |other: &&Module| reached.get(other).is_some_and(|seen| seen.contains(module));
        reached[module].iter().filter(back).cloned().collect()
    };
    let all: BTreeSet<BTreeSet<Module>> = arrows.keys().map(of).filter(|circle| circle.len() > 1).collect();
    all.into_iter().collect()
}

fn arrows(all: &BTreeMap<Module, Said>, shown: impl Fn(&Module) -> Module) -> Arrows {
    let mut arrows = Arrows::new();
    for (from, said) in all {
        let to = arrows.entry(shown(from)).or_default();
        let targets = said.paths.iter().filter_map(|path| target(all, from, path, 0));
        let foreign: BTreeSet<String> = said.calls.difference(&said.macros).cloned().collect();
        let defines = |other: &&Module| other[0] == from[0] && !all[*other].macros.is_disjoint(&foreign);
        // A crate's root names its own modules, and passes them on: no arrow within the crate.
        let counts = |to: &Module| to[0] != from[0] || from.len() > 1 && to.len() > 1;
        let targets = targets.chain(all.keys().filter(defines).cloned()).filter(counts);
        to.extend(targets.map(|to| shown(&to)).filter(|to| *to != shown(from)));
    }
    arrows
}

/// A module's room: its crate and its first name there; the crate alone, where that has no floors, and of its root.
fn room(module: &Module) -> Module {
    let has_floors = CRATES.iter().any(|of| of.name == module[0] && !of.floors.is_empty());
    module[..module.len().min(if has_floors { 2 } else { 1 })].to_vec()
}

/// Why a room may not know another.
fn wrong(from: &[String], to: &[String]) -> Option<String> {
    let of = CRATES.iter().find(|of| of.name == from[0]).expect("modules are of crates");
    if from[0] != to[0] {
        return (!of.knows.contains(&&*to[0])).then(|| format!("{from:?} -> {to:?}: another crate"));
    }
    let floor = |room: &[String]| of.floors.iter().position(|floor| floor.contains(&&*room[1]));
    match (floor(from), floor(to)) {
        (Some(above), Some(below)) => (below > above).then(|| format!("{from:?} -> {to:?}: up")),
        _ => Some(format!("CRATES lacks {from:?} or {to:?}")),
    }
}

#[test]
fn arrows_go_down_and_circles_are_small() {
    let all = all_sources();
    let rooms = arrows(&all, room);
    let upward: Vec<String> = rooms.iter().flat_map(|(from, to)| to.iter().filter_map(|to| wrong(from, to))).collect();
    assert!(upward.is_empty(), "arrows that go up: {upward:#?}");
    assert_eq!(circles(&rooms), Vec::<BTreeSet<Module>>::new(), "circles of rooms");
    let files = circles(&arrows(&all, Clone::clone));
    let largest = files.iter().max_by_key(|circle| circle.len()).expect("a file and its helper know each other");
    let between: usize = rooms.values().map(BTreeSet::len).sum();
    println!(
        "{} rooms, {between} arrows between them, none up; {} circles of files, at most {}",
        rooms.len(),
        files.len(),
        largest.len()
    );
    assert!(largest.len() <= LARGEST_CIRCLE, "a circle of {} files: {largest:?}", largest.len());
    // The reader sees what is there: an arrow between crates, and one within a crate.
    let module = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Module>();
    assert!(
        rooms[&module(&["crosslane_ops"])].contains(&module(&["crosslane_core", "op"])) && between > 100,
        "{between}"
    );
    assert!(rooms[&module(&["crosslane_core", "op"])].contains(&module(&["crosslane_core", "kernel"])));
}

/// An arrow between crates is seen where a root names another crate's root, and refused where the table does not have it.
#[test]
fn crates_know_only_theirs() {
    let mut all = BTreeMap::new();
    for (of, text) in [("crosslane_ops", "pub use crosslane_cpu::Profile;"), ("crosslane_cpu", "")] {
        let mut said = Said::default();
        read(text.parse().unwrap(), &mut said);
        all.insert(vec![of.to_string()], said);
    }
    let found = arrows(&all, room);
    let [from, to] = ["crosslane_ops", "crosslane_cpu"].map(|name| vec![name.to_string()]);
    assert!(found[&from].contains(&to), "{found:?}");
    assert!(wrong(&from, &to).is_some() && wrong(&from, &["crosslane_core".to_string()]).is_none());
}

/// A call of a macro of another module is an arrow, and so is a path in a macro's argument.
#[test]
fn macros_are_seen() {
    let mut all = BTreeMap::new();
    for (module, text) in [
        ("list", "macro_rules! operations { () => {} }"),
        ("kernel", "operations!(crate::other::files);"),
        ("other", ""),
    ] {
        let mut said = Said::default();
        read(text.parse().unwrap(), &mut said);
        all.insert(vec!["crosslane_core".to_string(), module.to_string()], said);
    }
    let found = arrows(&all, Clone::clone);
    let to: Vec<&str> =
        found[&vec!["crosslane_core".to_string(), "kernel".to_string()]].iter().map(|to| &*to[1]).collect();
    assert_eq!(to, ["list", "other"]);
}

/// `std`'s clock panics in a browser: what is built for one takes `platform`'s.
#[test]
fn clocks_are_the_platforms() {
    let all = all_sources();
    let clock = |path: &Vec<String>| *path == ["std", "time", "Instant"];
    let users: Vec<&Module> =
        all.iter().filter(|(_, said)| said.paths.iter().any(clock)).map(|(user, _)| user).collect();
    let wrong = users.iter().filter(|user| !matches!(&*user[0], "crosslane_cpu" | "crosslane_cuda"));
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&&Module>::new(), "they use std::time::Instant");
    assert!(!users.is_empty(), "the reader sees none at all");
}
