use std::hash::{DefaultHasher, Hasher as _};

/// 128 bits that tell one content from another: names of what is cached.
#[derive(Clone, Debug)]
pub(crate) struct Digest([DefaultHasher; 2]);

impl Digest {
    /// Of nothing so far. Another version of this crate may write otherwise, so it counts.
    pub(crate) fn new() -> Self {
        let mut hashers = [DefaultHasher::new(), DefaultHasher::new()];
        for (salt, hasher) in (0_u8..).zip(&mut hashers) {
            hasher.write_u8(salt);
        }
        Self(hashers).with(env!("CARGO_PKG_VERSION").as_bytes())
    }

    /// With one more part.
    #[must_use]
    pub(crate) fn with(mut self, part: &[u8]) -> Self {
        for hasher in &mut self.0 {
            hasher.write_usize(part.len());
            hasher.write(part);
        }
        self
    }

    /// As text.
    pub(crate) fn hex(&self) -> String {
        let [first, second] = &self.0;
        format!("{:016x}{:016x}", first.finish(), second.finish())
    }
}
