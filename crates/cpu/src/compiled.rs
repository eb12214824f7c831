//! A kernel in its tiers: interpreted until it has computed so much that compiling it pays, then compiled with registers allocated
//! in one pass, and where it computes much compiled again with registers allocated by backtracking.

use super::lower;
use super::program::{Lowered, Program};
use super::run::Machine;
use super::shared::Identity;
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use std::sync::{Mutex, OnceLock};

/// A kernel, and what has run it.
pub(super) struct Compiled {
    /// What it was lowered for.
    pub identity: Identity,
    pub lowered: Lowered,
    /// Roughly how many words one workgroup computes.
    pub effort: u64,
    pub machines: Mutex<Vec<Machine>>,
    program: OnceLock<Program>,
    #[cfg(feature = "jit")]
    pub tier: tier::Compiling,
}

impl Compiled {
    pub fn new(kernel: &Kernel, identity: Identity) -> Result<Compiled> {
        let lowered = lower::lower(kernel, &identity.target)?;
        let compiled = Compiled {
            effort: lowered.effort(),
            machines: Mutex::default(),
            program: OnceLock::new(),
            #[cfg(feature = "jit")]
            tier: tier::Compiling::new(&identity),
            identity,
            lowered,
        };
        lower::check_size(compiled.program())?;
        Ok(compiled)
    }

    /// As the interpreter runs it.
    pub fn program(&self) -> &Program {
        self.program.get_or_init(|| self.lowered.program())
    }

    /// Gives back what workgroups need to run.
    pub fn forget(&self) {
        self.machines.lock().expect("no panic while held").clear();
        #[cfg(feature = "jit")]
        self.tier.forget();
    }
}

#[cfg(feature = "jit")]
mod tier {
    use super::super::jit::{self, Allocation, Code, Given, MOST_ALLOCATED, Target};
    use super::super::schedule::{Stuck, unfold};
    use super::super::{Cpu, Tier, block};
    use super::{Compiled, Identity};
    use crosslane_core::kernel::on_large_stack;
    use crosslane_core::threads;
    use crosslane_core::work::{Launch, Window};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
    use std::sync::{Arc, Mutex, OnceLock};
    use std::thread::Builder;
    use std::time::Instant;

    /// Words that a kernel computes interpreted before it is compiled: about as long as compiling takes.
    const WORTH: u64 = 1 << 20;
    /// Steps of the longest kernel that is compiled, which takes a quarter of a second.
    const MOST_STEPS: usize = 8000;
    /// Words to compute below which a second thread costs more than it saves.
    const SMALL: u64 = 1 << 20;
    /// Pieces of a launch for each thread, so that none waits long for another.
    const PIECES: u64 = 16;
    /// Workgroups of a piece at most: between pieces the clock is looked at, and a billion workgroups without loops take seconds.
    const AT_ONCE: u64 = 1 << 14;
    /// Words of a launch that is not interpreted while its code is compiled, but waits for it.
    const WAITS: u64 = 1 << 23;
    /// Words that code whose registers were allocated in one pass computes before they are allocated anew. A launch of so many
    /// waits for that.
    const MUCH: u64 = 1 << 26;
    /// Bytes that code may touch past the end of a window: vectors of the last elements.
    const SLACK: u64 = 64;

    /// The memory of a workgroup, from a multiple of 64 bytes on.
    type Memory = Vec<Line>;

