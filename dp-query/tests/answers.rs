//! With hardly any noise, released numbers are those of plain SQL on bounded rows.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)]

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use dp_accounting::Budget;
use dp_core::{Approx, Pure};
use dp_mechanisms::rng::OsSeeded;
use dp_query::{AddRemovePerson, Columns, Error, Limits, ReleasedTable, Source, Tables};

/// Six purchases of each of 300 customers in three shops; a few customers and shops are unknown.
fn purchases() -> RecordBatch {
    let rows = 0..1800i64;
    let customer: Int64Array = rows.clone().map(|i| (i % 97 != 0).then_some(i / 6)).collect();
    let shop: StringArray = rows
        .clone()
        .map(|i| (i % 89 != 0).then_some(["north", "south", "west"][(i * i % 7 % 3) as usize]))
        .collect();
    let amount: Float64Array =
        rows.clone().map(|i| (i % 83 != 0).then_some((i * 31 % 1000) as f64 / 10.0)).collect();
    let quantity: Int64Array = rows.map(|i| Some(i % 5)).collect();
    RecordBatch::try_from_iter([
        ("customer", Arc::new(customer) as ArrayRef),
        ("shop", Arc::new(shop)),
        ("amount", Arc::new(amount)),
        ("quantity", Arc::new(quantity)),
    ])
    .unwrap()
}

fn tables(columns: Columns) -> Tables<AddRemovePerson> {
    let mut tables = Tables::new().unwrap();
    tables.private("purchases", Source::batches(vec![purchases()]), "customer", columns).unwrap();
    let shops = RecordBatch::try_from_iter([
        ("shop", Arc::new(StringArray::from(vec!["north", "south", "west", "east"])) as ArrayRef),
        ("region", Arc::new(StringArray::from(vec!["cold", "warm", "mild", "mild"]))),
    ]);
    tables.public("shops", Source::batches(vec![shops.unwrap()])).unwrap();
    tables
}

fn columns() -> Columns {
    Columns::new()
        .bounds("amount", 0.0, 100.0)
        .unwrap()
        .bounds("quantity", 0.0, 4.0)
        .unwrap()
        .keys("shop", ["north", "south", "west", "east"])
}

/// With so large an ε that noise does not show.
fn ask(sql: &str) -> Result<ReleasedTable, Error> {
    let tables = tables(columns());
    let query = tables.query(sql)?.with_limits(Limits::default().with_groups(8)?.with_rows(100)?)?;
    let release = query.epsilon(1e9)?;
    println!("{release}");
    release.spend(&mut Budget::new(Pure::new(1e9)?), &mut OsSeeded::new()?)
}

fn floats(answer: &ReleasedTable, column: &str) -> Vec<f64> {
    answer.batch().column_by_name(column).unwrap().as_primitive::<Float64Type>().values().to_vec()
}

fn integers(answer: &ReleasedTable, column: &str) -> Vec<i64> {
    answer.batch().column_by_name(column).unwrap().as_primitive::<Int64Type>().values().to_vec()
}

#[test]
fn counts_sums_means_and_spreads_by_group() {
    let answer =
        ask("SELECT shop, COUNT(*) AS n, COUNT(amount) AS priced, COUNT(DISTINCT customer) AS people, \
         SUM(amount) AS total, SUM(quantity) AS pieces, AVG(amount) AS mean, STDDEV_POP(amount) AS sd \
         FROM purchases GROUP BY shop ORDER BY shop")
        .unwrap();
    println!("{}", answer.table().unwrap());
    let batch = purchases();
    let [customer, quantity] = [0, 3].map(|i| batch.column(i).as_primitive::<Int64Type>().clone());
    let (shop, amount) = (batch.column(1).as_string::<i32>(), batch.column(2).as_primitive::<Float64Type>());
    for (i, name) in ["east", "north", "south", "west"].iter().enumerate() {
        let rows: Vec<usize> = (0..batch.num_rows())
            .filter(|r| customer.is_valid(*r) && shop.is_valid(*r) && shop.value(*r) == *name)
            .collect();
        let amounts: Vec<f64> =
            rows.iter().filter(|r| amount.is_valid(**r)).map(|r| amount.value(*r)).collect();
        let mut people: Vec<i64> = rows.iter().map(|r| customer.value(*r)).collect();
        people.sort_unstable();
        people.dedup();
        assert_eq!(integers(&answer, "n")[i], rows.len() as i64, "{name}");
        assert_eq!(integers(&answer, "priced")[i], amounts.len() as i64);
        assert_eq!(integers(&answer, "people")[i], people.len() as i64);
        assert_eq!(integers(&answer, "pieces")[i], rows.iter().map(|r| quantity.value(*r)).sum::<i64>());
        let total: f64 = amounts.iter().sum();
        assert!((floats(&answer, "total")[i] - total).abs() < 0.01, "{total}");
        if !amounts.is_empty() {
            let mean = total / amounts.len() as f64;
            let variance =
                amounts.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / amounts.len() as f64;
            assert!((floats(&answer, "mean")[i] - mean).abs() < 1e-3);
            assert!((floats(&answer, "sd")[i] - variance.sqrt()).abs() < 1e-3);
            assert!(
                floats(&answer, "mean_lower")[i] <= mean + 1e-3
                    && floats(&answer, "mean_upper")[i] >= mean - 1e-3
            );
        }
        assert!(floats(&answer, "n_lower")[i] <= rows.len() as f64);
    }
}

