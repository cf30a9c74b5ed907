//! Cuts, flips, garbage and quarrels.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::thread;

use dp_core::{AddRemove, Approx, Curve, Delta, Epsilon, Gdp, Guarantee, Pure, Rdp, Relax, ReplaceOne, Zcdp};

use super::*;
use crate::Shared;
use crate::budget::probe::{Probe, Silent};

/// A folder of its own, removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("dp-ledger-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

type PureBook = Book<Pure, ReplaceOne>;

fn pure(epsilon: f64) -> Pure {
    Pure::new(epsilon).unwrap()
}

/// The bytes that a ledger of these costs has.
fn approx(epsilon: f64, delta: f64) -> Approx {
    Approx::from_parts(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap())
}

fn written(costs: &[f64]) -> Vec<u8> {
    let mut bytes = PureBook::header("survey", &pure(10.0)).unwrap();
    for cost in costs {
        appended(&mut bytes, *cost).unwrap();
    }
    bytes
}

/// What a spend does to a file, in memory.
fn appended(bytes: &mut Vec<u8>, cost: f64) -> Result<(), LedgerError> {
    let book = PureBook::begin(bytes)?;
    let torn = bytes[usize::try_from(book.end).unwrap()..].to_vec();
    let note = Note::from("täglich, \"check\":\"\n").at("2026-11-16");
    bytes.extend(book.append(note, &pure(cost), &torn)?);
    Ok(())
}

/// How many entries were acknowledged when the file was this long: those of which all bytes were
/// written and synced.
fn acknowledged(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b == b'\n').count().saturating_sub(1)
}

fn damage(bytes: &[u8]) -> String {
    PureBook::begin(bytes).unwrap_err().to_string()
}

#[test]
fn a_ledger_is_read_back_as_it_was_written() {
    let folder = Folder::new("round-trip");
    let path = folder.file("a");
    let mut ledger = Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(1.0)).unwrap();
    let probe = Probe::new(0.25);
    assert_eq!(ledger.note("first").spend(&probe, &[], &mut Silent), Ok(7));
    assert_eq!(ledger.note(Note::from("second").at("noon")).spend(&probe, &[], &mut Silent), Ok(7));
    let text = fs::read_to_string(&path).unwrap();
    let shown: Vec<&str> = text.lines().map(|line| line.split(",\"check\"").next().unwrap()).collect();
    assert_eq!(
        shown,
        [
            r#"{"ledger":1,"data_set":"survey","notion":"pure","relation":"replace-one","total":{"epsilon":1.0}"#,
            r#"{"entry":1,"label":"first","cost":{"epsilon":0.25}"#,
            r#"{"entry":2,"label":"second","time":"noon","cost":{"epsilon":0.25}"#,
        ]
    );
    let again = Ledger::<Pure, ReplaceOne>::load(&path).unwrap();
    assert_eq!((again.entries(), again.spent()), (ledger.entries(), pure(0.5)));
    assert_eq!((again.data_set(), again.total(), again.unfinished()), ("survey", &pure(1.0), 0));
    assert_eq!((again.entries()[1].time(), again.remaining()), (Some("noon"), pure(0.5)));
    assert_eq!(again.receipt(), ledger.entries()[1].receipt());
    assert!(Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(9.0)).is_err());
}

/// Its checksums were computed by another program: each is SHA-256 of the check before, a newline,
/// and the line up to `,"check"`.
#[test]
fn files_of_this_version_stay_readable_and_are_written_alike() {
    let fixture = include_bytes!("../../tests/fixtures/version-1.ledger");
    let book = PureBook::begin(fixture).unwrap();
    assert_eq!((book.entries.len(), book.set_aside, book.data_set.as_str()), (3, 1, "survey"));
    assert_eq!(book.budget.spent(), pure(1.0 / 3.0).compose(&pure(0.5)));
    let mut bytes = PureBook::header("survey", &pure(10.0)).unwrap();
    for (torn, note, cost) in [
        ("", Note::from("Größe").at("noon"), 1.0 / 3.0),
        ("{\"entry\":2,\"lab", "b".into(), 0.25),
        ("", "c".into(), 0.25),
    ] {
        bytes.extend_from_slice(torn.as_bytes());
        let line = PureBook::begin(&bytes).unwrap().append(note, &pure(cost), torn.as_bytes()).unwrap();
        bytes.extend(line);
    }
    assert_eq!(String::from_utf8(bytes).unwrap(), String::from_utf8(fixture.to_vec()).unwrap());
}