    #[derive(Clone, Copy)]
    #[repr(align(64))]
    pub struct Line(#[expect(dead_code, reason = "code uses it")] [u8; 64]);

    /// The code of a kernel, as far as it is made.
    pub struct Compiling {
        kind: Tier,
        trusted: bool,
        watched: bool,
        /// Words computed before the code of the last tier was there.
        computed: AtomicU64,
        /// Without and with guarded accesses.
        one_pass: [Made; 2],
        backtracking: [Made; 2],
        memories: Mutex<Vec<Memory>>,
    }

    /// Code of one kind.
    #[derive(Default)]
    struct Made {
        /// Whether a thread compiles.
        begun: AtomicBool,
        /// Why if there is none.
        code: OnceLock<Result<Arc<Code>, String>>,
    }

    impl Compiling {
        pub fn new(identity: &Identity) -> Compiling {
            Compiling {
                kind: identity.tier,
                trusted: identity.trusted,
                watched: identity.watched,
                computed: AtomicU64::new(0),
                one_pass: Default::default(),
                backtracking: Default::default(),
                memories: Mutex::default(),
            }
        }

        fn made(&self, allocation: Allocation, guarded: bool) -> &Made {
            match allocation {
                Allocation::OnePass => &self.one_pass[guarded as usize],
                Allocation::Backtracking => &self.backtracking[guarded as usize],
            }
        }

        pub fn forget(&self) {
            self.memories.lock().expect("no panic while held").clear();
        }
    }

    impl Compiled {
        /// The code for a launch of so many workgroups, unless the launch is interpreted. Small launches are, until they
        /// have computed [`WORTH`] words, and then while another thread compiles.
        pub fn code(self: &Arc<Self>, launch: &Launch, groups: [u32; 3]) -> Option<Arc<Code>> {
            let tier = &self.tier;
            if tier.kind == Tier::Interpreted || launch.buffers.iter().any(|window| window.bytes < 4) {
                return None;
            }
            let padded = |window: &Window| block(&window.memory).bytes_after(window.offset + window.bytes) >= SLACK;
            let guarded = !tier.trusted || !launch.buffers.iter().all(padded);
            let last = self.last();
            let found = |allocation| tier.made(allocation, guarded).code.get();
            if let Some(code) = found(last) {
                let code = code.as_ref().ok();
                return code.or_else(|| found(Allocation::OnePass)?.as_ref().ok()).cloned();
            }
            if tier.kind == Tier::OnePass {
                // One pass takes more of the stack than backtracking: that is what is left to try.
                return self.compile(Allocation::OnePass, guarded).or_else(|| self.compile(last, guarded));
            }
            let groups: u64 = groups.iter().map(|&n| n as u64).product();
            let words = groups.saturating_mul(self.effort);
            let computed = tier.computed.fetch_add(words, Relaxed).saturating_add(words);
            if tier.kind == Tier::Compiled || words >= MUCH {
                return self.compile(last, guarded);
            }
            if computed >= MUCH {
                self.compile_beside(last, guarded);
            }
            match found(Allocation::OnePass) {
                Some(Ok(code)) => Some(code.clone()),
                // One pass takes more of the stack than backtracking.
                Some(Err(_)) => self.compile(last, guarded),
                None if words >= WAITS => self.compile(Allocation::OnePass, guarded),
                None if computed >= WORTH => {
                    self.compile_beside(Allocation::OnePass, guarded);
                    None
                }
                None => None,
            }
        }

        /// How the registers of the last tier are allocated.
        fn last(&self) -> Allocation {
            if self.lowered.code.len() > MOST_ALLOCATED { Allocation::OnePass } else { Allocation::Backtracking }
        }

        /// Compiles on a thread of its own, once. Where the system gives no thread, the kernel stays as it is until a large
        /// launch.
        fn compile_beside(self: &Arc<Self>, allocation: Allocation, guarded: bool) {
            if !self.tier.made(allocation, guarded).begun.swap(true, Relaxed) {
                let this = self.clone();
                drop(Builder::new().name("crosslane compile".into()).spawn(move || this.compile(allocation, guarded)));
            }
        }

        /// Compiles, or waits for the thread that does; `None` where the kernel cannot be compiled.
        fn compile(&self, allocation: Allocation, guarded: bool) -> Option<Arc<Code>> {
            let compile = || {
                let target = Target { allocation, guarded, watched: self.tier.watched };
                let (start, steps) = (Instant::now(), self.lowered.code.len());
                // A mistake in the compiler is no reason to fail: the kernel is interpreted.
                let attempt =
                    || catch_unwind(AssertUnwindSafe(|| on_large_stack(|| jit::compile(&self.lowered, target))));
                let made = match steps {
                    ..=MOST_STEPS => attempt().unwrap_or_else(|_| Err("the compiler panicked".into())),
                    _ => Err(format!("{steps} steps are more than {MOST_STEPS}")),
                };
                match made {
                    Ok(code) => {
                        let (name, took) = (&self.lowered.name, start.elapsed());
                        log::debug!("{name}: {steps} steps compiled in {took:.1?} ({allocation:?})");
                        Ok(Arc::new(code))
                    }
                    Err(why) => {
                        log::info!("{} has no code ({allocation:?}): {why}", self.lowered.name);
                        Err(why)
                    }
                }
            };
            self.tier.made(allocation, guarded).code.get_or_init(compile).clone().ok()
        }

        /// How the kernel runs, in words.
        pub fn how(&self) -> String {
            let steps = self.lowered.code.len();
            let made = || self.tier.backtracking.iter().chain(&self.tier.one_pass).filter_map(|made| made.code.get());
            match made().max_by_key(|made| made.is_ok()) {
                _ if self.tier.kind == Tier::Interpreted => "interpreted".into(),
                Some(Ok(_)) => "compiled".into(),
                Some(Err(why)) => format!("interpreted: {why}"),
                None if steps > MOST_STEPS => format!("interpreted: {steps} steps are more than {MOST_STEPS}"),
                None if self.tier.kind != Tier::Both => "compiled".into(),
                None => "interpreted until compiling pays".into(),
            }
        }
    }

    /// What a launch gives, and when it shall end.
    #[repr(C)]
    struct Limits<'a> {
        given: Given,
        stop: &'a AtomicBool,
        until: Option<Instant>,
    }

