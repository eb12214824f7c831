//! The shared WGSL functions, linked by name: a kernel gets just those it calls, and those they call.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// The functions by their names, and whether they are of doubles, which not every device has.
static FUNCTIONS: LazyLock<HashMap<&'static str, (&'static str, bool)>> = LazyLock::new(|| {
    let files = [include_str!("../../shaders/shared/math.wgsl"), include_str!("../../shaders/shared/math_wide.wgsl")];
    let all = files.into_iter().zip([false, true]);
    all.flat_map(|(file, wide)| split(file).map(move |(name, text)| (name, (text, wide)))).collect()
});

/// The text of each function by its name. A function begins with `fn ` at the start of a line and ends with `}` there.
pub(super) fn split(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.match_indices("\nfn ").map(move |(at, _)| {
        let function = &text[at + 1..];
        let end = function.find("\n}").expect("a function of the library ends with a brace at the start of a line");
        let name = &function[3..function.find('(').expect("a function has parameters")];
        (name, &function[..end + 3])
    })
}

/// Other texts of some, for devices whose arithmetic keeps denormal numbers.
static KEPT: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| split(include_str!("../../shaders/shared/order_kept.wgsl")).collect());

/// What a text needs of the library.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Linked {
    pub text: String,
    /// Whether there are functions of doubles in it.
    pub wide: bool,
}

/// The functions of the library that `text` needs, each once; for a device whose arithmetic keeps denormal numbers or not.
pub(super) fn link(text: &str, denormals: bool) -> Linked {
    let kept = |name: &str| if denormals { KEPT.get(name).copied() } else { None };
    let of = |name: &str| kept(name).unwrap_or(FUNCTIONS[name].0);
    let mut wanted = BTreeSet::new();
    let mut queue = vec![text];
    while let Some(text) = queue.pop() {
        for name in calls(text) {
            if let Some((name, _)) = FUNCTIONS.get_key_value(name)
                && wanted.insert(*name)
            {
                queue.push(of(name));
            }
        }
    }
    let wide = wanted.iter().any(|name| FUNCTIONS[name].1);
    Linked { text: wanted.into_iter().map(of).collect(), wide }
}

/// The names that begin with `m_` and are called in `text`.
fn calls(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("m_").filter_map(move |(at, _)| {
        let rest = &text[at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        rest[end..].starts_with('(').then(|| &rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_what_is_called_and_what_that_calls() {
        assert!(FUNCTIONS.len() > 30);
        assert_eq!(link("let x = 1.0;", false), Linked::default());
        let tanh = link("let y = m_tanh(x);", false);
        assert!(tanh.text.contains("fn m_tanh(") && !tanh.text.contains("fn m_sin(") && !tanh.wide);
        assert!(link("let y = m_wide_abs(x);", false).wide);
        assert!(KEPT.len() == 7 && KEPT.keys().all(|name| FUNCTIONS.contains_key(name)));
        let all = FUNCTIONS.iter().map(|(name, (text, _))| (name, text)).chain(&*KEPT);
        for (name, text) in all {
            for called in calls(text) {
                assert!(FUNCTIONS.contains_key(called), "{name} calls {called}, which is not there");
            }
        }
    }
}
