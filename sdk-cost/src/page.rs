/// The largest page a connection gives: `first` and `last` go up to 250.
pub const MAX_PAGE: u64 = 250;

/// How many times the children of a connection of `size` nodes are charged.
///
/// `0` for a size of zero, else `floor(2 × ln(max(2, size)))`: 1 for 1 or 2 nodes, 4 for 10, 11
/// for 250. The formula was given by the vendor's staff in its community forum.
#[must_use]
pub const fn page_weight(size: u64) -> u64 {
    // floor(2 × ln n) steps up at ceil(e^(k/2)): a table is exact and needs no floating point.
    // Sizes beyond the last step here (e^15, 3 million nodes) are refused long before.
    const STEPS: [u64; 31] = [
        1, 2, 3, 5, 8, 13, 21, 34, 55, 91, 149, 245, 404, 666, 1097, 1809, 2981, 4915, 8104, 13360,
        22027, 36316, 59875, 98716, 162_755, 268_338, 442_414, 729_417, 1_202_605, 1_982_760,
        3_269_018,
    ];
    if size == 0 {
        return 0;
    }
    let mut weight = 1;
    let mut step = 2;
    while step < STEPS.len() && size >= STEPS[step] {
        weight = step as u64;
        step += 1;
    }
    weight
}

#[cfg(test)]
mod tests {
    use super::page_weight;

    #[test]
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    #[expect(clippy::cast_sign_loss)]
    fn agrees_with_the_logarithm_up_to_three_million() {
        for size in 1..3_269_018_u64 {
            let formula = (2.0 * (size.max(2) as f64).ln()).floor() as u64;
            assert_eq!(page_weight(size), formula, "at {size}");
        }
        assert_eq!(page_weight(0), 0);
    }

    #[test]
    fn has_the_steps_read_off_recorded_answers() {
        let steps = [
            (2, 1),
            (3, 2),
            (4, 2),
            (7, 3),
            (8, 4),
            (90, 8),
            (149, 10),
            (244, 10),
        ];
        for (size, weight) in steps {
            assert_eq!(page_weight(size), weight, "at {size}");
        }
        assert_eq!(page_weight(245), 11);
        assert_eq!(page_weight(250), 11);
    }
}