#[test]
fn what_does_not_fit_draws_nothing_and_writes_nothing() {
    let folder = Folder::new("refused");
    let path = folder.file("a");
    let mut ledger = Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(0.5)).unwrap();
    let (dear, before) = (Probe::new(0.75), fs::read(&path).unwrap());
    let refused = ledger.note("dear").spend(&dear, &[], &mut Silent).unwrap_err();
    assert!(matches!(refused, Error::Exhausted { .. }));
    assert_eq!((dear.draws(), ledger.spent(), fs::read(&path).unwrap()), (0, Pure::perfect(), before));
    let failing = Probe::failing(0.5);
    assert!(matches!(ledger.note("fails").spend(&failing, &[], &mut Silent), Err(Error::Core(_))));
    assert_eq!(Ledger::<Pure, ReplaceOne>::load(&path).unwrap().spent(), pure(0.5));
}

#[test]
fn an_entry_without_a_note_has_an_empty_label() {
    let folder = Folder::new("unlabelled");
    let path = folder.file("a");
    let mut ledger = Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(1.0)).unwrap();
    assert_eq!(ledger.spend(&Probe::new(0.5), &[], &mut Silent), Ok(7));
    let shared = Shared::new(ledger);
    (&shared).charge(&pure(0.25)).unwrap();
    let read = Ledger::<Pure, ReplaceOne>::load(&path).unwrap();
    assert!(read.spent() == pure(0.75) && read.entries().iter().all(|entry| entry.label().is_empty()));
}

#[test]
fn interactions_are_opened_when_they_are_on_disk() {
    let folder = Folder::new("interactions");
    let path = folder.file("a");
    let mut ledger = Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(0.5)).unwrap();
    let probe = Probe::new(0.5);
    assert_eq!(ledger.note("first").open(&probe, Silent), Ok(0));
    assert_eq!(Ledger::<Pure, ReplaceOne>::load(&path).unwrap().spent(), pure(0.5));
    assert!(matches!(ledger.note("second").open(&probe, Silent), Err(Error::Exhausted { .. })));
    assert_eq!((probe.draws(), ledger.entries().len()), (1, 1));
}

fn survives<G: Recorded>(folder: &Folder, name: &str, costs: &[G], total: &G) {
    let path = folder.file(name);
    let mut ledger = Ledger::<G, AddRemove>::create(&path, "survey", total).unwrap();
    for cost in costs {
        ledger.note("cost").charge(cost).unwrap();
    }
    let read = Ledger::<G, AddRemove>::load(&path).unwrap();
    assert_eq!((read.total(), read.spent()), (total, ledger.spent()));
    assert!(read.entries().iter().map(Entry::cost).eq(costs), "{name}");
}

#[test]
fn numbers_of_all_notions_survive_to_the_last_bit() {
    let folder = Folder::new("numbers");
    let odd = [0.1, 1.0 / 3.0, 0.1 + 0.2, 1e-300, f64::from_bits(1), 0.900_000_000_000_000_5];
    survives(&folder, "pure", &odd.map(pure), &pure(f64::MAX));
    survives(&folder, "approx", &odd.map(|x| approx(x, x / 7.0)), &approx(1e300, 1.0));
    survives(
        &folder,
        "zcdp",
        &odd.map(|x| Zcdp::with_offset(x, x / 3.0).unwrap()),
        &Zcdp::with_offset(9.0, 9.0).unwrap(),
    );
    survives(&folder, "gdp", &odd.map(|x| Gdp::new(x).unwrap()), &Gdp::new(9.0).unwrap());
    let curves = odd.map(|x| Relax::<Rdp>::relaxed(&pure(x)));
    survives(&folder, "rdp", &curves, &Curve::Line(Zcdp::with_offset(20.0, 0.0).unwrap()).into());
}

