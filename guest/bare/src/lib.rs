//! Not part of the product: the least that signs a request and sends it, as a reference for
//! `cargo xtask bench`. No policy, no limits, no timer of its own; it trusts its host.

mod bindings {
    wit_bindgen::generate!({
        inline: "
            package supplier:bare;
            world bare {
                import wasi:clocks/wall-clock@0.2.12;
                import wasi:http/types@0.2.12;
                import wasi:http/outgoing-handler@0.2.12;
                export send: func(body: string) -> u16;
            }
        ",
        path: "../../wit",
        world: "supplier:bare/bare",
        generate_all,
    });
}

use bindings::wasi::clocks::wall_clock;
use bindings::wasi::http::outgoing_handler;
use bindings::wasi::http::types::{ErrorCode, Fields, Method, OutgoingBody, OutgoingRequest, Scheme};
use bindings::wasi::io::streams::StreamError;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

const SECRET: &[u8] = b"a signing secret made for tests";

/// More than this in one write traps in some hosts.
const PIECE: usize = 4096;

struct Bare;

bindings::export!(Bare with_types_in bindings);

impl bindings::Guest for Bare {
    /// The status of the response, 0 for none.
    fn send(body: String) -> u16 {
        exchange(&body).unwrap_or(0)
    }
}

fn exchange(body: &str) -> Result<u16, ErrorCode> {
    let failed = |()| ErrorCode::InternalError(None);
    let request = request(body)?;
    let outgoing = request.body().map_err(failed)?;
    let answer = outgoing_handler::handle(request, None)?;
    let stream = outgoing.write().map_err(failed)?;
    for piece in body.as_bytes().chunks(PIECE) {
        stream.blocking_write_and_flush(piece).map_err(|_| ErrorCode::InternalError(None))?;
    }
    drop(stream);
    OutgoingBody::finish(outgoing, None)?;
    let answered = answer.subscribe();
    answered.block();
    let response = answer.get().ok_or(ErrorCode::InternalError(None))?.map_err(failed)??;
    let incoming = response.consume().map_err(failed)?;
    let stream = incoming.stream().map_err(failed)?;
    loop {
        match stream.blocking_read(64 * 1024) {
            Ok(_) => {}
            Err(StreamError::Closed) => return Ok(response.status()),
            Err(StreamError::LastOperationFailed(_)) => return Err(ErrorCode::HttpResponseIncomplete),
        }
    }
}

fn request(body: &str) -> Result<OutgoingRequest, ErrorCode> {
    let failed = |()| ErrorCode::InternalError(None);
    let signature = sign(wall_clock::now().seconds, body);
    let lines = [
        ("content-type".to_owned(), b"application/json".to_vec()),
        ("content-length".to_owned(), body.len().to_string().into_bytes()),
        ("x-signature".to_owned(), signature.into_bytes()),
    ];
    let fields = Fields::from_list(&lines).map_err(|_| ErrorCode::InternalError(None))?;
    let request = OutgoingRequest::new(fields);
    request.set_method(&Method::Post).map_err(failed)?;
    request.set_scheme(Some(&Scheme::Https)).map_err(failed)?;
    request.set_authority(Some("api.supplier.test")).map_err(failed)?;
    request.set_path_with_query(Some("/v2/orders")).map_err(failed)?;
    Ok(request)
}

/// `t.body` under HMAC-SHA256, as many suppliers want it.
fn sign(seconds: u64, body: &str) -> String {
    // HMAC takes a key of any length (RFC 2104, 2).
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET).expect("any length of key");
    mac.update(format!("{seconds}.").as_bytes());
    mac.update(body.as_bytes());
    format!("t={seconds},v1={}", base16ct::lower::encode_string(&mac.finalize().into_bytes()))
}
