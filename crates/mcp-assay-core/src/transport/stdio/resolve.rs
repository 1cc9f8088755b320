//! Finds the program of a command the way the child itself would: in the `PATH` it is given.
//!
//! A pure function over an injected environment, so that the rules of every system are tested on
//! every system. On Windows a `.cmd` or `.bat` file is found by its extension, and the standard
//! library runs it through `cmd.exe` with the quoting that needs.

use std::fmt;
use std::path::Path;

use super::super::Launch;

/// The extensions Windows tries where `PATHEXT` is not set.
const DEFAULT_PATHEXT: &str = ".COM;.EXE;.BAT;.CMD";

/// Where to look.
#[derive(Debug)]
pub(super) struct Search<'a> {
    pub(super) windows: bool,
    /// The directory that relative names start from.
    pub(super) cwd: String,
    pub(super) path: Option<&'a str>,
    pub(super) pathext: Option<&'a str>,
}

impl<'a> Search<'a> {
    /// The search on this system, in the environment of the child.
    pub(super) fn here(launch: &'a Launch) -> Self {
        let windows = cfg!(windows);
        let variable = |name: &str| {
            let is_it = |key: &str| key == name || windows && key.eq_ignore_ascii_case(name);
            let mut all = launch.env.iter().rev();
            all.find(|(key, _)| is_it(key))
                .map(|(_, value)| value.as_str())
        };
        let cwd = launch.cwd.as_deref().unwrap_or(Path::new(""));
        let cwd = std::path::absolute(cwd)
            .or_else(|_| std::env::current_dir())
            .unwrap_or_else(|_| cwd.to_owned());
        Self {
            windows,
            cwd: cwd.to_string_lossy().into_owned(),
            path: variable("PATH"),
            pathext: variable("PATHEXT"),
        }
    }
}

/// Where a program was looked for in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// The name is a path, and there is no program there.
    At(String),
    /// No directory of this `PATH` holds it.
    OnPath(String),
    /// The environment of the server has no `PATH`.
    NoPath,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(path) => write!(f, "no program at {path}; check the path"),
            Self::OnPath(path) => write!(
                f,
                "no such program in the server's PATH, {path}; give its full path"
            ),
            Self::NoPath => f.write_str(
                "the server's environment has no PATH to look in; give the program's full path",
            ),
        }
    }
}

/// True for a file that can be run.
pub(super) fn is_program(path: &str) -> bool {
    let Ok(file) = std::fs::metadata(path) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.is_file() && file.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    file.is_file()
}

/// The file that the program's name means; `exists` tells whether a program is there.
pub(super) fn resolve(
    program: &str,
    search: &Search<'_>,
    exists: &dyn Fn(&str) -> bool,
) -> Result<String, Missing> {
    if program.contains(|c| c == '/' || search.windows && (c == '\\' || c == ':')) {
        let path = search.absolute(program);
        return search.program_at(&path, exists).ok_or(Missing::At(path));
    }
    let path = search.path.ok_or(Missing::NoPath)?;
    let separator = if search.windows { ';' } else { ':' };
    path.split(separator)
        .map(|dir| {
            if search.windows {
                dir.trim_matches('"')
            } else {
                dir
            }
        })
        // An empty element means the working directory on Unix, and nothing on Windows.
        .filter(|dir| !(search.windows && dir.is_empty()))
        .find_map(|dir| {
            let path = search.join(&search.absolute(dir), program);
            search.program_at(&path, exists)
        })
        .ok_or_else(|| Missing::OnPath(path.to_owned()))
}

