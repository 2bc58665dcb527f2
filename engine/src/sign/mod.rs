//! Signing one attempt: everything that a profile adds to a request, made anew each time.
//!
//! The order of the steps is fixed. First what is the same in every request (headers, query,
//! members of the body), then what is made for this attempt and signed with it (`prepare`,
//! parameters and fields without a signature), then the signature, then what carries it.

mod fill;
mod keyring;
mod mac;
mod parameters;
mod parts;

pub use keyring::Keyring;

use crate::field;
use crate::http::{Body, Headers};
use crate::json::{self, Pointer, SpliceError};
use crate::profile::{Profile, Signing};
use crate::template::Template;
use crate::time::Wall;
use fill::Message;
use std::fmt::Write;
use std::sync::Arc;

/// A request before the profile's own additions.
pub struct Draft {
    pub method: String,
    /// Joined to the base URL's path, encoded.
    pub path_and_query: String,
    /// The caller's, and those of the idempotency key and the cursor.
    pub headers: Headers,
    pub body: Arc<Body>,
    pub idempotency_key: Option<String>,
}

/// What goes on the wire.
pub struct Parts {
    pub path_and_query: String,
    pub headers: Headers,
    pub body: Arc<Body>,
}

/// Signs one attempt. `at` is the time that is signed; `nonce_seed` has to be new for every
/// attempt. An error says what in the request stands against it, without secrets.
pub fn sign(profile: &Profile, keys: &Keyring, draft: &Draft, at: Wall, nonce_seed: [u8; 16]) -> Result<Parts, String> {
    let mut message = prepared(profile, keys, draft, at, nonce_seed, false)?;
    if let Some(signing) = &profile.signing {
        message.signatures = message.signatures(signing);
        message.place(signing, true)?;
        for (name, template) in &signing.headers {
            let value = message.text(template)?;
            message.set_header(name, value)?;
        }
    }
    Ok(Parts { path_and_query: message.path_and_query, headers: message.headers, body: message.body })
}

/// The string to sign, for people: a credential stands as its placeholder, a byte that is no
/// text as `\xNN`. None if nothing is signed.
pub fn string_to_sign(
    profile: &Profile,
    keys: &Keyring,
    draft: &Draft,
    at: Wall,
    nonce_seed: [u8; 16],
) -> Result<Option<String>, String> {
    let Some(signing) = &profile.signing else { return Ok(None) };
    let mut bytes = Vec::new();
    prepared(profile, keys, draft, at, nonce_seed, true)?.feed(signing, &mut bytes);
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    Ok(Some(text))
}

/// Everything that is signed, in its place.
fn prepared<'a>(
    profile: &'a Profile,
    keys: &'a Keyring,
    draft: &'a Draft,
    at: Wall,
    nonce_seed: [u8; 16],
    blank: bool,
) -> Result<Message<'a>, String> {
    let signing = profile.signing.as_ref();
    let mut message = Message {
        profile,
        keys,
        blank,
        method: &draft.method,
        path_and_query: draft.path_and_query.clone(),
        headers: Headers(Vec::with_capacity(draft.headers.0.len() + profile.headers.len() + 4)),
        body: draft.body.clone(),
        idempotency_key: draft.idempotency_key.as_deref(),
        at,
        timestamp: fill::timestamp(signing, at),
        nonce_seed,
        signatures: Vec::new(),
    };
    // The wire never carries two of a header that the profile sets.
    let callers =
        draft.headers.0.iter().filter(|(name, _)| !profile.header_names().any(|own| own.eq_ignore_ascii_case(name)));
    message.headers.0.extend(callers.cloned());
    if blank {
        let headers = profile.headers.iter().map(|(name, value)| (name.clone(), fill::fixed(keys, true, value)));
        message.headers.0.extend(headers);
    } else {
        let headers = keys.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned()));
        message.headers.0.extend(headers);
    }
    for (name, template) in &profile.query {
        message.append_query(name, template)?;
    }
    for (pointer, template) in &profile.body_fields {
        message.write_member(pointer, template)?;
    }
    if let Some(signing) = signing {
        message.place(signing, false)?;
        for (name, part) in &signing.prepare {
            let mut value = Vec::new();
            message.part(part, &mut value);
            let value = String::from_utf8(value).map_err(|_| format!("the header {name} would not be text"))?;
            message.set_header(name, value)?;
        }
    }
    Ok(message)
}