#[test]
fn joins_filters_sub_queries_and_what_follows_a_release() {
    let answer = ask("WITH big AS (SELECT shop, amount * 2 AS twice FROM purchases WHERE amount > 10) \
         SELECT region, COUNT(*) AS n, SUM(twice) / COUNT(*) AS ratio FROM big JOIN shops USING (shop) \
         GROUP BY region HAVING COUNT(*) > 5 ORDER BY n DESC LIMIT 2");
    assert!(answer.unwrap_err().to_string().contains("δ"), "keys of a public table are not declared");
    let answer = ask(
        "SELECT shop, n, n + 1 AS more FROM (SELECT shop, COUNT(*) AS n FROM (SELECT shop FROM purchases \
         WHERE amount BETWEEN 10 AND 20) GROUP BY shop) WHERE n > 0 ORDER BY n DESC LIMIT 2",
    )
    .unwrap();
    println!("{}", answer.table().unwrap());
    assert_eq!(answer.batch().num_rows(), 2);
    assert!(answer.batch().column_by_name("n_upper").is_some());
    assert_eq!(integers(&answer, "more")[0], integers(&answer, "n")[0] + 1);
    let answer = ask(
        "SELECT AVG(visits) AS mean FROM (SELECT customer, COUNT(*) AS visits FROM purchases GROUP BY customer)",
    );
    assert!(answer.unwrap_err().to_string().contains("bounds"));
    let answer = ask(
        "SELECT COUNT(*) AS n FROM purchases a JOIN purchases b ON a.customer = b.customer AND a.amount < b.amount",
    )
    .unwrap();
    assert!(integers(&answer, "n")[0] > 1000);
}

#[test]
fn undeclared_keys_take_delta() {
    let tables = tables(Columns::new());
    let query =
        tables.query("SELECT shop, COUNT(DISTINCT customer) AS people FROM purchases GROUP BY shop").unwrap();
    let release = query.epsilon_delta(1.0, 1e-6).unwrap();
    println!("{release}");
    let mut budget = Budget::new(Approx::new(1.0, 1e-6).unwrap());
    let answer = release.spend(&mut budget, &mut OsSeeded::new().unwrap()).unwrap();
    println!("{}", answer.table().unwrap());
    assert_eq!(answer.batch().num_rows(), 3, "{}", answer.table().unwrap());
    assert!(release.spend(&mut budget, &mut OsSeeded::new().unwrap()).is_err());
}

#[test]
fn a_row_that_is_a_person_counts_once() {
    let mut tables = Tables::<dp_core::AddRemove>::new().unwrap();
    tables.private_rows("purchases", Source::batches(vec![purchases()]), Columns::new()).unwrap();
    let twice = "SELECT COUNT(*) FROM (SELECT shop FROM purchases UNION ALL SELECT shop FROM purchases)";
    assert!(tables.query(twice).err().unwrap().to_string().contains("each row is a person"));
    let joined = "SELECT COUNT(*) FROM purchases a JOIN purchases b ON a.customer = b.customer";
    assert!(tables.query(joined).is_err());
    let once = tables.query("SELECT COUNT(*) AS n FROM purchases").unwrap().epsilon(1e9).unwrap();
    let answer =
        once.spend(&mut Budget::new(Pure::new(1e9).unwrap()), &mut OsSeeded::new().unwrap()).unwrap();
    assert_eq!(integers(&answer, "n"), [1800]);
}

#[test]
fn a_key_that_is_declared_twice_is_released_once() {
    let tables = tables(Columns::new().keys("shop", ["north", "south", "north"]));
    let query = tables.query("SELECT shop, COUNT(*) AS n FROM purchases GROUP BY shop").unwrap();
    let release = query.epsilon(1.0).unwrap();
    let answer =
        release.spend(&mut Budget::new(Pure::new(1.0).unwrap()), &mut OsSeeded::new().unwrap()).unwrap();
    assert_eq!(answer.batch().num_rows(), 2);
}

