//! Verbs on standing sessions over HTTP, one file each.

pub(super) mod answer;
pub(super) mod control;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod explain;
pub(super) mod get;
pub(super) mod history;
pub(super) mod list;
pub(super) mod needs;
pub(super) mod say;
pub(super) mod screen;
pub(super) mod turn;

use std::convert::Infallible;

use ::standing::Caller;
use axum::{
    extract::{FromRef, FromRequestParts},
    http::request::Parts,
};
use engine::Engine;
use serde::Deserialize;
use utoipa::IntoParams;

use super::ApiProblem;
use crate::access::Peer;

/// `?name=`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::surfaces::rest) struct Named {
    /// The session
    #[param(pattern = "^[a-z0-9][a-z0-9-]{0,39}$", example = "ops")]
    name: String,
}

/// Engine for one request: its verbs check the permission of the request's caller.
#[derive(Clone, Debug)]
pub(in crate::surfaces::rest) struct Called(pub(in crate::surfaces::rest) Engine);

impl<S: Sync> FromRequestParts<S> for Called
where
    Engine: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<Peer>().copied();
        let find = move || peer.map_or(Caller::Unidentified, Peer::caller);
        Ok(Self(Engine::from_ref(state).called_by(find)))
    }
}
