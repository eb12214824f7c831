//! Kernels from a program's own WGSL.

use super::counting::Driven;
use super::depth::{self, Depth};
use super::guard::guarded;
use super::parse::{self, Parsed, Program};
use super::prelude::Complete;
use super::recipe::Recipe;
use super::reflect::{Feature, Reflection, Resource, reflect};
use super::unportable::unportable;
use super::{BindPoint, Inner, Kernel, Own, counting, messages, next_id, prelude, standard};
use crate::error::{CallSite, Error, Result};
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

impl Kernel {
    /// The only compute entry point of a WGSL text.
    #[track_caller]
    pub fn wgsl(source: &str) -> Result<Kernel> {
        Recipe::new(source, None, &[]).kernel(Location::caller())
    }

    /// A chosen entry point (`None` is the only one), with values for overrides.
    #[track_caller]
    pub fn wgsl_with(source: &str, entry: Option<&str>, overrides: &[(&str, f64)]) -> Result<Kernel> {
        Recipe::new(source, entry, overrides).kernel(Location::caller())
    }

    /// The same kernel compiled without run-time checks, like the library's own. An index out of bounds is then
    /// undefined behaviour.
    ///
    /// Cooperative matrices need this, since nothing checks what they load and store.
    ///
    /// # Safety
    ///
    /// In every launch, each index must lie in its buffer or array, each loop must end, no integer may be divided by
    /// zero, and workgroup memory must be written before it is read.
    pub unsafe fn trusted(&self) -> Kernel {
        self.altered(|recipe| recipe.trusted = true, |inner| inner.trusted = true)
    }

    /// The same kernel, changed, as its recipe is.
    fn altered(&self, of: impl FnOnce(&mut Recipe), change: impl FnOnce(&mut Inner)) -> Kernel {
        let mut recipe = self.0.recipe.clone();
        if let Some(recipe) = &mut recipe {
            of(recipe);
        }
        if let Some(kept) = recipe.as_ref().and_then(Recipe::kept) {
            return kept;
        }
        if let Some(recipe) = recipe.clone().filter(|_| self.0.own.contains(&Some(Own::Messages))) {
            // The kernel's number is in its module.
            return recipe.kernel(Location::caller()).expect("its text and values have compiled before");
        }
        let (id, counting) = (next_id(), Arc::default());
        let mut inner = Inner { id, counting, recipe: recipe.clone(), sliced: Arc::default(), ..(*self.0).clone() };
        change(&mut inner);
        inner.number = match &recipe {
            Some(recipe) => recipe.number(),
            None if self.is_of_library() => 0,
            None => counting::number([inner.name.as_bytes(), inner.source.as_bytes()]),
        };
        let made = Kernel(Arc::new(inner));
        match recipe {
            Some(recipe) => recipe.keep(made),
            None => made,
        }
    }

    /// The kernel with loops that count, for devices that do so with loops, made the first time. `None` if its loops are
    /// short, or it is trusted. Two more buffers are bound: [`Own::Limits`] and [`Own::Report`].
    #[doc(hidden)]
    pub fn counting(&self, driven: Driven) -> Result<Option<&Kernel>> {
        let make = || -> Result<Option<Kernel>> {
            let at = Location::caller();
            let parsed = self.parsed()?;
            let Some(module) = counting::counting(&parsed.module, self.source(), self.entry(), self.number(), driven)
            else {
                return Ok(None);
            };
            let info = parse::validated(&module, self.source(), at)?;
            // Cached kernels are distinguished by their text: the module has the overrides' values in it.
            let (overrides, number) = (self.overrides(), self.number());
            let source = format!("{}\n// its loops count: {driven:?} {overrides:?}\n", self.source());
            let (entry, parsed) = (self.entry().into(), Parsed { module, info });
            let program = Program { source, parsed, entry, overrides: vec![], values: vec![], open: vec![] };
            let made = of(program, self.original().into(), number, at)?;
            Ok(Some(Kernel(Arc::new(Inner { name: self.name().into(), ..made }))))
        };
        if self.is_trusted() {
            return Ok(None);
        }
        match self.0.counting[driven as usize].get_or_init(make) {
            Ok(made) => Ok(made.as_ref()),
            Err(error) => Err(error.clone()),
        }
    }

    /// The same kernel with another module of the same text, for the tests.
    ///
    /// # Panics
    ///
    /// For a module that is not valid.
    #[doc(hidden)]
    pub fn with_module(&self, module: naga::Module) -> Kernel {
        let info = parse::validated(&module, self.source(), Location::caller()).expect("it is valid");
        let parsed = Some(Arc::new(Parsed { module, info }));
        Kernel(Arc::new(Inner { id: next_id(), parsed, counting: Arc::default(), ..(*self.0).clone() }))
    }

    /// Whether it is a program's, and the program does not vouch for it: its launches have a limit.
    #[doc(hidden)]
    pub fn is_watched(&self) -> bool {
        self.0.original.is_some() && !self.is_trusted()
    }

