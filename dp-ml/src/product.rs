//! Products of dense matrices on one thread, with every bound checked before a kernel runs.
//!
//! Training relies on two properties. *Sums*: an element of a product with k terms is computed by k
//! multiplications and some tree of additions, in any order, fused or not; `training::rounding`
//! bounds the error of every such tree. *Rows*: an element depends on its row of A and its column
//! of B alone, and not on the number of rows. The second property makes the gradient of a record a
//! function of that record. It holds because
//!
//! - the kernels add the k terms in order, in blocks whose length depends on k alone for k ≤ 512;
//!   longer products are cut into blocks of that length here;
//! - [`rows_product`] avoids the special kernels for tiny shapes: it chooses by the widths, never
//!   by the number of rows, and requires at least [`FEWEST_ROWS`].
//!
//! Before each training a probe tests it on the machine that trains.

#![allow(unsafe_code, reason = "the kernels take pointers; all bounds are asserted here")]

use gemm_common::Parallelism;
use gemm_f32::gemm::f32::get_gemm_fn;

/// The longest sum that the kernels do not split by a rule of their own.
const LONGEST_BLOCK: usize = 512;

/// The least number of rows for [`rows_product`]; pad with zeros.
pub(crate) const FEWEST_ROWS: usize = 32;

/// The kernels that this processor gets: fused multiplications round differently, and wider kernels
/// may add in another order.
#[must_use]
pub(crate) fn kernels() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    for (name, there) in
        [("avx512f", is_x86_feature_detected!("avx512f")), ("fma", is_x86_feature_detected!("fma"))]
    {
        if there {
            return name;
        }
    }
    std::env::consts::ARCH
}

/// A factor of a product: values row after row, transposed or not.
#[derive(Clone, Copy)]
pub(crate) struct Factor<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    transposed: bool,
}

impl<'a> Factor<'a> {
    /// The first rows·columns values as a matrix.
    pub(crate) fn new(values: &'a [f32], rows: usize, columns: usize) -> Self {
        let size = rows.checked_mul(columns).expect("the size of a matrix in memory");
        Self { values: &values[..size], rows, columns, transposed: false }
    }

    /// The transposed matrix.
    pub(crate) fn transposed(self) -> Self {
        Self { transposed: !self.transposed, ..self }
    }

    /// (rows, columns) as a factor, and the strides from row to row and from column to column.
    fn shape(self) -> ((usize, usize), (isize, isize)) {
        let stride = isize::try_from(self.columns).expect("a slice is no longer than isize::MAX");
        if self.transposed {
            ((self.columns, self.rows), (1, stride))
        } else {
            ((self.rows, self.columns), (stride, 1))
        }
    }
}

/// out = A·B, or out += A·B.
///
/// # Panics
/// When the shapes do not fit each other or `out`.
pub(crate) fn product(a: Factor<'_>, b: Factor<'_>, out: &mut [f32], add: bool) {
    let (((m, k), a_strides), ((k_of_b, n), b_strides)) = (a.shape(), b.shape());
    assert_eq!(k, k_of_b, "the columns of A are the rows of B");
    assert_eq!(
        out.len(),
        m.checked_mul(n).expect("the size of a matrix in memory"),
        "the size of the product"
    );
    let out_stride = isize::try_from(n).expect("a slice is no longer than isize::MAX");
    let kernel = get_gemm_fn();
    if k == 0 && !add {
        out.fill(0.0);
    }
    let mut from = 0;
    while from < k {
        let block = LONGEST_BLOCK.min(k - from);
        let offset = isize::try_from(from).expect("a slice is no longer than isize::MAX");
        // SAFETY: `out` has m·n values and is borrowed exclusively. `a.values` has m·k and
        // `b.values` k·n values (`Factor::new` and the assertions above), strides are those of
        // row-by-row storage, and `from` + `block` ≤ k: all that is read lies in the slices. m, n >
        // 0 or nothing is touched.
        unsafe {
            // The kernels want results column by column: outᵀ = Bᵀ·Aᵀ.
            kernel(
                n,
                m,
                block,
                out.as_mut_ptr(),
                out_stride,
                1,
                add || from > 0,
                b.values.as_ptr().wrapping_offset(offset * b_strides.0),
                b_strides.0,
                b_strides.1,
                a.values.as_ptr().wrapping_offset(offset * a_strides.1),
                a_strides.0,
                a_strides.1,
                1.0,
                1.0,
                false,
                false,
                false,
                Parallelism::None,
            );
        }
        from += block;
    }
}

