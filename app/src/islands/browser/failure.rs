//! Reasons why the service gave no answer.

use wasm_bindgen::JsValue;

/// Reason why there is no page.
pub(super) enum Failure {
    /// The service does not answer.
    Silent,
    /// The browser is not signed in.
    SignedOut,
    /// The page no longer exists, for this reason.
    Gone(String),
    /// The service refused the request, for this reason.
    Refused(String),
}

impl From<JsValue> for Failure {
    fn from(_: JsValue) -> Self {
        Self::Silent
    }
}
