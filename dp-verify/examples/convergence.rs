//! The lecture's convergence experiments, as numbers and as pictures:
//! `cargo run --release -p dp-verify --example convergence [FOLDER]`.

use std::path::PathBuf;

use dp_verify::claims::learning::study::{plain, private, slope, theory};
use dp_verify::figure::{Axis, Curve, Figure};

const KAPPAS: [f64; 5] = [0.0, 0.5, 0.75, 0.8, 1.0];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let descents = plain(200, 7)?;
    println!("|β⁽ʰ⁾ − x̄| on 1000 exponential numbers, without privacy");
    for curve in &descents {
        let at = |h: usize| curve.points[h - 1].1;
        println!("  {:22} h = 10: {:.4}   30: {:.4}   200: {:.4}", curve.name, at(10), at(30), at(200));
    }
    let (measured, bounds) = (private(&KAPPAS, 1.0, 40_960, 20)?, theory(&KAPPAS, 1.0, 40_960)?);
    println!(
        "f(β̄) − f* with ρ = ½, a_h = h^κ, ε = 1 (mean of 20 runs), and the exponent of N: measured, of A₃, 2 − ρ − 2κ"
    );
    for ((kappa, run), bound) in KAPPAS.iter().zip(&measured).zip(&bounds) {
        let end = |curve: &Curve| curve.points.last().map_or(f64::NAN, |point| point.1);
        println!(
            "  κ = {kappa:<5} N = 40960: {:>10.3e}   {:>6.2} {:>6.2} {:>6.2}   (A₃: {:.3e})",
            end(run),
            slope(run),
            slope(bound),
            1.5 - 2.0 * kappa,
            end(bound)
        );
    }
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        println!("pass a folder to draw these curves");
        return Ok(());
    };
    std::fs::create_dir_all(&folder)?;
    let pictures = [
        (
            "descent.svg",
            Figure {
                title: "Distance from the minimum, no privacy".into(),
                x: Axis::linear("step"),
                y: Axis::linear("distance"),
                curves: descents,
            },
        ),
        (
            "measured.svg",
            Figure {
                title: "f(β̄) − f*, ρ = ½, a_h = h^κ".into(),
                x: Axis::logarithmic("N"),
                y: Axis::logarithmic("excess"),
                curves: measured,
            },
        ),
        (
            "bound.svg",
            Figure {
                title: "A₃, ρ = ½, a_h = h^κ".into(),
                x: Axis::logarithmic("N"),
                y: Axis::logarithmic("A₃"),
                curves: bounds,
            },
        ),
    ];
    for (name, picture) in pictures {
        std::fs::write(folder.join(name), picture.svg())?;
        println!("wrote {}", folder.join(name).display());
    }
    Ok(())
}