#[test]
fn a_cut_at_every_byte_loses_nothing_that_was_acknowledged() {
    let whole = written(&[0.1, 1.0 / 3.0, 0.25, 0.1]);
    let header = whole.iter().position(|b| *b == b'\n').unwrap();
    for cut in 0..=whole.len() {
        for zeros in [0, 5] {
            let mut bytes = whole[..cut].to_vec();
            bytes.resize(cut + zeros, 0);
            if cut < header {
                assert!(
                    damage(&bytes).starts_with("the header (line 1) is damaged: it is unfinished"),
                    "{cut}"
                );
                continue;
            }
            let book = PureBook::begin(&bytes).unwrap();
            let sure = acknowledged(&whole[..cut]);
            assert!(
                book.entries.len() == sure || (whole[cut] == b'\n' && book.entries.len() == sure + 1),
                "{cut}"
            );
            // Life goes on, and what was there is still there.
            let (entries, spent) = (book.entries.len(), book.budget.spent());
            let is_torn = book.is_torn();
            let before = bytes.clone();
            appended(&mut bytes, 0.5).unwrap();
            let after = PureBook::begin(&bytes).unwrap();
            assert!(bytes.starts_with(&before));
            assert_eq!((after.entries.len(), after.set_aside), (entries + 1, u64::from(is_torn)));
            assert!(spent.compose(&pure(0.5)).is_at_most(&after.budget.spent()));
        }
    }
}

#[test]
fn a_crash_during_the_repair_of_a_crash_is_repaired() {
    let whole = written(&[0.1, 0.2]);
    for first in (whole.len() - 130..whole.len()).step_by(3) {
        let mut repaired = whole[..first].to_vec();
        appended(&mut repaired, 0.5).unwrap();
        for second in first..=repaired.len() {
            let mut bytes = repaired[..second].to_vec();
            // Lines that were set aside are no entries; all others that end are.
            let marks = bytes.windows(11).filter(|w| w == b"set aside,\"").count();
            let book = PureBook::begin(&bytes).unwrap();
            assert!(book.entries.len() + marks >= acknowledged(&bytes), "{first} {second}");
            let entries = book.entries.len();
            appended(&mut bytes, 0.25).unwrap();
            let book = PureBook::begin(&bytes).unwrap();
            assert_eq!(book.entries.len(), entries + 1, "{first} {second}");
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let mut whole = written(&[0.1, 0.25]);
    whole.extend_from_slice(b"{\"entry\":3,\"la");
    appended(&mut whole, 0.5).unwrap();
    let entries = PureBook::begin(&whole).unwrap().entries;
    assert_eq!(entries.len(), 3);
    for position in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[position] ^= 1 << bit;
            assert!(PureBook::begin(&bytes).is_err(), "bit {bit} of byte {position}");
        }
    }
}

#[test]
fn damage_is_named() {
    let whole = written(&[0.1, 0.2, 0.3]);
    let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').collect();
    let of = |order: &[usize]| order.iter().flat_map(|i| lines[*i].to_vec()).collect::<Vec<u8>>();
    let advice = "nothing was spent; restore the file from a copy that has this entry, and do not edit it";
    let chain = "its checksum does not match its content and the lines before it";
    assert_eq!(damage(&of(&[0, 1, 3])), format!("entry 2 (line 3) is damaged: {chain}; {advice}"));
    assert_eq!(damage(&of(&[0, 2, 1, 3])), format!("entry 1 (line 2) is damaged: {chain}; {advice}"));
    assert_eq!(damage(&of(&[0, 1, 1, 2])), format!("entry 2 (line 3) is damaged: {chain}; {advice}"));
    let lowered = String::from_utf8(whole.clone()).unwrap().replacen("0.3", "0.1", 1);
    assert_eq!(damage(lowered.as_bytes()), format!("entry 3 (line 4) is damaged: {chain}; {advice}"));
    let raised = String::from_utf8(whole.clone()).unwrap().replacen("10.0", "90.0", 1);
    assert_eq!(
        damage(raised.as_bytes()),
        "the header (line 1) is damaged: its checksum does not match its content; nothing was spent; restore the file from a copy"
    );
    let mut note = whole.clone();
    note.extend_from_slice(b"checked by me\n");
    assert_eq!(
        damage(&note),
        format!("entry 4 (line 5) is damaged: it has no checksum at its end; {advice}")
    );
    note.pop();
    assert_eq!(
        damage(&note),
        format!("entry 4 (line 5) is damaged: it neither is an entry nor the beginning of one; {advice}")
    );
    // Cut within an entry that others follow.
    let middle = [lines[0], &lines[1][..20], lines[2]].concat();
    assert_eq!(damage(&middle), format!("entry 1 (line 2) is damaged: {chain}; {advice}"));
    // An entry that counts, passed off as one that does not.
    let mut struck = whole[..whole.len() - 1].to_vec();
    struck.extend_from_slice(b" <- unfinished, set aside\n");
    let unsealed = "it has no checksum at its end";
    assert_eq!(damage(&struck), format!("entry 3 (line 4) is damaged: {unsealed}; {advice}"));
    assert!(PureBook::begin(&of(&[0, 1, 2, 3])).is_ok());
}

