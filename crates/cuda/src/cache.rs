//! Compiled kernels on disk, so that a program's next start neither translates nor compiles.
//!
//! One file an entry: a line that says what it is, its length, a checksum, then the key and the kernel. The file's name
//! is a hash of the key; the key inside is compared, so that two keys with one hash cost time and nothing else. What
//! cannot be read or does not fit is made anew.

use super::compile::CudaBinary;
use crosslane_core::cache::{self, hash};
use crosslane_core::files;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::SystemTime;

/// A kernel ready to be loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Compiled {
    pub symbol: String,
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory, static or dynamic.
    pub shared_bytes: u32,
    pub dynamic_bytes: u32,
    pub binary: CudaBinary,
}

/// The folder; none if the environment says so, or there is no place for it.
pub(super) struct Cache {
    folder: Option<PathBuf>,
    warned: AtomicBool,
    written: AtomicU32,
}

/// What a file begins with. The number is that of the format.
const MAGIC: &[u8; 24] = b"crosslane cuda kernel 1\n";
/// Magic, length, checksum.
const HEADER: usize = MAGIC.len() + 8 + 16;
/// Bytes that the folder may hold. Then the oldest go, down to three quarters.
const MOST: u64 = 256 << 20;
/// How many are written between two looks at the folder's size.
const BETWEEN: u32 = 64;

impl Cache {
    /// `CROSSLANE_CACHE/cuda` (`off`: none), or in the system's folder for caches.
    pub fn from_environment() -> Cache {
        Cache::at(cache::folder().map(|folder| folder.join("cuda")))
    }

    pub fn at(folder: Option<PathBuf>) -> Cache {
        Cache { folder, warned: AtomicBool::new(false), written: AtomicU32::new(0) }
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The entry of this key.
    pub fn load(&self, key: &str) -> Option<Compiled> {
        let path = self.path(key)?;
        let bytes = files::read(&path, MOST).ok()?;
        let found = decode(&bytes, key);
        if found.is_none() {
            log::info!("{}: not what it should be; made anew", path.display());
        }
        found
    }

    /// Keeps a kernel. A folder that cannot be written is said once, and done without.
    pub fn store(&self, key: &str, kernel: &Compiled) {
        let Some(path) = self.path(key) else { return };
        if let Err(error) = files::write_private(&path, &encode(key, kernel))
            && !self.warned.swap(true, Ordering::Relaxed)
        {
            log::warn!("{}: {error}; kernels are not kept", path.display());
        }
        if self.written.fetch_add(1, Ordering::Relaxed).is_multiple_of(BETWEEN) {
            self.shrink(MOST);
        }
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{:032x}.kernel", hash(key.as_bytes()))))
    }

    /// Drops the oldest until what is left fits well.
    fn shrink(&self, most: u64) {
        let Some(Ok(entries)) = self.folder.as_ref().map(fs::read_dir) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|entry| {
                let (path, about) = (entry.as_ref().ok()?.path(), entry.as_ref().ok()?.metadata().ok()?);
                Some((about.modified().ok()?, about.len(), path))
            })
            .filter(|(_, _, path)| path.extension().is_some_and(|extension| extension == "kernel"))
            .collect();
        let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        if total <= most {
            return;
        }
        files.sort();
        for (_, bytes, path) in files {
            if total <= most / 4 * 3 {
                return;
            }
            total -= bytes;
            // Another process may have been faster.
            let _ = fs::remove_file(path);
        }
    }
}

fn encode(key: &str, kernel: &Compiled) -> Vec<u8> {
    let mut body = Vec::new();
    let binary = &kernel.binary;
    for bytes in [key.as_bytes(), kernel.symbol.as_bytes(), binary.log.as_bytes(), &binary.cubin] {
        body.extend((bytes.len() as u64).to_le_bytes());
        body.extend(bytes);
    }
    let [x, y, z] = kernel.workgroup_size;
    let (shared, dynamic) = (kernel.shared_bytes, kernel.dynamic_bytes);
    let figures =
        [x, y, z, shared, dynamic, binary.ptx as u32, binary.registers, binary.shared_bytes, binary.spill_bytes];
    figures.iter().for_each(|figure| body.extend(figure.to_le_bytes()));
    [MAGIC.as_slice(), &(body.len() as u64).to_le_bytes(), &hash(&body).to_le_bytes(), &body].concat()
}

