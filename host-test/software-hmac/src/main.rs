//! Not part of the product: prints how many nanoseconds HMAC-SHA256 of 1 MiB takes natively,
//! once a line and as often as the argument says. `cargo xtask bench` builds it with
//! `--cfg sha2_backend="soft"`: the same code as in the component, without SHA instructions.
#![forbid(unsafe_code)]

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    if cfg!(not(sha2_backend = "soft")) {
        eprintln!("software-hmac: not built with --cfg sha2_backend=\"soft\"");
        return ExitCode::FAILURE;
    }
    let times = std::env::args().nth(1).and_then(|times| times.parse().ok()).unwrap_or(1);
    let body = vec![b'a'; 1 << 20];
    for _ in 0..times {
        let began = Instant::now();
        let mut mac = Hmac::<Sha256>::new_from_slice(b"a signing secret made for tests").expect("any length of key");
        mac.update(black_box(&body));
        black_box(mac.finalize());
        println!("{}", began.elapsed().as_nanos());
    }
    ExitCode::SUCCESS
}
