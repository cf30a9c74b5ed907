//! The order in which people number things: D3 comes before D10.

/// A key that sorts by letters as letters and by digits as numbers.
pub(crate) fn key(id: &str) -> Vec<(&str, u64)> {
    let mut parts = Vec::new();
    let mut rest = id;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, tail) = rest.split_at(digits);
        let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        let (number, tail) = tail.split_at(end);
        // Only a missing number and one beyond any ledger fail to parse.
        parts.push((text, number.parse().unwrap_or_default()));
        rest = tail;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_and_letters_come_first() {
        let mut ids = ["M1", "D10", "D3", "D3b", "D3a", "C2.10", "C2.9", "D", "Ä7"];
        ids.sort_by(|a, b| key(a).cmp(&key(b)));
        assert_eq!(ids, ["C2.9", "C2.10", "D", "D3", "D3a", "D3b", "D10", "M1", "Ä7"]);
    }
}