impl Search<'_> {
    fn absolute(&self, path: &str) -> String {
        let mut chars = path.chars();
        let first = chars.next();
        let rooted = first == Some('/')
            || self.windows && (first == Some('\\') || chars.next() == Some(':'));
        if rooted {
            path.to_owned()
        } else if path.is_empty() {
            self.cwd.clone()
        } else {
            self.join(&self.cwd, path)
        }
    }

    fn join(&self, dir: &str, name: &str) -> String {
        let (separator, ends): (char, &[char]) = if self.windows {
            ('\\', &['\\', '/'])
        } else {
            ('/', &['/'])
        };
        if dir.ends_with(ends) {
            format!("{dir}{name}")
        } else {
            format!("{dir}{separator}{name}")
        }
    }

    /// The path itself or, on Windows, with the first extension of `PATHEXT` that makes a program.
    /// There a name without a known extension is never run as it is: beside `npx.cmd` lies a shell
    /// script `npx`.
    fn program_at(&self, path: &str, exists: &dyn Fn(&str) -> bool) -> Option<String> {
        if !self.windows {
            return exists(path).then(|| path.to_owned());
        }
        let extensions = || {
            let list = self.pathext.filter(|list| !list.is_empty());
            let list = list.unwrap_or(DEFAULT_PATHEXT).split(';');
            list.filter(|extension| extension.starts_with('.'))
        };
        let lower = path.to_ascii_lowercase();
        let known = extensions().any(|extension| lower.ends_with(&extension.to_ascii_lowercase()));
        if known && exists(path) {
            return Some(path.to_owned());
        }
        extensions()
            .map(|extension| format!("{path}{}", extension.to_ascii_lowercase()))
            .find(|path| exists(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(program: &str, search: &Search<'_>, files: &[&str]) -> Result<String, Missing> {
        resolve(program, search, &|path| files.contains(&path))
    }

    fn unix(path: Option<&str>) -> Search<'_> {
        Search {
            windows: false,
            cwd: "/srv".into(),
            path,
            pathext: None,
        }
    }

    fn windows<'a>(path: &'a str, pathext: Option<&'a str>) -> Search<'a> {
        Search {
            windows: true,
            cwd: r"C:\work".into(),
            path: Some(path),
            pathext,
        }
    }

    #[test]
    fn a_bare_name_is_looked_up_in_path_order() {
        let search = unix(Some("/a:/b/::rel"));
        let files = ["/b/node", "/srv/node", "/srv/rel/tool", "/srv/here"];
        assert_eq!(find("node", &search, &files).unwrap(), "/b/node");
        assert_eq!(find("tool", &search, &files).unwrap(), "/srv/rel/tool");
        assert_eq!(find("here", &search, &files).unwrap(), "/srv/here");
        let missing = find("absent", &search, &files).unwrap_err();
        assert_eq!(missing, Missing::OnPath("/a:/b/::rel".into()));
        assert_eq!(find("node", &unix(None), &files), Err(Missing::NoPath));
    }

    #[test]
    fn a_name_with_a_slash_is_relative_to_the_working_directory() {
        let search = unix(Some("/a"));
        let files = ["/srv/./run", "/opt/run", "/srv/dist/a b"];
        assert_eq!(find("./run", &search, &files).unwrap(), "/srv/./run");
        assert_eq!(find("/opt/run", &search, &files).unwrap(), "/opt/run");
        assert_eq!(find("dist/a b", &search, &files).unwrap(), "/srv/dist/a b");
        let missing = find("dist/x", &search, &files).unwrap_err();
        assert_eq!(missing, Missing::At("/srv/dist/x".into()));
    }

    #[test]
    fn windows_tries_the_extensions_and_never_the_bare_script() {
        let search = windows(r#"C:\bin;"C:\Program Files\nodejs";;D:\x\"#, None);
        let files = [
            r"C:\Program Files\nodejs\npx",
            r"C:\Program Files\nodejs\npx.cmd",
            r"C:\Program Files\nodejs\node.exe",
            r"D:\x\uv.exe",
            r"C:\work\dist\server.EXE",
            r"C:\bin\old.v2.bat",
        ];
        let found = |program| find(program, &search, &files).unwrap();
        assert_eq!(found("npx"), files[1]);
        assert_eq!(found("node.exe"), files[2]);
        assert_eq!(found("uv"), files[3]);
        assert_eq!(found(r"dist\server.EXE"), files[4]);
        assert_eq!(found("old.v2"), files[5]);
        assert_eq!(found(r"D:\x\uv"), files[3]);
        assert!(find("absent", &search, &files).is_err());
    }

    #[test]
    fn windows_takes_the_extensions_from_pathext() {
        let files = [r"C:\bin\run.py", r"C:\bin\run.exe"];
        let search = windows(r"C:\bin", Some(".PY;.EXE"));
        assert_eq!(find("run", &search, &files).unwrap(), files[0]);
        let search = windows(r"C:\bin", Some(""));
        assert_eq!(find("run", &search, &files).unwrap(), files[1]);
    }
}
