//! How files are read and written: only what is a file is opened, and a file is replaced by a whole one or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The bytes of a file, of `most` at most.
///
/// Errors: no regular file, as a pipe would be waited for; a longer one.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "wanted a regular file, got something else"));
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 <= most {
        true => Ok(bytes),
        false => Err(io::Error::new(ErrorKind::InvalidInput, format!("wanted {most} bytes at most, got more"))),
    }
}

/// As [`read`], as text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Opens a file to be read, without waiting for who writes to it.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    #[cfg(not(target_os = "linux"))]
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "wanted a regular file, got something else"));
    }
    options.open(path)
}

/// Writes a file beside the place and moves it there: a reader sees all of it or nothing. It is for the user alone, as are
/// folders that are made for it.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    let (mut file, beside) = fresh(folder, true)?;
    let written = file.write_all(bytes);
    drop(file);
    moved(written, &beside, path)
}

/// A file that takes another's place once it is complete: until then it lies beside it, and dropped before, it leaves nothing.
/// What is no regular file is written as it is, as a terminal or a pipe, and so is a file in a folder that cannot be written.
pub struct Replacement {
    file: BufWriter<File>,
    /// Where it lies, and where it goes.
    moves: Option<(PathBuf, PathBuf)>,
    /// Those of the file that it replaces.
    permissions: Option<fs::Permissions>,
}

impl Replacement {
    /// Errors: the place cannot be written.
    pub fn new(path: &Path) -> io::Result<Replacement> {
        let in_place = || {
            let file = BufWriter::new(File::create(path)?);
            Ok(Replacement { file, moves: None, permissions: None })
        };
        let old = fs::metadata(path).ok();
        let place = match fs::symlink_metadata(path) {
            Ok(_) if !old.as_ref().is_some_and(fs::Metadata::is_file) => return in_place(),
            // What a link leads to is replaced, and not the link.
            Ok(_) => fs::canonicalize(path)?,
            Err(_) => path.to_path_buf(),
        };
        match fresh(folder_of(&place), false) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => in_place(),
            made => {
                let (file, beside) = made?;
                let permissions = old.map(|old| old.permissions());
                Ok(Replacement { file: BufWriter::new(file), moves: Some((beside, place)), permissions })
            }
        }
    }

    /// Moves it to its place.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some((beside, place)) = &self.moves {
            self.permissions.take().map_or(Ok(()), |permissions| fs::set_permissions(beside, permissions))?;
            fs::rename(beside, place)?;
            self.moves = None;
        }
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Replacement {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.moves {
            let _ = fs::remove_file(beside);
        }
    }
}

/// Replaces a file by what `write` writes, or leaves it as it is: [`Replacement`].
pub fn replace(path: &Path, write: impl FnOnce(&mut Replacement) -> io::Result<()>) -> io::Result<()> {
    let mut file = Replacement::new(path)?;
    write(&mut file)?;
    file.finish()
}

