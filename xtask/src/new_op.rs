//! A new operation to begin with: a shader, a folder, and a line in the one list. What it computes is the author's.

use crate::Outcome;
use std::fs;
use std::path::Path;

/// The list of operations.
const LIST: &str = "crates/ops/src/lib.rs";
/// Each file of an operation `x`, and what it begins as: `NAME` is `x_y`, `TYPE` is `XY`, `TITLE` is `X y`.
const FILES: [(&str, &str); 3] = [
    ("shaders/NAME.wgsl", include_str!("new_op/shader.wgsl")),
    ("crates/ops/src/NAME/mod.rs", include_str!("new_op/mod.rs.txt")),
    ("crates/ops/src/NAME/cases.rs", include_str!("new_op/cases.rs.txt")),
];
/// Words that name nothing in Rust or WGSL, and modules beside the operations.
const TAKEN: [&str; 26] = [
    "as", "cases", "cells", "clear", "const", "counted", "dense", "else", "enum", "fn", "for", "fuse", "if",
    "indexing", "lanes", "let", "loop", "match", "mod", "move", "order", "struct", "tail", "tunables", "type", "use",
];

/// Writes the files of an operation and its line, and says what is left to do.
pub fn make(root: &Path, name: &str) -> Outcome<()> {
    check(name)?;
    let list = fs::read_to_string(root.join(LIST)).map_err(|error| format!("{LIST}: {error}"))?;
    let listed = listed(&list, name)?;
    let files = FILES.map(|(path, text)| (filled(path, name), filled(text, name)));
    if let Some((path, _)) = files.iter().find(|(path, _)| root.join(path).exists()) {
        return Err(format!("{path} is there already"));
    }
    for (path, text) in files.iter().chain([&(LIST.to_string(), listed)]) {
        let file = root.join(path);
        fs::create_dir_all(file.parent().expect("a file lies in a folder"))
            .and_then(|()| fs::write(&file, text))
            .map_err(|error| format!("{path}: {error}"))?;
        println!("wrote {path}");
    }
    println!(
        "\nIt subtracts each row's first element, and passes its cases:\n\n    \
         cargo test --all-features -p crosslane-tests --test cases {name}\n\n\
         What is left: what it is to compute, in the shader, in `plan` and `reference`; cases that try it; a method in\n\
         src/array/, by `Task::nodes`. `cargo xtask fmt` formats it."
    );
    Ok(())
}

/// Whether it names a module, a shader and a function.
fn check(name: &str) -> Outcome<()> {
    let letters = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !name.ends_with('_')
        && !name.contains("__");
    match letters && !TAKEN.contains(&name) {
        true => Ok(()),
        false => Err(format!("wanted a name of small letters, digits and _, as `top_k`, not a keyword; got {name:?}")),
    }
}

