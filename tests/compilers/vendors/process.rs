//! Children one after the other: each goes on after what the one before it did, or died of.

use super::child::{TASK, Task};
use super::devices::Device;
use super::told::{Figures, Outcome};
use crate::support::{is_required, say};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Names the folder that `.ci/vendors` makes.
const FOLDER: &str = "CROSSLANE_VENDORS";

/// A compiler hangs that has had so many seconds of the processor, or of the clock, for one kernel. The slowest that ends takes 38 s.
const HANGS: (f64, Duration) = (120.0, Duration::from_secs(1800));

/// What became of one kernel.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub identity: u64,
    pub operation: String,
    /// The case, and the kernel's name.
    pub what: String,
    /// Seconds of the processor.
    pub seconds: f64,
    pub outcome: Outcome,
}

impl Compiled {
    pub fn figures(&self) -> Option<&Figures> {
        match &self.outcome {
            Outcome::Made(figures) => Some(figures),
            _ => None,
        }
    }
}

/// What became of a device's task.
#[derive(Debug, Default)]
pub struct Told {
    pub driver: String,
    pub kernels: Vec<Compiled>,
    /// Whether its time sufficed.
    pub whole: bool,
}

impl Told {
    /// The sizes of subgroups that kernels run in, each once.
    pub fn sizes(&self) -> Vec<u64> {
        self.kernels
            .iter()
            .filter_map(Compiled::figures)
            .map(|one| one.subgroup)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }
}

/// The folder of drivers; says so where there is none, and fails where it is required.
pub fn folder() -> Option<PathBuf> {
    let found = std::env::var_os(FOLDER).map(PathBuf::from).filter(|folder| folder.join("lib/ld.so").exists());
    if found.is_none() {
        assert!(!is_required("vendors"), "CROSSLANE_REQUIRE names vendors: {FOLDER} names no folder of .ci/vendors");
        say(&format!(
            "skipped: {FOLDER} does not name the folder of other vendors' drivers ({FOLDER}=$(.ci/vendors intel))"
        ));
    }
    found
}

/// Whether the device's driver and shim are in the folder; says so where they are not.
pub fn is_there(folder: &Path, device: &Device) -> bool {
    let [shim, icd] = device.driver.files();
    let there = folder.join("lib").join(shim).exists() && folder.join("icd.d").join(icd).exists();
    if !there {
        let part = device.driver.part().unwrap_or_default();
        assert!(
            !part.is_empty() || !is_required("vendors"),
            "CROSSLANE_REQUIRE names vendors: {} is not there",
            device.name
        );
        say(&format!("skipped: {}: its driver or shim is not there (.ci/vendors {part})", device.name));
    }
    there
}

