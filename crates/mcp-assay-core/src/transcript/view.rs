//! A view on the transcript: exchanges, messages, what a rule may look at.