/// What an entry costs does not go away by passing it off as unfinished, however many of them are.
#[test]
fn entries_cannot_be_turned_into_unfinished_ones() {
    let whole = written(&[0.1, 0.2, 0.3]);
    let lines: Vec<&str> = core::str::from_utf8(&whole).unwrap().lines().collect();
    let content = |line: &str| line.split(",\"check\"").next().unwrap().to_owned();
    for from in 1..=3 {
        for to in from..=3 {
            for last in ["\n", ""] {
                let struck = |(at, line): (usize, &&str)| match at {
                    at if (from..=to).contains(&at) => content(line) + " <- unfinished, set aside",
                    _ => (*line).to_owned(),
                };
                let text = lines.iter().enumerate().map(struck).collect::<Vec<_>>().join("\n") + last;
                if (from, last) == (3, "") {
                    // Only the last line: what a crash leaves, and what a receipt is for.
                    assert_eq!(PureBook::begin(text.as_bytes()).unwrap().entries.len(), 2);
                } else {
                    let said = damage(text.as_bytes());
                    assert!(said.contains("it has no checksum at its end"), "{text}: {said}");
                }
            }
        }
    }
}

/// Changes of one byte, cuts at every byte, and lines removed, repeated or exchanged: an error, or
/// no less than was spent. Of what is gone from the end only a receipt knows.
#[test]
fn no_small_change_lowers_what_was_spent() {
    let mut whole = written(&[0.1, 0.25]);
    whole.extend_from_slice(b"{\"entry\":3,\"la\0\0");
    appended(&mut whole, 0.5).unwrap();
    appended(&mut whole, 0.125).unwrap();
    let original = PureBook::begin(&whole).unwrap();
    let (spent, receipt) = (original.spent(), original.receipt());
    let mut accepted = 0;
    let mut see = |bytes: &[u8], is_cut: bool, what: &str| {
        let Ok(book) = PureBook::begin(bytes) else { return };
        accepted += 1;
        assert!(original.entries.starts_with(&book.entries), "{what}");
        assert!(is_cut || spent.is_at_most(&book.spent()), "{what}");
        assert!(!book.has(&receipt) || spent.is_at_most(&book.spent()), "{what}");
    };
    for at in 0..whole.len() {
        let edited = |value: u8| [&whole[..at], &[value], &whole[at + 1..]].concat();
        (0..=u8::MAX).for_each(|value| see(&edited(value), false, &format!("byte {at} is {value}")));
        see(&[&whole[..at], &whole[at + 1..]].concat(), false, &format!("without byte {at}"));
        see(&whole[..at], true, &format!("cut at {at}"));
    }
    let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').collect();
    for i in 0..lines.len() {
        for j in 0..=lines.len() {
            let mut copied = lines.clone();
            copied.insert(j, lines[i]);
            see(&copied.concat(), false, &format!("line {i} again at {j}"));
            let mut cut = lines.clone();
            cut.drain(i.min(j)..i.max(j));
            see(&cut.concat(), i.max(j) == lines.len(), &format!("without lines {i} to {j}"));
            if j < lines.len() {
                let mut exchanged = lines.clone();
                exchanged.swap(i, j);
                see(&exchanged.concat(), false, &format!("lines {i} and {j} exchanged"));
            }
        }
    }
    // The same file over and over, its last newline missing or zero, and what was cut off within or
    // after a line.
    assert!(accepted > whole.len(), "{accepted}");
}

