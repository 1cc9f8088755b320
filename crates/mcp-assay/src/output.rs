//! Where reports go. Paths are opened before the run: an hour of asking must not end in a typo.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, IsTerminal as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use mcp_assay_core::Report;
use mcp_assay_core::render::{Format, Options, render, sanitise};

use crate::args::OutputArgs;

/// Longest line of our own messages, in characters.
const LONGEST: usize = 2000;

/// Prints to standard output. A reader that went away, say `head`, is no reason to complain, nor
/// to lose the exit code.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("write to standard output")
        }
        _ => Ok(()),
    }
}

/// Prints one line to standard error, with nothing in it that could move a cursor.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", sanitise::terminal(line, LONGEST));
}

/// Everything that was asked for, opened and ready.
#[derive(Debug)]
pub(crate) struct Outputs {
    main: Format,
    to: Option<Open>,
    emits: Vec<(Format, Open)>,
    options: Options,
}

#[derive(Debug)]
struct Open {
    path: PathBuf,
    file: File,
}

/// Opens a file for writing without emptying it yet.
fn open(path: &Path) -> anyhow::Result<Open> {
    let file = OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(false)
        .open(path)
        .with_context(|| format!("open {} for writing", path.display()))?;
    Ok(Open {
        path: path.to_owned(),
        file,
    })
}

impl Open {
    fn write(mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let result = self
            .file
            .set_len(0)
            .and_then(|()| self.file.rewind())
            .and_then(|()| self.file.write_all(bytes))
            .and_then(|()| self.file.flush());
        result.with_context(|| format!("write {}", self.path.display()))
    }
}

/// A file that is opened before the run and written after it.
#[derive(Debug)]
pub(crate) struct Later(Open);

impl Later {
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        open(path).map(Self)
    }

    pub(crate) fn write(self, bytes: &[u8]) -> anyhow::Result<()> {
        self.0.write(bytes)
    }
}

impl Outputs {
    pub(crate) fn open(args: &OutputArgs) -> anyhow::Result<Self> {
        let to = args.output.as_deref().map(open).transpose()?;
        let mut emits = Vec::new();
        for emit in &args.emit {
            let (format, path) = emit
                .split_once(':')
                .with_context(|| format!("read --emit {emit}: expected FORMAT:FILE"))?;
            let format: Format = format.parse().context("read --emit")?;
            emits.push((format, open(Path::new(path))?));
        }
        let terminal = to.is_none() && std::io::stdout().is_terminal();
        Ok(Self {
            main: args.format,
            to,
            emits,
            options: Options {
                sarif_anchor: args.sarif_anchor.clone(),
                ..text_options(args.verbose, args.no_color, terminal)
            },
        })
    }

    pub(crate) fn write(self, report: &Report) -> anyhow::Result<()> {
        for (format, file) in self.emits {
            let plain = Options {
                colour: false,
                ..self.options.clone()
            };
            file.write(render(report, format, &plain).as_bytes())?;
        }
        let text = render(report, self.main, &self.options);
        match self.to {
            Some(file) => file.write(text.as_bytes()),
            None => print(&text),
        }
    }
}

/// Columns and colours of what is printed.
pub(crate) fn text_options(verbose: bool, no_color: bool, terminal: bool) -> Options {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let width = terminal
        .then(terminal_size::terminal_size)
        .flatten()
        .map_or(80, |(width, _)| usize::from(width.0).clamp(40, 160));
    Options {
        colour: terminal && !no_color && !set("NO_COLOR") && !dumb,
        width,
        verbose,
        ..Options::default()
    }
}
