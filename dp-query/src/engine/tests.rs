//! Neighbours, with the same key: the sums differ by what the theorem says, and so do errors, which
//! is not at all.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::row::{RowConverter, SortField};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::{Aggregates, sums};
use crate::price::Shape;
use crate::query::Parts;
use crate::{AddRemovePerson, Columns, Error, Limits, Source, Tables};

/// Person, key, number, text.
type Row = (Option<i64>, Option<&'static str>, Option<f64>, Option<&'static str>);

fn row() -> impl Strategy<Value = Row> {
    let numbers = [
        0.0,
        -0.0,
        1.0,
        2.5,
        -3.0,
        7.0,
        1e308,
        -1e308,
        1e-320,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        9.007199254740993e15,
        -9.3e18,
        1.9e19,
    ];
    let texts = ["", "7", "seven", "2026-11-19", "1e400", "9999999999999999999999", "%", "\u{0}", "-1"];
    (
        prop::option::weighted(0.95, 0..5i64),
        prop::option::weighted(0.9, prop::sample::select(vec!["a", "b", "c", "d"])),
        prop::option::weighted(0.9, prop::sample::select(numbers.to_vec())),
        prop::option::weighted(0.9, prop::sample::select(texts.to_vec())),
    )
}

#[allow(clippy::cast_possible_truncation)] // saturates
fn batch(rows: &[Row]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([
        ("id", Arc::new(rows.iter().map(|row| row.0).collect::<Int64Array>()) as ArrayRef, true),
        ("key", Arc::new(rows.iter().map(|row| row.1).collect::<StringArray>()), true),
        ("x", Arc::new(rows.iter().map(|row| row.2).collect::<Float64Array>()), true),
        ("n", Arc::new(rows.iter().map(|row| row.2.map(|x| x as i64)).collect::<Int64Array>()), true),
        ("text", Arc::new(rows.iter().map(|row| row.3).collect::<StringArray>()), true),
    ])
    .unwrap()
}

fn tables(rows: &[Row]) -> Tables<AddRemovePerson> {
    let mut tables = Tables::new().unwrap();
    let columns = Columns::new().bounds("x", -2.0, 5.0).unwrap().bounds("n", -3.0, 9.0).unwrap();
    // Two batches, so that the engine may work in parallel.
    let whole = batch(rows);
    let middle = rows.len() / 2;
    let parts = vec![whole.slice(0, middle), whole.slice(middle, rows.len() - middle)];
    tables.private("t", Source::batches(parts), "id", columns.clone()).unwrap();
    let people = RecordBatch::try_from_iter_with_nullable([
        ("id", Arc::new(rows.iter().map(|row| row.0).collect::<Int64Array>()) as ArrayRef, true),
        ("city", Arc::new(rows.iter().map(|row| row.3).collect::<StringArray>()), true),
    ]);
    tables.private("people", Source::batches(vec![people.unwrap()]), "id", Columns::new()).unwrap();
    let keys = RecordBatch::try_from_iter([
        ("key", Arc::new(StringArray::from(vec!["a", "b", "b", "e"])) as ArrayRef),
        ("weight", Arc::new(Int64Array::from(vec![1, 2, 3, 4]))),
    ]);
    let bounded = Columns::new().bounds("weight", 0.0, 5.0).unwrap();
    tables.public_with("keys", Source::batches(vec![keys.unwrap()]), bounded).unwrap();
    tables
}