/// Moves what was written to its place; what failed is removed.
fn moved(written: io::Result<()>, from: &Path, to: &Path) -> io::Result<()> {
    let result = written.and_then(|()| fs::rename(from, to));
    if result.is_err() {
        let _ = fs::remove_file(from);
    }
    result
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file of a name that nothing has, not even a link that leads elsewhere.
fn fresh(folder: &Path, private: bool) -> io::Result<(File, PathBuf)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    /// Names that are tried: an earlier process of the same number may have left some.
    const TRIES: usize = 100;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = private; // there are no such modes
    let mut last = None;
    for _ in 0..TRIES {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let beside = folder.join(format!("{}-{number}.new", std::process::id()));
        match options.open(&beside) {
            Ok(file) => return Ok((file, beside)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => last = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(last.unwrap_or_else(|| ErrorKind::AlreadyExists.into()))
}

/// A file without a name, for the user alone: it is gone once it is dropped, and when the process ends, however that is.
pub struct Temporary {
    file: File,
    /// Where the system keeps names of open files.
    name: Option<PathBuf>,
}

impl Temporary {
    /// Creates a file in this folder.
    pub fn new(folder: &Path) -> io::Result<Temporary> {
        let (file, path) = fresh(folder, true)?;
        let name = fs::remove_file(&path).is_err().then_some(path);
        Ok(Temporary { file, name })
    }

    /// The open file, to read and write.
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = fs::remove_file(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("crosslane-files-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Folder(folder)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn only_files_are_read_and_only_so_much() {
        let folder = Folder::new("read");
        let file = folder.0.join("file");
        fs::write(&file, "12345").unwrap();
        assert_eq!((read_text(&file, 5).unwrap().as_str(), read(&file, 5).unwrap().len()), ("12345", 5));
        assert!(read(&file, 4).unwrap_err().to_string().contains("wanted 4 bytes at most"));
        assert!(read(&folder.0, 5).is_err() && read(&folder.0.join("none"), 5).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn pipes_are_not_waited_for() {
        let folder = Folder::new("pipe");
        let pipe = folder.0.join("pipe");
        let name = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
        // SAFETY: the name is a text that ends with 0.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        let (done, waits) = std::sync::mpsc::channel();
        std::thread::spawn(move || done.send(read(&pipe, 100).unwrap_err().to_string()));
        let told = waits.recv_timeout(std::time::Duration::from_secs(20)).expect("it does not wait");
        assert!(told.contains("regular file"), "{told}");
    }

    #[test]
    fn a_temporary_file_has_no_name() {
        use std::io::{Seek, SeekFrom};
        let folder = Folder::new("temporary");
        let file = Temporary::new(&folder.0).unwrap();
        file.file().write_all(b"kept").unwrap();
        file.file().seek(SeekFrom::Start(1)).unwrap();
        let mut text = String::new();
        file.file().read_to_string(&mut text).unwrap();
        assert_eq!(text, "ept");
        #[cfg(unix)]
        assert!(folder.names().is_empty());
        drop(file);
        assert!(folder.names().is_empty() && Temporary::new(&folder.0.join("none")).is_err());
    }

    #[test]
    fn a_file_that_cannot_be_completed_stays_what_it_was() {
        let folder = Folder::new("replace");
        let file = folder.0.join("file");
        let say = |what: &'static str| move |to: &mut Replacement| to.write_all(what.as_bytes());
        replace(&file, say("one")).unwrap();
        replace(&file, say("two")).unwrap();
        let full = replace(&file, |to| to.write_all(b"thr").and(Err(ErrorKind::StorageFull.into()))).unwrap_err();
        assert_eq!((full.kind(), fs::read_to_string(&file).unwrap().as_str()), (ErrorKind::StorageFull, "two"));
        assert_eq!(folder.names(), ["file"], "nothing is left beside it");
        assert!(replace(&folder.0.join("none/file"), say("one")).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn links_lead_nowhere_but_where_the_user_asks() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new("links");
        let at = |name: &str| folder.0.join(name);
        fs::write(at("theirs"), "kept").unwrap();
        fs::set_permissions(at("theirs"), fs::Permissions::from_mode(0o640)).unwrap();
        // Whoever guesses the next names plants links there.
        let next = fresh(&folder.0, true).unwrap().1;
        let number: u32 = next.file_stem().unwrap().to_str().unwrap().rsplit('-').next().unwrap().parse().unwrap();
        let planted = |nth: u32| at(&format!("{}-{}.new", std::process::id(), number + nth));
        (1..20).for_each(|nth| symlink(at("theirs"), planted(nth)).unwrap());
        write_private(&at("deep/own"), b"mine").unwrap();
        write_private(&at("own"), b"mine").unwrap();
        assert_eq!(fs::read_to_string(at("theirs")).unwrap(), "kept");
        let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&at("own")), mode(&at("deep"))), (0o600, 0o700));
        // A link at the place itself is replaced in a cache, and followed where the user names it.
        symlink(at("theirs"), at("link")).unwrap();
        replace(&at("link"), |to| to.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink() && mode(&at("theirs")) == 0o640);
        assert_eq!(fs::read_to_string(at("theirs")).unwrap(), "new");
        write_private(&at("link"), b"mine").unwrap();
        assert_eq!(fs::read_to_string(at("theirs")).unwrap(), "new");
        symlink(at("yet"), at("dangling")).unwrap();
        replace(&at("dangling"), |to| to.write_all(b"there")).unwrap();
        assert_eq!(fs::read_to_string(at("yet")).unwrap(), "there");
    }
}