/// The kernel, if the file is whole and was kept under this key.
fn decode(file: &[u8], key: &str) -> Option<Compiled> {
    let (header, body) = file.split_at_checked(HEADER)?;
    let length = u64::from_le_bytes(header[MAGIC.len()..][..8].try_into().ok()?);
    let sum = u128::from_le_bytes(header[MAGIC.len() + 8..].try_into().ok()?);
    if !header.starts_with(MAGIC) || length != body.len() as u64 || sum != hash(body) {
        return None;
    }
    let mut rest = body;
    let mut take = |bytes: usize| {
        let (taken, left) = rest.split_at_checked(bytes)?;
        rest = left;
        Some(taken)
    };
    let mut piece = || {
        let length = u64::from_le_bytes(take(8)?.try_into().ok()?);
        take(usize::try_from(length).ok()?)
    };
    let (found, symbol, log, cubin) = (piece()?, piece()?, piece()?, piece()?);
    if found != key.as_bytes() {
        return None;
    }
    let mut figure = || Some(u32::from_le_bytes(take(4)?.try_into().ok()?));
    Some(Compiled {
        symbol: String::from_utf8(symbol.into()).ok()?,
        workgroup_size: [figure()?, figure()?, figure()?],
        shared_bytes: figure()?,
        dynamic_bytes: figure()?,
        binary: CudaBinary {
            cubin: cubin.into(),
            ptx: figure()? != 0,
            registers: figure()?,
            shared_bytes: figure()?,
            spill_bytes: figure()?,
            log: String::from_utf8(log.into()).ok()?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own that goes with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("crosslane-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Folder(path)
        }

        fn cache(&self) -> Cache {
            Cache::at(Some(self.0.join("cuda")))
        }

        fn files(&self) -> Vec<PathBuf> {
            fs::read_dir(self.0.join("cuda")).unwrap().map(|entry| entry.unwrap().path()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn kernel(bytes: usize) -> Compiled {
        Compiled {
            symbol: "sum".into(),
            workgroup_size: [256, 2, 1],
            shared_bytes: 1024,
            dynamic_bytes: 0,
            binary: CudaBinary {
                cubin: (0..bytes).map(|i| i as u8).collect(),
                ptx: true,
                registers: 32,
                shared_bytes: 1024,
                spill_bytes: 8,
                log: "fine".into(),
            },
        }
    }

    #[test]
    fn what_is_kept_is_found_by_its_key_only() {
        let folder = Folder::new("kept");
        let cache = folder.cache();
        assert_eq!(cache.load("a"), None);
        cache.store("a", &kernel(1000));
        assert_eq!(folder.cache().load("a"), Some(kernel(1000)));
        assert_eq!(cache.load("b"), None);
        // The same file for another key, as if the hashes were equal.
        fs::rename(cache.path("a").unwrap(), cache.path("b").unwrap()).unwrap();
        assert_eq!(cache.load("b"), None);
    }

    #[test]
    fn damaged_files_are_not_used_and_are_written_again() {
        let folder = Folder::new("damaged");
        let cache = folder.cache();
        cache.store("a", &kernel(1000));
        let path = cache.path("a").unwrap();
        let whole = fs::read(&path).unwrap();
        for damage in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[damage] ^= 1;
            assert_eq!(decode(&bytes, "a"), None, "byte {damage}");
        }
        for length in [0, 1, HEADER - 1, HEADER, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.load("a"), None, "{length} bytes");
        }
        fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
        assert_eq!(cache.load("a"), None);
        cache.store("a", &kernel(10));
        assert_eq!(cache.load("a"), Some(kernel(10)));
    }

    #[test]
    fn lengths_that_lie_are_refused() {
        let mut body = u64::MAX.to_le_bytes().to_vec();
        body.extend(b"short");
        let file = [MAGIC.as_slice(), &(body.len() as u64).to_le_bytes(), &hash(&body).to_le_bytes(), &body].concat();
        assert_eq!(decode(&file, "a"), None);
    }

    #[test]
    fn without_a_folder_or_in_one_that_cannot_be_written_nothing_is_kept() {
        let cache = Cache::at(None);
        cache.store("a", &kernel(10));
        assert_eq!(cache.load("a"), None);
        let folder = Folder::new("file");
        fs::write(&folder.0, "a file where the folder should be").unwrap();
        let cache = folder.cache();
        cache.store("a", &kernel(10));
        cache.store("b", &kernel(10));
        assert_eq!(cache.load("a"), None);
        assert!(cache.warned.load(Ordering::Relaxed));
        fs::remove_file(&folder.0).unwrap();
    }

    #[test]
    fn the_oldest_go_first_and_nothing_else_is_touched() {
        let folder = Folder::new("size");
        let cache = folder.cache();
        for number in 0..8u64 {
            cache.store(&number.to_string(), &kernel(1000));
            let file = fs::File::options().append(true).open(cache.path(&number.to_string()).unwrap()).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000 + number)).unwrap();
        }
        fs::write(folder.0.join("cuda/choices"), "other").unwrap();
        let size = fs::metadata(cache.path("0").unwrap()).unwrap().len();
        cache.shrink(size * 8);
        assert_eq!(folder.files().len(), 9);
        cache.shrink(size * 6);
        let left: Vec<u64> = (0..8).filter(|number| cache.load(&number.to_string()).is_some()).collect();
        assert!(left.len() >= 4 && left.len() < 6 && *left.last().unwrap() == 7 && left[0] == 8 - left.len() as u64);
        assert!(folder.0.join("cuda/choices").exists());
    }

    #[test]
    fn many_writers_leave_whole_files() {
        let folder = Folder::new("writers");
        std::thread::scope(|scope| {
            for size in 1..9 {
                let cache = folder.cache();
                scope.spawn(move || (0..20).for_each(|_| cache.store("a", &kernel(size * 1000))));
            }
        });
        assert!(folder.cache().load("a").is_some());
        assert_eq!(folder.files().len(), 1);
    }
}
