//! Query strings, refused as problem documents.

use axum::{
    extract::{FromRequestParts, Query as AxumQuery},
    http::request::Parts,
};
use serde::de::DeserializeOwned;
use wire::ProblemCode;

use super::ApiProblem;

/// The query string as a `T`.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiProblem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiProblem> {
        match AxumQuery::from_request_parts(parts, state).await {
            Ok(AxumQuery(value)) => Ok(Self(value)),
            Err(rejection) => Err(ApiProblem::new(ProblemCode::InvalidBody, rejection.body_text())),
        }
    }
}
