//! Functions that a program's kernel gets by calling them: indices, random numbers, packed integers, collectives of a
//! workgroup, messages. Functions that are called but not declared are appended, so that line numbers stay the same.

use super::collective::Collective;
use super::library::split;
use super::messages;
use super::standard::{index_function, index_functions};
use super::text::{enclosed, line, without_comments, words};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Begins what is appended.
const MARK: &str = "\n// appended: what the kernel calls of the library\n";

/// Begins each name of the library's own that is no function for programs to call.
const PREFIX: &str = "crosslane_";

static FUNCTIONS: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| split(include_str!("../../shaders/prelude.wgsl")).collect());

/// A program's text with what it calls.
pub(crate) struct Complete {
    pub text: String,
    /// Whether it combines values of a workgroup, which is faster with subgroups.
    pub collective: bool,
}

/// How many bytes of a text are the program's own.
pub fn own(text: &str) -> usize {
    text.find(MARK).unwrap_or(text.len())
}

/// An error if a text uses a name that is the library's.
pub(crate) fn free_names(source: &str) -> Result<(), String> {
    let code = without_comments(source);
    let Some((at, name)) = words(&code).find(|(_, word)| word.starts_with(PREFIX) || *word == "CrosslaneMessages")
    else {
        return Ok(());
    };
    let column = 1 + code[..at].chars().rev().take_while(|c| *c != '\n').count();
    Err(format!(
        "error: the name `{name}` is reserved: names that begin with `{PREFIX}` are the library's\n  ┌─ wgsl:{}:{column}\n  = note: choose another name",
        line(&code, at)
    ))
}

/// Appends what the text calls, for this entry point or the only one; with subgroups' operations where the device has them.
pub(crate) fn complete(source: &str, entry: Option<&str>, subgroups: bool) -> Complete {
    let code = without_comments(source);
    let declared: BTreeSet<&str> = declarations(&code).collect();
    let called = calls(&code).map(|(_, name)| name).filter(|name| !declared.contains(name));
    let called: BTreeSet<&str> = called.chain(index_functions(&code)).collect();
    let mut tail =
        Tail { size: size(&code, entry).unwrap_or_default(), text: String::new(), done: BTreeSet::new(), subgroups };
    let mut collective = false;
    for name in &called {
        collective |= Collective::named(name).is_some();
        tail.add(name);
    }
    if called.iter().any(|name| messages::says(name)) {
        tail.text += messages::BUFFER;
    }
    let mark = if tail.text.is_empty() { "" } else { MARK };
    Complete { text: [source, mark, &tail.text].concat(), collective }
}

/// What is appended.
struct Tail {
    /// The workgroup's size as the text says it, in each dimension.
    size: [String; 3],
    text: String,
    done: BTreeSet<String>,
    subgroups: bool,
}

impl Tail {
    /// Adds a function of the library and those that it calls; other names are none of ours.
    fn add(&mut self, name: &str) {
        if self.done.contains(name) {
            return;
        }
        let text = if name == "workgroup_size" {
            format!("fn workgroup_size() -> vec3<u32> {{ return vec3<u32>({}); }}\n", self.size.join(", "))
        } else if let Some(function) = index_function(name, &self.size) {
            function
        } else if let Some(function) = FUNCTIONS.get(name) {
            function.to_string()
        } else if let Some(collective) = Collective::named(name) {
            collective.text(&self.invocations(), self.subgroups)
        } else if let Some(buffer) = name.strip_prefix("atomic_add_f32_") {
            atomic_add_text(name, buffer)
        } else {
            return;
        };
        self.done.insert(name.into());
        for (_, called) in calls(&text) {
            self.add(called);
        }
        self.text += &text;
    }

    fn invocations(&self) -> String {
        format!("({})", self.size.join(" * "))
    }
}

/// Names before an opening parenthesis, but for attributes.
fn calls(code: &str) -> impl Iterator<Item = (usize, &str)> {
    words(code)
        .filter(|(at, word)| code[at + word.len()..].trim_start().starts_with('(') && !code[..*at].ends_with('@'))
}

/// Names of functions.
fn declarations(code: &str) -> impl Iterator<Item = &str> {
    let mut before = "";
    words(code).filter_map(move |(_, word)| (std::mem::replace(&mut before, word) == "fn").then_some(word))
}

/// The three numbers of the entry point's `@workgroup_size(..)`, as expressions.
fn size(code: &str, entry: Option<&str>) -> Option<[String; 3]> {
    let is_entry = |at: usize, word: &str| Some(word) == entry && code[..at].trim_end().ends_with("fn");
    let end = words(code).find(|(at, word)| is_entry(*at, word)).map_or(code.len(), |(at, _)| at);
    let at = code[..end].rfind("@workgroup_size")?;
    let inside = enclosed(code, at + code[at..].find('(')?)?;
    let given: Vec<&str> = code[inside].split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let part = |i: usize| format!("u32({})", given.get(i).unwrap_or(&"1"));
    Some([part(0), part(1), part(2)])
}

/// Adds to an element of an `array<atomic<u32>>`, which holds the bits of floats.
fn atomic_add_text(name: &str, buffer: &str) -> String {
    format!(
        "
fn {name}(i: u32, value: f32) {{
    var before = atomicLoad(&{buffer}[i]);
    loop {{
        let swapped = atomicCompareExchangeWeak(&{buffer}[i], before, bitcast<u32>(bitcast<f32>(before) + value));
        if swapped.exchanged {{ break; }}
        before = swapped.old_value;
    }}
}}
"
    )
}
