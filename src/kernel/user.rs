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
    /// The only compute entry point of a WGSL text, to be launched by [`Kernel::grid`] or [`Kernel::for_elements`].
    ///
    /// It is compiled with run-time checks: an index out of bounds stays inside its buffer, workgroup memory begins as
    /// zeros, and loops that may not end count their iterations ([`crate::DeviceOptions::time_limit`]). Making a kernel
    /// needs no device; each device compiles it at its first launch. The same text gives the same kernel each time.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let double = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < arrayLength(&x) { x[id.x] *= 2.0; }
    ///     }
    /// ")?;
    /// let mut x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
    /// double.for_elements(3).args(&mut x).launch(device)?;
    /// assert_eq!(x.to_vec()?, [2.0, 4.0, 6.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// A text may call these functions without declaring them; they are appended:
    ///
    /// | function | gives |
    /// |---|---|
    /// | `linear_index(id, groups)` | the invocation's place in the grid, from the global invocation id and `num_workgroups` |
    /// | `grid_size(groups)` | invocations in all: the stride of a loop over more elements than invocations |
    /// | `workgroup_size()` | as the entry point says |
    /// | `coordinates_2d(i, width)`, `coordinates_3d(i, width, height)`, `index_2d(at, width)`, `index_3d(at, width, height)` | index to coordinates, and back |
    /// | `workgroup_sum_T(x, local_index)`, `_min_`, `_max_` | the values of all invocations of a workgroup combined; `T` is `f32`, `i32` or `u32`. By subgroups where the device has them. Called by all, as a barrier is |
    /// | `workgroup_scan_sum_T(x, local_index)`, .. | each invocation's value combined with those before it |
    /// | `atomic_add_f32_NAME(i, x)` | adds to the float whose bits are in `NAME: array<atomic<u32>>`, by compare and swap; where the device has [`crate::kernel::Feature::AtomicF32`], `array<atomic<f32>>` and `atomicAdd` are faster |
    /// | `philox(counter, key)` | four random words for a `vec4<u32>` and a `vec2<u32>` (Philox4x32-10) |
    /// | `uniform_f32(bits)`, `normal_f32(bits)` | random bits as a number in [0, 1), or a `vec2<u32>` of them as two normal numbers |
    /// | `get_u8(word, i)`, `get_i8`, `get_u16`, `get_i16`, `set_u8(word, i, x)`, `set_u16` | element `i` of packed integers, in word `i / 4` or `i / 2` |
    /// | `subgroupElect()` | whether it is the lowest active invocation of its subgroup: WGSL's own, which naga lacks |
    /// | `print_f32(id, x)`, `print_i32`, `print_u32` | a message: [`crate::Device::messages`] |
    /// | `assert_that(id, condition)` | the next wait gives [`crate::ErrorKind::Assertion`] where it is false |
    ///
    /// Names that begin with `crosslane_` are the library's own. Directives of the standard are taken as
    /// [`crate::guide::kernels`] lists them.
    ///
    /// Errors: a text that does not compile, or declares a name of the library, with line and column; one that nests deeper
    /// than compilers follow (1000 operators and brackets applied to one another, 250 statements inside one another or functions that
    /// call one another, 2^18 expressions and statements with all calls written out); no compute entry point, or several.
    #[doc(alias = "RawKernel")]
    #[doc(alias = "RawModule")]
    #[track_caller]
    pub fn wgsl(source: &str) -> Result<Kernel> {
        Recipe::new(source, None, &[]).kernel(Location::caller())
    }

    /// As [`Kernel::wgsl`], with a chosen entry point (`None` is the only one), and values for overrides, each by its
    /// name or `@id`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let source = "
    ///     override value: u32 = 1;
    ///     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    ///     @compute @workgroup_size(1) fn fill() { x[0] = value; }
    ///     @compute @workgroup_size(1) fn add() { x[0] += value; }
    /// ";
    /// let add = Kernel::wgsl_with(source, Some("add"), &[("value", 5.0)])?;
    /// let mut x = Array::from_slice(device, &[10u32]);
    /// add.grid([1]).args(&mut x).launch(device)?;
    /// assert_eq!(x.item()?, 15);
    /// # Ok(()) });
    /// ```
    ///
    /// An override without a default that gets no value here must get one at each launch ([`crate::Launcher::set`]).
    ///
    /// Errors: as [`Kernel::wgsl`]; no such entry point or override; a value that the override's type does not have.
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
    pub(crate) fn counting(&self, driven: Driven) -> Result<Option<&Kernel>> {
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

    /// The same kernel with another module of the same text.
    #[cfg(test)]
    pub(crate) fn with_module(&self, module: naga::Module) -> Kernel {
        let info = parse::validated(&module, self.source(), Location::caller()).expect("it is valid");
        let parsed = Some(Arc::new(Parsed { module, info }));
        Kernel(Arc::new(Inner { id: next_id(), parsed, counting: Arc::default(), ..(*self.0).clone() }))
    }

    /// Whether it is a program's, and the program does not vouch for it: its launches have a limit.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.original.is_some() && !self.is_trusted()
    }

    /// Runs work that goes through the kernel's module, or what is made of it, on a stack that suffices for it.
    pub(crate) fn on_its_stack<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self.is_long() {
            true => depth::on_large_stack(work),
            false => Depth::of(self.source()).unwrap_or(Depth::MOST).run(work),
        }
    }

    /// Whether drivers' compilers need a large stack for it, however little of it nests.
    pub(crate) fn is_long(&self) -> bool {
        self.parsed().is_ok_and(|parsed| depth::is_long(&parsed.module))
    }

    /// The program's own text.
    pub(crate) fn original(&self) -> &str {
        self.0.original.as_deref().unwrap_or(&self.0.source)
    }

    /// Each buffer that a launch binds: the library's own, or the number of the program's argument.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Result<Own, BindPoint>> + '_ {
        self.bindings().iter().zip(&self.0.own).map(|(point, own)| own.ok_or(*point))
    }

    /// The kernel for a device and with values for some of its overrides, made the first time.
    pub(crate) fn with(&self, overrides: &[(String, f64)], subgroups: bool, at: CallSite) -> Result<Kernel> {
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
    ///
    /// ```no_run
    /// let kernel = crosslane::Kernel::wgsl_file("shaders/blur.wgsl")?;
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    ///
    /// Errors: a file that cannot be read; otherwise as [`Kernel::wgsl`].
    #[track_caller]
    pub fn wgsl_file(path: impl AsRef<Path>) -> Result<Kernel> {
        let (path, at) = (path.as_ref(), Location::caller());
        let name = path.display().to_string();
        let source = std::fs::read_to_string(path).map_err(|error| {
            Error::argument("Kernel::wgsl_file", "path", "a file to read", format!("{name}: {error}"), at)
        })?;
        Ok(Recipe::new(&source, None, &[]).kernel(at)?.named(&name))
    }

    /// The same kernel with another name in messages than its entry point's: its file's name, for instance.
    ///
    /// ```
    /// let kernel = crosslane::Kernel::wgsl("@compute @workgroup_size(1) fn main() {}")?.named("nothing.wgsl");
    /// assert_eq!(kernel.name(), "nothing.wgsl");
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    pub fn named(&self, name: &str) -> Kernel {
        self.altered(|recipe| recipe.name = Some(name.into()), |inner| inner.name = name.into())
    }

    /// The overrides that the entry point uses and that have neither a default nor a value, by name. Each launch must set
    /// them ([`crate::Launcher::set`]); until then, what the reflection says of sizes is for a placeholder.
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
pub(crate) fn make(recipe: &Recipe, at: CallSite) -> Result<Kernel> {
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
