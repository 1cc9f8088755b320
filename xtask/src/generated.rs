//! Files that are made from the source: written, or compared with what is committed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// A file, relative to the project's folder, and what it must hold.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The project's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Reads the only argument these tasks know.
pub(crate) fn wants_check(task: &str, arguments: &[String]) -> Result<bool> {
    match arguments {
        [] => Ok(false),
        [only] if only == "--check" => Ok(true),
        _ => bail!("usage: cargo xtask {task} [--check]"),
    }
}

/// Writes the files that differ or, with `check`, says which do. `false` if any drifted.
pub(crate) fn settle(task: &str, files: &[File], stale: &[PathBuf], check: bool) -> Result<bool> {
    let drifted = drifted(files)?;
    if check {
        for file in &drifted {
            eprintln!("differs from the source: {}", file.path.display());
        }
        for path in stale {
            eprintln!("belongs to nothing: {}", path.display());
        }
        let clean = drifted.is_empty() && stale.is_empty();
        if !clean {
            eprintln!("mend it: cargo xtask {task}");
        }
        return Ok(clean);
    }
    for file in &drifted {
        let path = root().join(&file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
        }
        fs::write(&path, &file.text).with_context(|| format!("write {}", path.display()))?;
        println!("wrote {}", file.path.display());
    }
    for path in stale {
        fs::remove_file(root().join(path)).with_context(|| format!("remove {}", path.display()))?;
        println!("removed {}", path.display());
    }
    Ok(true)
}

fn drifted(files: &[File]) -> Result<Vec<&File>> {
    let mut found = Vec::new();
    for file in files {
        if read(&file.path)?.as_deref() != Some(file.text.as_str()) {
            found.push(file);
        }
    }
    Ok(found)
}

/// What the file holds now, with the line breaks of any platform as `\n`; `None` if it is not there.
pub(crate) fn read(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(root().join(path)) {
        Ok(text) => Ok(Some(text.replace("\r\n", "\n"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("read {}", path.display())),
    }
}
