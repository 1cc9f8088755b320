//! Reads what came off the wire and notes what is odd; never repairs.
