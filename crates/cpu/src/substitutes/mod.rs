//! What runs in place of a kernel, by its contract: a crate's code, or code of the processor's own.

mod correlation;
mod product;
mod rows;
mod sort;
mod transforms;
mod walk;
mod windows;

use super::Cpu;
use correlation::Correlated;
use crosslane_core::engine::{Choice, Choices, Substitutes, WGSL, Way, choose};
use crosslane_core::error::Result;
use crosslane_core::kernel::Contract;
use crosslane_core::work::Launch;
use product::Product;
use rows::SortedRows;
use sort::SortPass;
use transforms::TransformedRows;

const LIBRARY: Choice = Choice { best: Way::Library, kernel: Way::Wgsl };
const NATIVE: Choice = Choice { best: Way::Native, kernel: Way::Native };

/// What runs in place of a launch's kernel.
pub(super) enum Substitute<'a> {
    Product(Product),
    Sort(SortPass<'a>),
    Rows(SortedRows<'a>),
    Transforms(TransformedRows<'a>),
    Correlation(Correlated<'a>),
}

impl Substitute<'_> {
    fn of(launch: &Launch) -> Option<Substitute<'_>> {
        match launch.kernel.contract()? {
            Contract::Contraction(product) => Product::of(product, launch).map(Substitute::Product),
            Contract::SortByDigit(pass) => SortPass::of(pass, launch).map(Substitute::Sort),
            Contract::SortRows(rows) => SortedRows::of(rows, launch).map(Substitute::Rows),
            Contract::Transforms(rows) => TransformedRows::of(rows, launch).map(Substitute::Transforms),
            Contract::Correlation(sums) => Correlated::of(sums, launch).map(Substitute::Correlation),
            Contract::SumOfRows(_) => None,
        }
    }

    fn way(&self) -> Way {
        match self {
            Substitute::Product(_) | Substitute::Transforms(_) => Way::Library,
            Substitute::Sort(_) | Substitute::Rows(_) | Substitute::Correlation(_) => Way::Native,
        }
    }

    /// # Safety
    ///
    /// Nobody may use what the launch writes, and nobody may write to what it reads, until it returns.
    pub unsafe fn run(&self) {
        match self {
            // SAFETY: as the caller says.
            Substitute::Product(product) => unsafe { product.run() },
            Substitute::Sort(pass) => pass.run(),
            Substitute::Rows(rows) => rows.run(),
            // SAFETY: as the caller says.
            Substitute::Correlation(sums) => unsafe { sums.run() },
            // SAFETY: as the caller says.
            Substitute::Transforms(rows) => unsafe { rows.run() },
        }
    }
}

impl Cpu {
    /// What is chosen in place of a launch's kernel.
    pub(super) fn substitute<'a>(&self, launch: &'a Launch) -> Result<Option<Substitute<'a>>> {
        let chosen = choose(self, launch)?.best;
        let substitute = if chosen == Way::Wgsl { None } else { Substitute::of(launch) };
        Ok(substitute.filter(|substitute| substitute.way() == chosen))
    }
}

impl Substitutes for Cpu {
    fn choices(&self) -> Option<&Choices> {
        self.choices.as_ref()
    }

    fn ways(&self, launch: &Launch) -> Vec<Way> {
        [Way::Wgsl].into_iter().chain(Substitute::of(launch).map(|substitute| substitute.way())).collect()
    }

    /// Substitutes are faster by factors wherever they apply.
    fn rule(&self, launch: &Launch) -> Option<Choice> {
        Some(match Substitute::of(launch) {
            Some(Substitute::Product(product)) if product.is_worthwhile() => LIBRARY,
            Some(Substitute::Transforms(rows)) if rows.is_worthwhile() => LIBRARY,
            Some(Substitute::Sort(_) | Substitute::Rows(_) | Substitute::Correlation(_)) => NATIVE,
            _ => WGSL,
        })
    }

    fn tier(&self, launch: &Launch) -> Option<String> {
        self.compiled(&launch.kernel).ok().map(|compiled| compiled.how())
    }

    fn label(&self, way: Way, launch: &Launch) -> &'static str {
        match way {
            Way::Wgsl => "the kernel",
            Way::Native if matches!(launch.kernel.contract(), Some(Contract::Correlation(_))) => {
                "the processor's own correlation"
            }
            Way::Native => "the processor's radix sort",
            Way::Library if matches!(launch.kernel.contract(), Some(Contract::Transforms(_))) => "rustfft",
            Way::Library => "gemm",
        }
    }
}
