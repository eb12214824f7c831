//! Lays out structures as the standard says where naga does not: it forgets an `@align` of a structure that is a member or an
//! element of another type.
//!
//! naga keeps no attributes, so they are read from the text.

use super::templates;
use super::text::{enclosed, is_blank, position, without_comments, words};
use naga::proc::Layouter;
use naga::{ArraySize, Handle, Literal, Module, Type, TypeInner};
use std::collections::HashMap;

/// Bytes of a type at most, as naga has it.
const MOST_BYTES: u64 = 1 << 30;

/// The name of a structure of buffers that lies otherwise than its members alone make it, by `@align` or `@size`.
pub fn with_layout(module: &Module) -> Option<&str> {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).ok()?;
    let mut reached = vec![false; module.types.len()];
    for (_, variable) in module.global_variables.iter().filter(|(_, variable)| variable.binding.is_some()) {
        reached[variable.ty.index()] = true;
    }
    let all: Vec<_> = module.types.iter().collect();
    // A type comes after those that it is made of.
    for (handle, ty) in all.into_iter().rev() {
        if !reached[handle.index()] {
            continue;
        }
        match &ty.inner {
            TypeInner::Array { base, .. } => reached[base.index()] = true,
            TypeInner::Struct { members, span } => {
                let (mut end, mut most) = (0, 1);
                for member in members {
                    reached[member.ty.index()] = true;
                    let natural = layouter[member.ty];
                    if natural.alignment.round_up(end) != member.offset {
                        return ty.name.as_deref();
                    }
                    end = member.offset + natural.size;
                    most = most.max(natural.alignment.round_up(1));
                }
                if end.next_multiple_of(most) != *span {
                    return ty.name.as_deref();
                }
            }
            _ => {}
        }
    }
    None
}

/// An attribute's value, and where it stands.
#[derive(Clone, Copy)]
struct Given<'a> {
    says: &'a str,
    at: usize,
}

/// The attributes of a member that say how it lies.
#[derive(Clone, Copy, Default)]
struct Attributes<'a> {
    align: Option<Given<'a>>,
    size: Option<Given<'a>>,
}

/// Moves members to where the standard has them.
///
/// Errors: an attribute that asks for less than a member needs.
pub(super) fn lay_out(module: &mut Module, source: &str) -> Result<(), String> {
    let code = without_comments(source);
    if !words(&code).any(|(at, word)| word == "align" && code[..at].trim_end_matches(is_blank).ends_with('@')) {
        return Ok(());
    }
    let structures = structures(&code);
    let values = values(&structures, source);
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).map_err(|error| format!("error: {error}"))?;
    // Bytes and alignment of each type; one comes after those that it is made of.
    let mut layouts: Vec<(u64, u64)> = vec![];
    let handles: Vec<_> = module.types.iter().map(|(handle, _)| handle).collect();
    for handle in handles {
        let ty = &module.types[handle];
        let natural = layouter[handle];
        let (mut layout, mut moved) = ((natural.size as u64, natural.alignment.round_up(1) as u64), None);
        match &ty.inner {
            TypeInner::Array { base, size, .. } => {
                let (bytes, align) = layouts[base.index()];
                let stride = bytes.next_multiple_of(align);
                let count = if let ArraySize::Constant(count) = size { count.get() as u64 } else { 1 };
                layout = (stride * count, align);
                moved = Some(TypeInner::Array { base: *base, size: *size, stride: fits(stride, ty)? });
            }
            TypeInner::Struct { members, .. } => {
                if let Some(given) = ty.name.as_deref().and_then(|name| structures.get(name)) {
                    let attributes = |n: usize| given.get(n).copied().unwrap_or_default();
                    let mut members = members.clone();
                    let (mut end, mut most) = (0, 1);
                    for (n, member) in members.iter_mut().enumerate() {
                        let asked = attributes(n);
                        let (bytes, align) = layouts[member.ty.index()];
                        let align = at_least(asked.align, &values, align, "align", &code)?;
                        let begin = u64::next_multiple_of(end, align);
                        end = begin + at_least(asked.size, &values, bytes, "size", &code)?;
                        most = most.max(align);
                        member.offset = fits(begin, ty)?;
                    }
                    let span = end.next_multiple_of(most);
                    layout = (span, most);
                    moved = Some(TypeInner::Struct { members, span: fits(span, ty)? });
                }
            }
            _ => {}
        }
        layouts.push(layout);
        replace(module, handle, moved);
    }
    Ok(())
}

fn replace(module: &mut Module, handle: Handle<Type>, inner: Option<TypeInner>) {
    let ty = &module.types[handle];
    if let Some(inner) = inner.filter(|inner| *inner != ty.inner) {
        let ty = Type { name: ty.name.clone(), inner };
        module.types.replace(handle, ty);
    }
}

