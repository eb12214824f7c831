//! A kernel in both tiers: interpreted until it has computed so much that compiling it pays, then compiled.

use super::Tier;
use super::lower;
use super::program::{Lowered, Program};
use super::run::Machine;
use crate::error::Result;
use std::sync::{Mutex, OnceLock};

/// A kernel, and what has run it.
pub(super) struct Compiled {
    pub lowered: Lowered,
    /// Roughly how many words one workgroup computes.
    pub effort: u64,
    pub machines: Mutex<Vec<Machine>>,
    program: OnceLock<Program>,
    #[cfg(feature = "jit")]
    pub tier: tier::Compiling,
}

impl Compiled {
    #[cfg_attr(not(feature = "jit"), allow(unused_variables, reason = "all kernels are interpreted"))]
    pub fn new(lowered: Lowered, tier: Tier, trusted: bool, watched: bool) -> Result<Compiled> {
        let compiled = Compiled {
            effort: lowered.effort(),
            machines: Mutex::default(),
            program: OnceLock::new(),
            #[cfg(feature = "jit")]
            tier: tier::Compiling::new(tier, trusted, watched),
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
    use super::super::jit::{self, Code, Given, Target};
    use super::super::schedule::{Stuck, unfold};
    use super::super::{Cpu, Tier, block};
    use super::Compiled;
    use crate::threads;
    use crate::work::{Launch, Window};
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
    /// Words of a launch that is not interpreted while its code is compiled, but waits for it.
    const WAITS: u64 = 1 << 23;
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
        /// Words computed by the interpreter.
        interpreted: AtomicU64,
        /// Whether a thread compiles, without and with guarded accesses.
        begun: [AtomicBool; 2],
        /// Without and with guarded accesses; why if it has no code.
        code: [OnceLock<Result<Arc<Code>, String>>; 2],
        memories: Mutex<Vec<Memory>>,
    }

    impl Compiling {
        pub fn new(kind: Tier, trusted: bool, watched: bool) -> Compiling {
            let (interpreted, begun) = (AtomicU64::new(0), Default::default());
            Compiling {
                kind,
                trusted,
                watched,
                interpreted,
                begun,
                code: Default::default(),
                memories: Mutex::default(),
            }
        }

        pub fn forget(&self) {
            self.memories.lock().expect("no panic while held").clear();
        }
    }

    impl Compiled {
        /// The code for a launch of so many workgroups, unless the launch is interpreted. Small launches are, until they
        /// have computed [`WORTH`] words, and then while another thread compiles.
        pub(in crate::backend::cpu) fn code(self: &Arc<Self>, launch: &Launch, groups: [u32; 3]) -> Option<Arc<Code>> {
            let tier = &self.tier;
            if tier.kind == Tier::Interpreted || launch.buffers.iter().any(|window| window.bytes < 4) {
                return None;
            }
            let padded = |window: &Window| block(&window.memory).bytes_after(window.offset + window.bytes) >= SLACK;
            let guarded = !tier.trusted || !launch.buffers.iter().all(padded);
            if let Some(code) = tier.code[guarded as usize].get() {
                return code.clone().ok();
            }
            let groups: u64 = groups.iter().map(|&n| n as u64).product();
            let words = groups.saturating_mul(self.effort);
            let computed = tier.interpreted.fetch_add(words, Relaxed).saturating_add(words);
            if tier.kind == Tier::Compiled || words >= WAITS {
                return self.compile(guarded);
            }
            if computed >= WORTH && !tier.begun[guarded as usize].swap(true, Relaxed) {
                let this = self.clone();
                // Where the system gives no thread, the kernel stays interpreted until a large launch.
                drop(Builder::new().name("crosslane compile".into()).spawn(move || this.compile(guarded)));
            }
            None
        }

        /// Compiles, or waits for the thread that does; `None` where the kernel cannot be compiled.
        fn compile(&self, guarded: bool) -> Option<Arc<Code>> {
            let compile = || {
                let target = Target { guarded, watched: self.tier.watched };
                let (start, steps) = (Instant::now(), self.lowered.code.len());
                // A mistake in the compiler is no reason to fail: the kernel is interpreted.
                let attempt = || catch_unwind(AssertUnwindSafe(|| jit::compile(&self.lowered, target)));
                let made = match steps {
                    ..=MOST_STEPS => attempt().unwrap_or_else(|_| Err("the compiler panicked".into())),
                    _ => Err(format!("{steps} steps are more than {MOST_STEPS}")),
                };
                match made {
                    Ok(code) => {
                        log::debug!("{}: {steps} steps compiled in {:.1?}", self.lowered.name, start.elapsed());
                        Ok(Arc::new(code))
                    }
                    Err(why) => {
                        log::info!("{} is interpreted: {why}", self.lowered.name);
                        Err(why)
                    }
                }
            };
            self.tier.code[guarded as usize].get_or_init(compile).clone().ok()
        }

        /// How the kernel runs, in words.
        pub(in crate::backend::cpu) fn how(&self) -> String {
            let steps = self.lowered.code.len();
            match self.tier.code.iter().find_map(|code| code.get()) {
                _ if self.tier.kind == Tier::Interpreted => "interpreted".into(),
                Some(Ok(_)) => "compiled".into(),
                Some(Err(why)) => format!("interpreted: {why}"),
                None if steps > MOST_STEPS => format!("interpreted: {steps} steps are more than {MOST_STEPS}"),
                None if self.tier.kind == Tier::Compiled => "compiled".into(),
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
        pub(in crate::backend::cpu) fn run_code(
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
            let batch = if compiled.lowered.listens() { 1 } else { (count / pieces).clamp(1, u32::MAX as u64) };
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
            threads::together(workers.saturating_sub(1) as usize, work);
            stuck.into_inner().expect("no panic while held")
        }
    }
}
