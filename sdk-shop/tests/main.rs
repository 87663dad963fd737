//! The shop as its users see it.

mod shop;
