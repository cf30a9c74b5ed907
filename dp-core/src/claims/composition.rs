use alloc::vec;
use alloc::vec::Vec;
use super::Claim;
pub(super) fn claims() -> Vec<Claim> {
    vec![]
}
