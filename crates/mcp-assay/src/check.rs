//! Checks a server, or a recorded run.

use std::io::BufReader;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use mcp_assay_core::report::Verdict;
use mcp_assay_core::rules::RULES;
use mcp_assay_core::{Eras, Limits, Report, Selection, Settings, Transcript, build, record};

use crate::args::{AskingArgs, CheckArgs, EraArg, JudgingArgs, ReplayArgs};
use crate::output::{Later, Outputs, complain};
use crate::{exit, plan, target};

/// How long the runtime may take to let go of what is still running, such as a name look-up.
const LET_GO: Duration = Duration::from_millis(100);

pub(crate) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("start the runtime")
}

pub(crate) fn settings(args: &AskingArgs) -> Settings {
    let defaults = Limits::default();
    Settings {
        limits: Limits {
            request: args.timeout,
            // Someone who is ready to wait longer for any answer is so for the first one.
            first_answer: defaults.first_answer.max(args.timeout),
            deadline: args.deadline,
            ..defaults
        },
        eras: match args.era {
            EraArg::Auto => Eras::Auto,
            EraArg::Modern => Eras::Modern,
            EraArg::Legacy => Eras::Legacy,
        },
        no_read: args.no_read,
        no_metadata: args.no_metadata,
    }
}

fn selection(args: &JudgingArgs) -> anyhow::Result<Selection> {
    let selection = Selection::new(&args.only, &args.skip)?;
    if !RULES.iter().any(|rule| selection.wants(rule)) {
        bail!("select rules: --skip leaves nothing of what --only names");
    }
    Ok(selection)
}

pub(crate) fn check(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let chosen = target::choose(args)?;
    let settings = settings(&args.asking);
    let selection = selection(&args.judging)?;
    if args.plan {
        return plan::print(&chosen.target, &settings);
    }
    let outputs = Outputs::open(&args.output)?;
    let recording = args.record.as_deref().map(Later::open).transpose()?;
    let runtime = runtime()?;
    let recorded = runtime.block_on(async {
        tokio::select! {
            // Listens before anything is started: a signal must find us ready to clean up.
            biased;
            () = interrupted() => None,
            transcript = record(&chosen.target, &settings, &chosen.secrets) => Some(transcript),
        }
    });
    // Dropping what ran kills every process tree; a look-up that hangs must not hold us.
    runtime.shutdown_timeout(LET_GO);
    let Some(transcript) = recorded else {
        complain("interrupted; nothing was judged");
        return Ok(ExitCode::from(exit::INTERRUPTED));
    };
    let transcript = transcript.context("set up the run")?;
    let exchanges = args.output.verbose || recording.is_some();
    if let Some(file) = recording {
        let mut bytes = Vec::new();
        transcript
            .write(&mut bytes)
            .context("write the recording")?;
        file.write(&bytes)?;
    }
    let report = build(&transcript, &selection, exchanges);
    let code = finish(&report, outputs, &args.judging, &selection)?;
    for hint in target::afterthoughts(&chosen, &report) {
        complain(&format!("hint: {hint}"));
    }
    Ok(code)
}

pub(crate) fn replay(args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    let selection = selection(&args.judging)?;
    let outputs = Outputs::open(&args.output)?;
    let file =
        std::fs::File::open(&args.file).with_context(|| format!("open {}", args.file.display()))?;
    let transcript = Transcript::read(&mut BufReader::new(file))
        .with_context(|| format!("read {}", args.file.display()))?;
    // A recorded run shows its traffic, like the report that was made when it was recorded.
    let report = build(&transcript, &selection, true);
    finish(&report, outputs, &args.judging, &selection)
}

fn finish(
    report: &Report,
    outputs: Outputs,
    judging: &JudgingArgs,
    selection: &Selection,
) -> anyhow::Result<ExitCode> {
    let code = exit::of(report, judging.fail_on, !selection.is_everything());
    if code == exit::COULD_NOT_JUDGE {
        let verdict = match report.verdict {
            Verdict::Unreachable => "unreachable",
            Verdict::AuthRequired => "auth-required",
            Verdict::NotMcp => "not-mcp",
            _ => "incomplete",
        };
        complain(&format!(
            "could not judge: {verdict} ({})",
            report.verdict_reason
        ));
    }
    outputs.write(report)?;
    Ok(ExitCode::from(code))
}

/// Ends when the user presses Ctrl-C or the system asks us to stop.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    // Without a handler the system's default ends us, and our children with their pipes.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
