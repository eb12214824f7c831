//! Functions that a program's kernel gets by calling them: indices, random numbers, packed integers, collectives of a
//! workgroup, messages. What is called and not declared is appended, so that lines stay where they are.

use super::library::split;
use super::text::{enclosed, line, without_comments, words};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::sync::LazyLock;

/// Begins what is appended.
const MARK: &str = "\n// appended: what the kernel calls of the library\n";

/// Begins each name of the library's own that is no function for programs to call.
const PREFIX: &str = "crosslane_";

/// The buffer of messages.
pub(crate) const MESSAGES: &str = "crosslane_messages";

/// Functions whose calls are given their line.
const MESSENGERS: [&str; 4] = ["print_f32", "print_i32", "print_u32", "assert_that"];

static FUNCTIONS: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| split(include_str!("../../shaders/prelude.wgsl")).collect());

/// A program's text with what it calls.
pub(crate) struct Complete {
    pub text: String,
    /// Whether it combines values of a workgroup, which subgroups do faster.
    pub collective: bool,
}

/// How many bytes of a text are the program's own.
pub(crate) fn own(text: &str) -> usize {
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
    let called: BTreeSet<&str> = calls(&code).map(|(_, name)| name).filter(|name| !declared.contains(name)).collect();
    let mut tail =
        Tail { size: size(&code, entry).unwrap_or_default(), text: String::new(), done: BTreeSet::new(), subgroups };
    let mut collective = false;
    for name in &called {
        collective |= Collective::named(name).is_some();
        tail.add(name);
    }
    let messages = called.iter().any(|name| MESSENGERS.contains(name));
    if messages {
        tail.text += &MESSAGE_TEXT.replace("BINDING", &free_binding(&code).to_string());
        tail.text = tail.text.replace("KERNEL", &super::counting::number(source).to_string());
    }
    if tail.text.is_empty() {
        return Complete { text: source.into(), collective };
    }
    let own = if messages { with_lines(source, &code, &declared) } else { source.into() };
    Complete { text: own + MARK + &tail.text, collective }
}

/// What is appended.
struct Tail {
    /// The workgroup's size as the text says it.
    size: String,
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
            format!("fn workgroup_size() -> vec3<u32> {{ return vec3<u32>({}); }}\n", self.size)
        } else if let Some(function) = FUNCTIONS.get(name) {
            function.to_string()
        } else if let Some(collective) = Collective::named(name) {
            collective.text(name, &self.size, self.subgroups)
        } else if let Some(buffer) = name.strip_prefix("atomic_add_f32_") {
            ATOMIC_ADD.replace("NAME", buffer)
        } else {
            return;
        };
        self.done.insert(name.into());
        for (_, called) in calls(&text) {
            self.add(called);
        }
        self.text += &text;
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
fn size(code: &str, entry: Option<&str>) -> Option<String> {
    let is_entry = |at: usize, word: &str| Some(word) == entry && code[..at].trim_end().ends_with("fn");
    let end = words(code).find(|(at, word)| is_entry(*at, word)).map_or(code.len(), |(at, _)| at);
    let at = code[..end].rfind("@workgroup_size")?;
    let inside = enclosed(code, at + code[at..].find('(')?)?;
    let given: Vec<&str> = code[inside].split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let part = |i: usize| format!("u32({})", given.get(i).unwrap_or(&"1"));
    Some([part(0), part(1), part(2)].join(", "))
}

/// A binding of group 0 that the text does not use.
fn free_binding(code: &str) -> u32 {
    let number = |at: usize| code[enclosed(code, at + code[at..].find('(')?)?].trim().parse::<u32>().ok();
    code.match_indices("@binding").filter_map(|(at, _)| number(at)).max().map_or(0, |last| last + 1)
}

