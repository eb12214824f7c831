//! Kernels' HLSL through Microsoft's own compiler, DXC, with the arguments that wgpu gives it on Windows: to DXIL, which DX12's
//! drivers take.

use crate::khronos::{Folder, Planned, kernels};
use crate::support::{is_required, say};
use crosslane::device::Caps;
use crosslane::op::Kernel;
use naga::back::hlsl;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names `libdxcompiler.so`.
const LIBRARY: &str = "CROSSLANE_DXC";

/// One kernel in so many is compiled; each takes 0.1 s. All are by `CROSSLANE_DXC_EVERY=1`.
const SAMPLED: usize = 48;

/// DXC, as a program that compiles lists of files.
struct Dxc {
    program: PathBuf,
    library: PathBuf,
    folder: Folder,
}

impl Dxc {
    /// Says so where the library is not named, and fails where it is required.
    fn new(name: &str) -> Option<Dxc> {
        let Some(library) = std::env::var_os(LIBRARY).map(PathBuf::from) else {
            assert!(!is_required("dxc"), "CROSSLANE_REQUIRE names dxc: {LIBRARY} names no file");
            say(&format!("skipped: {LIBRARY} does not name DXC's library (.ci/setup shows where it is to be had)"));
            return None;
        };
        let folder = Folder::new(name);
        let (program, source) = (folder.0.join("dxc"), concat!(env!("CARGO_MANIFEST_DIR"), "/compilers/dxc.cpp"));
        let built = Command::new("g++").args(["-std=c++17", "-o"]).arg(&program).args([source, "-ldl"]).status();
        assert!(built.is_ok_and(|status| status.success()), "g++ does not build {source}");
        Some(Dxc { program, library, folder })
    }

    /// What it says of each text that it refuses, by its number. The texts are compiled side by side.
    fn refused(&self, texts: &[(String, String)]) -> Vec<(usize, String)> {
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
        let mut command = Command::new(&self.program);
        command.arg(&self.library).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(list.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}: {}", self.library.display(), output.status);
        String::from_utf8_lossy(&output.stdout).into_owned()
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

/// The entry point and the text, as wgpu has naga write it.
fn hlsl(kernel: &Kernel) -> (String, String) {
    let module = kernel.directx_module().unwrap();
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_6,
        fake_missing_bindings: true,
        immediates_target: Some(hlsl::BindTarget { space: 9, ..Default::default() }),
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

#[test]
fn kernels_compile_for_direct_x() {
    let Some(dxc) = Dxc::new("dxc") else { return };
    let every = std::env::var("CROSSLANE_DXC_EVERY").map_or(SAMPLED, |every| every.parse().unwrap());
    for (what, caps) in [("the least that WebGPU promises", Caps::webgpu()), ("an Intel GPU", Caps::intel_like())] {
        let lacks = |(_, kernel): &Planned| ["coop_mat", "atomic<f32>"].iter().any(|it| kernel.source().contains(it));
        let all: Vec<Planned> = kernels(&caps, every).into_iter().filter(|planned| !lacks(planned)).collect();
        let texts: Vec<(String, String)> = all.iter().map(|(_, kernel)| hlsl(kernel)).collect();
        let refused = dxc.refused(&texts);
        let shown: Vec<String> = refused.iter().take(8).map(|(nth, said)| format!("{}: {said}", all[*nth].0)).collect();
        assert!(refused.is_empty(), "DXC refuses {} of {} for {what}, such as {shown:#?}", refused.len(), all.len());
        say(&format!("DXC compiled {} kernels for {what}", all.len()));
    }
}

/// The compiler is no stub: it refuses what is no HLSL.
#[test]
fn mistakes_are_refused() {
    let Some(dxc) = Dxc::new("dxc-mistakes") else { return };
    let kernel = Kernel::wgsl("@compute @workgroup_size(1) fn main() {}").unwrap();
    let (entry, text) = hlsl(&kernel);
    let wrong = text.replacen('{', "{ int x = y;", 1);
    let refused = dxc.refused(&[(entry.clone(), text), (entry, wrong)]);
    assert!(refused.len() == 1 && refused[0].0 == 1 && refused[0].1.contains("undeclared identifier"), "{refused:?}");
}