fn fits(bytes: u64, ty: &Type) -> Result<u32, String> {
    let name = ty.name.as_deref().unwrap_or("an array");
    match bytes <= MOST_BYTES {
        true => Ok(bytes as u32),
        false => Err(format!("error: `{name}` has more than {MOST_BYTES} bytes\n  = note: make its arrays shorter")),
    }
}

/// What an attribute says, where that is no less than what a member needs.
fn at_least(
    asked: Option<Given>,
    values: &HashMap<&str, u64>,
    least: u64,
    attribute: &str,
    code: &str,
) -> Result<u64, String> {
    let Some((asked, value)) = asked.and_then(|asked| Some((asked, *values.get(asked.says)?))) else {
        return Ok(least);
    };
    if value >= least {
        return Ok(value);
    }
    let (line, column) = position(code, asked.at);
    let (wanted, help) = match attribute {
        "align" => ("a multiple of", "an `@align` inside the member's structure counts too"),
        _ => ("at least", "the member's structure grows by an `@align` inside it"),
    };
    Err(format!(
        "error: @{attribute}({value}): wanted {wanted} {least}, which the member's type needs\n  ┌─ wgsl:{line}:{column}\n  = note: {help}; write @{attribute}({least})"
    ))
}

/// The attributes of each structure's members.
fn structures(code: &str) -> HashMap<&str, Vec<Attributes<'_>>> {
    let brackets = templates::brackets(code);
    let mut found = HashMap::new();
    let mut before = "";
    for (at, word) in words(code) {
        if std::mem::replace(&mut before, word) != "struct" {
            continue;
        }
        let rest = &code[at + word.len()..];
        let open = code.len() - rest.trim_start_matches(is_blank).len();
        let Some(inside) = enclosed(code, open).filter(|_| code[open..].starts_with('{')) else { continue };
        let (mut members, mut depth, mut begin) = (vec![], 0usize, inside.start);
        for (offset, c) in code[inside.clone()].char_indices() {
            let at = inside.start + offset;
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                '<' if brackets.contains_key(&at) => depth += 1,
                '>' if brackets.contains_key(&at) => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    members.push(attributes(code, begin));
                    begin = at + 1;
                }
                _ => {}
            }
        }
        members.push(attributes(code, begin));
        found.insert(word, members);
    }
    found
}

/// The attributes of the member that begins at a place.
fn attributes(code: &str, begin: usize) -> Attributes<'_> {
    let mut found = Attributes::default();
    let mut rest = code[begin..].trim_start_matches(is_blank);
    while let Some(after) = rest.strip_prefix('@') {
        let after = after.trim_start_matches(is_blank);
        let name = words(after).next().map_or("", |(_, word)| word);
        let after = after[name.len()..].trim_start_matches(is_blank);
        let at = code.len() - after.len();
        let Some(inside) = enclosed(code, at).filter(|_| after.starts_with('(')) else { break };
        let says = code[inside.clone()].trim_matches(|c| is_blank(c) || c == ',');
        let given = Some(Given { says, at: inside.start });
        match name {
            "align" => found.align = given,
            "size" => found.size = given,
            _ => {}
        }
        rest = code[inside.end + 1..].trim_start_matches(is_blank);
    }
    found
}

/// The values of attributes by what they say. naga computes those that are no numbers, in a copy of the text that declares a constant
/// for each.
fn values<'a>(structures: &HashMap<&str, Vec<Attributes<'a>>>, source: &str) -> HashMap<&'a str, u64> {
    let all = structures.values().flatten().flat_map(|member| [member.align, member.size]).flatten();
    let (mut values, mut computed) = (HashMap::new(), vec![]);
    for Given { says, .. } in all {
        match says.trim_end_matches(['u', 'i']).parse() {
            Ok(number) => drop(values.insert(says, number)),
            Err(_) if !computed.contains(&says) => computed.push(says),
            Err(_) => {}
        }
    }
    if computed.is_empty() {
        return values;
    }
    let name = |n: usize| format!("crosslane_attribute_{n}");
    let constant = |(n, says): (usize, &&str)| format!("\nconst {}: u32 = u32({says});", name(n));
    let constants: String = computed.iter().enumerate().map(constant).collect();
    // naga has parsed the text and these values in it.
    let Ok(module) = naga::front::wgsl::parse_str(&format!("{source}{constants}")) else { return values };
    for (_, constant) in module.constants.iter() {
        let found = (0..computed.len()).find(|n| constant.name.as_deref() == Some(&name(*n)));
        if let (Some(n), naga::Expression::Literal(Literal::U32(value))) =
            (found, &module.global_expressions[constant.init])
        {
            values.insert(computed[n], *value as u64);
        }
    }
    values
}
