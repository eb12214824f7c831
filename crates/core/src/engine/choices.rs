//! Which way of running a launch was the fastest: found out once for a shape class, and kept, on disk too.

use super::substitutes::{Natives, WAYS, Way, name_of};
use crate::cache::{self, hash};
use crate::files;
use crate::work::Launch;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard};

/// The ways that there are for a launch, and what they take.
pub(crate) type Times = Vec<(Way, f64)>;

/// The fastest way, and the fastest that is a kernel: the WGSL, if no other is plainly faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The fastest way of all, for launches outside of recordings.
    pub best: Way,
    /// The fastest way that is a kernel, for recordings and for launches that the library refuses.
    pub kernel: Way,
}

/// Where there is nothing else.
pub const WGSL: Choice = Choice { best: Way::Wgsl, kernel: Way::Wgsl };
/// Kernels written by hand wherever there is one, else the WGSL.
const NATIVE: Choice = Choice { best: Way::Native, kernel: Way::Native };

impl Choice {
    /// The choice by measured times, of which the first is the WGSL's.
    pub fn of(times: &Times) -> Choice {
        let fastest = |ways: &dyn Fn(Way) -> bool| {
            let all = times.iter().filter(|(way, _)| ways(*way));
            let (way, time) = *all.min_by(|a, b| a.1.total_cmp(&b.1)).expect("the WGSL is always there");
            if time < times[0].1 * WORTH { way } else { Way::Wgsl }
        };
        Choice { best: fastest(&|_| true), kernel: fastest(&|way| way != Way::Library) }
    }
}

/// A native must be faster by this factor: a measurement is not exact.
const WORTH: f64 = 0.98;

/// Choices that a device remembers at most.
const MOST_KNOWN: usize = 1 << 14;

/// A kernel, and the shape class of a launch: the powers of two that its workgroups and bytes lie between.
pub type Class = (u64, [u32; 2]);

/// What has been found out.
pub struct Choices {
    setting: AtomicU8,
    /// Whether no measurement decides what runs.
    deterministic: bool,
    folder: Option<PathBuf>,
    known: Mutex<HashMap<Class, Choice>>,
}

impl Choices {
    /// As the environment variable `CROSSLANE_NATIVES` says: `off`, `on`, `library` or `auto`.
    pub fn from_environment(folder: Option<PathBuf>, deterministic: bool) -> Choices {
        let natives = match std::env::var("CROSSLANE_NATIVES").as_deref() {
            Ok("off") => Natives::Off,
            Ok("on") => Natives::On,
            Ok("library") => Natives::Library,
            Ok("auto" | "") | Err(_) => Natives::Auto,
            Ok(other) => {
                log::warn!("CROSSLANE_NATIVES is {other:?}; wanted off, on, library or auto; using auto");
                Natives::Auto
            }
        };
        Choices { setting: AtomicU8::new(natives as u8), deterministic, folder, known: Mutex::default() }
    }

    /// Changes which substitutes may run from now on.
    pub fn set(&self, natives: Natives) {
        self.setting.store(natives as u8, Ordering::Relaxed);
    }

    /// Which substitutes may run.
    pub fn setting(&self) -> Natives {
        match self.setting.load(Ordering::Relaxed) {
            0 => Natives::Auto,
            1 => Natives::Off,
            2 => Natives::On,
            _ => Natives::Library,
        }
    }

