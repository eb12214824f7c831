//! The error type: the operation, the argument, what was expected, what was given, and the caller's line.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The line of the caller's program that caused an error.
pub type CallSite = &'static Location<'static>;

/// An error, cheap to clone. A method that returns a fixed number of arrays keeps the error in them until a value is
/// asked for. Every other function returns it. `crosslane::Array` states the rule.
#[derive(Clone)]
pub struct Error(Arc<ErrorKind>);

/// What went wrong.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument does not fit the operation.
    #[error("{operation}: {argument}: wanted {wanted}, got {got}{}", place(.at))]
    Argument {
        /// The operation as it is called.
        operation: &'static str,
        /// The argument that does not fit.
        argument: String,
        /// What the operation needs.
        wanted: String,
        /// What it was given.
        got: String,
        /// The caller's line.
        at: Option<CallSite>,
    },
    /// The device cannot hold or bind something of this size.
    #[error("{operation}: {bytes} bytes wanted, but the largest buffer of {device} is {limit} bytes{}", place(.at))]
    TooLarge {
        /// The operation as it is called.
        operation: &'static str,
        /// The size asked for.
        bytes: u64,
        /// The largest size there is.
        limit: u64,
        /// The device's name.
        device: String,
        /// The caller's line.
        at: Option<CallSite>,
    },
    /// Device memory is used up, or the limit set on the pool is.
    #[error(
        "{operation}: out of memory: {requested} bytes wanted on {device}; {live} live, {pooled} pooled, limit {}{}; \
         drop arrays, call Device::trim(), or raise the limit{}",
        limit.map_or("none".to_string(), |l| l.to_string()),
        free.map_or(String::new(), |f| format!(", {f} free")),
        place(at)
    )]
    OutOfMemory {
        /// The operation as it is called.
        operation: &'static str,
        /// The size asked for, in bytes.
        requested: u64,
        /// Bytes held by arrays.
        live: u64,
        /// Bytes kept for reuse.
        pooled: u64,
        /// The limit set by the user, if any.
        limit: Option<u64>,
        /// Bytes that the device had left, where its driver says.
        free: Option<u64>,
        /// The device's name.
        device: String,
        /// The caller's line.
        at: Option<CallSite>,
    },
    /// The device does not have what the operation needs.
    #[error("{operation}: {device} does not have {wanted}; {help}{}", place(.at))]
    Unsupported {
        /// The operation as it is called.
        operation: &'static str,
        /// The feature or limit that is missing.
        wanted: String,
        /// The device's name.
        device: String,
        /// How to do without.
        help: String,
        /// The caller's line.
        at: Option<CallSite>,
    },
    /// A kernel or a WGSL expression does not compile.
    #[error("{kernel} does not compile on {device}: {message}{}", place(.at))]
    Compile {
        /// The kernel's name.
        kernel: String,
        /// The device's or the parser's name.
        device: String,
        /// What the compiler says, with line and column.
        message: String,
        /// The caller's line, where the text is the caller's.
        at: Option<CallSite>,
    },
    /// A checking device found defects in kernels.
    #[error("{} in kernels:\n{report}", match report.findings.len() { 1 => "a defect".into(), n => format!("{n} defects") })]
    Defects {
        /// What was found, and where.
        report: Box<crate::report::Report>,
    },
    /// A kernel ran longer than the device's time limit, or waits for something that cannot happen. Defects that a
    /// checking device found before that are logged as a warning.
    #[error(
        "{kernel}: {} after {seconds} s{}, or raise DeviceOptions::time_limit",
        match workgroup {
            Some(workgroup) if *line == 0 => format!("workgroup {workgroup:?} had not started"),
            Some(workgroup) => format!("workgroup {workgroup:?} still ran"),
            None => "it still ran".to_string(),
        },
        match line {
            0 => "; launch fewer workgroups".to_string(),
            line => format!(", in the loop at line {line}; end the loop"),
        }
    )]
    Endless {
        /// The kernel.
        kernel: String,
        /// The line of the loop in the WGSL text; 0 if the launch's workgroups together took too long.
        line: u32,
        /// The workgroup, where the device says.
        workgroup: Option<[u32; 3]>,
        /// The limit.
        seconds: f64,
    },
    /// A driver left a loop of a kernel early, so the kernel's results are invalid. Mesa's llvmpipe does so after
    /// 65,535 iterations of all loops of an invocation together.
    #[error(
        "{kernel}: the driver of {device} left the loop at line {line} before its end: it stops after 65,535 \
             iterations of all loops together; use another device, such as Device::cpu(), or fewer iterations for each \
             invocation"
    )]
    LoopLeft {
        /// The kernel.
        kernel: String,
        /// The line of the loop in the WGSL text.
        line: u32,
        /// The device.
        device: String,
    },
    /// An `assert_that` in a kernel failed.
    #[error(
        "{kernel}: the assertion at line {line} failed{}, {failures} failures in all",
        invocation.map_or(String::new(), |invocation| format!(" for invocation {invocation:?}"))
    )]
    Assertion {
        /// The kernel.
        kernel: String,
        /// The line in its text; 0 if it is not known.
        line: u32,
        /// The invocation id that the kernel passed; the smallest one, if several failed.
        invocation: Option<[u32; 3]>,
        /// How often an assertion failed since the last wait.
        failures: u32,
    },
    /// An operation's result differs from its reference's (`crosslane::Device::judge`).
    #[error("{operation}: {case}: element {index} of {slot} on {device}: wanted {wanted}, got {got}")]
    WrongResult {
        /// The operation.
        operation: &'static str,
        /// The case.
        case: String,
        /// The output.
        slot: String,
        /// The first element that differs.
        index: usize,
        /// What the reference gives.
        wanted: String,
        /// What the device computed.
        got: String,
        /// The device.
        device: String,
    },
    /// No device matches the request.
    #[error("no device for {wanted:?}: {looked}. {install}")]
    NoDevice {
        /// What was asked for.
        wanted: String,
        /// What was looked for, and found.
        looked: String,
        /// The one thing to install on this system.
        install: String,
    },
    /// The engine is not compiled in.
    #[error("the {engine} engine is not built in: {help}")]
    NotBuilt {
        /// The engine.
        engine: &'static str,
        /// How to get it.
        help: &'static str,
    },
    /// The device stopped working; arrays on it are gone. Open it again; on CUDA, in another process.
    #[error("device {device} is lost: {reason}")]
    DeviceLost {
        /// The device's name.
        device: String,
        /// What the driver says.
        reason: String,
    },
    /// A file cannot be read or written, or does not have the expected contents.
    #[error("{operation}: {file}: {message}")]
    File {
        /// The operation as it is called.
        operation: &'static str,
        /// The file, and the array in it where it has several.
        file: String,
        /// What the system says, or what was wanted and what the file has.
        message: String,
    },
    /// The driver rejected a call that this library should not have made.
    #[error("{operation} failed on {device}: {message}")]
    Backend {
        /// What was being done.
        operation: &'static str,
        /// The device's name.
        device: String,
        /// What the driver or wgpu says.
        message: String,
    },
}

