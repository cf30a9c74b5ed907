//! The cells of one line.

use std::ops::Range;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};

/// Splits lines into cells. Buffers are kept from line to line.
pub(super) struct Splitter {
    reader: Reader,
    cells: Vec<u8>,
    ends: Vec<usize>,
}

impl Splitter {
    pub(super) fn new() -> Self {
        // A carriage return within a line is a character like others.
        let reader = ReaderBuilder::new().terminator(Terminator::Any(b'\n')).build();
        Self { reader, cells: vec![], ends: vec![] }
    }

    /// The cells of a line that has no line break: unquoted, without the spaces around them. A
    /// quotation mark that is opened and not closed quotes the rest of the line, and no more: what
    /// one line holds never changes another.
    pub(super) fn split(&mut self, line: &str, mut take: impl FnMut(&str)) {
        if line.is_empty() {
            return take(""); // the reader would skip it
        }
        self.reader.reset();
        self.cells.resize(line.len() + 1, 0);
        self.ends.resize(line.len() + 2, 0); // at most one cell for each byte, and the last
        let (mut input, mut written, mut ended) = (line.as_bytes(), 0, 0);
        loop {
            let (result, read, more, ends) =
                self.reader.read_record(input, &mut self.cells[written..], &mut self.ends[ended..]);
            input = &input[read..];
            written += more;
            ended += ends;
            match result {
                // The input is at its end: reading nothing says so.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::Record
                | ReadRecordResult::End
                | ReadRecordResult::OutputFull
                | ReadRecordResult::OutputEndsFull => break,
            }
        }
        let start_of = |at: usize| if at == 0 { 0 } else { self.ends[at - 1] };
        for at in 0..ended {
            let Range { start, end } = start_of(at)..self.ends[at];
            // Whole cells of a text are text: they are cut at commas and quotation marks.
            take(std::str::from_utf8(&self.cells[start..end]).unwrap_or_default().trim());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(line: &str) -> Vec<String> {
        let mut cells = vec![];
        Splitter::new().split(line, |cell| cells.push(cell.to_owned()));
        cells
    }

    #[test]
    fn cells_are_split_as_spreadsheets_write_them() {
        assert_eq!(cells("1,2,3"), ["1", "2", "3"]);
        assert_eq!(cells(" 1 ,\t2, é "), ["1", "2", "é"]);
        assert_eq!(cells("\"Doe, Jane\",\"she said \"\"hi\"\"\",7"), ["Doe, Jane", "she said \"hi\"", "7"]);
        assert_eq!(cells(""), [""]);
        assert_eq!(cells(","), ["", ""]);
        assert_eq!(cells("1,"), ["1", ""]);
        assert_eq!(cells("1\r2,3"), ["1\r2", "3"]);
        assert_eq!(cells("a\"b,c"), ["a\"b", "c"]); // only at the beginning of a cell
    }

    #[test]
    fn a_line_keeps_to_itself() {
        let mut splitter = Splitter::new();
        let mut count = |line: &str| {
            let mut count = 0;
            splitter.split(line, |_| count += 1);
            count
        };
        assert_eq!(count("1,\"2,3"), 2); // never closed
        assert_eq!(count("1,2,3"), 3);
        assert_eq!(count("\""), 1);
        assert_eq!(count("1,2"), 2);
    }
}
