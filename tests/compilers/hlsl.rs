//! Kernels' HLSL, as wgpu has naga write it for Microsoft's compilers, and a compiler as a program that takes lists of files.

use crate::khronos::Folder;
use crosslane::op::Kernel;
use naga::back::hlsl;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// An entry point, and the text that has it.
pub type Text = (String, String);

/// The kernel's text. `checked` as a program's kernels are compiled, not the library's.
pub fn text(kernel: &Kernel, shader_model: hlsl::ShaderModel, checked: bool) -> Text {
    let module = kernel.directx_module().unwrap();
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
    let target = |space| hlsl::BindTarget { space, ..Default::default() };
    let options = hlsl::Options {
        shader_model,
        fake_missing_bindings: true,
        immediates_target: Some(target(9)),
        special_constants_binding: Some(target(10)),
        zero_initialize_workgroup_memory: checked,
        restrict_indexing: checked,
        force_loop_bounding: checked,
        ..Default::default()
    };
    let stage = (naga::ShaderStage::Compute, kernel.entry().to_string());
    let pipeline = hlsl::PipelineOptions { entry_point: Some(stage) };
    let mut text = String::new();
    let mut writer = hlsl::Writer::new(&mut text, &options, &pipeline);
    let names = writer.write(&module, &info, None).unwrap().entry_point_names;
    let name = names.into_iter().flatten().next().expect("it has an entry point");
    (name, text)
}

/// A program that reads lines `ENTRY FILE`, and says `ok FILE`, or `refused FILE` and why.
pub struct Compiler {
    /// Its words.
    pub command: Vec<OsString>,
    /// For the texts.
    pub folder: Folder,
}

impl Compiler {
    /// What it says of each text that it refuses, by its number. The texts are compiled side by side.
    pub fn refused(&self, texts: &[Text]) -> Vec<(usize, String)> {
        let parts = std::thread::available_parallelism().map_or(1, usize::from);
        let file = |nth: usize| self.folder.0.join(format!("{nth}.hlsl"));
        let part = |first: usize| {
            let own = || (first..texts.len()).step_by(parts);
            own().for_each(|nth| std::fs::write(file(nth), &texts[nth].1).unwrap());
            let list: String = own().map(|nth| format!("{} {}\n", texts[nth].0, file(nth).display())).collect();
            let said = self.compile(&list);
            let verdict = |nth: usize| verdict(&said, &file(nth)).err().map(|said| (nth, said));
            own().filter_map(verdict).collect::<Vec<_>>()
        };
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..parts).map(|first| scope.spawn(move || part(first))).collect();
            running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        })
    }

    fn compile(&self, list: &str) -> String {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let list = list.to_string();
        // It answers while it reads: both pipes would be full with long lists.
        let writing = std::thread::spawn(move || input.write_all(list.as_bytes()));
        let output = child.wait_with_output().unwrap();
        writing.join().unwrap().unwrap();
        assert!(output.status.success(), "{:?}: {}", self.command, output.status);
        String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n")
    }
}

/// What is said of a file, which is an error where nothing is said.
fn verdict(said: &str, file: &Path) -> Result<(), String> {
    let [ok, refused] = ["ok", "refused"].map(|verdict| format!("{verdict} {}\n", file.display()));
    match said.split_once(&refused) {
        Some((_, why)) => Err(why.lines().take(4).collect::<Vec<_>>().join("\n")),
        None if said.contains(&ok) => Ok(()),
        None => Err("the compiler says nothing".into()),
    }
}