/// Statements over `t` (private), `people` (private) and `keys` (public).
const QUERIES: &[&str] = &[
    "SELECT COUNT(*) FROM t",
    "SELECT key, COUNT(*), COUNT(x), COUNT(DISTINCT id), SUM(x), AVG(x), VAR_POP(x), STDDEV_SAMP(n) FROM t GROUP BY key",
    "SELECT key, text, SUM(n), AVG(n) FILTER (WHERE x > 0) FROM t GROUP BY key, text",
    "SELECT key, COUNT(*) FROM t WHERE x / n > 0.5 AND CAST(text AS BIGINT) > 1 GROUP BY key",
    "SELECT CAST(floor(x) AS BIGINT) AS b, COUNT(*) FROM t GROUP BY CAST(floor(x) AS BIGINT)",
    "SELECT upper(text), SUM(CASE WHEN n > 3 THEN x ELSE -x END) FROM t GROUP BY upper(text)",
    "SELECT date_trunc('month', CAST(text AS TIMESTAMP)) AS m, COUNT(*) FROM t GROUP BY date_trunc('month', CAST(text AS TIMESTAMP))",
    "SELECT weight, COUNT(*), SUM(x * weight) FROM t JOIN keys ON t.key = keys.key GROUP BY weight",
    "SELECT weight, COUNT(*) FROM t LEFT JOIN keys ON t.key = keys.key AND n > weight GROUP BY weight",
    "SELECT weight, COUNT(DISTINCT t.id) FROM keys JOIN t ON t.x > keys.weight GROUP BY weight",
    "SELECT city, COUNT(*), AVG(x) FROM t JOIN people ON t.id = people.id GROUP BY city",
    "SELECT city, COUNT(*) FROM t LEFT JOIN people ON t.id = people.id AND t.text = people.city GROUP BY city",
    "SELECT a.key, COUNT(*) FROM t a JOIN t b ON a.id = b.id AND a.n < b.n GROUP BY a.key",
    "SELECT visits, COUNT(*) FROM (SELECT id, COUNT(*) AS visits FROM t GROUP BY id) GROUP BY visits",
    "SELECT most, SUM(least) FROM (SELECT id, key, MAX(n) AS most, MIN(n + 0) * 0 + 1 AS least FROM t GROUP BY id, key) GROUP BY most",
    "SELECT AVG(LEAST(visits, 3)) FROM (SELECT id, COUNT(*) AS visits FROM t GROUP BY id)",
    "SELECT key, MEDIAN(x), MAX(n), MIN(x * 2), COUNT(*) FROM t GROUP BY key",
    "SELECT percentile_cont(x, 0.9) AS p FROM t",
    "WITH big AS (SELECT key, x FROM t WHERE x >= 1) SELECT key, COUNT(*), SUM(x) FROM big GROUP BY key",
    "SELECT key, COUNT(*) FROM (SELECT id, key, n FROM t UNION ALL SELECT id, city, 1 FROM people) GROUP BY key",
    "SELECT key, COUNT(*) FROM (SELECT key FROM t UNION ALL SELECT city FROM people) GROUP BY key",
    "SELECT r, COUNT(*) FROM (SELECT id, rank() OVER (PARTITION BY id ORDER BY n) AS r FROM t) GROUP BY r",
    "SELECT key, SUM(n) FROM (SELECT DISTINCT id, key, n FROM t) GROUP BY key",
    "SELECT c, COUNT(*) FROM (SELECT id, COUNT(*) OVER (PARTITION BY id) AS c FROM t) GROUP BY c",
    "SELECT key, COUNT(*) FROM t WHERE id NOT IN (1, 2) AND text LIKE '%e%' GROUP BY key",
    "SELECT CAST(CAST(text AS TIMESTAMP) AS DATE) AS d, COUNT(*) FROM t GROUP BY CAST(CAST(text AS TIMESTAMP) AS DATE)",
    "SELECT date_bin(INTERVAL '7 days', CAST(text AS TIMESTAMP)) AS w, COUNT(*) FROM t GROUP BY date_bin(INTERVAL '7 days', CAST(text AS TIMESTAMP))",
    "SELECT -n AS m, SUM(-x) FROM t GROUP BY -n",
    "SELECT CAST(x AS DECIMAL(5, 2)) AS d, COUNT(*) FROM t WHERE CAST(text AS DECIMAL(3, 1)) IS NULL GROUP BY CAST(x AS DECIMAL(5, 2))",
    "SELECT CAST(x AS VARCHAR) AS s, COUNT(*) FROM t WHERE left(text, 2) <> right(text, 2) GROUP BY CAST(x AS VARCHAR)",
    "SELECT substr(text, 1, 2) AS s, COUNT(*) FROM t GROUP BY substr(text, 1, 2)",
    "SELECT n % 3 AS r, SUM(n * n - n) FROM (SELECT id, CASE WHEN n BETWEEN -5 AND 5 THEN n END AS n FROM t) WHERE n + 1 > n - 1 GROUP BY n % 3",
    "SELECT t.key, COUNT(*) FROM t JOIN keys USING (key) JOIN people ON people.id = t.id GROUP BY t.key",
    "SELECT key, COUNT(*) FROM t WHERE abs(x) < 3 OR round(x) = 7 OR exp(x) > 2 GROUP BY key",
    "SELECT id % 2 AS odd, COUNT(*) FROM t GROUP BY id % 2",
    "SELECT sum FROM (SELECT SUM(x) AS sum FROM t)",
];

