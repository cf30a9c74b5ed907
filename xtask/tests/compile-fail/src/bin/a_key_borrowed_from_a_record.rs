//! Keys outlive the records they are counted from, so they own their data: `|person: &Person| person.job.clone()`.
// error: lifetime may not live long enough
// note: returning this value requires that `'1` must outlive `'2`

use dp_core::{Error, Query};
use dp_sensitivity::CountBy;

struct Person {
    job: String,
}

fn main() -> Result<(), Error> {
    let people = [Person { job: "nurse".into() }];
    let jobs = CountBy::key(|person: &Person| person.job.as_str()); // the mistake
    let _ = jobs.answer(&people)?;
    Ok(())
}
