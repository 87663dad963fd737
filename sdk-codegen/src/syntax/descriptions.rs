use std::ops::Range;

use super::cursor::Cursor;

/// The descriptions of SDL, with their quotes, in order.
///
/// A string is a value after `:` or `=` and inside a list; anywhere else it describes what follows.
pub(crate) fn descriptions(sdl: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(sdl, 0);
    let mut value_next = false;
    let mut lists = 0_usize;
    while let Some(byte) = cursor.next_byte() {
        let start = cursor.position();
        match byte {
            b'"' => {
                if !cursor.string() {
                    break;
                }
                if !value_next && lists == 0 {
                    found.push(start..cursor.position());
                }
            }
            b'[' => {
                lists += 1;
                cursor.skip();
            }
            b']' => {
                lists = lists.saturating_sub(1);
                cursor.skip();
            }
            _ => {
                if cursor.name().is_none() {
                    cursor.skip();
                }
            }
        }
        value_next = matches!(byte, b':' | b'=');
    }
    found
}
