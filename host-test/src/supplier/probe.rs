//! Paths below `/v2` that put a host's own HTTP stack to the test: what it does to a
//! request, and how it takes answers that are late, long, cut or compressed.
//!
//! | path | answer |
//! |---|---|
//! | `/echo...` | JSON: what came over the wire, and how often this target came |
//! | `/status/N` | that status |
//! | `/bytes/N`, `/bytes/N/STATUS` | so many bytes, under 200 or that status |
//! | `/redirect` | 302 to `/redirected`, which nobody may follow |
//! | `/compressed` | gzip, to be handed over as it is, under its own length |
//! | `/cacheable` | may be stored for an hour, with an ETag; `/echo`'s `seen` tells who did |
//! | `/slow` | a second, in ten pieces |
//! | `/cut`, `/stall` | half of the body, then an end or silence |
//! | `/endless` | a body without an end |
//! | `/silence` | nothing |
//! | `/drop` | the connection ends |

use std::time::Duration;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::exchange::{Answer, Delivery};
use super::wire::Request;

/// `{"compressed":true}`, by gzip.
pub const COMPRESSED: &[u8] = &[
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0x56, 0x4a, 0xce, 0xcf, 0x2d, 0x28, 0x4a, 0x2d,
    0x2e, 0x4e, 0x4d, 0x51, 0xb2, 0x2a, 0x29, 0x2a, 0x4d, 0xad, 0x05, 0x00, 0xf1, 0xea, 0x39, 0x95, 0x13, 0x00, 0x00,
    0x00,
];

/// The answer of a probe; `seen` says how often its target came. `None`: no probe.
pub fn answer(request: &Request, path: &str, seen: u64) -> Option<Answer> {
    let half = || Answer::json(200, r#"{"half":"of this is delivered"}"#);
    let name = path.trim_start_matches('/');
    let answer = match name.split('/').next().unwrap_or_default() {
        "echo" => echo(request, seen),
        "status" => {
            let status = name.strip_prefix("status/")?.parse().ok().filter(|s| (200..=599).contains(s))?;
            Answer::json(status, serde_json::json!({ "status": status }).to_string())
        }
        "bytes" => {
            let (length, status) =
                name.strip_prefix("bytes/").map(|rest| rest.split_once('/').unwrap_or((rest, "200")))?;
            let length: usize = length.parse().ok().filter(|n| *n <= 64 * 1024 * 1024)?;
            let status = status.parse().ok().filter(|s| (200..=599).contains(s))?;
            let mut answer = Answer::new(status).header("Content-Type", "application/octet-stream");
            answer.body = vec![b'x'; length];
            answer
        }
        // Relative on purpose: a host that follows it stays on this origin and is seen.
        "redirect" => Answer::error(302, "moved", "go elsewhere").header("Location", "/v2/redirected"),
        "compressed" => {
            let mut answer = Answer::json(200, "").header("Content-Encoding", "gzip");
            answer.body = COMPRESSED.to_vec();
            answer
        }
        "cacheable" => {
            let body = serde_json::json!({ "seen": seen }).to_string();
            Answer::json(200, body).header("Cache-Control", "public, max-age=3600").header("ETag", "\"strict-1\"")
        }
        "slow" => {
            Answer::json(200, "[0,1,2,3,4]").deliver(Delivery::Slow { pieces: 10, pause: Duration::from_millis(100) })
        }
        "cut" => half().deliver(Delivery::Cut),
        "stall" => half().deliver(Delivery::Stall),
        "endless" => {
            let mut answer = Answer::new(200).header("Content-Type", "text/plain");
            answer.body = vec![b'x'; 64 * 1024];
            answer.deliver(Delivery::Endless)
        }
        "silence" => Answer::new(200).deliver(Delivery::Silence),
        "drop" => Answer::dropped(),
        _ => return None,
    };
    Some(answer)
}

fn echo(request: &Request, seen: u64) -> Answer {
    let body = serde_json::json!({
        "method": request.head.method,
        "target": request.head.target,
        "version": request.head.version,
        "headers": request.head.lines,
        "body_bytes": request.body.len(),
        "body_sha256": HEXLOWER.encode(&Sha256::digest(&request.body)),
        "seen": seen,
    });
    Answer::json(200, body.to_string())
}
