//! Defects that a checking device finds.

use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The defects that a checking device looks for. [`Checks::default`] has all but NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checks {
    /// Reads and writes outside an array or a binding.
    pub bounds: bool,
    /// Reads of storage memory that was never written; in trusted kernels, where workgroup memory is not zeroed, of
    /// workgroup memory too.
    pub uninitialised: bool,
    /// Treats workgroup memory as unwritten in every kernel, although WGSL zeroes it.
    pub workgroup_unset: bool,
    /// Data races: two invocations access one element without synchronisation, at least one writes, and not both are
    /// atomic.
    pub races: bool,
    /// Barriers that only some invocations of a workgroup reach.
    pub barriers: bool,
    /// Integers that overflow in the computation of an index.
    pub overflow: bool,
    /// Waiting for another workgroup, which is not guaranteed to run.
    pub progress: bool,
    /// f32 operations whose result is NaN although no operand is.
    pub nan: bool,
}

impl Default for Checks {
    fn default() -> Checks {
        Checks {
            bounds: true,
            uninitialised: true,
            workgroup_unset: false,
            races: true,
            barriers: true,
            overflow: true,
            progress: true,
            nan: false,
        }
    }
}

impl Checks {
    /// Looks for nothing.
    pub const fn none() -> Checks {
        Checks {
            bounds: false,
            uninitialised: false,
            workgroup_unset: false,
            races: false,
            barriers: false,
            overflow: false,
            progress: false,
            nan: false,
        }
    }

    /// The same checks with a change.
    ///
    /// ```
    /// use crosslane::cpu::Checks;
    /// let races = Checks::none().with(|checks| checks.races = true);
    /// assert!(races.races && !races.bounds);
    /// ```
    pub fn with(mut self, change: impl FnOnce(&mut Checks)) -> Checks {
        change(&mut self);
        self
    }
}

/// What kind of defect was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Defect {
    /// An index or address outside an array or a binding: of a write, or of a read whose value matters. It does in a
    /// store, a condition, an index, an atomic, a message and an operation of a subgroup; in trusted kernels it always does.
    OutOfBounds,
    /// A read of memory that was never written, whose value matters.
    Uninitialised,
    /// A data race: two invocations access one element without synchronisation, at least one writes, and not both are
    /// atomic.
    Race,
    /// A barrier that only some invocations reach.
    DivergentBarrier,
    /// An index that is in bounds only because the arithmetic wrapped.
    IndexOverflow,
    /// Waiting for another workgroup.
    NoProgress,
    /// A NaN from operands that are not NaN.
    Nan,
    /// A read outside an array or a binding whose value nothing used: no error, see [`Defect::is_error`].
    OutOfBoundsUnused,
    /// A read of memory that was never written, whose value nothing used: no error.
    UninitialisedUnused,
}

impl Defect {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Defect::OutOfBounds => "out of bounds",
            Defect::Uninitialised => "uninitialised memory",
            Defect::Race => "data race",
            Defect::DivergentBarrier => "divergent barrier",
            Defect::IndexOverflow => "index overflow",
            Defect::NoProgress => "no forward progress",
            Defect::Nan => "NaN",
            Defect::OutOfBoundsUnused => "loaded out of bounds, not used",
            Defect::UninitialisedUnused => "loaded before written, not used",
        }
    }

    /// Whether the kernel is wrong. What is read and not used is none: `select(0u, x[i], i < arrayLength(&x))` reads past
    /// the end, and drops what it reads. `Device::remarks` gives it.
    ///
    /// ```
    /// use crosslane::cpu::Defect;
    /// assert!(Defect::OutOfBounds.is_error() && !Defect::OutOfBoundsUnused.is_error());
    /// ```
    pub const fn is_error(self) -> bool {
        !matches!(self, Defect::OutOfBoundsUnused | Defect::UninitialisedUnused)
    }
}

/// A place in a kernel, and the invocation that executed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The line of the WGSL text, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The text of the line.
    pub text: String,
    /// The length of the expression in characters, from the column on.
    pub width: u32,
    /// The workgroup.
    pub workgroup: [u32; 3],
    /// The invocation: its `local_invocation_id`.
    pub invocation: [u32; 3],
}

/// One defect: its first occurrence, and the number of occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of defect.
    pub defect: Defect,
    /// The kernel.
    pub kernel: String,
    /// Where.
    pub spot: Spot,
    /// The other side of a race; where a value that was read out of bounds or before it was written is used, if that is
    /// another line.
    pub other: Option<Spot>,
    /// The variable or binding, if memory is concerned.
    pub binding: Option<String>,
    /// The index into it: in elements where known, else in words.
    pub index: Option<i64>,
    /// What happened, in words.
    pub message: String,
    /// The number of occurrences at this place.
    pub count: u64,
}

impl Finding {
    /// A defect that was seen once, of no variable.
    #[doc(hidden)]
    pub fn new(defect: Defect, kernel: String, spot: Spot, message: String) -> Finding {
        Finding { defect, kernel, spot, other: None, binding: None, index: None, message, count: 1 }
    }
}

/// All defects found in a submission; empty for correct kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Each defect once, in the order in which they were seen.
    pub findings: Vec<Finding>,
}

fn show(f: &mut fmt::Formatter<'_>, kernel: &str, spot: &Spot) -> fmt::Result {
    let gutter = spot.line.to_string().len();
    let [x, y, z] = spot.invocation;
    let [gx, gy, gz] = spot.workgroup;
    writeln!(f, "{:gutter$}--> {kernel}:{}:{}", "", spot.line, spot.column)?;
    writeln!(f, "{:gutter$} |", "")?;
    writeln!(f, "{} | {}", spot.line, spot.text)?;
    let skip = spot.column.saturating_sub(1) as usize;
    // A width of a format is at most 65,535.
    let before = " ".repeat(skip.min(spot.text.chars().count()));
    let marks = "^".repeat((spot.width.max(1) as usize).min(spot.text.chars().count().saturating_sub(skip).max(1)));
    write!(f, "{:gutter$} | {before}{marks} workgroup ({gx}, {gy}, {gz}), invocation ({x}, {y}, {z})", "")
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.defect.name(), self.message)?;
        show(f, &self.kernel, &self.spot)?;
        if let Some(other) = &self.other {
            writeln!(f)?;
            show(f, &self.kernel, other)?;
        }
        match self.count {
            1 => Ok(()),
            count => write!(f, "\n  = seen {count} times"),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, finding) in self.findings.iter().enumerate() {
            let gap = if i == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{finding}")?;
        }
        Ok(())
    }
}

/// Findings that are no errors, until somebody asks for them.
#[derive(Default)]
pub struct Remarks(Mutex<Report>);

/// Those that are kept until then; of later ones none is.
const MOST_REMARKS: usize = 1024;

impl Remarks {
    /// Keeps the findings of a report, as far as there is room for them.
    pub fn add(&self, report: Report) {
        if report.findings.is_empty() {
            return;
        }
        let kept = &mut self.0.lock().unwrap_or_else(PoisonError::into_inner).findings;
        let room = MOST_REMARKS.saturating_sub(kept.len());
        kept.extend(report.findings.into_iter().take(room));
    }

    /// Returns the findings that were kept and forgets them.
    pub fn take(&self) -> Report {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