#[test]
fn a_crash_that_leaves_zeros_and_one_during_its_repair_are_repaired() {
    let mut torn = written(&[0.1]);
    torn.extend_from_slice(&[0; 7]);
    let mut repaired = torn.clone();
    appended(&mut repaired, 0.5).unwrap();
    for cut in torn.len()..=repaired.len() {
        let mut bytes = repaired[..cut].to_vec();
        appended(&mut bytes, 0.25).unwrap();
        let book = PureBook::begin(&bytes).unwrap();
        assert!(book.entries.len() >= 2 && book.unfinished() >= 1, "{cut}");
    }
}

/// Lines of another program, with right checksums.
#[test]
fn numbers_that_no_float_holds_are_refused() {
    type ApproxBook = Book<Approx, ReplaceOne>;
    let total = Approx::new(1.0, 1e-6).unwrap();
    let header = ApproxBook::header("survey", &total).unwrap();
    let chain = ApproxBook::begin(&header).unwrap().receipt().check;
    let with = |delta: &str| {
        let content = format!(r#"{{"entry":1,"label":"\"1e-400\\","cost":{{"epsilon":0.5,"delta":{delta}}}"#);
        let check = line::checksum(&chain, content.as_bytes());
        let line = [header.clone(), content.into_bytes(), line::seal(&check)].concat();
        ApproxBook::begin(&line).map(|book| book.entries[0].cost.delta().get())
    };
    assert_eq!(with("0.0"), Ok(0.0));
    assert_eq!(with("0e-400"), Ok(0.0));
    assert_eq!(with("\"5e-324\""), Ok(5e-324));
    for lost in ["1e-400", "0.00001e-330", "1e400"] {
        let said = with(lost).unwrap_err().to_string();
        assert!(
            said.starts_with("entry 1 (line 2) is damaged: it has a number that no float holds"),
            "{said}"
        );
    }
    assert!(with("\"1e-400\"").is_err());
    let lost = r#"{"ledger":1,"data_set":"survey","notion":"approximate","relation":"replace-one","total":{"epsilon":1,"delta":1e-400}"#;
    let check = line::checksum(line::ORIGIN, lost.as_bytes());
    let said = ApproxBook::begin(&[lost.as_bytes(), &line::seal(&check)].concat()).unwrap_err().to_string();
    assert!(
        said.starts_with("the header (line 1) is damaged: it has a number that no float holds"),
        "{said}"
    );
}

#[test]
fn a_ledger_is_audited_without_the_right_to_write() {
    let folder = Folder::new("audit");
    let path = folder.file("a");
    let mut ledger = Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(1.0)).unwrap();
    ledger.note("one").charge(&pure(0.25)).unwrap();
    let mut mode = fs::metadata(&path).unwrap().permissions();
    mode.set_readonly(true);
    fs::set_permissions(&path, mode).unwrap();
    let book = Ledger::<Pure, ReplaceOne>::audit(&path).unwrap();
    assert_eq!((book.data_set(), book.total(), book.entries()), ("survey", ledger.total(), ledger.entries()));
    assert_eq!((book.spent(), book.remaining(), book.unfinished()), (pure(0.25), pure(0.75), 0));
    assert!(book.has(&ledger.receipt()) && book.receipt() == ledger.receipt());
    // It is not in the way of others who read.
    let reading = fs::File::open(&path).unwrap();
    reading.lock_shared().unwrap();
    assert!(Ledger::<Pure, ReplaceOne>::audit(&path).is_ok());
    assert!(
        Ledger::<Pure, AddRemove>::audit(&path).is_err()
            && Ledger::<Pure, AddRemove>::audit(folder.file("b")).is_err()
    );
}

