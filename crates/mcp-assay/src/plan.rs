//! Prints all that would be sent, and sends nothing.

use std::process::ExitCode;

use mcp_assay_core::probe::{Aim, Base, Context, Deviation, PROBES, encode};
use mcp_assay_core::transcript::{Key, TransportKind};
use mcp_assay_core::{Eras, Settings, Target};

use crate::{exit, output};

pub(crate) fn print(target: &Target, settings: &Settings) -> anyhow::Result<ExitCode> {
    let transport = match target {
        Target::Stdio(_) => TransportKind::Stdio,
        _ => TransportKind::Http,
    };
    let mut text = String::from(
        "All that a run can send; what the server declares and answers decides which of it.\n\
         Targets in <angle brackets> are the first that the server lists; ids are random.\n",
    );
    for probe in PROBES {
        let modern = matches!(probe.base, Base::Modern(_) | Base::Notification(_));
        let legacy = matches!(probe.base, Base::Legacy(_) | Base::LegacyNotification(_));
        let other_transport = match transport {
            TransportKind::Stdio => {
                matches!(probe.base, Base::Raw(_))
                    || matches!(probe.deviation, Deviation::Header { .. })
            }
            TransportKind::Http => matches!(probe.base, Base::Notification(_)),
        };
        let left_out = (settings.eras == Eras::Modern && legacy)
            || (settings.eras == Eras::Legacy && modern)
            || (settings.no_read && reads_listed(probe.id))
            || (settings.no_metadata && probe.id.ends_with("-metadata"));
        if other_transport || left_out {
            continue;
        }
        let aim = match probe.id {
            id if id.starts_with("prompt-get") => {
                Aim::Prompt("<listed prompt>".to_owned(), Vec::new())
            }
            id if reads_listed(id) => Aim::Uri("<listed resource>".to_owned()),
            _ => Aim::Nothing,
        };
        let out = encode(
            probe,
            Key::new("plan", probe.id),
            &aim,
            &Context::new(transport, 1),
        );
        text.push_str(&format!("\n{}: {}\n", probe.id, probe.about));
        match probe.deviation {
            Deviation::None => {}
            Deviation::Intent { changes, .. } | Deviation::Header { changes, .. } => {
                text.push_str(&format!("  deviates in: {}\n", changes.join(", ")));
            }
        }
        if transport == TransportKind::Http {
            text.push_str(&format!("  {}\n", out.http_method));
            for (name, value) in &out.headers {
                text.push_str(&format!("  {name}: {value}\n"));
            }
        }
        if !out.body.is_empty() {
            text.push_str(&format!("  {}\n", String::from_utf8_lossy(&out.body)));
        }
    }
    output::print(&text)?;
    Ok(ExitCode::from(exit::READY))
}

/// True if the probe reads or gets an item that the server listed.
fn reads_listed(id: &str) -> bool {
    id.starts_with("resource-read") || id.starts_with("prompt-get")
}