    /// Runs work that goes through the kernel's module, or what is made of it, on a stack that suffices for it.
    #[doc(hidden)]
    pub fn on_its_stack<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self.is_long() {
            true => depth::on_large_stack(work),
            false => Depth::of(self.source()).unwrap_or(Depth::MOST).run(work),
        }
    }

    /// Whether drivers' compilers need a large stack for it, however little of it nests.
    #[doc(hidden)]
    pub fn is_long(&self) -> bool {
        self.parsed().is_ok_and(|parsed| depth::is_long(&parsed.module))
    }

    /// The program's own text.
    #[doc(hidden)]
    pub fn original(&self) -> &str {
        self.0.original.as_deref().unwrap_or(&self.0.source)
    }

    /// Each buffer that a launch binds: the library's own, or the number of the program's argument.
    #[doc(hidden)]
    pub fn slots(&self) -> impl Iterator<Item = Result<Own, BindPoint>> + '_ {
        self.bindings().iter().zip(&self.0.own).map(|(point, own)| own.ok_or(*point))
    }

    /// The kernel for a device and with values for some of its overrides, made the first time.
    #[doc(hidden)]
    pub fn with(&self, overrides: &[(String, f64)], subgroups: bool, at: CallSite) -> Result<Kernel> {
        let subgroups = subgroups && self.0.collective;
        let made = match &self.0.recipe {
            Some(recipe) if subgroups || !overrides.is_empty() => {
                let mut recipe = recipe.with(self.0.overrides.iter().chain(overrides));
                (recipe.entry, recipe.subgroups) = (Some(self.entry().into()), subgroups);
                recipe.kernel(at)?
            }
            _ => self.clone(),
        };
        made.complete("launch", at)
    }

    /// The only compute entry point of a WGSL file; the kernel is named after the file.
    #[track_caller]
    pub fn wgsl_file(path: impl AsRef<Path>) -> Result<Kernel> {
        let (path, at) = (path.as_ref(), Location::caller());
        let name = path.display().to_string();
        let source = std::fs::read_to_string(path).map_err(|error| {
            Error::argument("Kernel::wgsl_file", "path", "a file to read", format!("{name}: {error}"), at)
        })?;
        Ok(Recipe::new(&source, None, &[]).kernel(at)?.named(&name))
    }

    /// The same kernel with another name in messages.
    pub fn named(&self, name: &str) -> Kernel {
        self.altered(|recipe| recipe.name = Some(name.into()), |inner| inner.name = name.into())
    }

    /// The overrides that the entry point uses and that have neither a default nor a value, by name. Each launch must set
    /// them (`crosslane::Launcher::set`); until then, what the reflection says of sizes is for a placeholder.
    ///
    /// ```
    /// use crosslane::Kernel;
    /// let source = "override n: u32; @compute @workgroup_size(n) fn main() {}";
    /// assert_eq!(Kernel::wgsl(source)?.open_overrides(), ["n"]);
    /// assert!(Kernel::wgsl_with(source, None, &[("n", 64.0)])?.open_overrides().is_empty());
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    pub fn open_overrides(&self) -> &[String] {
        &self.0.open
    }

    /// The kernel, if each override has a value.
    pub(super) fn complete(self, operation: &'static str, at: CallSite) -> Result<Kernel> {
        match self.0.open.first() {
            None => Ok(self),
            Some(name) => {
                let wanted = format!(
                    "a value: it has no default. Take .set(\"{name}\", value) at the launch, or Kernel::wgsl_with"
                );
                Err(Error::argument(operation, format!("override {name}"), wanted, "none", at))
            }
        }
    }

    /// The arguments that the kernel needs, and its requirements of a device; `None` for the library's own kernels.
    pub fn reflection(&self) -> Option<&Reflection> {
        self.0.reflection.as_ref()
    }
}

/// A kernel from a program's text. Where the device has subgroups, the workgroup's collectives use them.
pub fn make(recipe: &Recipe, at: CallSite) -> Result<Kernel> {
    let (original, entry) = (&recipe.text.says, recipe.entry.as_deref());
    prelude::free_names(original).map_err(|message| parse::fails(message, at))?;
    let Complete { text, collective } = prelude::complete(&standard::modern(original), entry, recipe.subgroups);
    let number = recipe.number();
    let settle = |module: &mut naga::Module| messages::settle(module, original, number);
    let made = of(parse::parse(&text, entry, &recipe.values(), settle, at)?, original.clone(), number, at)?;
    let (name, trusted) = (recipe.name.clone().unwrap_or_else(|| made.name.clone()), recipe.trusted);
    Ok(Kernel(Arc::new(Inner { name, trusted, collective, recipe: Some(recipe.clone()), ..made })))
}

/// A kernel of what was parsed.
fn of(program: Program, original: Arc<str>, number: u32, at: CallSite) -> Result<Inner> {
    let mut reflection = guarded(|| reflect(&program, &program.source))
        .and_then(|made| made)
        .map_err(|message| parse::fails(message, at))?;
    let subgroups = reflection.features.contains(&Feature::Subgroups);
    reflection.unportable = unportable(&program.parsed.module, &program.parsed.info, &original, subgroups);
    let Program { source, parsed, entry, values, open, .. } = program;
    let bindings = reflection.bindings.iter().map(|resource| resource.point).collect();
    // No program has variables of these names.
    let own = |resource: &Resource| match resource.name.as_str() {
        messages::MESSAGES => Some(Own::Messages),
        counting::WATCH => Some(Own::Limits),
        counting::REPORT => Some(Own::Report),
        _ => None,
    };
    let owned = reflection.bindings.iter().map(own).collect();
    reflection.bindings.retain(|resource| own(resource).is_none());
    Ok(Inner {
        id: next_id(),
        number,
        name: entry.clone(),
        entry: entry.into(),
        source,
        original: Some(original),
        collective: false,
        bindings,
        own: owned,
        parsed: Some(Arc::new(parsed)),
        overrides: values,
        open,
        params: vec![String::new(); reflection.immediate_bytes as usize / 4],
        trusted: false,
        reflection: Some(reflection),
        recipe: None,
        counting: Arc::default(),
        contract: None,
        sliced: Arc::default(),
        is_slice: false,
    })
}
