//! Reads a stencil's texts: which neighbours they name, and what they are over these as parameters.

use super::AXES;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_ops::stencil::Neighbour;

/// The farthest neighbour.
const FARTHEST: i32 = 1 << 20;

/// Neighbours by their names: the axis from the last on, and how far along it.
const NAMES: [(&str, usize, i32); 6] =
    [("left", 0, -1), ("right", 0, 1), ("up", 1, -1), ("down", 1, 1), ("front", 2, -1), ("back", 2, 1)];

/// Texts over parameters.
pub(super) struct Translated {
    pub texts: Vec<String>,
    /// What the parameters are.
    pub neighbours: Vec<Neighbour>,
    /// The axes that occur, one at least.
    pub axes: usize,
}

/// The name of a neighbour in a translated text.
pub(super) fn parameter(nth: usize) -> String {
    format!("neighbour{nth}")
}

/// Whether a name begins as one.
pub(super) fn begins_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// What follows a name's characters.
fn name_end(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// The texts with their neighbours as parameters. `bare`: the first field's neighbours have names without the field's.
pub(super) fn translated(fields: &[&str], texts: &[&str], bare: bool, at: CallSite) -> Result<Translated> {
    let mut reader = Reader { fields, bare, at, neighbours: vec![], axes: 1 };
    let texts = texts.iter().map(|text| reader.read(text)).collect::<Result<_>>()?;
    Ok(Translated { texts, neighbours: reader.neighbours, axes: reader.axes })
}

struct Reader<'a> {
    fields: &'a [&'a str],
    bare: bool,
    at: CallSite,
    neighbours: Vec<Neighbour>,
    axes: usize,
}

impl Reader<'_> {
    fn read(&mut self, text: &str) -> Result<String> {
        let (mut rest, mut made) = (text, String::new());
        let mut member = false;
        while let Some(next) = rest.chars().next() {
            if next.is_ascii_digit() {
                // A number, with what may belong to it.
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
                made += &rest[..end];
                rest = &rest[end..];
            } else if begins_name(rest) {
                let end = name_end(rest);
                let (name, after) = rest.split_at(end);
                let (neighbour, after) = if member { (None, after) } else { self.neighbour(name, after)? };
                match neighbour {
                    Some(neighbour) => made += &parameter(self.number(neighbour)),
                    None => made += name,
                }
                rest = after;
            } else {
                made.push(next);
                rest = &rest[next.len_utf8()..];
            }
            member = next == '.';
        }
        Ok(made)
    }

    /// The neighbour that a name and what follows it stand for, and what follows that.
    fn neighbour<'t>(&mut self, name: &str, after: &'t str) -> Result<(Option<Neighbour>, &'t str)> {
        let Some(field) = self.fields.iter().position(|other| *other == name) else {
            let own = NAMES.iter().find(|(other, ..)| self.bare && *other == name);
            return Ok((own.map(|&(_, axis, far)| self.along(0, axis, far)), after));
        };
        if let Some(inside) = after.trim_start().strip_prefix('[') {
            let Some((list, rest)) = inside.split_once(']') else {
                return Err(self.mistake(&format!("{name}{after}"), "a closing `]`"));
            };
            return Ok((Some(self.at_offsets(field, list)?), rest));
        }
        if let Some(member) = after.strip_prefix('.') {
            let end = name_end(member);
            let Some(&(_, axis, far)) = NAMES.iter().find(|(other, ..)| *other == &member[..end]) else {
                let names = NAMES.map(|(name, ..)| name).join(", ");
                return Err(self.mistake(&format!("{name}.{}", &member[..end]), &format!("one of {names}")));
            };
            return Ok((Some(self.along(field, axis, far)), &member[end..]));
        }
        Ok((Some(Neighbour { field, offset: [0; 3] }), after))
    }

    fn along(&mut self, field: usize, axis: usize, far: i32) -> Neighbour {
        self.axes = self.axes.max(axis + 1);
        let mut offset = [0; 3];
        offset[2 - axis] = far;
        Neighbour { field, offset }
    }

    fn at_offsets(&mut self, field: usize, list: &str) -> Result<Neighbour> {
        let numbers: Option<Vec<i32>> = list.split(',').map(|number| number.trim().parse().ok()).collect();
        let within = |far: &i32| (-FARTHEST..=FARTHEST).contains(far);
        let Some(numbers) = numbers.filter(|all| all.len() <= AXES && all.iter().all(within)) else {
            let wanted = format!("1 to {AXES} whole numbers, each from -{FARTHEST} to {FARTHEST}");
            return Err(self.mistake(&format!("[{list}]"), &wanted));
        };
        self.axes = self.axes.max(numbers.len());
        let mut offset = [0; 3];
        offset[AXES - numbers.len()..].copy_from_slice(&numbers);
        Ok(Neighbour { field, offset })
    }

    fn number(&mut self, neighbour: Neighbour) -> usize {
        self.neighbours.iter().position(|other| *other == neighbour).unwrap_or_else(|| {
            self.neighbours.push(neighbour);
            self.neighbours.len() - 1
        })
    }

    fn mistake(&self, got: &str, wanted: &str) -> Error {
        Error::argument("Stencil", "text", wanted, got.to_string(), self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::Location;

    fn read(fields: &[&str], text: &str, bare: bool) -> Result<(String, Vec<Neighbour>, usize)> {
        let mut made = translated(fields, &[text], bare, Location::caller())?;
        Ok((made.texts.remove(0), made.neighbours, made.axes))
    }

    fn near(field: usize, offset: [i32; 3]) -> Neighbour {
        Neighbour { field, offset }
    }

    #[test]
    fn names_and_offsets_become_parameters() {
        let (text, neighbours, axes) = read(&["u"], "0.5 * (left + u[ -1, 2 ]) - u + left", true).unwrap();
        assert_eq!(text, "0.5 * (neighbour0 + neighbour1) - neighbour2 + neighbour0");
        assert_eq!(neighbours, [near(0, [0, 0, -1]), near(0, [0, -1, 2]), near(0, [0, 0, 0])]);
        assert_eq!(axes, 2);
        let (text, neighbours, axes) = read(&["a", "b"], "a.back * b.up + 1.0e3 + x.left + left", false).unwrap();
        assert_eq!(text, "neighbour0 * neighbour1 + 1.0e3 + x.left + left");
        assert_eq!((neighbours, axes), (vec![near(0, [1, 0, 0]), near(1, [0, -1, 0])], 3));
        // Part of another name, a member of another value, a suffix of a number.
        assert_eq!(read(&["u"], "uu + x.u + 3u + _u", true).unwrap().0, "uu + x.u + 3u + _u");
    }

    #[test]
    fn mistakes_are_named() {
        for text in ["u[1.5]", "u[]", "u[1, 2, 3, 4]", "u[9999999]", "u[1", "u.middle"] {
            assert!(read(&["u"], text, true).is_err(), "{text}");
        }
    }
}