/// This program again, with the folder's C library, where the device's is the only driver: runs one test with this task.
pub fn start(folder: &Path, device: &Device, test: &str, task: &str) -> Child {
    let [shim, icd] = device.driver.files();
    let (library, icd) = (folder.join("lib"), folder.join("icd.d").join(icd));
    let mut command = Command::new(library.join("ld.so"));
    command.arg("--library-path").arg(&library).arg(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(TASK, task);
    command.env("VK_DRIVER_FILES", &icd).env("VK_ICD_FILENAMES", &icd).env("WGPU_BACKEND", "vulkan");
    command.env("LD_PRELOAD", library.join(shim)).env_remove("LD_LIBRARY_PATH").env("CROSSLANE_NULL_DEVICE", "1");
    command.env("MESA_SHADER_CACHE_DISABLE", "true").env("CROSSLANE_REQUIRE", "").envs(device.environment.to_vec());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Compiles what the task asks for.
pub fn run(folder: &Path, device: &Device, task: &Task, test: &str) -> Told {
    let mut told = Told::default();
    let mut task = Task { kernels: device.driver.kernels(), ..task.clone() };
    let seconds = task.seconds;
    loop {
        let had: f64 = told.kernels.iter().map(|one| one.seconds).sum();
        task.seconds = seconds.saturating_sub(had as u64);
        let mut child = start(folder, device, test, &task.text());
        let mut stdin = child.stdin.take().expect("piped");
        told.kernels.iter().for_each(|one| writeln!(stdin, "{}", one.identity).unwrap());
        drop(stdin);
        match follow(child, &mut told, &mut task, device) {
            End::All => told.whole = true,
            End::Time => {}
            End::GoesOn => continue,
        }
        return told;
    }
}

enum End {
    All,
    Time,
    /// A kernel took the child with it, or it has compiled as many as it can.
    GoesOn,
}

/// Reads what a child says until it ends.
fn follow(mut child: Child, told: &mut Told, task: &mut Task, device: &Device) -> End {
    let lines = lines(&mut child);
    let (mut open, mut ends, mut rest): (Option<Compiled>, _, _) = (None, None, Vec::new());
    let outcome = loop {
        let line = match next(&lines, child.id(), open.is_some()) {
            Ok(line) => line,
            Err(outcome) => break outcome,
        };
        let mut fields = line.split('\t');
        match (fields.next().unwrap_or_default(), fields.collect::<Vec<_>>()) {
            ("@device", fields) => told.driver = fields[0].into(),
            ("@case", fields) => task.done = fields[0].parse().expect("a number"),
            ("@kernel", fields) => {
                let (identity, operation, what) = (fields[0].parse().expect("a number"), fields[1], fields[2]);
                let (operation, what, outcome) = (operation.into(), what.into(), Outcome::Crashed(String::new()));
                open = Some(Compiled { identity, operation, what, outcome, seconds: 0.0 });
            }
            (mark @ ("@told" | "@refused"), fields) => {
                let mut one = open.take().expect("a kernel was named");
                one.seconds = fields[0].parse().expect("seconds");
                one.outcome = match mark {
                    "@told" => Outcome::read(device.driver, &fields[1..]),
                    _ => Outcome::Refused(fields[1].into()),
                };
                told.kernels.push(one);
            }
            ("@end", fields) => ends = Some(fields[0].to_string()),
            _ => rest.push(line),
        }
    };
    let _ = child.kill();
    let status = child.wait().unwrap();
    match (ends.as_deref(), open) {
        (Some("all"), _) => End::All,
        (Some("time"), _) => End::Time,
        (Some(_), _) => End::GoesOn,
        (None, Some(one)) => {
            let said = rest.iter().rev().take(3).rev().cloned().collect::<Vec<_>>().join(" | ");
            let outcome = outcome.unwrap_or(Outcome::Crashed(format!("{status}: {said}")));
            say(&format!("{}: {}: {}: {outcome:?}", device.name, one.operation, one.what));
            told.kernels.push(Compiled { outcome, ..one });
            End::GoesOn
        }
        (None, None) => panic!("{}: {status}, and not in a compiler:\n{}", device.name, rest.join("\n")),
    }
}

/// The next line; an error at the end, with an outcome if the compiler hangs.
fn next(lines: &Receiver<String>, child: u32, compiles: bool) -> Result<String, Option<Outcome>> {
    let (begun, had) = (Instant::now(), processor(child));
    loop {
        match lines.recv_timeout(Duration::from_secs(2)) {
            Ok(line) => return Ok(line),
            Err(RecvTimeoutError::Disconnected) => return Err(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let seconds = processor(child) - had;
        if compiles && (seconds > HANGS.0 || begun.elapsed() > HANGS.1) {
            return Err(Some(Outcome::Crashed(format!("no end after {seconds:.0} s of the processor"))));
        }
    }
}

/// What the child says on stderr, line by line.
fn lines(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    let (mut stdout, stderr) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    // Else the child waits for someone to read it.
    std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
    std::thread::spawn(move || {
        let lines = BufReader::new(stderr).split(b'\n').map_while(Result::ok);
        // The end of the receiver ends this too.
        lines.map(|line| String::from_utf8_lossy(&line).into_owned()).all(|line| sender.send(line).is_ok());
    });
    receiver
}

/// Seconds of the processor that a process has had; 0 once it is gone.
fn processor(process: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |nth: usize| fields.get(nth).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0 // of a user and of the system; Linux counts hundredths
}
