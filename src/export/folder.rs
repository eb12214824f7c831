//! Exports as folders that a web server shows.

use super::data::Export;
use std::fs;
use std::io;
use std::path::Path;

/// Runs an export: a module of JavaScript for browsers and Node.
const REPLAY: &str = include_str!("web/replay.js");
/// Runs it in a browser and shows what comes out.
const PAGE: &str = include_str!("web/index.html");

impl Export {
    /// Writes `export.json`, which is the export, `replay.js`, which runs it, and `index.html`, a page that shows it. A browser
    /// opens the page from a web server, such as `python3 -m http.server`.
    ///
    /// ```no_run
    /// # fn folder(export: crosslane::export::Export) -> std::io::Result<()> {
    /// export.write_folder("web/blur")?;
    /// # Ok(()) }
    /// ```
    ///
    /// Errors: the folder cannot be made or written.
    pub fn write_folder(&self, folder: impl AsRef<Path>) -> io::Result<()> {
        let folder = folder.as_ref();
        fs::create_dir_all(folder)?;
        let json = serde_json::to_vec(self)?;
        for (name, text) in [("replay.js", REPLAY.as_bytes()), ("index.html", PAGE.as_bytes()), ("export.json", &json)]
        {
            crosslane_core::files::replace(&folder.join(name), |file| io::Write::write_all(file, text))?;
        }
        Ok(())
    }
}
