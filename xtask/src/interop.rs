//! `cargo xtask interop`: the checker against servers built on real SDKs.
//!
//! `interop/targets.toml` says how each server starts, `interop/expected.toml`
//! what the checker must say about it and why. Everything installed lives in
//! `interop/.work/`.

mod expected;
mod install;
mod process;
mod run;
mod targets;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, bail, ensure};

use expected::{Expected, Observed};
use install::Installed;
use targets::{Target, Unit};

/// Installs and runs overlap this far: more would measure the machine.
const WORKERS: usize = 2;

const USAGE: &str =
    "usage: cargo xtask interop [--only NAME]... [--core] [--bin PATH] [--update] [--install]

  --only NAME   this target, or all targets of this unit (repeatable)
  --core        the core targets only
  --bin PATH    the checker to run; by default cargo builds it
  --update      write what was seen to interop/expected.toml; keeps every `why`
  --install     install the servers and stop";

#[derive(Default)]
struct Options {
    only: Vec<String>,
    core: bool,
    bin: Option<PathBuf>,
    update: bool,
    install: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || {
                rest.next()
                    .with_context(|| format!("{argument} needs a value\n{USAGE}"))
            };
            match argument.as_str() {
                "--only" => options.only.push(value()?.clone()),
                "--bin" => options.bin = Some(std::path::absolute(value()?)?),
                "--core" => options.core = true,
                "--update" => options.update = true,
                "--install" => options.install = true,
                _ => bail!("unknown argument {argument:?}\n{USAGE}"),
            }
        }
        Ok(options)
    }

    fn select(&self, targets: Vec<Target>) -> Result<Vec<Target>> {
        for name in &self.only {
            ensure!(
                targets.iter().any(|target| target.is_called(name)),
                "no target or unit is called {name:?}: see interop/targets.toml"
            );
        }
        Ok(targets
            .into_iter()
            .filter(|target| {
                (self.only.is_empty() || self.only.iter().any(|name| target.is_called(name)))
                    && (target.core || !self.core)
            })
            .collect())
    }
}

/// What became of one target.
enum Outcome {
    Passed,
    Failed(Vec<String>),
    Skipped(String),
}

/// Runs the suite; `false` when a target failed or none passed.
pub(crate) fn command(arguments: &[String]) -> Result<bool> {
    let options = Options::parse(arguments)?;
    let home = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("xtask lies in the project's folder")?
        .join("interop");
    let targets = options.select(targets::read(&home)?)?;
    let units = install_all(&home, &targets);
    if options.install {
        return Ok(units
            .values()
            .all(|unit| !matches!(unit, Installed::Failed(_))));
    }
    let checker = match options.bin {
        Some(bin) => bin,
        None => run::build_checker()?,
    };
    let expected_file = home.join("expected.toml");
    let expected = Mutex::new(expected::read(&expected_file)?);
    let outcomes = in_parallel(&targets, |target| {
        let outcome = match &units[&target.unit] {
            Installed::Ready(unit) => judge(&checker, unit, target, &expected, options.update),
            Installed::Skipped(reason) => Outcome::Skipped(reason.clone()),
            Installed::Failed(reason) => Outcome::Failed(vec![reason.clone()]),
        };
        print(target, &outcome);
        outcome
    });
    if options.update {
        let expected = expected
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        expected::write(&expected_file, &expected)?;
    }
    let count = |wanted: fn(&Outcome) -> bool| outcomes.iter().filter(|&it| wanted(it)).count();
    let passed = count(|it| matches!(it, Outcome::Passed));
    let failed = count(|it| matches!(it, Outcome::Failed(_)));
    let skipped = count(|it| matches!(it, Outcome::Skipped(_)));
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    // A run that compared nothing proves nothing.
    Ok(failed == 0 && passed > 0)
}

fn install_all(home: &Path, targets: &[Target]) -> BTreeMap<String, Installed> {
    let mut names: Vec<&str> = targets.iter().map(|target| target.unit.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let installed = in_parallel(&names, |name| {
        let installed = match Unit::find(home, name) {
            Ok(unit) => install::install(unit),
            Err(error) => Installed::Failed(format!("{error:#}")),
        };
        if let Installed::Failed(reason) = &installed {
            println!("install {name}: {reason}");
        }
        installed
    });
    names.into_iter().map(String::from).zip(installed).collect()
}

fn judge(
    checker: &Path,
    unit: &Unit,
    target: &Target,
    expected: &Mutex<Expected>,
    update: bool,
) -> Outcome {
    let observed = match run::run(checker, unit, target) {
        Ok(observed) => observed,
        Err(error) => return Outcome::Failed(vec![format!("{error:#}")]),
    };
    let mut expected = expected
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let differences = if update {
        expected.record(&target.name, observed)
    } else {
        expected.compare(&target.name, &observed)
    };
    if differences.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Failed(differences)
    }
}

fn print(target: &Target, outcome: &Outcome) {
    let name = &target.name;
    // One call per target, so that lines of two workers do not mix.
    match outcome {
        Outcome::Passed => println!("ok       {name}"),
        Outcome::Skipped(reason) => println!("skipped  {name}: {reason}"),
        Outcome::Failed(reasons) => {
            println!("FAILED   {name}\n         {}", reasons.join("\n         "))
        }
    }
}

/// Applies `work` to every item on [`WORKERS`] threads; results keep the order.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return done;
            };
            done.push((index, work(item)));
        }
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .flat_map(|handle| {
                handle
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    done.sort_by_key(|&(index, _)| index);
    done.into_iter().map(|(_, result)| result).collect()
}
