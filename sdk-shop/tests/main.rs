//! The shop as its users see it.

#[cfg(test)]
mod shop;