#[test]
fn what_is_not_separable_is_refused() {
    for (sql, part) in [
        ("SELECT * FROM purchases", "rows of people"),
        ("SELECT shop FROM purchases LIMIT 5", "rows"),
        ("SELECT COUNT(*) FROM (SELECT * FROM purchases LIMIT 5)", "LIMIT"),
        ("SELECT COUNT(*) FROM shops", "no private table"),
        ("SELECT COUNT(*) FROM (SELECT DISTINCT shop FROM purchases)", "DISTINCT"),
        ("SELECT COUNT(*) FROM purchases a JOIN purchases b ON a.shop = b.shop", "different people"),
        ("SELECT COUNT(*) FROM purchases a RIGHT JOIN shops b ON a.shop = b.shop", "nobody's"),
        ("SELECT COUNT(*) FROM purchases WHERE shop IN (SELECT shop FROM purchases)", "sub-query"),
        ("SELECT shop FROM shops WHERE shop IN (SELECT shop FROM purchases)", "sub-query"),
        ("SELECT COUNT(*) FROM purchases WHERE 10 / quantity > 1", "0"),
        ("SELECT COUNT(DISTINCT shop) FROM purchases", "one person"),
        (
            "SELECT SUM(s) FROM (SELECT customer, SUM(amount) AS s FROM purchases GROUP BY customer)",
            "order of rows",
        ),
        (
            "SELECT COUNT(*) FROM (SELECT customer, row_number() OVER (PARTITION BY customer) AS r FROM purchases) WHERE r = 1",
            "row_number",
        ),
        (
            "SELECT COUNT(*) FROM (SELECT rank() OVER (ORDER BY amount) AS r FROM purchases) WHERE r = 1",
            "window",
        ),
        ("EXPLAIN ANALYZE SELECT COUNT(*) FROM purchases", "statement"),
        ("COPY purchases TO 'x.csv'", "statement"),
        ("SELECT COUNT(*) FROM purchases WHERE substr(shop, 1, -1) = 'x'", "function `substr`"),
        ("SELECT COUNT(*) FROM purchases WHERE ceil(CAST(quantity AS DECIMAL(3, 2))) > 0", "function `ceil`"),
        ("SELECT COUNT(*) FROM purchases WHERE CAST(CAST(quantity AS TIMESTAMP) AS DATE) IS NULL", "a cast"),
        ("SELECT COUNT(*) FROM purchases WHERE date_part('nonsense', CAST(shop AS DATE)) = 1", "date_part"),
        ("SELECT COUNT(*) FROM purchases WHERE shop || shop = 'x'", "operator"),
        ("SELECT COUNT(*) FROM purchases WHERE concat(shop, shop) = 'x'", "concat"),
        ("SELECT COUNT(*) FROM purchases WHERE sqrt(amount) > 1", "sqrt"),
        (
            "SELECT COUNT(*) FROM ((SELECT region AS \"__person_1\" FROM shops) a \
             CROSS JOIN (SELECT shop FROM purchases WHERE customer = 7) b) c",
            "begins with `__`",
        ),
        (
            "SELECT COUNT(*) FROM (SELECT shop FROM purchases WHERE customer = 7) p \
             JOIN (SELECT shop, 1 / character_length(region) AS one FROM shops) s ON p.shop = s.shop",
            "which fails where that is 0",
        ),
        (
            "SELECT COUNT(*) FROM (SELECT shop FROM purchases WHERE customer = 7) p \
             JOIN (SELECT shop FROM shops WHERE CAST(region AS BIGINT) > 1) s ON p.shop = s.shop",
            "on public rows",
        ),
        ("SELECT COUNT(*) FROM purchases CROSS JOIN generate_series(1, 9)", "not declared"),
        (
            "SELECT COUNT(*) FROM (SELECT customer, COUNT(*) OVER (PARTITION BY customer \
             ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c FROM purchases) WHERE c = 1",
            "frame of rows",
        ),
        (
            "SELECT COUNT(*) FROM purchases JOIN (SELECT shop FROM shops LIMIT 1) s ON purchases.shop = s.shop",
            "order",
        ),
        ("SELECT COUNT(*) FROM purchases WHERE random() < 0.5", "random"),
        ("SELECT shop, COUNT(*) FROM purchases GROUP BY ROLLUP (shop)", "ROLLUP"),
        ("SELECT (SELECT COUNT(*) FROM purchases) AS n, COUNT(*) FROM purchases", "sub-query"),
        ("SELECT COUNT(*) FROM purchases UNION ALL SELECT COUNT(*) FROM purchases", "two aggregations"),
    ] {
        let message = match ask(sql) {
            Ok(answer) => panic!("{sql} was answered:\n{}", answer.table().unwrap()),
            Err(error) => error.to_string(),
        };
        assert!(message.contains(part), "{sql}\n  {message}");
        println!("{sql}\n    {message}");
    }
}
