//! A ledger as a page by itself.

use maud::{DOCTYPE, PreEscaped, html};

use super::Shown;

const STYLE: &str = "
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.4rem} code{font-size:.85rem;white-space:pre-wrap;word-break:break-word}
.bar{display:flex;height:1.6rem;border:1px solid #57606a;border-radius:.2rem;overflow:hidden}
.bar span{display:block;border-right:1px solid #fff;background:#0969da}.bar span:nth-child(even){background:#54aeff}
table{border-collapse:collapse;width:100%;margin-top:1.5rem}
td,th{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #d0d7de}
.scroll{overflow-x:auto}
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}}";

impl Shown {
    /// The page: what was asked, when, at which price, and what is left, as a picture.
    pub(super) fn page(&self) -> String {
        let total = self.total.epsilon().get();
        let part = |epsilon: f64| if total > 0.0 { (100.0 * epsilon / total).clamp(0.0, 100.0) } else { 0.0 };
        let spent = part(self.spent.epsilon().get());
        let described = format!("{spent:.0} percent of epsilon is spent");
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { "Privacy ledger: " (self.data_set) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { "Privacy ledger: " (self.data_set) }
                    p { (self.spent.to_string()) " of " (self.total.to_string()) " is spent, "
                        (self.remaining.to_string()) " is left." }
                    div.bar role="img" aria-label=(described) {
                        @for line in &self.entries {
                            span title=(format!("entry {}: {}", line.number, line.cost))
                                style=(format!("width:{:.3}%", part(line.cost.epsilon().get()))) {}
                        }
                    }
                    div.scroll { table {
                        thead { tr { th { "entry" } th { "when" } th { "price" } th { "query" } } }
                        tbody {
                            @for line in &self.entries {
                                tr {
                                    td { (line.number) } td { (line.time) } td { (line.cost.to_string()) }
                                    td { code { (line.label) } }
                                }
                            }
                        }
                    } }
                    p { "Receipt of the last entry: " code { (self.last) } }
                }
            }
        }
        .into_string()
    }
}
