//! What a fault is: an entry of the table, and the hooks that make it happen.

use std::io;
use std::net::TcpStream;

use crate::http::HttpRequest;
use crate::message::{Reply, Request};
use crate::server::{Config, Server};

/// How a server speaks about protocol versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Era {
    /// Per-request metadata only (revision 2026-07-28).
    Modern,
    /// The `initialize` handshake only (revisions 2024-11-05 to 2025-11-25).
    Legacy,
    /// Both, on the same command or URL.
    Dual,
}

/// What a [`Fault`] does to the correct server it is built on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Breaks exactly one rule.
    Fault,
    /// Breaks a requirement that no rule judges yet: nothing else may be blamed for it.
    Unjudged,
    /// Uses a freedom the specification leaves: nothing new may be reported.
    Variant,
    /// Is dead, hostile or no MCP server at all.
    Chaos,
}

/// What a checker has to conclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expect {
    /// `ready`, `not-ready`, `incomplete`, `unreachable`, `auth-required` or `not-mcp`.
    pub verdict: &'static str,
    /// Why nothing could be reached, for the verdict `unreachable` where the reason is certain.
    pub reason: Option<&'static str>,
}

/// One named deviation from a correct server.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Fault {
    /// Kebab-case name, unique in the table.
    pub name: &'static str,
    /// What the server does, in one line.
    pub about: &'static str,
    /// Whether that is a violation, a permitted variant, or chaos.
    pub kind: Kind,
    /// The correct server it is built on.
    pub era: Era,
    /// Whether it exists on stdio.
    pub stdio: bool,
    /// Whether it exists on Streamable HTTP.
    pub http: bool,
    /// The rule it breaks (`MCP004`), for [`Kind::Fault`] only. Rules that the correct server
    /// of the same era breaks (a legacy server does not serve 2026-07-28) are not repeated here.
    pub rule: Option<&'static str>,
    /// What a checker has to conclude; says nothing for [`Kind::Unjudged`].
    pub expect: Expect,
    pub(crate) hooks: &'static [Hook],
}

/// Where a fault takes hold. All hooks of a kind run in the order of the table entry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hook {
    /// Configures the correct server before it starts.
    Setup(fn(&mut Config)),
    /// Sees, and may change, each request before it is checked; may answer it.
    Intercept(fn(&Server, &mut Request) -> Option<Reply>),
    /// Answers a modern request that passed every check of envelope, headers and version.
    Answer(fn(&Server, &Request) -> Option<Reply>),
    /// Changes the answer that is about to be sent.
    Edit(fn(&Server, &Request, &mut Reply)),
    /// Answers an HTTP request before its path, method or body is looked at.
    Door(fn(&Server, &HttpRequest) -> Option<Reply>),
    /// Takes a connection over once a request was read from it; `false` declines.
    Socket(fn(&Server, &HttpRequest, &mut TcpStream) -> io::Result<bool>),
    /// Replaces the stdio loop; returns the exit status.
    Stdio(fn(&Server) -> io::Result<i32>),
}

const fn entry(
    kind: Kind,
    name: &'static str,
    about: &'static str,
    verdict: &'static str,
    hooks: &'static [Hook],
) -> Fault {
    Fault {
        name,
        about,
        kind,
        era: Era::Modern,
        stdio: true,
        http: true,
        rule: None,
        expect: Expect {
            verdict,
            reason: None,
        },
        hooks,
    }
}

/// A violation that makes a server not ready.
pub(crate) const fn error(
    rule: &'static str,
    name: &'static str,
    about: &'static str,
    hooks: &'static [Hook],
) -> Fault {
    Fault {
        rule: Some(rule),
        ..entry(Kind::Fault, name, about, "not-ready", hooks)
    }
}

/// A violation that leaves a server ready.
pub(crate) const fn warning(
    rule: &'static str,
    name: &'static str,
    about: &'static str,
    hooks: &'static [Hook],
) -> Fault {
    Fault {
        rule: Some(rule),
        ..entry(Kind::Fault, name, about, "ready", hooks)
    }
}

/// A violation that no rule judges yet.
pub(crate) const fn unjudged(
    name: &'static str,
    about: &'static str,
    hooks: &'static [Hook],
) -> Fault {
    entry(Kind::Unjudged, name, about, "ready", hooks)
}

/// A permitted behaviour of a server that is ready.
pub(crate) const fn variant(
    name: &'static str,
    about: &'static str,
    hooks: &'static [Hook],
) -> Fault {
    entry(Kind::Variant, name, about, "ready", hooks)
}

/// A behaviour of legacy servers in the field.
pub(crate) const fn legacy(
    name: &'static str,
    about: &'static str,
    hooks: &'static [Hook],
) -> Fault {
    Fault {
        era: Era::Legacy,
        ..entry(Kind::Variant, name, about, "not-ready", hooks)
    }
}

/// Hostile or dead.
pub(crate) const fn chaos(
    verdict: &'static str,
    name: &'static str,
    about: &'static str,
    hooks: &'static [Hook],
) -> Fault {
    entry(Kind::Chaos, name, about, verdict, hooks)
}

impl Fault {
    pub(crate) const fn stdio_only(self) -> Self {
        Fault {
            http: false,
            ..self
        }
    }

    pub(crate) const fn http_only(self) -> Self {
        Fault {
            stdio: false,
            ..self
        }
    }

    pub(crate) const fn on(self, era: Era) -> Self {
        Fault { era, ..self }
    }

    pub(crate) const fn verdict(self, verdict: &'static str) -> Self {
        Fault {
            expect: Expect {
                verdict,
                reason: None,
            },
            ..self
        }
    }

    pub(crate) const fn because(self, reason: &'static str) -> Self {
        Fault {
            expect: Expect {
                reason: Some(reason),
                ..self.expect
            },
            ..self
        }
    }
}