fn place(site: &Option<CallSite>) -> String {
    site.map_or(String::new(), |s| format!(" (at {s})"))
}

impl Error {
    /// The kind of the error, to match on.
    ///
    /// ```
    /// use crosslane::{Device, ErrorKind};
    /// let error = Device::open("no such device").unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::NoDevice { .. }));
    /// ```
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    #[doc(hidden)]
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self.kind(), ErrorKind::OutOfMemory { .. })
    }

    /// The line of the caller's program that caused the error, if the caller did.
    pub fn call_site(&self) -> Option<CallSite> {
        match self.kind() {
            ErrorKind::Argument { at, .. }
            | ErrorKind::TooLarge { at, .. }
            | ErrorKind::OutOfMemory { at, .. }
            | ErrorKind::Unsupported { at, .. }
            | ErrorKind::Compile { at, .. } => *at,
            _ => None,
        }
    }

    /// No memory for so many bytes, or 0 where an engine does not know them; `free` of them are left. The pool adds its figures.
    #[doc(hidden)]
    pub fn out_of_memory(operation: &'static str, requested: u64, free: Option<u64>, device: String) -> Error {
        let (live, pooled, limit, at) = Default::default();
        ErrorKind::OutOfMemory { operation, requested, live, pooled, limit, free, device, at }.into()
    }

    #[doc(hidden)]
    pub fn argument(
        operation: &'static str,
        argument: impl Into<String>,
        wanted: impl Into<String>,
        got: impl Into<String>,
        at: CallSite,
    ) -> Error {
        let (argument, wanted, got) = (argument.into(), wanted.into(), got.into());
        ErrorKind::Argument { operation, argument, wanted, got, at: Some(at) }.into()
    }
}

impl Error {
    /// The same failure of memory with the line that asked for the work, in place of the library's own line that did it.
    #[doc(hidden)]
    pub fn asked_at(self, site: CallSite) -> Error {
        let mut kind = self.kind().clone();
        match &mut kind {
            ErrorKind::TooLarge { at, .. } | ErrorKind::OutOfMemory { at, .. } => *at = Some(site),
            _ => return self,
        }
        kind.into()
    }

    /// The same failure with the line that asked for the work, if it knows none yet.
    #[doc(hidden)]
    pub fn located(self, site: CallSite) -> Error {
        let mut kind = self.kind().clone();
        match &mut kind {
            ErrorKind::Argument { at, .. } | ErrorKind::TooLarge { at, .. } | ErrorKind::OutOfMemory { at, .. }
                if at.is_none() =>
            {
                *at = Some(site);
            }
            _ => return self,
        }
        kind.into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error(Arc::new(kind))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}
