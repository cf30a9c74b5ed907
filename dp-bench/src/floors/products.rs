//! Matrix products of the shapes that a training step cannot do without.

#![allow(unsafe_code, reason = "the kernels take pointers; all bounds are asserted here")]

use gemm_common::Parallelism;
use gemm_f32::gemm::f32::get_gemm_fn;

use crate::Work;

/// The products of one step of a perceptron of these widths on a batch: forward, the gradients of
/// all inputs but the first, and those of the weights. One value for each record.
#[must_use]
pub fn perceptron(widths: &[usize], batch: u32) -> Work {
    let rows = batch as usize;
    let mut shapes = Vec::new();
    for (l, pair) in widths.windows(2).enumerate() {
        let (input, output) = (pair[0], pair[1]);
        shapes.push((rows, input, output));
        shapes.push((input, rows, output));
        if l > 0 {
            shapes.push((rows, output, input));
        }
    }
    let size = |f: fn(&(usize, usize, usize)) -> usize| shapes.iter().map(f).max().unwrap_or(0);
    let a = vec![0.5_f32; size(|(m, k, _)| m * k)];
    let b = vec![0.5_f32; size(|(_, k, n)| k * n)];
    let mut out = vec![0.0_f32; size(|(m, _, n)| m * n)];
    Work::new(batch, move || shapes.iter().for_each(|shape| product(*shape, &a, &b, &mut out)))
}

/// out = A·B, all three row by row.
fn product((m, k, n): (usize, usize, usize), a: &[f32], b: &[f32], out: &mut [f32]) {
    assert!(a.len() >= m * k && b.len() >= k * n && out.len() >= m * n, "the matrices have room");
    let stride = |columns: usize| isize::try_from(columns).expect("a slice is no longer than isize::MAX");
    let kernel = get_gemm_fn();
    // SAFETY: `out` is borrowed exclusively and has m·n values, `a` has m·k and `b` k·n, with the
    // strides of matrices row by row. The kernels want results column by column: outᵀ = Bᵀ·Aᵀ.
    unsafe {
        kernel(
            n,
            m,
            k,
            out.as_mut_ptr(),
            stride(n),
            1,
            false,
            b.as_ptr(),
            stride(n),
            1,
            a.as_ptr(),
            stride(k),
            1,
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_that_of_the_definition() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, 2.0, -1.0, 0.5, 3.0]);
        let mut out = [9.0; 4];
        product((2, 3, 2), &a, &b, &mut out);
        assert_eq!(out, [6.5, 7.0, 17.0, 13.0]);
        perceptron(&[5, 4, 3], 7).run();
    }
}
