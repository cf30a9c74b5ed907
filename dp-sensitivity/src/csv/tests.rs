use super::*;

fn message(text: &str) -> String {
    let table = Csv::parse(text, OnBadCell::Refuse);
    table.and_then(|table| table.numbers("x").and(table.numbers("y"))).unwrap_err().to_string()
}

#[test]
fn plain_tables_are_read_alike_under_both_policies() {
    for on_bad_cell in [OnBadCell::Missing, OnBadCell::Refuse] {
        let text = "\u{feff}x, y ,\"z, quoted\"\r\n1,-2.5e1, a\r\n+.5,3,\"b \"\"c\"\"\"\r\n";
        let table = Csv::parse(text, on_bad_cell).unwrap();
        assert_eq!((table.len(), table.names()), (2, &["x", "y", "z, quoted"].map(str::to_owned)[..]));
        assert_eq!(table.numbers("x").unwrap(), [1.0, 0.5]);
        assert_eq!(table.numbers("y").unwrap(), [-25.0, 3.0]);
        assert_eq!(table.texts("z, quoted").unwrap(), ["a", "b \"c\""]);
        assert!(Csv::parse("x,y\n", on_bad_cell).unwrap().is_empty());
    }
    assert_eq!(Csv::parse("x\n1\n2", OnBadCell::Refuse).unwrap().numbers("x").unwrap(), [1.0, 2.0]);
    assert_eq!(Csv::parse("x\n1\r\n\r\n\n", OnBadCell::Refuse).unwrap().len(), 1);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, part) in [
        ("", "line 1: the file is empty"),
        ("\n\n", "line 1: the file is empty"),
        ("x,,y\n", "line 1: a column has no name"),
        ("x,x\n", "line 1: two columns have the same name"),
        ("x,y\n1,2\n\n3,4", "line 3: the line is empty"),
        ("x,y\n1,2\n1,0,4", "line 3 has 3 cells and the header has 2"),
        ("x,y\n1\n", "line 2 has 1 cell and the header has 2"),
        ("x,y\n1,2\n,4", "line 3, column x: the cell is empty"),
        ("x,y\n1,nan", "line 2, column y: not a finite number"),
        ("x,y\n1,-inf", "line 2, column y: not a finite number"),
        ("x,y\n1e309,1", "line 2, column x: not a finite number"),
        ("x,y\n1;0,1", "line 2, column x: not a number"),
        ("x,y\n1,0x10", "line 2, column y: not a number"),
        ("x,z\n1,2", "column y: the table has no such column"),
    ] {
        assert!(message(text).starts_with(part), "{text:?}: {}", message(text));
    }
}

#[test]
fn messages_name_the_file() {
    let path = std::env::temp_dir().join(format!("dp-sensitivity-{}.csv", std::process::id()));
    let name = path.display().to_string();
    std::fs::write(&path, "x,y\na,2\n").unwrap();
    let table = Csv::open(&path, OnBadCell::Refuse).unwrap();
    for (error, part) in [
        (table.numbers("x").unwrap_err(), "line 2, column x: not a number"),
        (table.texts("z").unwrap_err(), "column z: the table has no such column"),
    ] {
        assert!(error.to_string().starts_with(&format!("{name}: {part}")), "{error}");
    }
    std::fs::remove_file(&path).unwrap();
    let missing = Csv::open(&path, OnBadCell::Missing).unwrap_err().to_string();
    assert!(missing.starts_with(&format!("{name} cannot be read")), "{missing}");
}

/// Whatever one line holds, the table is read, it has as many records, and those of the other lines
/// are the same.
#[test]
fn a_record_changes_neither_the_reading_nor_the_others() {
    let hostile: &[&[u8]] = &[
        b"",
        b"\"",
        b"1,\"",
        b"\"\"\"",
        b",,,,,",
        b"nan,inf",
        b"\xff\xfe,2",
        b"\0",
        b"\r",
        b"1,2\r",
        b"x,y",
        b"\"a",
        b"1\",\"2",
        b"1e999,-",
        b"\xef\xbb\xbf1,2",
        b"\xc3",
        b"  ",
        b"=1+1",
    ];
    for line in hostile {
        let text = [&b"x,y\n1,2\n"[..], line, b"\n3,4\n"].concat();
        let table = Csv::parse(text, OnBadCell::Missing).unwrap();
        assert_eq!(table.len(), 3, "{line:?}");
        for (column, [first, third]) in [("x", [1.0, 3.0]), ("y", [2.0, 4.0])] {
            let numbers = table.numbers(column).unwrap();
            assert_eq!([numbers[0], numbers[2]], [first, third], "{line:?}");
            assert!(numbers[1].is_nan() || numbers[1].is_finite());
            assert_eq!(table.texts(column).unwrap().len(), 3);
        }
    }
    let unended = Csv::parse("x,y\n1,2\n3,4", OnBadCell::Missing).unwrap_err().to_string();
    assert!(unended.starts_with("line 3: the last line has no line break"), "{unended}");
}

/// Texts of random characters, and tables with random changes: read or refused, and what is read
/// has the shape of the table.
#[test]
fn no_text_makes_it_panic() {
    let mut word = 1u64;
    let mut next = move |below: usize| {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(word >> 33).unwrap() % below
    };
    let odd = *b"019.-e,\n\r\" xy\xc3\xa9\xff\0;";
    let mut read = [0, 0];
    for turn in 0..20_000 {
        let mut text: Vec<u8> = if turn % 2 == 0 {
            (0..next(30)).map(|_| odd[next(odd.len())]).collect()
        } else {
            b"x,y,z\n1,2,3\r\n-4.5,6e7,8\n".to_vec()
        };
        for _ in 0..next(4) {
            let (at, kind) = (next(text.len() + 1), next(3));
            match kind {
                0 => text.insert(at, odd[next(odd.len())]),
                1 => text.truncate(at),
                _ => drop(text.get_mut(at).map(|place| *place = odd[next(odd.len())])),
            }
        }
        for (on_bad_cell, read) in [OnBadCell::Missing, OnBadCell::Refuse].into_iter().zip(&mut read) {
            let Ok(table) = Csv::parse(&text, on_bad_cell) else { continue };
            for name in table.names() {
                let Ok(numbers) = table.numbers(name) else { continue };
                assert_eq!(numbers.len(), table.len());
                assert!(numbers.iter().all(|x| x.is_finite() || on_bad_cell == OnBadCell::Missing));
                *read += 1;
            }
        }
    }
    assert!(read.iter().all(|read| *read > 3000), "{read:?}");
}
