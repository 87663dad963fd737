//! Cursors, opaque to the client: base64 over the place in the connection.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The cursor of the node at `index`, counted from 0.
pub(crate) fn encode(index: u64) -> String {
    STANDARD.encode(format!(
        "{{\"last_id\":{index},\"last_value\":\"{index}\"}}"
    ))
}

/// The index in a cursor; `None` for a text that is no cursor of this shop.
pub(crate) fn decode(cursor: &str) -> Option<u64> {
    let text = STANDARD.decode(cursor).ok()?;
    let value: serde_json::Value = serde_json::from_slice(&text).ok()?;
    value.get("last_id")?.as_u64()
}

#[cfg(test)]
mod tests {
    #[test]
    fn cursors_come_back_and_garbage_does_not() {
        for index in [0, 1, 249, u64::MAX] {
            assert_eq!(super::decode(&super::encode(index)), Some(index));
        }
        for wrong in ["", "abc", "e30=", "ÿ"] {
            assert_eq!(super::decode(wrong), None, "{wrong}");
        }
    }
}
