//! Compiled kernels that devices share: a program, or its tests, may open many, and they plan the same kernels.

use super::Tier;
use super::compiled::Compiled;
use super::lower::Target;
use crosslane_core::error::Result;
use crosslane_core::kernel::Kernel;
use rustc_hash::FxHasher;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

/// What a compiled kernel depends on beside its text.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub entry: String,
    pub target: Target,
    pub tier: Tier,
    pub trusted: bool,
    pub watched: bool,
}

impl Identity {
    pub fn of(kernel: &Kernel, target: Target, tier: Tier) -> Identity {
        let (entry, trusted, watched) = (kernel.entry().into(), kernel.is_trusted(), kernel.is_watched());
        Identity { entry, target, tier, trusted, watched }
    }
}

/// By the hash of text and identity. What no device keeps any more is gone.
type Kept = HashMap<u64, Vec<Weak<Compiled>>>;

static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);

/// Entries from which on those that are gone are looked for whenever there is no room for one more.
const FEW: usize = 256;

/// No kernel is compiled while it is held. One may be dropped, which takes no lock.
fn kept() -> MutexGuard<'static, Kept> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn hash(kernel: &Kernel, identity: &Identity) -> u64 {
    let mut hasher = FxHasher::default();
    (kernel.name(), kernel.source(), identity).hash(&mut hasher);
    hasher.finish()
}

fn find(kept: &Kept, hash: u64, kernel: &Kernel, identity: &Identity) -> Option<Arc<Compiled>> {
    let fits = |compiled: &Arc<Compiled>| {
        let lowered = &compiled.lowered;
        compiled.identity == *identity && lowered.name == kernel.name() && *lowered.source == *kernel.source()
    };
    kept.get(&hash)?.iter().filter_map(Weak::upgrade).find(fits)
}

/// A kernel of the library that another device has compiled, or that is compiled now. If several threads compile the same at the
/// same time, the first one's is shared.
pub(super) fn compiled(
    kernel: &Kernel,
    identity: Identity,
    compile: impl FnOnce(Identity) -> Result<Compiled>,
) -> Result<Arc<Compiled>> {
    // What runs of a program's kernel is more than its text.
    if !kernel.is_of_library() {
        return compile(identity).map(Arc::new);
    }
    let hash = hash(kernel, &identity);
    if let Some(found) = find(&kept(), hash, kernel, &identity) {
        return Ok(found);
    }
    let made = Arc::new(compile(identity)?);
    let mut kept = kept();
    if let Some(first) = find(&kept, hash, kernel, &made.identity) {
        return Ok(first);
    }
    if kept.len() >= FEW && kept.len() == kept.capacity() {
        kept.retain(|_, entries| {
            entries.retain(|entry| entry.strong_count() > 0);
            !entries.is_empty()
        });
    }
    kept.entry(hash).or_default().push(Arc::downgrade(&made));
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosslane_core::caps::Caps;
    use crosslane_core::element::DType;
    use crosslane_core::op::{Expression, ExpressionStep, Leaf, LeafSource, Op, StepKind};
    use crosslane_ops::Map;
    use std::thread;

    /// A kernel of the library that converts numbers to f32, made anew each time.
    fn conversion(dtype: DType) -> Kernel {
        let leaf = Leaf { source: LeafSource::Slot(0), dtype, len: 100, offset: 0, strides: vec![1] };
        let step = |what, dtype| ExpressionStep { what, dtype };
        let steps = vec![step(StepKind::Leaf(0), dtype), step(StepKind::Cast(0), DType::F32)];
        let expression = Expression { leaves: vec![leaf], steps, ..Expression::default() };
        let (output, output_strides, output_len, output_offset) = (1, vec![1], 100, 0);
        let (shape, count, fill, fresh) = (vec![100], None, None, true);
        let map = Map { expression, shape, output, output_len, output_offset, output_strides, fresh, count, fill };
        map.plan(&Caps::webgpu()).unwrap().passes.remove(0).kernel
    }

    fn shared(kernel: &Kernel, subgroup: u32) -> Arc<Compiled> {
        let bindings = kernel.bindings().iter().map(|point| (point.group, point.binding)).collect();
        let target = Target { subgroup, bindings, checked: false, clamps: false, nan: false };
        let identity = Identity::of(kernel, target, Tier::Interpreted);
        compiled(kernel, identity, |identity| Compiled::new(kernel, identity)).unwrap()
    }

    #[test]
    fn the_same_text_for_the_same_target_is_shared() {
        let first = shared(&conversion(DType::U32), 32);
        assert!(Arc::ptr_eq(&first, &shared(&conversion(DType::U32), 32)));
        assert!(!Arc::ptr_eq(&first, &shared(&conversion(DType::U32), 64)));
        assert!(!Arc::ptr_eq(&first, &shared(&conversion(DType::I32), 32)));
        let gone = Arc::downgrade(&first);
        drop(first);
        assert!(gone.upgrade().is_none(), "kept although no device keeps it");
    }

    #[test]
    fn threads_that_compile_at_once_share_the_first() {
        for round in 0..20 {
            // Others than the other tests compile.
            let subgroup = 4 << (round % 2);
            let made: Vec<Arc<Compiled>> = thread::scope(|scope| {
                let threads: Vec<_> =
                    (0..4).map(|_| scope.spawn(|| shared(&conversion(DType::F16), subgroup))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            // A thread that ends before another begins gives its own, which the vector keeps: it is found.
            assert!(made.iter().all(|one| Arc::ptr_eq(one, &made[0])));
        }
    }
}
