//! Ending a call: failures in one vocabulary (design: kinds are closed, codes are names).

use super::Call;
use crate::event::{Action, Done, Failure, FailureKind};
use crate::supplier::Supplier;
use crate::time::Now;
use crate::wasi::ErrorCode;

impl Call {
    /// A failure as it stands now; the journal is closed by whoever hands it out.
    pub(super) fn failure(&self, kind: FailureKind, code: &str, message: String) -> Failure {
        Failure {
            kind,
            code: code.to_owned(),
            message,
            retry_after: self.asked,
            status: self.last_status,
            journal: String::new(),
        }
    }

    /// Ends the call.
    pub(super) fn fail(
        &mut self,
        supplier: &mut Supplier,
        kind: FailureKind,
        code: &str,
        message: String,
        now: Now,
    ) -> Action {
        let mut failure = self.failure(kind, code, self.journal.says(&message));
        failure.journal = self.journal.close(code, Some(now));
        supplier.health.failed(&failure, now);
        Action::Done(Err(failure))
    }

    /// Ends the call with the last response.
    pub(super) fn reply(&mut self, supplier: &mut Supplier, verdict: String, now: Now) -> Action {
        supplier.health.replied(&verdict);
        let journal = self.journal.close(&verdict, Some(now));
        Action::Done(Ok(Done::Reply { verdict, retry_after: self.asked, journal }))
    }
}

/// What a refusal by the host means: kind, code, and what to do about it.
pub(super) fn refusal(code: &str, detail: Option<&str>) -> (FailureKind, String, String) {
    let named = |kind, code: &str, message: &str| (kind, code.to_owned(), message.to_owned());
    if code == "host-forbids-header" {
        let name = detail.unwrap_or("of the profile");
        let message = format!("the host does not let components set the header {name}; allow it there");
        return (FailureKind::Denied, code.to_owned(), message);
    }
    match ErrorCode::parse(code) {
        Some(ErrorCode::HttpRequestDenied | ErrorCode::DestinationIpProhibited | ErrorCode::LoopDetected) => {
            named(FailureKind::Denied, "denied-by-host", "the host does not allow this request; nothing was sent")
        }
        Some(ErrorCode::TlsCertificateError) => named(
            FailureKind::Unavailable,
            code,
            "the supplier's certificate is not accepted; check the host name, the date and the certificate authority",
        ),
        Some(ErrorCode::HttpRequestUriTooLong) => {
            named(FailureKind::Invalid, code, "the target is too long for the host; shorten path or query")
        }
        Some(ErrorCode::HttpRequestHeaderSectionSize | ErrorCode::HttpRequestHeaderSize) => named(
            FailureKind::Invalid,
            "request-headers-too-large",
            "the headers are too large for the host; send less",
        ),
        _ => {
            named(FailureKind::Internal, code, "the host could not send this request, and repeating it would not help")
        }
    }
}
