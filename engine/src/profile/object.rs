//! The macros from which come a type, its reader and its JSON Schema.

use super::read::{At, Keys, Kind, Problems, alternatives, code, nearest};
use serde_json::Value;
use std::marker::PhantomData;

/// Declares a struct that is read from a JSON object: one line a key, with its kind and
/// whether it is `required`, `optional` or has a `default`. `as "name"` where the key is
/// called otherwise than the field.
macro_rules! object {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident {
            $( $(#[doc = $doc:literal])* $fvis:vis $field:ident $(as $key:literal)? : $ty:ty = $spec:expr; )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug)]
        $vis struct $name { $( $(#[doc = $doc])* $fvis $field: $ty, )* }

        impl $crate::profile::object::Object for $name {
            const KEYS: &'static [&'static str] = &[$( object!(@key $field $($key)?) ),*];

            fn take(
                keys: &$crate::profile::read::Keys,
                problems: &mut $crate::profile::read::Problems,
            ) -> Option<Self> {
                use $crate::profile::read::Field;
                $( let $field = ($spec).take(object!(@key $field $($key)?), keys, problems); )*
                Some($name { $( $field: $field? ),* })
            }

            #[cfg(feature = "schema")]
            fn properties() -> (String, Vec<(&'static str, String, serde_json::Value, bool)>) {
                use $crate::profile::read::Field;
                let about = concat!($( $about, "\n" ),*);
                let properties = vec![$({
                    let (schema, required) = $crate::profile::read::of_type::<$ty, _>($spec).property();
                    (object!(@key $field $($key)?), concat!($( $doc, "\n" ),*).into(), schema, required)
                }),*];
                (about.into(), properties)
            }
        }
    };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
}

/// Declares an enum that is read from one of a few strings; or, with `for`, says how one
/// that is declared elsewhere is read. `not_yet` lists beginnings of names that get their
/// own answer.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $( $(#[doc = $doc:literal])* $variant:ident = $text:literal, )* }
        not_yet [ $($later:literal),* ]
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $( $(#[doc = $doc])* $variant, )* }
        choice!(for $name { $( $(#[doc = $doc])* $variant = $text, )* } not_yet [ $($later),* ]);
    };
    (
        for $name:ident { $( $(#[doc = $doc:literal])* $variant:ident = $text:literal, )* }
        not_yet [ $($later:literal),* ]
    ) => {
        impl $crate::profile::object::Choice for $name {
            const ALL: &'static [(&'static str, Self)] = &[$( ($text, $name::$variant) ),*];
            const NOT_YET: &'static [&'static str] = &[$( $later ),*];

            #[cfg(feature = "schema")]
            fn about() -> Vec<String> {
                vec![$( concat!($text, ":", $( $doc, )*).into() ),*]
            }
        }
    };
}

pub(crate) use {choice, object};

/// Keys of designs that this version leaves out: they get their own answer, so that nobody
/// looks for a slip.
const LATER: [(&str, &str); 8] = [
    ("preset", "signing presets (aws-sigv4, rfc9421, oauth1, azure-sharedkey)"),
    ("circuit_breaker", "a circuit breaker"),
    ("retry_budget", "a retry budget"),
    ("webhooks", "verifying webhooks"),
    ("verify", "verifying webhooks"),
    ("graphql", "GraphQL paging"),
    ("concurrency", "a limit on concurrent requests"),
    ("cache", "a cache (put one above the client)"),
];

/// What `object!` implements.
pub trait Object: Sized {
    const KEYS: &'static [&'static str];

    fn take(keys: &Keys, problems: &mut Problems) -> Option<Self>;

    #[cfg(feature = "schema")]
    fn properties() -> (String, Vec<(&'static str, String, Value, bool)>);
}

/// What `choice!` implements.
pub trait Choice: Copy + 'static {
    const ALL: &'static [(&'static str, Self)];
    const NOT_YET: &'static [&'static str];

    #[cfg(feature = "schema")]
    fn about() -> Vec<String>;
}

/// An object with exactly the keys of `T`, and perhaps a tag that the caller has read.
pub struct ObjectOf<T> {
    tag: Option<&'static str>,
    of: PhantomData<T>,
}

pub fn object_of<T: Object>() -> ObjectOf<T> {
    ObjectOf { tag: None, of: PhantomData }
}

pub fn tagged<T: Object>(tag: &'static str) -> ObjectOf<T> {
    ObjectOf { tag: Some(tag), of: PhantomData }
}

impl<T: Object> Kind for ObjectOf<T> {
    type Out = T;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<T> {
        let Value::Object(map) = value else {
            problems.wrong_type(at, value, "an object");
            return None;
        };
        let keys = Keys { map, at };
        if !known_keys(&keys, T::KEYS, self.tag, problems) {
            return None;
        }
        T::take(&keys, problems)
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        super::schema::object::<T>()
    }
}

/// False if the object asks for something that does not exist yet: what else is missing
/// from it is then not worth a problem.
fn known_keys(keys: &Keys, known: &[&str], tag: Option<&str>, problems: &mut Problems) -> bool {
    let mut readable = true;
    for key in keys.map.keys() {
        if known.contains(&key.as_str()) || tag == Some(key.as_str()) || key == "$schema" || key == "notes" {
            continue;
        }
        let at = keys.at.key(key);
        if let Some((_, what)) = LATER.iter().find(|(name, _)| name == key) {
            readable = false;
            problems.add(&at, code::UNSUPPORTED, format!("{what} cannot be had in this version; remove the key"));
            continue;
        }
        let message = match nearest(key, known.iter().copied()) {
            Some(near) => format!("unknown key; did you mean \"{near}\"?"),
            None => format!("unknown key; this object takes {}", alternatives(known.iter().copied())),
        };
        problems.add(&at, code::UNKNOWN_KEY, message);
    }
    readable
}

/// One of a few strings.
pub struct ChoiceOf<T>(PhantomData<T>);

pub fn choice_of<T: Choice>() -> ChoiceOf<T> {
    ChoiceOf(PhantomData)
}

impl<T: Choice> Kind for ChoiceOf<T> {
    type Out = T;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<T> {
        let names = || T::ALL.iter().map(|(name, _)| *name);
        let Value::String(text) = value else {
            problems.wrong_type(at, value, &alternatives(names()));
            return None;
        };
        if let Some((_, found)) = T::ALL.iter().find(|(name, _)| name == text) {
            return Some(*found);
        }
        choose(text, at, &mut names(), T::NOT_YET, problems);
        None
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        super::schema::choice::<T>()
    }
}

/// Says what to write instead of a name that is none of `names`.
pub fn choose(found: &str, at: &At, names: &mut dyn Iterator<Item = &str>, later: &[&str], problems: &mut Problems) {
    let names: Vec<&str> = names.collect();
    let list = alternatives(names.iter().copied());
    // Only the part that is in our own list is repeated: the rest is somebody's text.
    if let Some(known) = later.iter().find(|later| found.to_ascii_lowercase().starts_with(**later)) {
        problems.add(at, code::UNSUPPORTED, format!("\"{known}\" cannot be had in this version; write {list}"));
        return;
    }
    let message = match nearest(found, names.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"? Write {list}"),
        None => format!("write {list}"),
    };
    problems.add(at, code::INVALID_VALUE, message);
}
