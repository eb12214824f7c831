//! Specifications: the parameters from which a kernel of the library is made, and by which it is cached.

use super::{Draft, Kernel};
use crate::caps::Caps;
use crate::recent::Recent;
use std::any::Any;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

/// All that the text of a family's kernels depends on, beside what devices can do.
pub trait Spec: Clone + Eq + Hash + Send + Sync + 'static {
    /// Makes the kernel's text for a device with these capabilities.
    fn draft(&self, caps: &Caps) -> Draft;
}

/// The library's kernels that are kept.
const KEPT: usize = 1024;

static KERNELS: LazyLock<Recent<Key, Kernel>> = LazyLock::new(|| Recent::new(KEPT));

impl Kernel {
    /// The kernel of a specification, made the first time that it is asked for on a device like this.
    #[doc(hidden)]
    pub fn of<S: Spec>(spec: S, caps: &Caps) -> Kernel {
        let key = Key(Arc::new((spec, caps.clone())));
        KERNELS.get(&key).unwrap_or_else(|| {
            let made = Kernel::new(key.0.draft(), caps);
            KERNELS.keep(key, made)
        })
    }
}

/// A specification of any family, and a device's capabilities.
#[derive(Clone)]
struct Key(Arc<dyn AnySpec>);

trait AnySpec: Send + Sync {
    fn any(&self) -> &dyn Any;
    fn draft(&self) -> Draft;
    fn is(&self, other: &dyn AnySpec) -> bool;
    fn mix(&self, state: &mut dyn Hasher);
}

impl<S: Spec> AnySpec for (S, Caps) {
    fn any(&self) -> &dyn Any {
        self
    }

    fn draft(&self) -> Draft {
        self.0.draft(&self.1)
    }

    fn is(&self, other: &dyn AnySpec) -> bool {
        other.any().downcast_ref() == Some(self)
    }

    fn mix(&self, mut state: &mut dyn Hasher) {
        self.any().type_id().hash(&mut state);
        self.hash(&mut state);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.0.is(&*other.0)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.mix(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Shader;

    /// A kernel that does nothing, of this many invocations.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Idle<const FAMILY: u32>(u32);

    impl<const FAMILY: u32> Spec for Idle<FAMILY> {
        fn draft(&self, caps: &Caps) -> Draft {
            let text = format!("// {FAMILY}: {} on {}\n", self.0, caps.workgroup());
            Draft {
                text,
                ..Draft::new("idle", Shader { name: "idle", text: "@compute @workgroup_size(1) fn idle() {}\n" })
            }
        }
    }

    #[test]
    fn a_kernel_is_kept_by_its_family_its_specification_and_the_device() {
        let (webgpu, mobile) = (Caps::webgpu(), Caps::mobile_like());
        let all = || {
            [
                Kernel::of(Idle::<1>(1), &webgpu),
                Kernel::of(Idle::<1>(2), &webgpu),
                Kernel::of(Idle::<2>(1), &webgpu),
                Kernel::of(Idle::<1>(1), &mobile),
            ]
        };
        let (first, again) = (all(), all());
        for (nth, kernel) in first.iter().enumerate() {
            assert_eq!(kernel.id(), again[nth].id());
            for other in &first[..nth] {
                assert!(kernel.id() != other.id() && kernel.source() != other.source());
            }
        }
    }
}
