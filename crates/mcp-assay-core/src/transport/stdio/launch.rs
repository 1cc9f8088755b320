//! Starts the server's process.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use process_wrap::tokio::{CommandWrap, KillOnDrop};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use super::super::Launch;
use super::resolve::{self, Search};
use super::tree::Tree;

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// There is no command.
    #[error("start the server: the command is empty; name the program to run")]
    Empty,
    /// There is no such program.
    #[error("start {program:?}: {missing}")]
    NotFound {
        /// The program as it was given.
        program: String,
        /// Where it was looked for, and what was found instead.
        missing: resolve::Missing,
    },
    /// The working directory is none.
    #[error("start {program:?}: the working directory {} is no directory", cwd.display())]
    NoDirectory {
        /// The program as it was given.
        program: String,
        /// The working directory.
        cwd: PathBuf,
    },
    /// The system refused.
    #[error("start {program:?} ({}): {cause}", path.display())]
    Refused {
        /// The program as it was given.
        program: String,
        /// The file it is.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
}

/// A process that runs, and our ends of its pipes.
pub(super) struct Started {
    pub(super) tree: Tree,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

pub(super) fn start(launch: &Launch) -> Result<Started, LaunchError> {
    let (program, args) = launch.argv.split_first().ok_or(LaunchError::Empty)?;
    if let Some(cwd) = launch.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
        return Err(LaunchError::NoDirectory {
            program: program.clone(),
            cwd: cwd.clone(),
        });
    }
    let search = Search::here(launch);
    let path = resolve::resolve(program, &search, &resolve::is_program).map_err(|missing| {
        LaunchError::NotFound {
            program: program.clone(),
            missing,
        }
    })?;
    let path = PathBuf::from(path);

    let mut command = Command::new(&path);
    #[cfg(unix)]
    command.arg0(program);
    command
        .args(args)
        .env_clear()
        .envs(launch.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(cwd) = &launch.cwd {
        command.current_dir(cwd);
    }
    let mut command = CommandWrap::from(command);
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);

    let mut child = command.spawn().map_err(|cause| LaunchError::Refused {
        program: program.clone(),
        path: path.clone(),
        cause,
    })?;
    let pipes = (
        child.stdin().take(),
        child.stdout().take(),
        child.stderr().take(),
    );
    // Kills the process also where a pipe is missing, which does not happen: all are asked for.
    let tree = Tree::new(child);
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(LaunchError::Refused {
            program: program.clone(),
            path,
            cause: io::Error::other("a standard stream was not piped"),
        });
    };
    Ok(Started {
        tree,
        stdin,
        stdout,
        stderr,
    })
}
