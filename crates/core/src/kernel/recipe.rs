//! The recipe of a program's kernel: the same text with the same values gives the same kernel each time.

use super::Kernel;
use super::counting::number;
use super::prelude::own;
use super::user::make;
use crate::error::{CallSite, Result};
use crate::recent::Recent;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

/// Kernels of programs that are kept: the engines keep as many compiled.
const KEPT: usize = 1024;

static KERNELS: LazyLock<Recent<Recipe, Kernel>> = LazyLock::new(|| Recent::new(KEPT));

/// All that a program's kernel depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Recipe {
    pub text: Text,
    /// The entry point; `None` is the only one.
    pub entry: Option<String>,
    /// Values of overrides, as bits.
    values: Vec<(String, u64)>,
    /// Whether collectives use subgroups.
    pub subgroups: bool,
    pub trusted: bool,
    /// Its name in messages, if that is not its entry point's.
    pub name: Option<String>,
}

impl Recipe {
    pub fn new(text: &str, entry: Option<&str>, values: &[(&str, f64)]) -> Recipe {
        let values = values.iter().map(|(name, value)| (name.to_string(), value.to_bits())).collect();
        // What was appended to a text before, in an export, is appended anew.
        let (text, entry) = (Text::new(&text[..own(text)]), entry.map(str::to_string));
        Recipe { text, entry, values, subgroups: false, trusted: false, name: None }
    }

    /// The same with other values.
    pub fn with<'a>(&self, values: impl Iterator<Item = &'a (String, f64)>) -> Recipe {
        let values = values.map(|(name, value)| (name.clone(), value.to_bits())).collect();
        Recipe { values, ..self.clone() }
    }

    pub fn values(&self) -> Vec<(&str, f64)> {
        self.values.iter().map(|(name, value)| (name.as_str(), f64::from_bits(*value))).collect()
    }

    /// What tells it from other kernels in what they write on a device.
    pub fn number(&self) -> u32 {
        let names = [&*self.text.says, self.entry.as_deref().unwrap_or(""), self.name.as_deref().unwrap_or("")];
        let values = self.values.iter().flat_map(|(name, bits)| [name.as_bytes(), bytemuck::bytes_of(bits)]);
        number(names.into_iter().map(str::as_bytes).chain(values))
    }

    /// The kernel, which is made at the first call.
    pub fn kernel(self, at: CallSite) -> Result<Kernel> {
        match self.kept() {
            Some(kernel) => Ok(kernel),
            None => make(&self, at).map(|made| self.keep(made)),
        }
    }

    pub fn kept(&self) -> Option<Kernel> {
        KERNELS.get(self)
    }

    /// Keeps the kernel that was made of this.
    pub fn keep(self, made: Kernel) -> Kernel {
        KERNELS.keep(self, made)
    }
}

/// A text that is compared by what it says, and hashed once: a launch that gives values to overrides asks by it.
#[derive(Clone)]
pub(super) struct Text {
    pub says: Arc<str>,
    hash: u64,
}

impl Text {
    fn new(text: &str) -> Text {
        let mut hasher = std::hash::DefaultHasher::new();
        text.hash(&mut hasher);
        Text { says: text.into(), hash: hasher.finish() }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        Arc::ptr_eq(&self.says, &other.says) || (self.hash == other.hash && self.says == other.says)
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "override n: u32 = 1u; @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn fill() { x[0] = n; }";

    #[test]
    fn the_same_text_is_the_same_kernel() {
        let kernel = || Kernel::wgsl(TEXT).unwrap();
        let of = |n: f64| Kernel::wgsl_with(TEXT, Some("fill"), &[("n", n)]).unwrap();
        assert_eq!(kernel().id(), kernel().id());
        assert_eq!(kernel().named("a").id(), kernel().named("a").id());
        assert_eq!(of(2.0).id(), of(2.0).id());
        // SAFETY: it is never launched.
        let trusted = || unsafe { kernel().trusted() };
        assert_eq!(trusted().id(), trusted().id());
        let mut all = [kernel(), kernel().named("a"), kernel().named("b"), of(1.0), of(2.0), trusted()].map(|k| k.id());
        all.sort();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "what differs is another kernel: {all:?}");
        assert!(trusted().is_trusted() && !kernel().is_trusted() && trusted().named("c").is_trusted());
        assert_eq!((kernel().named("a").named("b").name(), kernel().name()), ("b", "fill"));
    }

    /// What they write on a device, are advised of and are cached by says which kernel they are.
    #[test]
    fn kernels_of_one_text_are_told_apart() {
        let text = "override n: u32 = 1u; @group(0) @binding(0) var<storage, read_write> x: array<u32>;
            @compute @workgroup_size(1) fn one() { while x[0] != n { x[1]++; } print_u32(vec3(0u), n); }
            @compute @workgroup_size(1) fn two() { while x[0] != n { x[1]++; } print_u32(vec3(0u), n); }";
        let of = |entry, n: f64| Kernel::wgsl_with(text, Some(entry), &[("n", n)]).unwrap();
        let all =
            [of("one", 1.0), of("two", 1.0), of("one", 2.0), of("one", 1.0).named("two"), of("two", 1.0).named("one")];
        for (nth, kernel) in all.iter().enumerate() {
            let counting = kernel.counting(crate::kernel::Driven::Runs).unwrap().expect("its loop may be long");
            assert_eq!(counting.number(), kernel.number());
            // The number is a part of what runs.
            let words = |kernel: &Kernel| format!("{:?}", kernel.module().unwrap());
            let says = format!("U32({})", kernel.number());
            assert!(words(kernel).contains(&says) && words(counting).contains(&says), "{kernel:?}");
            for other in &all[..nth] {
                assert!(kernel.number() != other.number() && kernel.identity() != other.identity(), "{nth}");
            }
        }
        assert_eq!(of("one", 2.0).number(), of("one", 2.0).number());
    }

    #[test]
    fn kernels_are_kept_up_to_a_bound() {
        let held = Kernel::wgsl(TEXT).unwrap();
        for n in 0..2 * KEPT {
            Kernel::wgsl_with(TEXT, None, &[("n", n as f64)]).unwrap();
        }
        assert!(KERNELS.values().len() <= KEPT);
        assert_eq!(held.source(), Kernel::wgsl(TEXT).unwrap().source(), "whatever was forgotten");
    }
}
