//! Failure of a server function: a problem document, for refusals of the core and for faults of the framework alike.

use leptos::server_fn::{
    ContentType, Decodes, Encodes, Format, FormatType,
    codec::JsonEncoding,
    error::{FromServerFnError, ServerFnErrorErr},
};
use serde::{Deserialize, Serialize};
use wire::{Problem, ProblemCode};

/// Refusal or fault, with its problem document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Failure(pub Box<Problem>);

/// JSON with the media type of problem documents (RFC 9457).
#[derive(Debug)]
pub struct ProblemEncoding;

impl FromServerFnError for Failure {
    type Encoder = ProblemEncoding;

    fn from_server_fn_error(value: ServerFnErrorErr) -> Self {
        let problem = match value {
            // On the server, a body that is not UTF-8 is one that could not be deserialised.
            ServerFnErrorErr::Args(reason)
            | ServerFnErrorErr::MissingArg(reason)
            | ServerFnErrorErr::Deserialization(reason) => {
                Problem::new(ProblemCode::InvalidBody, ["invalid form: ", &reason].concat())
            }
            // The host logs the cause: it may name parts of the program that do not concern a client.
            fault => Problem::new(ProblemCode::Internal, fault.to_string()),
        };
        Self(Box::new(problem))
    }
}

impl ContentType for ProblemEncoding {
    const CONTENT_TYPE: &'static str = "application/problem+json";
}

impl FormatType for ProblemEncoding {
    const FORMAT_TYPE: Format = Format::Text;
}

impl Encodes<Failure> for ProblemEncoding {
    type Error = <JsonEncoding as Encodes<Failure>>::Error;

    fn encode(failure: &Failure) -> Result<leptos::server_fn::Bytes, Self::Error> {
        JsonEncoding::encode(failure)
    }
}

impl Decodes<Failure> for ProblemEncoding {
    type Error = <JsonEncoding as Decodes<Failure>>::Error;

    fn decode(bytes: leptos::server_fn::Bytes) -> Result<Failure, Self::Error> {
        JsonEncoding::decode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_the_framework_is_a_problem_document_too() {
        for (fault, code, part) in [
            (
                ServerFnErrorErr::Args("`force` is odd".to_owned()),
                ProblemCode::InvalidBody,
                "invalid form: `force` is odd",
            ),
            (ServerFnErrorErr::MissingArg("name".to_owned()), ProblemCode::InvalidBody, "name"),
            (ServerFnErrorErr::Response("no memory".to_owned()), ProblemCode::Internal, "no memory"),
        ] {
            let failure = Failure::from_server_fn_error(fault);
            assert!(failure.0.code == code && failure.0.detail.contains(part), "{failure:?}");
            assert_eq!(Failure::de(failure.ser()), failure, "it reads back");
        }
    }
}
