//! From outcomes to a report: verdict, era, owners, counts. Plain data; rendering cannot change it.

mod model;

pub use model::*;