fn filled(text: &str, name: &str) -> String {
    let words: Vec<String> = name.split('_').map(capital).collect();
    let title = capital(&name.replace('_', " "));
    text.replace("NAME", name).replace("TYPE", &words.concat()).replace("TITLE", &title)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// The list with the operation's line in its place.
fn listed(list: &str, name: &str) -> Outcome<String> {
    let broken = || format!("{LIST}: no list of operations as `operations!` has it");
    let begin = list.find("$given! {\n").ok_or_else(broken)? + "$given! {\n".len();
    let end = begin + list[begin..].find("            _ [").ok_or_else(broken)?;
    // What an operation's line begins with; other lines go on.
    let first = |line: &str| -> Option<String> {
        let word = line.strip_prefix("            ")?.split(' ').next()?;
        let is_name = word.starts_with(|c: char| c.is_ascii_lowercase());
        is_name.then(|| word.to_string())
    };
    let mut at = end;
    let mut place = begin;
    for line in list[begin..end].split_inclusive('\n') {
        match first(line) {
            Some(other) if other == name => return Err(format!("{LIST}: {name} is there already")),
            Some(other) if other.as_str() > name => at = at.min(place),
            _ => {}
        }
        place += line.len();
    }
    let line = filled("            NAME [\"NAME\"] {TYPE};\n", name);
    Ok([&list[..at], &line, &list[at..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A repository with nothing but the list, as it stands, and its operations' folders.
    fn copy(what: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("crosslane-new-op-{what}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("crates/ops/src")).unwrap();
        fs::copy(crate::root().join(LIST), root.join(LIST)).unwrap();
        root
    }

    #[test]
    fn an_operation_is_a_shader_a_folder_and_a_line() {
        let root = copy("made");
        make(&root, "less_first").unwrap();
        let text = |path: &str| fs::read_to_string(root.join(path)).unwrap();
        let shader = text("shaders/less_first.wgsl");
        assert!(shader.starts_with("// less_first: ") && shader.contains("fn less_first("));
        let module = text("crates/ops/src/less_first/mod.rs");
        assert!(module.starts_with("//! Less first: ") && module.contains("pub struct LessFirst {"));
        assert!(
            module.contains("shader(\"less_first\")")
                && text("crates/ops/src/less_first/cases.rs").contains("LessFirst {")
        );
        for path in
            ["shaders/less_first.wgsl", "crates/ops/src/less_first/mod.rs", "crates/ops/src/less_first/cases.rs"]
        {
            assert!(!["NAME", "TYPE", "TITLE"].iter().any(|word| text(path).contains(word)), "{path}");
        }
        let (before, after) = (fs::read_to_string(crate::root().join(LIST)).unwrap(), text(LIST));
        let new: Vec<&str> = after.lines().filter(|line| !before.contains(line)).collect();
        assert_eq!(new, ["            less_first [\"less_first\"] {LessFirst};"]);
        let order = ["histogram [", "less_first [", "map ["].map(|line| after.find(line).unwrap());
        assert!(order.is_sorted(), "{order:?}");
        let again = make(&root, "less_first").unwrap_err();
        assert!(again.contains("there already"), "{again}");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn the_first_and_the_last_stand_in_their_places() {
        let list = fs::read_to_string(crate::root().join(LIST)).unwrap();
        let first = listed(&list, "add").unwrap();
        assert!(first.contains("$given! {\n            add [\"add\"] {Add};\n            components"));
        let last = listed(&list, "zip").unwrap();
        assert!(last.contains("            zip [\"zip\"] {Zip};\n            _ ["));
        // A line that goes on is not torn.
        let after_sort = listed(&list, "sortish").unwrap();
        assert!(after_sort.contains("{Payload, Sort};\n            sortish ["), "{after_sort}");
    }

    #[test]
    fn names_that_are_none_are_refused() {
        for name in ["", "Sum", "2d", "top-k", "_x", "x_", "a__b", "fn", "match", "clear", "../x", "x y"] {
            assert!(check(name).is_err(), "{name:?}");
        }
        let root = copy("refused");
        assert!(make(&root, "sort").unwrap_err().contains("there already"));
        fs::create_dir_all(root.join("shaders")).unwrap();
        fs::write(root.join("shaders/fresh.wgsl"), "").unwrap();
        assert!(make(&root, "fresh").unwrap_err().contains("shaders/fresh.wgsl is there already"));
        assert!(!root.join("crates/ops/src/fresh").exists(), "nothing is written by halves");
        fs::remove_dir_all(root).unwrap();
    }

    /// What is written is formatted, where rustfmt is.
    #[test]
    fn what_is_written_is_formatted() {
        let root = copy("formatted");
        make(&root, "less_first").unwrap();
        fs::copy(crate::root().join("rustfmt.toml"), root.join("rustfmt.toml")).unwrap();
        let module = root.join("crates/ops/src/less_first/mod.rs");
        match std::process::Command::new("rustfmt").args(["--edition", "2024", "--check"]).arg(&module).output() {
            Ok(out) => assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stdout)),
            Err(error) => println!("skipped: rustfmt: {error}"),
        }
        fs::remove_dir_all(root).unwrap();
    }
}