impl Message<'_> {
    /// Writes parameters, form fields and members: those that carry the signature, or those
    /// that are signed.
    fn place(&mut self, signing: &Signing, signed: bool) -> Result<(), String> {
        for (name, template) in signing.query.iter().filter(|(_, t)| t.needs_signature() == signed) {
            self.append_query(name, template)?;
        }
        for (name, template) in signing.form.iter().filter(|(_, t)| t.needs_signature() == signed) {
            self.append_form(name, template)?;
        }
        for (pointer, template) in signing.body_fields.iter().filter(|(_, t)| t.needs_signature() == signed) {
            self.write_member(pointer, template)?;
        }
        Ok(())
    }

    /// Refuses what would break the message rather than repairing it.
    fn set_header(&mut self, name: &str, value: String) -> Result<(), String> {
        if !field::is_value(&value) {
            return Err(format!("the header {name} would hold line breaks, control characters or outer spaces"));
        }
        self.headers.push(name, value);
        Ok(())
    }

    fn append_query(&mut self, name: &str, template: &Template) -> Result<(), String> {
        let pair = self.pair(name, template)?;
        let separator = match self.path_and_query.split_once('?') {
            None => "?",
            Some((_, query)) if query.is_empty() || query.ends_with('&') => "",
            Some(_) => "&",
        };
        self.path_and_query.push_str(separator);
        self.path_and_query.push_str(&pair);
        Ok(())
    }

    fn append_form(&mut self, name: &str, template: &Template) -> Result<(), String> {
        if !self.takes_body() {
            return Ok(());
        }
        if !self.headers.has("content-type") {
            self.headers.push("Content-Type", "application/x-www-form-urlencoded");
        }
        let form = self.body.as_text().filter(|_| parameters::is_form(&self.headers));
        let form = form.ok_or("the profile writes fields into a form, and the body is none")?;
        let separator = if form.is_empty() || form.ends_with('&') { "" } else { "&" };
        let form = [form, separator, &self.pair(name, template)?].concat();
        self.body = Arc::new(Body::Text(form));
        Ok(())
    }

    /// Name and value, encoded.
    fn pair(&self, name: &str, template: &Template) -> Result<String, String> {
        let value = self.text(template)?;
        Ok([&fill::percent(name.as_bytes()), "=", &fill::percent(value.as_bytes())].concat())
    }

    fn write_member(&mut self, pointer: &Pointer, template: &Template) -> Result<(), String> {
        if !self.takes_body() {
            return Ok(());
        }
        let value = json::quote(&self.text(template)?);
        let text = self.body.as_text().ok_or("the profile writes members into a JSON body, and the body is none")?;
        let written = json::splice(text, pointer, &value).map_err(|error| match error {
            SpliceError::NotJson => "the profile writes members into a JSON body, and the body is none".to_owned(),
            SpliceError::NoParent => format!("the body has no object to write {pointer} into"),
        })?;
        self.body = Arc::new(Body::Text(written));
        if !self.headers.has("content-type") {
            self.headers.push("Content-Type", "application/json");
        }
        Ok(())
    }

    /// A body is made for methods that have one; otherwise only one that is there is changed.
    fn takes_body(&self) -> bool {
        !self.body.is_empty() || matches!(self.method, "POST" | "PUT" | "PATCH")
    }
}

#[cfg(test)]
mod recipes;
#[cfg(test)]
mod tests;
