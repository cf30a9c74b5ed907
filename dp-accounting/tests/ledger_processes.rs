//! A ledger between processes, some of which die.
//!
//! The children are this test binary itself, told by an environment variable what to do. Each
//! writes `released` to its output after every release, so that the parent knows what the world has
//! seen when the child is gone.
#![cfg(all(unix, feature = "ledger"))]
#![allow(clippy::unwrap_used)] // a test panics when something is wrong

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use dp_accounting::{Account, Ledger};
use dp_core::{AddRemove, Guarantee, Measurement, Pure};
use dp_mechanisms::rng::OsSeeded;
use rand_core::Rng;

const PATH: &str = "DP_LEDGER_TEST_PATH";
const COST: f64 = 1.0 / 1024.0;

struct Tick;

impl Measurement for Tick {
    type Data = ();
    type Output = &'static str;
    type Guarantee = Pure;
    type Adjacency = AddRemove;

    fn guarantee(&self) -> Pure {
        Pure::new(COST).unwrap()
    }

    fn draw<R: Rng + ?Sized>(&self, (): &(), _: &mut R) -> Result<&'static str, dp_core::Error> {
        Ok("released")
    }
}

/// What a child does: spends until it is refused, and says so. Without the variable it is a test
/// like any other, of nothing.
#[test]
fn child() {
    let Some(path) = env::var_os(PATH) else { return };
    let mut ledger = Ledger::<Pure, AddRemove>::load(path).unwrap();
    let mut rng = OsSeeded::new().unwrap();
    let mut out = std::io::stdout();
    loop {
        match ledger.note("tick").spend(&Tick, &(), &mut rng) {
            Ok(said) => writeln!(out, "{said}").unwrap(),
            Err(error) => return writeln!(out, "refused: {error}").unwrap(),
        }
        out.flush().unwrap();
    }
}

/// The command that starts a child, after others such as `prlimit`.
fn child_of(before: &[&str], path: &Path) -> Command {
    let this = env::current_exe().unwrap();
    let mut words: Vec<&str> = before.to_vec();
    words.extend([this.to_str().unwrap(), "child", "--exact", "--nocapture", "--test-threads=1"]);
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env(PATH, path).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("dp-ledger-processes-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn ledger(&self, total: f64) -> PathBuf {
        let path = self.0.join("ledger");
        fs::remove_file(&path).ok();
        drop(Ledger::<_, AddRemove>::create(&path, "survey", &Pure::new(total).unwrap()).unwrap());
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn releases(output: &str) -> usize {
    output.matches("released\n").count()
}

fn entries(path: &Path) -> usize {
    let ledger = Ledger::<Pure, AddRemove>::load(path).unwrap();
    assert_eq!(ledger.spent(), Pure::new(COST).unwrap().times(ledger.entries().len() as u64));
    ledger.entries().len()
}

#[test]
fn a_process_that_is_killed_has_recorded_all_that_it_released() {
    let folder = Folder::new("killed");
    let path = folder.ledger(1e9);
    let mut released = 0;
    for round in 0..12u32 {
        let before = entries(&path);
        let mut child = child_of(&[], &path).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        // Let it get going, then kill it somewhere.
        while !line.contains("released") {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0);
        }
        thread::sleep(Duration::from_micros(700) * round);
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        released += 1 + releases(&rest);
        let after = entries(&path);
        // Each that was killed had at most one recorded and not released.
        let killed = usize::try_from(round).unwrap() + 1;
        assert!(after >= released && after > before && after <= released + killed, "{after} {released}");
    }
}

/// The kernel kills a process that writes beyond its limit, after it has written up to it: a crash
/// at any byte that one likes.
#[test]
fn a_process_that_dies_at_any_byte_of_a_line_is_survived() {
    if Command::new("prlimit").arg("--version").stdout(Stdio::null()).status().is_err() {
        return; // the cut at every byte is also made in memory, in the tests of the library
    }
    let folder = Folder::new("bytes");
    let path = folder.ledger(1e9);
    let mut ledger = Ledger::<Pure, AddRemove>::load(&path).unwrap();
    let start = fs::metadata(&path).unwrap().len();
    ledger.note("tick").charge(&Pure::new(COST).unwrap()).unwrap();
    let line = fs::metadata(&path).unwrap().len() - start;
    let template = fs::read(&path).unwrap();
    for offset in 0..=line {
        // One line whole, then `offset` bytes of the next one or two.
        fs::write(&path, &template).unwrap();
        let limit = template.len() as u64 + offset;
        let output = child_of(&["prlimit", &format!("--fsize={limit}:{limit}")], &path).output().unwrap();
        assert!(!output.status.success());
        let released = releases(&String::from_utf8_lossy(&output.stdout));
        assert_eq!(fs::metadata(&path).unwrap().len(), limit, "it was killed where it was told to be");
        // All but the newline is a whole entry: it counts, and was not released.
        let expected = if offset + 1 == line {
            (0, 2)
        } else {
            (usize::from(offset == line), 1 + usize::from(offset == line))
        };
        assert_eq!((released, entries(&path)), expected, "{offset} of {line}");
        let mut ledger = Ledger::<Pure, AddRemove>::load(&path).unwrap();
        ledger.note("after").charge(&Pure::new(COST).unwrap()).unwrap();
        assert_eq!(entries(&path), expected.1 + 1);
    }
}

#[test]
fn a_full_disk_refuses_and_is_recovered_from() {
    if Command::new("prlimit").arg("--version").stdout(Stdio::null()).status().is_err() {
        return;
    }
    let folder = Folder::new("full");
    let path = folder.ledger(1e9);
    let limit = fs::metadata(&path).unwrap().len() + 500;
    // With the signal ignored, the write fails instead.
    let script = format!("trap '' XFSZ; exec prlimit --fsize={limit}:{limit} \"$@\"");
    let output = child_of(&["sh", "-c", &script, "sh"], &path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("refused: writing ") && said.contains("failed: File too large"), "{said}");
    assert_eq!(entries(&path), releases(&said));
    let mut ledger = Ledger::<Pure, AddRemove>::load(&path).unwrap();
    assert_eq!(ledger.unfinished(), 1);
    ledger.note("after").charge(&Pure::new(COST).unwrap()).unwrap();
    assert_eq!(entries(&path), releases(&said) + 1);
}

#[test]
fn processes_at_the_same_time_never_pass_the_total() {
    let folder = Folder::new("together");
    let path = folder.ledger(100.0 * COST);
    let children: Vec<_> = (0..3).map(|_| child_of(&[], &path).spawn().unwrap()).collect();
    let outputs = children.into_iter().map(|child| child.wait_with_output().unwrap().stdout);
    let said: Vec<String> = outputs.map(|output| String::from_utf8(output).unwrap()).collect();
    assert_eq!(said.iter().map(|said| releases(said)).sum::<usize>(), 100);
    assert!(
        said.iter().all(|said| said.contains("refused: a release that costs 0.0009765625-DP does not fit"))
    );
    assert_eq!(entries(&path), 100);
}