/// out = A·B for an A that is not transposed. Each row of the result is a function of that row of A
/// and of B, whatever the other rows are and however many.
///
/// # Panics
/// When the shapes do not fit, and for fewer than [`FEWEST_ROWS`] rows.
pub(crate) fn rows_product(a: Factor<'_>, b: Factor<'_>, out: &mut [f32]) {
    let (((rows, k), _), ((_, n), b_strides)) = (a.shape(), b.shape());
    assert!(!a.transposed && rows >= FEWEST_ROWS, "rows are padded");
    // Kernels for a single column, and those for at most 256 results with both factors contiguous
    // along the sum, depend on the number of rows.
    if n == 1 || (b_strides.0 == 1 && n * FEWEST_ROWS <= 256) {
        for (row, out) in a.values.chunks_exact(k.max(1)).zip(out.chunks_exact_mut(n)) {
            for (column, out) in out.iter_mut().enumerate() {
                let at =
                    |i: usize| if b.transposed { column * b.columns + i } else { i * b.columns + column };
                *out = row.iter().enumerate().map(|(i, x)| x * b.values[at(i)]).sum();
            }
        }
        return;
    }
    product(a, b, out, false);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::uniform;
    use dp_mechanisms::rng::Insecure;

    fn random(size: usize, rng: &mut Insecure) -> Vec<f32> {
        (0..size).map(|_| uniform(rng)).collect()
    }

    fn at(f: Factor<'_>, i: usize, j: usize) -> f64 {
        let index = if f.transposed { j * f.columns + i } else { i * f.columns + j };
        f.values[index].into()
    }

    #[test]
    fn products_are_those_of_the_definition() {
        let mut rng = Insecure::seeded(1);
        for (m, k, n) in [(1, 1, 1), (3, 5, 2), (40, 700, 10), (17, 1100, 33), (2, 0, 3), (5, 2, 1)] {
            for (ta, tb, add) in
                [(false, false, false), (true, false, true), (false, true, false), (true, true, true)]
            {
                let (x, y) = (random(m * k, &mut rng), random(k * n, &mut rng));
                let a = if ta { Factor::new(&x, k, m).transposed() } else { Factor::new(&x, m, k) };
                let b = if tb { Factor::new(&y, n, k).transposed() } else { Factor::new(&y, k, n) };
                let mut out = vec![0.5; m * n];
                product(a, b, &mut out, add);
                for i in 0..m {
                    for j in 0..n {
                        let exact: f64 = (0..k).map(|l| at(a, i, l) * at(b, l, j)).sum::<f64>()
                            + if add { 0.5 } else { 0.0 };
                        let size: f64 = (0..k).map(|l| (at(a, i, l) * at(b, l, j)).abs()).sum::<f64>() + 0.5;
                        let found: f64 = out[i * n + j].into();
                        #[allow(clippy::cast_precision_loss)]
                        let bound = (k + 1) as f64 * size / 16_777_000.0;
                        assert!((found - exact).abs() <= bound, "{m} {k} {n} {ta} {tb}: {found} {exact}");
                    }
                }
            }
        }
    }

    /// The same row gives the same bits at every place, among any others, for every number of rows.
    #[test]
    fn rows_do_not_depend_on_each_other() {
        let mut rng = Insecure::seeded(2);
        for (k, n, transposed) in [
            (784, 10, false),
            (784, 128, false),
            (10, 128, true),
            (10, 5, true),
            (600, 1, false),
            (3, 9, true),
            (1, 20, false),
            (128, 64, true),
        ] {
            let y = random(k * n, &mut rng);
            let b = if transposed { Factor::new(&y, n, k).transposed() } else { Factor::new(&y, k, n) };
            let row = random(k, &mut rng);
            let mut seen: Option<Vec<u32>> = None;
            for rows in [32, 33, 48, 64, 65, 100, 144, 200] {
                let mut x = random(rows * k, &mut rng);
                for place in (0..rows).step_by(3) {
                    x[place * k..(place + 1) * k].copy_from_slice(&row);
                }
                let mut out = vec![0.0; rows * n];
                rows_product(Factor::new(&x, rows, k), b, &mut out);
                for place in (0..rows).step_by(3) {
                    let bits: Vec<u32> =
                        out[place * n..(place + 1) * n].iter().map(|v| v.to_bits()).collect();
                    assert_eq!(
                        seen.get_or_insert(bits.clone()),
                        &bits,
                        "{k} {n} {transposed} {rows} {place}"
                    );
                }
            }
        }
    }
}
