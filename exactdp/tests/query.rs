//! The commands `query`, `plan` and `ledger`, as somebody types them.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder that is gone with the test.
struct Folder(PathBuf);

impl Folder {
    /// Six purchases of each of 500 customers, with a line that is too long and one that is too
    /// short.
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("exactdp-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let mut csv = String::from("customer,shop,amount\n");
        for i in 0..3000 {
            writeln!(csv, "c{},{},{}", i / 6, ["north", "south"][i % 2], i % 100).unwrap();
        }
        csv.push_str("c1\nc2,\"north\",12,more,cells\nc3,south,nothing\n");
        std::fs::write(path.join("purchases.csv"), csv).unwrap();
        std::fs::write(path.join("shops.csv"), "shop,region\nnorth,cold\nsouth,warm\n").unwrap();
        Self(path)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_exactdp")).args(arguments).current_dir(&self.0).output().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const COUNT: &str = "SELECT shop, COUNT(*) AS n FROM purchases GROUP BY shop";

#[test]
fn a_first_private_answer() {
    let folder = Folder::new("first");
    let query = |more: &[&str]| {
        let mut arguments =
            vec!["query", "purchases.csv", "--unit", "customer", "--ledger", "purchases.ledger"];
        arguments.extend(["--epsilon", "1", "--max-groups", "2", "--format", "json"]);
        arguments.extend(more);
        folder.run(&arguments)
    };
    let answer = query(&["--delta", "1e-6", "--total-epsilon", "2.5", "--total-delta", "3e-6", COUNT]);
    assert!(answer.status.success(), "{}", text(&answer.stderr));
    let document: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(document["guarantee"], serde_json::json!({"epsilon": 1.0, "delta": 1e-6, "unit": "customer"}));
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{document}");
    for row in rows {
        let [n, lower, upper] = ["n", "n_lower", "n_upper"].map(|name| row[name].as_f64().unwrap());
        assert!((n - 1500.0).abs() < 400.0 && lower <= n && n <= upper, "{row}");
    }
    // Declared keys take no δ, and appear whether they occur or not.
    let answer = query(&["--keys", "shop=north,east", COUNT]);
    let document: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(document["rows"].as_array().unwrap().len(), 2, "{}", text(&answer.stderr));
    // What is left does not pay for another one.
    let answer = query(&["--keys", "shop=north,east", COUNT]);
    assert_eq!(answer.status.code(), Some(3), "{}", text(&answer.stderr));
    assert!(answer.stdout.is_empty());

    let shown = folder.run(&["ledger", "show", "purchases.ledger", "--html", "ledger.html"]);
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    let page = std::fs::read_to_string(folder.0.join("ledger.html")).unwrap();
    assert!(page.contains("purchases, for each customer") && page.matches("GROUP BY shop").count() == 2);
    let verified = text(&folder.run(&["ledger", "verify", "purchases.ledger"]).stdout);
    let receipt = verified.trim().rsplit(' ').next().unwrap().to_owned();
    assert!(verified.starts_with("2 entries"), "{verified}");
    let ledger = folder.0.join("purchases.ledger");
    let whole = std::fs::read_to_string(&ledger).unwrap();
    let shorter: Vec<&str> = whole.lines().take(2).collect();
    std::fs::write(&ledger, shorter.join("\n") + "\n").unwrap();
    let verified = folder.run(&["ledger", "verify", "purchases.ledger", "--receipt", &receipt]);
    assert!(
        !verified.status.success() && text(&verified.stderr).contains("cut off"),
        "{}",
        text(&verified.stderr)
    );
}

#[test]
fn a_plan_spends_nothing_and_a_mistake_costs_nothing() {
    let folder = Folder::new("plan");
    let base = ["--unit", "customer", "--ledger", "purchases.ledger", "--epsilon", "1"];
    let with = |command: &str, more: &[&str]| {
        let mut arguments = vec![command, "purchases.csv"];
        arguments.extend(base);
        arguments.extend(more);
        folder.run(&arguments)
    };
    let plan = with("plan", &["--delta", "1e-6", COUNT]);
    assert!(text(&plan.stdout).contains("(1, 1e-6)-DP for each customer"), "{}", text(&plan.stdout));
    assert!(!Path::new(&folder.0.join("purchases.ledger")).exists());
    for (sql, more, part) in [
        ("SELECT * FROM purchases", &[][..], "rows of people"),
        (COUNT, &[], "δ"),
        ("SELECT AVG(amount) FROM purchases", &[], "cast it"),
        ("SELECT COUNT(*) FROM nowhere", &[], "nowhere"),
        ("SELECT COUNT(*) FROM purchases", &["--bounds", "amount=5"], "amount=0:500"),
        ("SELECT COUNT(*) FROM purchases", &["--bounds", "price=0:5"], "no column `price`"),
        ("SELECT COUNT(*) FROM purchases", &["--max-groups", "0"], "max_groups"),
    ] {
        let refused = with("query", &[more, &[sql]].concat());
        assert_eq!(refused.status.code(), Some(2), "{sql}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains(part), "{sql}: {}", text(&refused.stderr));
    }
    assert!(!Path::new(&folder.0.join("purchases.ledger")).exists());
    let joined = with(
        "query",
        &[
            "--public",
            "shops.csv",
            "--keys",
            "region=cold,warm",
            "--format",
            "csv",
            "--max-groups",
            "1",
            "SELECT region, COUNT(DISTINCT customer) AS people FROM purchases JOIN shops USING (shop) GROUP BY region",
        ],
    );
    // Keys are declared of the private file's columns only.
    assert_eq!(joined.status.code(), Some(2), "{}", text(&joined.stdout));
    let joined = with(
        "query",
        &[
            "--public",
            "shops.csv",
            "--delta",
            "1e-6",
            "--format",
            "csv",
            "SELECT region, COUNT(DISTINCT customer) AS people FROM purchases JOIN shops USING (shop) GROUP BY region",
        ],
    );
    assert!(joined.status.success(), "{}", text(&joined.stderr));
    assert!(
        text(&joined.stdout).starts_with("region,people,people_lower,people_upper\ncold,"),
        "{}",
        text(&joined.stdout)
    );
    // Another table, and another unit, may not spend from this ledger.
    let other = folder.run(&[
        "query",
        "shops.csv",
        "--unit",
        "shop",
        "--ledger",
        "purchases.ledger",
        "--epsilon",
        "0.1",
        "SELECT COUNT(*) FROM shops",
    ]);
    assert_eq!(other.status.code(), Some(2), "{}", text(&other.stderr));
    let rows = folder.run(&[
        "query",
        "purchases.csv",
        "--unit",
        "row",
        "--ledger",
        "rows.ledger",
        "--epsilon",
        "1",
        "--bounds",
        "amount=0:100",
        "SELECT COUNT(*) AS n, AVG(amount) AS mean, MEDIAN(amount) AS middle FROM purchases",
    ]);
    assert!(rows.status.success(), "{}", text(&rows.stderr));
    assert!(text(&rows.stdout).contains("for each row"), "{}", text(&rows.stdout));
}
