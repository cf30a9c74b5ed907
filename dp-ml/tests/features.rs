//! The fixed maps of images that the examples use: upright digits and the scattering transform.

#[path = "../examples/shared/features/mod.rs"]
mod features;

use dp_ml::{Data, Matrix};
use features::{Scattering, Upright};

#[test]
fn images_of_28_pixels_have_3969_features() {
    let images = Data::new(Matrix::zeros(2, 28 * 28), vec![3_u32, 5]).unwrap();
    let upright = Upright::new(28).unwrap().apply(&images).unwrap();
    let features = Scattering::new(28).unwrap().apply(&upright).unwrap();
    assert_eq!((features.len(), features.features().columns()), (2, 3969));
}