#[test]
fn a_missing_folder_is_named() {
    let folder = Folder::new("folder");
    let path = folder.file("missing").join("a");
    let said = Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(1.0)).unwrap_err().to_string();
    assert!(said.contains("(its folder does not exist: create that first)"), "{said}");
}

#[test]
fn a_ledger_of_something_else_is_not_opened() {
    let folder = Folder::new("other");
    let path = folder.file("a");
    drop(Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(0.5)).unwrap());
    let say = |error: Error| error.to_string();
    assert_eq!(
        say(Ledger::<Zcdp, ReplaceOne>::load(&path).unwrap_err()),
        "the ledger has the notion pure, but zero-concentrated is asked for: open it as what it is, or create another one"
    );
    assert_eq!(
        say(Ledger::<Pure, AddRemove>::load(&path).unwrap_err()),
        "the ledger has the relation replace-one, but add-remove is asked for: open it as what it is, or create another one"
    );
    let missing = folder.file("missing");
    assert_eq!(
        say(Ledger::<Pure, AddRemove>::load(&missing).unwrap_err()),
        format!(
            "opening {} failed: No such file or directory (os error 2) (`Ledger::create` starts a new ledger); nothing was released, and the file is read anew before the next spend",
            missing.display()
        )
    );
}

#[test]
fn receipts_notice_what_a_file_cannot() {
    let folder = Folder::new("receipt");
    let path = folder.file("a");
    let mut ledger = Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(1.0)).unwrap();
    let empty = ledger.receipt();
    ledger.note("one").charge(&pure(0.25)).unwrap();
    let one = fs::read(&path).unwrap();
    ledger.note("two").charge(&pure(0.25)).unwrap();
    let receipt: Receipt = ledger.receipt().to_string().parse().unwrap();
    let open = |receipt: &Receipt| Ledger::<Pure, ReplaceOne>::load_with_receipt(&path, receipt);
    assert!(open(&receipt).is_ok() && open(&empty).is_ok());
    fs::write(&path, one).unwrap();
    assert!(Ledger::<Pure, ReplaceOne>::load(&path).is_ok()); // it cannot know
    assert_eq!(
        open(&receipt).unwrap_err().to_string(),
        "the receipt is for entry 2, which is not among the 1 of this ledger: \
         the file was cut, or is another ledger; restore it from a copy that has this entry"
    );
    // The handle that has read more notices by itself.
    let error = ledger.note("three").charge(&pure(0.25)).unwrap_err().to_string();
    assert!(error.ends_with("is no longer the file that was read: it was cut, moved or replaced; open it again and see what it says"));
    assert_eq!(
        "2:abc".parse::<Receipt>().unwrap_err().to_string(),
        "a receipt is the number of an entry, a colon and 64 hexadecimal digits: pass one as it was given"
    );
}

#[test]
fn a_file_that_was_exchanged_is_not_written() {
    let folder = Folder::new("exchanged");
    let path = folder.file("a");
    let mut ledger = Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(1.0)).unwrap();
    fs::rename(&path, folder.file("b")).unwrap();
    assert!(matches!(ledger.note("x").charge(&pure(0.1)), Err(Error::Ledger(LedgerError::Replaced { .. }))));
    drop(Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(1.0)).unwrap());
    assert!(matches!(ledger.refresh(), Err(Error::Ledger(LedgerError::Replaced { .. }))));
    fs::rename(folder.file("b"), &path).unwrap();
    assert!(ledger.note("x").charge(&pure(0.1)).is_ok());
}

