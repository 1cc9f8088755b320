//! From outcomes to a report: verdict, era, owners, counts. Plain data; rendering cannot change it.

mod build;
mod findings;
mod model;
mod reproduce;
mod verdict;

pub use build::build;
pub(crate) use build::rfc3339;
pub use model::*;
