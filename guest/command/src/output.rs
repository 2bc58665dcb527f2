//! The standard streams. `std` has none on this target.

use crate::bindings::wasi::cli::{stderr, stdin, stdout};
use crate::bindings::wasi::io::streams::{InputStream, OutputStream, StreamError};
use crate::stop::Stop;

/// The most that one blocking write takes (wasi:io).
const PIECE: usize = 4096;

/// Asked for in one read.
const READ: u64 = 64 * 1024;

/// Writes everything, and returns once the host has taken it.
pub fn stdout(bytes: &[u8]) -> Result<(), Stop> {
    write(&stdout::get_stdout(), bytes).map_err(|error| match error {
        StreamError::Closed => Stop::Unread,
        StreamError::LastOperationFailed(error) => {
            let why = error.to_debug_string();
            Stop::unwritten(format!("standard output cannot be written: {}", why.lines().next().unwrap_or_default()))
        }
    })
}

/// A message for people on standard error.
pub fn say(line: &str) {
    stderr(&["supplier: ", line, "\n"].concat());
}

/// Standard error as it is. That nobody reads it is no reason to stop.
pub fn stderr(text: &str) {
    let _ = write(&stderr::get_stderr(), text.as_bytes());
}

/// All of standard input.
pub fn stdin() -> Result<Vec<u8>, Stop> {
    drain(&stdin::get_stdin()).map_err(|_| Stop::unusable("standard input cannot be read"))
}

/// Reads a stream to its end.
pub fn drain(stream: &InputStream) -> Result<Vec<u8>, StreamError> {
    let mut bytes = Vec::new();
    loop {
        match stream.blocking_read(READ) {
            Ok(chunk) => bytes.extend_from_slice(&chunk),
            Err(StreamError::Closed) => return Ok(bytes),
            Err(error) => return Err(error),
        }
    }
}

fn write(stream: &OutputStream, bytes: &[u8]) -> Result<(), StreamError> {
    bytes.chunks(PIECE).try_for_each(|piece| stream.blocking_write_and_flush(piece))
}