    impl Limits<'_> {
        fn given(&self) -> &Given {
            &self.given
        }
    }

    /// # Safety
    ///
    /// What is given must be the beginning of [`Limits`].
    unsafe extern "C" fn late(given: *const Given) -> u32 {
        // SAFETY: as the caller says.
        let limits = unsafe { &*given.cast::<Limits>() };
        (limits.stop.load(Relaxed) || limits.until.is_some_and(|until| Instant::now() > until)) as u32
    }

    // SAFETY: the pointers are to a launch's windows and words, which other threads may use too.
    unsafe impl Sync for Limits<'_> {}

    impl Cpu {
        /// Runs a launch's code on several threads. Gives the site and the workgroup of a loop that was stopped.
        pub(crate) fn run_code(
            &self,
            code: &Code,
            compiled: &Compiled,
            launch: &Launch,
            params: &[AtomicU32],
            groups: [u32; 3],
            (stop, until): (&AtomicBool, Option<Instant>),
        ) -> Option<Stuck> {
            let window = |buffer: &super::super::program::Buffer| match buffer.window {
                Some(window) => {
                    let window = &launch.buffers[window];
                    let first = block(&window.memory).words.as_ptr().cast::<u8>().cast_mut();
                    jit::Window {
                        first: first.wrapping_add(window.offset as usize),
                        bytes: window.bytes.min(u32::MAX as u64),
                    }
                }
                None => jit::Window { first: params.as_ptr().cast::<u8>().cast_mut(), bytes: params.len() as u64 * 4 },
            };
            let buffers: Vec<jit::Window> = compiled.lowered.buffers.iter().map(window).collect();
            let given = Given { buffers: buffers.as_ptr(), immediates: params.as_ptr().cast(), groups, late };
            let limits = &Limits { given, stop, until };
            let count: u64 = groups.iter().map(|&n| n as u64).product();
            let (next, stuck) = (AtomicU64::new(0), Mutex::new(None));
            let tier = &compiled.tier;
            let lines = code.memory.div_ceil(64);
            let words = count.saturating_mul(compiled.effort);
            let workers = if words < SMALL { 1 } else { count.min(threads::count() as u64) };
            // Where one waits for another, they begin in order; else a thread takes several at a time.
            let pieces = if workers == 1 { 1 } else { workers * PIECES };
            let batch = if compiled.lowered.listens() { 1 } else { (count / pieces).clamp(1, AT_ONCE) };
            let work = || {
                let kept = tier.memories.lock().expect("no panic while held").pop();
                let mut memory = kept.filter(|kept| kept.len() >= lines).unwrap_or_else(|| vec![Line([0; 64]); lines]);
                loop {
                    let n = next.fetch_add(batch, Relaxed);
                    if n >= count || stop.load(Relaxed) {
                        break;
                    }
                    let those = batch.min(count - n) as u32;
                    let first = unfold(n, groups);
                    // The first runs however late it is: its loops have lines, which an error should name.
                    let late = n > 0 && until.is_some_and(|until| Instant::now() > until);
                    let stopped = if late {
                        Some((None, first))
                    } else {
                        // SAFETY: windows lie in their memory, which the launch holds; the workgroup's memory is this thread's.
                        let stopped = unsafe { code.run(limits.given(), first, those, memory.as_mut_ptr().cast()) };
                        stopped.map(|(site, nth)| (Some(site), unfold(n + nth as u64, groups)))
                    };
                    if let Some(stopped) = stopped {
                        if !stop.swap(true, Relaxed) {
                            *stuck.lock().expect("no panic while held") = Some(stopped);
                        }
                        break;
                    }
                }
                tier.memories.lock().expect("no panic while held").push(memory);
            };
            threads::together(workers.saturating_sub(1) as usize, &work);
            stuck.into_inner().expect("no panic while held")
        }
    }
}
