//! JSON with the checks that `serde_json::Value` does not make: no field twice, and a path to what
//! cannot be read.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::fields::BadSpec;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Whole(u64),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// Reads a whole text.
pub(super) fn read(text: &[u8]) -> Result<Node, BadSpec> {
    let place = RefCell::new(String::new());
    let literals = literals(text);
    let mut reader = serde_json::Deserializer::from_slice(text);
    let node = Reader { place: &place, literals: &Cell::new(&literals) }.deserialize(&mut reader);
    let node = node.and_then(|node| reader.end().map(|()| node));
    node.map_err(|error| {
        let hint = if error.is_data() { "" } else { "; write JSON, with decimals as 0.5" };
        BadSpec::new(&place.borrow(), &format!("cannot be read: {error}{hint}"))
    })
}

impl Node {
    /// What it is, for a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Whole(value) => value.to_string(),
            Self::Number(value) if *value != 0.0 && !(1e-4..1e9).contains(&value.abs()) => {
                format!("{value:e}")
            }
            Self::Number(value) => value.to_string(),
            Self::Text(text) if text.chars().count() <= 40 => format!("the text {text:?}"),
            Self::Text(_) => "a long text".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Object(_) => "an object".to_owned(),
        }
    }
}

/// Reads one value. After an error `place` is where it happened.
#[derive(Clone, Copy)]
struct Reader<'a> {
    place: &'a RefCell<String>,
    /// The numbers that are still to come, as they are written.
    literals: &'a Cell<&'a [&'a str]>,
}

/// The numbers of a JSON text, as they are written. What is in quotation marks is none.
fn literals(text: &[u8]) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    let apart = |byte: &u8| {
        let turns = *byte == b'"' && !escaped;
        escaped = quoted && *byte == b'\\' && !escaped;
        quoted ^= turns;
        quoted || !matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')
    };
    let words = text.split(apart).filter_map(|word| std::str::from_utf8(word).ok());
    words.filter(|word| word.starts_with(|first: char| first == '-' || first.is_ascii_digit())).collect()
}

impl Reader<'_> {
    /// The number that is being read, as it is written.
    fn literal(&self) -> &str {
        let [first, rest @ ..] = self.literals.get() else { return "" };
        self.literals.set(rest);
        first
    }

    /// Reads what lies one step further down.
    fn inside<T, E>(self, step: &str, read: impl FnOnce(Self) -> Result<T, E>) -> Result<T, E> {
        let before = self.place.borrow().len();
        self.place.borrow_mut().push_str(step);
        let value = read(self)?;
        self.place.borrow_mut().truncate(before);
        Ok(value)
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Node;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        self.literal();
        Ok(Node::Whole(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        self.literal();
        #[allow(clippy::cast_precision_loss)]
        // a negative number is refused everywhere; this one is for the message
        Ok(Node::Number(value as f64))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        let literal = self.literal();
        let digits = literal.split(['e', 'E']).next().unwrap_or(literal);
        if value == 0.0 && digits.contains(|digit| ('1'..='9').contains(&digit)) {
            return Err(E::custom(format!("{literal} would be taken for 0 (write 0, or at least 5e-324)")));
        }
        Ok(Node::Number(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Node, S::Error> {
        let mut nodes = Vec::new();
        while let Some(node) =
            self.inside(&format!("[{}]", nodes.len()), |reader| list.next_element_seed(reader))?
        {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Node, M::Error> {
        let mut fields: Vec<(String, Node)> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let dot = if self.place.borrow().is_empty() { "" } else { "." };
            let twice = fields.iter().any(|(other, _)| *other == name);
            let node = self.inside(&format!("{dot}{name}"), |reader| {
                if twice { Err(M::Error::custom("it is there twice")) } else { map.next_value_seed(reader) }
            })?;
            fields.push((name, node));
        }
        Ok(Node::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn values_are_read_as_they_are() {
        let node = read(br#"{"a": [1, -1, 0.1, 18446744073709551616, true, null, "x"], "b": {}}"#).unwrap();
        let list = [
            Node::Whole(1),
            Node::Number(-1.0),
            Node::Number(0.1),
            Node::Number(18_446_744_073_709_551_616.0),
            Node::Bool(true),
            Node::Null,
            Node::Text("x".to_owned()),
        ];
        let fields = [("a".to_owned(), Node::List(list.to_vec())), ("b".to_owned(), Node::Object(vec![]))];
        assert_eq!(node, Node::Object(fields.to_vec()));
    }

    /// The nearest float, to the last bit: serde_json alone may be off by one.
    #[test]
    fn numbers_are_the_nearest_floats() {
        for text in [
            "2.2250738585072014e-308",
            "9.5367431640625e-7",
            "0.30000000000000004",
            "123456789.01234568",
            "51.248178375505404",
        ] {
            assert_eq!(read(text.as_bytes()).unwrap(), Node::Number(text.parse().unwrap()));
        }
    }

    #[test]
    fn no_number_becomes_zero_on_the_way() {
        assert_eq!(
            message(r#"{"a": [1, -2, 0.5, "1e-400 \\\"", 0e-400], "delta": 1e-400}"#),
            "delta cannot be read: 1e-400 would be taken for 0 (write 0, or at least 5e-324) at line 1 column 58"
        );
        for zero in ["0.0", "-0.0", "0e-400", "0.000E5", "5e-324", "3e-324"] {
            assert!(read(zero.as_bytes()).is_ok(), "{zero}");
        }
        for lost in ["1e-400", "-1e-400", "0.001e-321", "0.0000000001e-400", "2e-324"] {
            assert!(message(lost).contains(&format!("{lost} would be taken for 0")), "{}", message(lost));
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        assert_eq!(
            message(""),
            "the spec cannot be read: EOF while parsing a value at line 1 column 0; write JSON, with decimals as 0.5"
        );
        assert_eq!(
            message(r#"{"compose": [{}, {"of": {"sigma": 1e400}}]}"#),
            "compose[1].of.sigma cannot be read: number out of range at line 1 column 39; write JSON, with decimals as 0.5"
        );
        assert_eq!(
            message(r#"{"delta": NaN}"#),
            "delta cannot be read: expected value at line 1 column 11; write JSON, with decimals as 0.5"
        );
        assert_eq!(
            message(r#"{"compose": [{"kind": 1, "kind": 2}]}"#),
            "compose[0].kind cannot be read: it is there twice at line 1 column 31"
        );
        assert_eq!(
            message("{} {}"),
            "the spec cannot be read: trailing characters at line 1 column 4; write JSON, with decimals as 0.5"
        );
        assert!(message(&"[".repeat(100_000)).contains("recursion limit exceeded"));
        let bytes = read(b"{\"a\": \"\xff\"}").unwrap_err().to_string();
        assert_eq!(
            bytes,
            "a cannot be read: invalid unicode code point at line 1 column 8; write JSON, with decimals as 0.5"
        );
    }
}
