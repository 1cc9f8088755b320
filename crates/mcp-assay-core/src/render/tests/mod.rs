//! Samples of every verdict in every format, and hostile strings in every field.

mod hostile;
mod samples;
mod sanitise;
mod sarif;
mod snapshots;