/// The text with each message's line as its first argument.
fn with_lines(source: &str, code: &str, declared: &BTreeSet<&str>) -> String {
    let mut text = String::new();
    let mut done = 0;
    for (at, name) in calls(code).filter(|(_, name)| MESSENGERS.contains(name) && !declared.contains(name)) {
        let open = at + name.len() + code[at + name.len()..].find('(').expect("it is a call");
        text += &source[done..at];
        write!(text, "crosslane_{name}({}u, ", line(code, at)).expect("text takes everything");
        done = open + 1;
    }
    text + &source[done..]
}

/// `workgroup_sum_f32` or `workgroup_scan_sum_f32` and the like.
struct Collective<'a> {
    scan: bool,
    ty: &'a str,
    /// What combines `a` and `b`, what that begins with, and the subgroup's form.
    combine: &'static str,
    identity: &'static str,
    subgroup: &'static str,
}

impl<'a> Collective<'a> {
    fn named(name: &'a str) -> Option<Collective<'a>> {
        let rest = name.strip_prefix("workgroup_")?;
        let (scan, rest) = rest.strip_prefix("scan_").map_or((false, rest), |rest| (true, rest));
        let (operator, ty) = rest.split_once('_')?;
        let (combine, subgroup) = match operator {
            "sum" => ("a + b", "subgroupAdd"),
            "min" => ("min(a, b)", "subgroupMin"),
            "max" => ("max(a, b)", "subgroupMax"),
            _ => return None,
        };
        let identity = match (operator, ty) {
            ("sum", "f32" | "i32" | "u32") => "0",
            ("min", "f32") => "bitcast<f32>(0x7f800000u + crosslane_nothing)",
            ("max", "f32") => "bitcast<f32>(0xff800000u + crosslane_nothing)",
            ("min", "i32") => "2147483647",
            ("max", "i32") => "-2147483648",
            ("min", "u32") => "4294967295",
            ("max", "u32") => "0",
            _ => return None,
        };
        Some(Collective { scan, ty, combine, identity, subgroup })
    }

    fn text(&self, name: &str, size: &str, subgroups: bool) -> String {
        let template = match (self.scan, subgroups) {
            (true, _) => SCAN,
            (false, true) => REDUCE_SUBGROUPS,
            (false, false) => REDUCE,
        };
        template
            .replace("NAME", name)
            .replace("COMBINE", self.combine)
            .replace("IDENTITY", self.identity)
            .replace("SUBGROUP", self.subgroup)
            .replace("SIZE", &format!("({})", size.replace(", ", " * ")))
            .replace("TYPE", self.ty)
    }
}

/// Combines the values of a workgroup's invocations, in the order of a tree; all get the result. Called by all.
const REDUCE: &str = "
var<workgroup> crosslane_scratch_NAME: array<TYPE, SIZE>;
fn NAME(value: TYPE, local_index: u32) -> TYPE {
    crosslane_scratch_NAME[local_index] = value;
    workgroupBarrier();
    for (var width = SIZE; width > 1u; width = (width + 1u) / 2u) {
        let half = (width + 1u) / 2u;
        if local_index + half < width {
            let a = crosslane_scratch_NAME[local_index];
            let b = crosslane_scratch_NAME[local_index + half];
            crosslane_scratch_NAME[local_index] = COMBINE;
        }
        workgroupBarrier();
    }
    let result = crosslane_scratch_NAME[0];
    workgroupBarrier();
    return result;
}
";

/// The same by subgroups, of any size and wherever their invocations are: each leaves what it has in the place of its
/// first invocation, and then all subgroups combine all places.
const REDUCE_SUBGROUPS: &str = "
var<workgroup> crosslane_scratch_NAME: array<TYPE, SIZE>;
var<private> crosslane_nothing_NAME: u32;
fn NAME(value: TYPE, local_index: u32) -> TYPE {
    let crosslane_nothing = crosslane_nothing_NAME; // infinity is no constant in WGSL
    let lanes = subgroupAdd(1u);
    let lane = subgroupExclusiveAdd(1u);
    let part = SUBGROUP(value);
    let first = subgroupMin(local_index);
    crosslane_scratch_NAME[local_index] = select(TYPE(IDENTITY), part, local_index == first);
    workgroupBarrier();
    var a = TYPE(IDENTITY);
    for (var i = lane; i < SIZE; i += lanes) {
        let b = crosslane_scratch_NAME[i];
        a = COMBINE;
    }
    let result = SUBGROUP(a);
    workgroupBarrier();
    return result;
}
";

/// Combines each invocation's value with those before it (Hillis and Steele, 1986). Called by all.
const SCAN: &str = "
var<workgroup> crosslane_scratch_NAME: array<TYPE, SIZE>;
fn NAME(value: TYPE, local_index: u32) -> TYPE {
    crosslane_scratch_NAME[local_index] = value;
    workgroupBarrier();
    for (var reach = 1u; reach < SIZE; reach *= 2u) {
        let b = crosslane_scratch_NAME[local_index];
        var combined = b;
        if local_index >= reach {
            let a = crosslane_scratch_NAME[local_index - reach];
            combined = COMBINE;
        }
        workgroupBarrier();
        crosslane_scratch_NAME[local_index] = combined;
        workgroupBarrier();
    }
    let result = crosslane_scratch_NAME[local_index];
    workgroupBarrier();
    return result;
}
";

/// Adds to an element of `NAME: array<atomic<u32>>`, which holds the bits of floats.
const ATOMIC_ADD: &str = "
fn atomic_add_f32_NAME(i: u32, value: f32) {
    var before = atomicLoad(&NAME[i]);
    loop {
        let swapped = atomicCompareExchangeWeak(&NAME[i], before, bitcast<u32>(bitcast<f32>(before) + value));
        if swapped.exchanged { break; }
        before = swapped.old_value;
    }
}
";

/// Words of a message.
pub(crate) const MESSAGE_WORDS: usize = 8;

/// Messages that the buffer holds, a power of two.
pub(crate) const MOST_MESSAGES: usize = 1 << 14;

/// Words before the messages: how many there have been, how many of them say that an assertion failed, and how many the host
/// has seen. All of them only grow, past 2^32 from 0 on: what kernels say while the host looks is seen the next time.
pub(crate) const HEAD_WORDS: usize = 4;

const MESSAGE_TEXT: &str = "
struct CrosslaneMessages { count: atomic<u32>, failed: atomic<u32>, seen: u32, unused: u32, words: array<u32> }
@group(0) @binding(BINDING) var<storage, read_write> crosslane_messages: CrosslaneMessages;
fn crosslane_say(line: u32, kind: u32, invocation: vec3<u32>, bits: u32) {
    let said = atomicAdd(&crosslane_messages.count, 1u);
    let most = arrayLength(&crosslane_messages.words) / 8u;
    if said - crosslane_messages.seen >= most { return; }
    let at = 8u * (said % most);
    crosslane_messages.words[at] = KERNELu;
    crosslane_messages.words[at + 1u] = line;
    crosslane_messages.words[at + 2u] = kind;
    crosslane_messages.words[at + 3u] = invocation.x;
    crosslane_messages.words[at + 4u] = invocation.y;
    crosslane_messages.words[at + 5u] = invocation.z;
    crosslane_messages.words[at + 6u] = bits;
    crosslane_messages.words[at + 7u] = said + 1u;
}
fn crosslane_print_f32(line: u32, invocation: vec3<u32>, value: f32) {
    crosslane_say(line, 0u, invocation, bitcast<u32>(value));
}
fn crosslane_print_i32(line: u32, invocation: vec3<u32>, value: i32) {
    crosslane_say(line, 1u, invocation, bitcast<u32>(value));
}
fn crosslane_print_u32(line: u32, invocation: vec3<u32>, value: u32) {
    crosslane_say(line, 2u, invocation, value);
}
fn crosslane_assert_that(line: u32, invocation: vec3<u32>, condition: bool) {
    if condition { return; }
    atomicAdd(&crosslane_messages.failed, 1u);
    crosslane_say(line, 3u, invocation, 0u);
}
";
