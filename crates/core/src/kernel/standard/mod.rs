//! WGSL as the standard has it, made what naga takes, without moving a line or a column.
//!
//! A text goes through here twice. [`modern`] gives older words their names of today: that text is the kernel's, and is what a
//! browser would get. [`for_naga`] hides from naga what it gives without being asked, and [`settle`] does in its module what
//! the text asked for and naga has no words for.

mod directives;
mod elect;
mod extensions;
mod linear;
mod stages;
mod told;
mod words;

use super::text::without_comments;
use naga::valid::{GlobalVariableError, ValidationError};
use naga::{AddressSpace, Module, WithSpan};
use std::borrow::Cow;
use std::ops::Range;

pub(super) use directives::directives;
pub(super) use elect::elect;
pub(super) use linear::{index_function, index_functions, settle};
pub(super) use stages::{compute_only, misplaced};
pub(super) use told::told;
pub(super) use words::{OLD_IMMEDIATE, large_integers, old_immediates};

/// The text with today's words.
pub(super) fn modern(source: &str) -> Cow<'_, str> {
    if !source.contains(OLD_IMMEDIATE) {
        return Cow::Borrowed(source);
    }
    let mut text = source.to_string();
    old_immediates(&without_comments(source)).into_iter().for_each(|place| write(&mut text, place, "immediate"));
    Cow::Owned(text)
}

/// The text that naga parses: of the same length, with each word where it was.
///
/// Errors: an extension that kernels do not have, or a directive that does not follow the grammar.
pub(super) fn for_naga(source: &str) -> Result<Cow<'_, str>, String> {
    let occurs = |words: &[&str]| words.iter().any(|word| source.contains(word));
    if !occurs(&["enable", "requires", "diagnostic", "_index", "subgroup_size"]) {
        return Ok(Cow::Borrowed(source));
    }
    let code = without_comments(source);
    let mut hidden = directives(source, &code)?.hidden;
    if let Some(place) = words::subgroup_sizes(&code).next() {
        let (what, remedy) = ("kernels cannot choose the size of subgroups", extensions::NO_SIZE);
        return Err(told(source, place, what.into(), "not available", remedy));
    }
    hidden.extend(words::filters(&code));
    if let Some(place) = words::half_bitcasts(&code).next() {
        let remedy = "write vec2<f16>(unpack2x16float(x)), and pack2x16float(vec2<f32>(x)) for the way back";
        return Err(told(source, place, "bitcast to halves is not available".into(), "not available", remedy));
    }
    let mut text = hide(source, &hidden);
    words::linear_values(&code).into_iter().for_each(|(place, word)| write(&mut text, place, word));
    Ok(Cow::Owned(text))
}

/// The text with a variable in `storage` that naga refuses in `uniform` for its layout: the standard's
/// `uniform_buffer_standard_layout` takes it there, but not each driver has such uniform buffers. A launch binds the same.
pub(super) fn loosened(source: &str, module: &Module, error: &WithSpan<ValidationError>) -> Option<String> {
    let ValidationError::GlobalVariable {
        handle,
        source: GlobalVariableError::Alignment(AddressSpace::Uniform, ..),
        ..
    } = error.as_inner()
    else {
        return None;
    };
    let inner = &module.types[module.global_variables[*handle].ty].inner;
    if inner.is_dynamically_sized(&module.types) {
        return None;
    }
    let declaration = module.global_variables.get_span(*handle).to_range()?;
    let code = without_comments(source);
    let (at, space) = super::text::words(&code[declaration.clone()]).find(|(_, word)| *word == "uniform")?;
    let mut text = source.to_string();
    write(&mut text, declaration.start + at..declaration.start + at + space.len(), "storage");
    Some(text)
}

/// The extensions that a text enables, of one that has been parsed.
pub fn enabled(source: &str) -> Vec<String> {
    directives(source, &without_comments(source)).map(|found| found.enabled).unwrap_or_default()
}

/// The text with spaces in place of these parts of it; lines stay.
fn hide(source: &str, parts: &[Range<usize>]) -> String {
    let mut text = source.to_string();
    for part in parts {
        let spaces: String = source[part.clone()]
            .split_inclusive('\n')
            .map(|line| match line.strip_suffix('\n') {
                Some(line) => " ".repeat(line.len()) + "\n",
                None => " ".repeat(line.len()),
            })
            .collect();
        text.replace_range(part.clone(), &spaces);
    }
    text
}

/// Writes a word, and spaces where it is shorter than what was there.
fn write(text: &mut String, place: Range<usize>, word: &str) {
    let spaces = " ".repeat(place.len() - word.len());
    text.replace_range(place, &[word, &spaces].concat());
}