    /// The choice that is one for all launches; `None` if it is measured. A recording consists of kernels. So where
    /// results must have the same bits everywhere, evaluations use kernels too.
    pub fn settled(&self) -> Option<Choice> {
        match self.setting() {
            Natives::Off => Some(WGSL),
            Natives::On => Some(NATIVE),
            Natives::Auto | Natives::Library if self.deterministic => Some(NATIVE),
            Natives::Library => Some(Choice { best: Way::Library, ..WGSL }),
            Natives::Auto => None,
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Class, Choice>> {
        self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Takes note of a choice. Kernels come and go: when there are too many, all are looked up anew.
    pub fn note(&self, class: Class, choice: Choice) {
        let mut known = self.known();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(class, choice);
    }

    /// The choice for a class, or the ways to be compared: asks for what takes time to make only where that is needed.
    /// `lasting`: that there is one way holds for all of the class.
    pub fn look(
        &self,
        class: Class,
        lasting: bool,
        ways: impl FnOnce() -> Vec<Way>,
        key: &dyn Fn() -> String,
    ) -> Result<Choice, Vec<Way>> {
        if let Some(&found) = self.known().get(&class) {
            return Ok(found);
        }
        let ways = ways();
        if ways.len() == 1 {
            if lasting {
                self.note(class, WGSL);
            }
            return Ok(WGSL);
        }
        self.find(class, key).ok_or(ways)
    }

    /// The known choice, of this process or on disk.
    pub fn find(&self, class: Class, key: &dyn Fn() -> String) -> Option<Choice> {
        if let Some(&found) = self.known().get(&class) {
            return Some(found);
        }
        let key = key();
        let text = files::read_text(&self.path(&key)?, cache::MOST_TEXT).ok()?;
        let found = decode(&text, &key)?;
        self.note(class, found);
        Some(found)
    }

    /// Chooses by measured times, and keeps these on disk if there is a folder. A failure to write is logged.
    pub fn keep(&self, class: Class, key: &str, times: &Times) -> Choice {
        let choice = Choice::of(times);
        self.note(class, choice);
        if let Some(path) = self.path(key)
            && let Err(error) = files::write_private(&path, encode(key, times).as_bytes())
        {
            log::info!("{}: {error}; the choice is not kept", path.display());
        }
        choice
    }

    /// The file for the times of this key; `None` without a folder.
    pub fn path(&self, key: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{:032x}.choice", hash(key.as_bytes()))))
    }
}

/// A line of ways with their microseconds, and the key.
fn encode(key: &str, times: &Times) -> String {
    let line: Vec<String> = times.iter().map(|(way, time)| format!("{} {time:.2}", name_of(*way))).collect();
    format!("{}\n{key}\n", line.join(" "))
}

fn decode(text: &str, key: &str) -> Option<Choice> {
    let (line, kept) = text.split_once('\n')?;
    let words: Vec<&str> = line.split(' ').collect();
    let times = words.chunks(2).map(|pair| {
        let way = WAYS.iter().find(|(name, _)| *name == pair[0])?.1;
        Some((way, pair.get(1)?.parse().ok()?))
    });
    let times: Times = times.collect::<Option<_>>()?;
    let known = kept.strip_suffix('\n') == Some(key) && times.first().is_some_and(|(way, _)| *way == Way::Wgsl);
    known.then(|| Choice::of(&times))
}

/// The class of a launch.
pub fn class(launch: &Launch) -> Class {
    let bytes: u64 = launch.buffers.iter().map(|window| window.bytes).sum();
    let groups: u64 = launch.grid.fold(u32::MAX).iter().map(|&count| count as u64).product();
    (launch.kernel.id(), [groups.max(1).ilog2(), bytes.max(1).ilog2()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::fs;

    /// Looking for a kernel's text and its file takes longer than launching it.
    #[test]
    fn a_single_way_is_looked_for_once_and_needs_no_key() {
        let choices = Choices::from_environment(None, false);
        let (looked, keyed) = (Cell::new(0), Cell::new(0));
        let look = |class: Class, lasting: bool, ways: &[Way]| {
            let key = || {
                keyed.set(keyed.get() + 1);
                "key".to_string()
            };
            let ways = || {
                looked.set(looked.get() + 1);
                ways.to_vec()
            };
            choices.look(class, lasting, ways, &key)
        };
        let (one, two) = (&[Way::Wgsl][..], &[Way::Wgsl, Way::Native][..]);
        (0..10).for_each(|_| assert_eq!(look((1, [3, 20]), true, one), Ok(WGSL)));
        assert_eq!((looked.take(), keyed.take()), (1, 0));
        // A product of this class that the library does may come.
        (0..10).for_each(|_| assert_eq!(look((2, [3, 20]), false, one), Ok(WGSL)));
        assert_eq!((looked.take(), keyed.take()), (10, 0));
        assert_eq!(look((2, [3, 20]), false, two), Err(two.to_vec()));
        let native = choices.keep((2, [3, 20]), "key", &vec![(Way::Wgsl, 10.0), (Way::Native, 5.0)]);
        (0..10).for_each(|_| assert_eq!(look((2, [3, 20]), false, two), Ok(native)));
        assert_eq!((looked.take(), keyed.take()), (1, 1));
    }

    #[test]
    fn choices_are_remembered_up_to_a_bound() {
        let choices = Choices::from_environment(None, false);
        let times = vec![(Way::Wgsl, 10.0), (Way::Native, 5.0)];
        for kernel in 0..3 * MOST_KNOWN as u64 {
            let native = choices.keep((kernel, [3, 20]), "key", &times);
            assert_eq!(choices.find((kernel, [3, 20]), &|| "key".into()), Some(native));
            assert!(choices.known().len() <= MOST_KNOWN);
        }
    }

    /// No measurement decides, and recordings take the way of evaluations.
    #[test]
    fn what_is_deterministic_has_one_way() {
        let settled = |natives, deterministic| {
            let choices = Choices::from_environment(None, deterministic);
            choices.set(natives);
            choices.settled()
        };
        for natives in [Natives::Auto, Natives::Off, Natives::On, Natives::Library] {
            let choice = settled(natives, true).expect("it is not measured");
            assert_eq!(choice.best, choice.kernel, "{natives:?}");
        }
        assert_eq!(settled(Natives::Off, true), Some(WGSL), "the program's own wish");
        assert_eq!((settled(Natives::Auto, false), settled(Natives::Auto, true)), (None, Some(NATIVE)));
    }

    #[test]
    fn choices_are_kept_and_found_by_their_key_only() {
        let folder = std::env::temp_dir().join(format!("crosslane-choices-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let choices = || Choices::from_environment(Some(folder.clone()), false);
        let class = (7, [3, 20]);
        let times = |native: f64| vec![(Way::Wgsl, 10.0), (Way::Native, native), (Way::Library, 12.0)];
        let (native, wgsl) =
            (Choice { best: Way::Native, kernel: Way::Native }, Choice { best: Way::Wgsl, kernel: Way::Wgsl });
        assert_eq!(choices().find(class, &|| "a".into()), None);
        assert_eq!(choices().keep(class, "a", &times(9.0)), native);
        assert_eq!(choices().find(class, &|| "a".into()), Some(native));
        assert_eq!(choices().find(class, &|| "b".into()), None);
        assert_eq!(choices().keep(class, "a", &times(9.9)), wgsl, "too little to be sure of");
        assert_eq!(choices().find(class, &|| "a".into()), Some(wgsl));
        for broken in ["native", "native 3\na\n", "wgsl 3 other 4\na\n", "wgsl\na\n"] {
            fs::write(choices().path("a").unwrap(), broken).unwrap();
            assert_eq!(choices().find(class, &|| "a".into()), None, "{broken:?}");
        }
        fs::remove_dir_all(&folder).unwrap();
        let nowhere = Choices::from_environment(None, false);
        assert_eq!(nowhere.keep(class, "a", &times(5.0)), native);
        assert_eq!(nowhere.find(class, &|| "a".into()), Some(native));
        // A recording is made of kernels.
        let library = vec![(Way::Wgsl, 10.0), (Way::Native, 8.0), (Way::Library, 6.0)];
        assert_eq!(Choice::of(&library), Choice { best: Way::Library, kernel: Way::Native });
    }
}
