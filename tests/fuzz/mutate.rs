//! Changes of an input: of its bytes, or of a text's tokens and lines.

use crate::tape::EXTREMES;
use rand::Rng;
use rand::rngs::StdRng;
use std::ops::Range;

/// Longest input.
const MOST: usize = 1 << 15;

/// What an input is made of.
#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    Bytes,
    Text,
}

/// One to eight changes. `other` is another input, which parts are taken from.
pub fn mutate(form: Form, input: &[u8], other: &[u8], rng: &mut StdRng) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..1 << rng.random_range(0..4) {
        match form {
            Form::Text if rng.random_range(0..8) > 0 => change_text(&mut bytes, other, rng),
            _ => change_bytes(&mut bytes, other, rng),
        }
        bytes.truncate(MOST);
    }
    bytes
}

/// A random part, of `most` bytes at most.
fn part(len: usize, most: usize, rng: &mut StdRng) -> Range<usize> {
    let start = rng.random_range(0..=len);
    start..start + rng.random_range(0..=most.min(len - start))
}

fn change_bytes(bytes: &mut Vec<u8>, other: &[u8], rng: &mut StdRng) {
    let at = part(bytes.len(), 16, rng);
    match rng.random_range(0..7) {
        0 if !bytes.is_empty() => {
            let place = rng.random_range(0..bytes.len());
            bytes[place] ^= 1 << rng.random_range(0..8);
        }
        1 => bytes[at].iter_mut().for_each(|byte| *byte = rng.random()),
        2 => drop(bytes.drain(at)),
        3 => {
            let twice = bytes[at.clone()].to_vec();
            drop(bytes.splice(at.start..at.start, twice));
        }
        4 => drop(bytes.splice(at, other[part(other.len(), 64, rng)].iter().copied())),
        5 => {
            let number = EXTREMES[rng.random_range(0..EXTREMES.len())].to_le_bytes();
            let width = [1, 2, 4, 8][rng.random_range(0..4)];
            let end = bytes.len().min(at.start + width);
            bytes[at.start..end].copy_from_slice(&number[..end - at.start]);
        }
        _ => {
            let new: Vec<u8> = (0..rng.random_range(1..24)).map(|_| rng.random()).collect();
            drop(bytes.splice(at.start..at.start, new));
        }
    }
}

/// The words, numbers and signs of a text, without the spaces.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let (mut found, mut at) = (vec![], 0);
    while at < text.len() {
        let word = text[at..].iter().take_while(|byte| is_word(**byte)).count();
        if !text[at].is_ascii_whitespace() {
            found.push(at..at + word.max(1));
        }
        at += word.max(1);
    }
    found
}

/// Where the lines are, each with its end.
fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut line = |part: &[u8]| {
        at += part.len();
        at - part.len()..at
    };
    text.split_inclusive(|byte| *byte == b'\n').map(&mut line).collect()
}

fn any(of: &[Range<usize>], rng: &mut StdRng) -> Range<usize> {
    if of.is_empty() { 0..0 } else { of[rng.random_range(0..of.len())].clone() }
}

/// What stands in programs here and there.
const WORDS: &str = "0 1 -1 2147483647 4294967295u -2147483648 0x7fffffff 1e38 1e-45 0.0 65536u 1e999 u32 i32 f32 f16 f64 i64
    u64 bool vec2 vec3 vec4 mat4x4 atomic array ptr storage workgroup private function read_write uniform override const var let
    loop continuing break return if else switch default while for discard workgroupBarrier() storageBarrier() arrayLength select
    bitcast<f32> @id(1) @align(16) @size(64) @workgroup_size(1) @builtin(local_invocation_index) & * % / << >> == && ++ ! ~ ; _
    i++ pow sqrt clamp extractBits insertBits firstLeadingBit dot4I8Packed pack4x8snorm unpack2x16float frexp modf ldexp
    subgroupAdd subgroupBroadcast subgroupShuffle atomicAdd atomicCompareExchangeWeak workgroup_sum_f32 linear_index print_f32
    assert_that philox";

fn change_text(text: &mut Vec<u8>, other: &[u8], rng: &mut StdRng) {
    let (words, rows) = (tokens(text), lines(text));
    let word = any(&words, rng);
    match rng.random_range(0..11) {
        0 => drop(text.drain(word)),
        1 => {
            let words: Vec<&str> = WORDS.split_whitespace().collect();
            drop(text.splice(word, words[rng.random_range(0..words.len())].bytes()));
        }
        2 => {
            let new = other[any(&tokens(other), rng)].to_vec();
            drop(text.splice(word, new));
        }
        3 => {
            let new = text[any(&words, rng)].to_vec();
            drop(text.splice(word, new));
        }
        4 | 5 => {
            let numbers: Vec<_> = words.into_iter().filter(|word| text[word.start].is_ascii_digit()).collect();
            let unsigned = ["", "u", "i", "f"][rng.random_range(0..4)];
            let extreme = EXTREMES[rng.random_range(0..EXTREMES.len())];
            drop(text.splice(any(&numbers, rng), format!("{extreme}{unsigned}").bytes()));
        }
        6 => drop(text.drain(any(&rows, rng))),
        7 => {
            let (line, times) = (any(&rows, rng), 1 << rng.random_range(0..6));
            let new = text[line.clone()].repeat(times);
            drop(text.splice(line.end..line.end, new));
        }
        8 => {
            let new = other[any(&lines(other), rng)].to_vec();
            let at = any(&rows, rng).start;
            drop(text.splice(at..at, new));
        }
        9 => {
            let (line, to) = (any(&rows, rng), any(&rows, rng).start);
            let moved = text[line].to_vec();
            drop(text.splice(to..to, moved));
        }
        _ => {
            let nested = [
                ("(", ")"),
                ("-(", ")"),
                ("{", "}"),
                ("if true {", "}"),
                ("vec2(", ")"),
                ("~", ""),
                ("- ", ""),
                ("*&", ""),
                ("array<", ", 1>"),
                ("", "[0]"),
                ("", " + 1"),
                ("if true {} else ", ""),
            ];
            let (open, close) = nested[rng.random_range(0..nested.len())];
            let depth = 1 << rng.random_range(0..14);
            let new = [open.repeat(depth).as_bytes(), &text[word.clone()], close.repeat(depth).as_bytes()].concat();
            drop(text.splice(word, new));
        }
    }
}