const KEY: [u8; 16] = *b"a key for a test";

fn run(
    tables: &Tables<AddRemovePerson>,
    sql: &str,
    limits: Limits,
) -> Result<(Aggregates, Shape, Vec<f64>), Error> {
    let query = tables.query(sql)?.with_limits(limits)?;
    let shape = query.shape();
    let parts: Parts<'_, AddRemovePerson> = query.into_parts();
    let moves = parts.question.asked.iter().map(|asked| asked.measure.moves()).collect();
    let found = sums(&parts, shape, KEY, &Arc::new(()))?;
    Ok((found, shape, moves))
}

/// The answers of each group by its key, and the number of people.
fn by_key(
    sums: &Aggregates,
    answers: impl Fn(usize) -> Vec<Vec<f64>>,
) -> BTreeMap<Vec<u8>, (u64, Vec<Vec<f64>>)> {
    let keys = sums.keys_of(&(0..sums.groups()).collect::<Vec<_>>());
    let fields = keys.iter().map(|key| SortField::new(key.data_type().clone())).collect();
    let rows = RowConverter::new(fields).unwrap().convert_columns(&keys).unwrap();
    (0..sums.groups())
        .map(|group| {
            let key = if keys.is_empty() { Vec::new() } else { rows.row(group).as_ref().to_vec() };
            (key, (sums.people()[group], answers(group)))
        })
        .collect()
}

/// Whether the sums of neighbours are as far apart as the theorem says, at most.
fn within_bounds(
    here: &Aggregates,
    there: &Aggregates,
    shape: Shape,
    moves: &[f64],
    measures: &[crate::measure::Measure],
) -> Result<(), TestCaseError> {
    let answers = |sums: &Aggregates| {
        by_key(sums, |group| (0..moves.len()).map(|j| measures[j].answers(&sums.of(group, j))).collect())
    };
    let (here, there) = (answers(here), answers(there));
    let none = (
        0,
        measures
            .iter()
            .map(|measure| measure.answers(&[0; 3])[..measure.coordinates()].to_vec())
            .collect::<Vec<_>>(),
    );
    let mut changed = 0;
    for key in here.keys().chain(there.keys().filter(|key| !here.contains_key(*key))) {
        let (one, other) = (here.get(key).unwrap_or(&none), there.get(key).unwrap_or(&none));
        prop_assert!(one.0.abs_diff(other.0) <= 1, "people {one:?} {other:?}");
        for (j, most) in moves.iter().enumerate() {
            let l1: f64 = one.1[j].iter().zip(&other.1[j]).map(|(a, b)| (a - b).abs()).sum();
            prop_assert!(l1 <= *most, "measure {j}: {one:?} {other:?}, more than {most}");
        }
        changed += u32::from(one != other);
    }
    prop_assert!(changed <= shape.groups, "{changed} groups changed, at most {} may", shape.groups);
    Ok(())
}

#[test]
fn one_person_moves_sums_within_the_bounds() {
    let mut runner = TestRunner::new(Config { cases: 60, ..Config::default() });
    let data = (prop::collection::vec(row(), 1..30), 0..5i64, 1..4u32, 1..4u32, 0..QUERIES.len());
    runner
        .run(&data, |(rows, person, groups, per_group, first)| {
            let without: Vec<Row> = rows.iter().filter(|row| row.0 != Some(person)).copied().collect();
            let (here, there) = (tables(&rows), tables(&without));
            let limits = Limits::default().with_groups(groups).unwrap().with_rows(per_group).unwrap();
            for i in 0..6 {
                let sql = QUERIES[(first + 5 * i) % QUERIES.len()];
                match (run(&here, sql, limits), run(&there, sql, limits)) {
                    (Ok((one, shape, moves)), Ok((other, ..))) => {
                        let parts = here.query(sql).unwrap().with_limits(limits).unwrap().into_parts();
                        let measures: Vec<_> =
                            parts.question.asked.iter().map(|asked| asked.measure.clone()).collect();
                        within_bounds(&one, &other, shape, &moves, &measures)
                            .map_err(|error| TestCaseError::fail(format!("{sql}: {error}")))?;
                    }
                    (one, other) => {
                        let [one, other] =
                            [one, other].map(|found| found.err().map(|error| error.for_owner()));
                        return Err(TestCaseError::fail(format!("{sql}: {one:?} here, {other:?} there")));
                    }
                }
            }
            Ok(())
        })
        .unwrap();
}