#[test]
fn handles_in_many_threads_never_pass_the_total() {
    let folder = Folder::new("threads");
    let path = folder.file("a");
    drop(Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(0.5)).unwrap());
    let probe = Probe::new(1.0 / 64.0);
    let paid: u32 = thread::scope(|scope| {
        let spend = || {
            let mut ledger = Ledger::<Pure, ReplaceOne>::load(&path).unwrap();
            (0..16)
                .map(|_| u32::from(ledger.note("share").spend(&probe, &[], &mut Silent).is_ok()))
                .sum::<u32>()
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(spend)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!((paid, probe.draws()), (32, 32));
    let ledger = Ledger::<Pure, ReplaceOne>::load(&path).unwrap();
    assert_eq!((ledger.entries().len(), &ledger.spent()), (32, ledger.total()));
}

#[test]
fn one_handle_sees_what_another_wrote_and_what_it_left_unfinished() {
    let folder = Folder::new("others");
    let path = folder.file("a");
    let mut first = Ledger::<_, ReplaceOne>::create(&path, "survey", &pure(1.0)).unwrap();
    let mut second = Ledger::<Pure, ReplaceOne>::load(&path).unwrap();
    first.note("first").charge(&pure(0.75)).unwrap();
    assert!(matches!(second.note("second").charge(&pure(0.5)), Err(Error::Exhausted { .. })));
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"entry\":2,\"label\":\"cut").unwrap();
    first.refresh().unwrap();
    assert_eq!((first.unfinished(), first.spent()), (1, pure(0.75)));
    second.note("second").charge(&pure(0.25)).unwrap();
    first.refresh().unwrap();
    assert_eq!((first.unfinished(), first.spent(), first.entries().len()), (1, pure(1.0), 2));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\n{\"entry\":2,\"label\":\"cut <- unfinished, set aside,\"check\":\""));
}

#[test]
fn garbage_is_an_error_and_never_a_panic() {
    let whole = written(&[0.1, 0.2, 0.3]);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    for round in 0..4000 {
        let mut bytes = if round % 4 == 0 {
            (0..random(300)).map(|_| u8::try_from(random(256)).unwrap()).collect()
        } else {
            whole.clone()
        };
        for _ in 0..random(4) {
            let (from, to) = (random(bytes.len() + 1), random(bytes.len() + 1));
            let piece = bytes[from.min(to)..from.max(to)].to_vec();
            let at = random(bytes.len() + 1);
            match random(3) {
                0 => drop(bytes.splice(at..at, piece)),
                1 => drop(bytes.drain(from.min(to)..from.max(to))),
                _ => bytes.insert(at, u8::try_from(random(256)).unwrap()),
            }
        }
        if let Ok(book) = PureBook::begin(&bytes) {
            // What is accepted is a beginning of what was written.
            let original = PureBook::begin(&whole).unwrap();
            assert!(original.entries.starts_with(&book.entries));
        }
    }
}

/// A notion whose author rounds on disk, which would let a budget be spent for less than it cost.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Rounded(#[serde(serialize_with = "down")] f64);

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes references
fn down<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((value * 100.0).floor() / 100.0)
}

impl core::fmt::Display for Rounded {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}-rounded", self.0)
    }
}

impl Guarantee for Rounded {
    fn perfect() -> Self {
        Self(0.0)
    }
    fn compose(&self, other: &Self) -> Self {
        Self(self.0 + other.0)
    }
    fn join(&self, other: &Self) -> Self {
        Self(self.0.max(other.0))
    }
    fn is_at_most(&self, other: &Self) -> bool {
        self.0 <= other.0
    }
    fn for_group(&self, size: u32) -> Self {
        Self(self.0 * f64::from(size))
    }
    fn delta_at(&self, _: dp_core::Epsilon) -> dp_core::Delta {
        dp_core::Delta::ONE
    }
    fn epsilon_at(&self, _: dp_core::Delta) -> dp_core::Epsilon {
        dp_core::Epsilon::INFINITE
    }
}

impl Recorded for Rounded {
    const NAME: &'static str = "rounded";
}

#[test]
fn a_cost_that_would_shrink_on_disk_is_refused() {
    let folder = Folder::new("lossy");
    let path = folder.file("a");
    assert!(Ledger::<_, AddRemove>::create(&path, "survey", &Rounded(1.999)).is_err());
    let mut ledger = Ledger::<_, AddRemove>::create(&path, "survey", &Rounded(2.0)).unwrap();
    ledger.note("fits").charge(&Rounded(0.5)).unwrap();
    assert_eq!(
        ledger.note("shrinks").charge(&Rounded(0.499)).unwrap_err().to_string(),
        "the cost 0.499-rounded would read back from disk as another one: its type must write numbers that survive"
    );
    assert_eq!(Ledger::<Rounded, AddRemove>::load(&path).unwrap().entries().len(), 1);
}
