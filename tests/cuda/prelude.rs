//! The prelude's own tables: `prelude.cpp`, which includes every part of it.

use crate::emulate::here;
use crate::emulation::{available, compile, execute, folder};

#[test]
fn tables() {
    if !available() {
        return;
    }
    let folder = folder().unwrap();
    let program = folder.join("prelude");
    let result = compile(&here().join("prelude.cpp"), &program, &here(), &[]).and_then(|()| execute(&program, &folder));
    let _ = std::fs::remove_dir_all(&folder);
    result.unwrap_or_else(|error| panic!("{error}"));
}
