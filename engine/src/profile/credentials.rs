//! Which credentials a profile names, where, and what each is used for.

use super::Profile;
use super::read::push_key;

use crate::template::{Filter, Piece, Slot, Template};

/// One mention of a credential.
pub struct Mention {
    pub name: String,
    /// Where it stands in the profile.
    pub pointer: String,
    pub used_as: Use,
}

/// What a credential's value must be fit for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The key of an HMAC.
    Key,
    /// A part of a header's value, as it is.
    Header,
    /// The user of basic authentication, which must not hold a colon (RFC 7617, 2).
    User,
    /// Text that is encoded, quoted or signed.
    Text,
}

impl Profile {
    /// Every credential that the profile names, with the pointer to where it is first named.
    pub fn credential_names(&self) -> Vec<(String, String)> {
        let mut names: Vec<(String, String)> = Vec::new();
        for mention in self.mentions() {
            if !names.iter().any(|(name, _)| *name == mention.name) {
                names.push((mention.name, mention.pointer));
            }
        }
        names
    }

    /// Every mention, in the order of the profile's sections.
    pub(crate) fn mentions(&self) -> Vec<Mention> {
        let mut all = Mentions(Vec::new());
        self.headers.iter().for_each(|(name, template)| all.template(&keyed("/headers", name), template, Use::Header));
        self.query.iter().for_each(|(name, template)| all.template(&keyed("/query", name), template, Use::Text));
        for (pointer, template) in &self.body_fields {
            all.template(&keyed("/body_fields", &pointer.to_string()), template, Use::Text);
        }
        let Some(signing) = &self.signing else { return all.0 };
        for (index, part) in signing.string_to_sign.iter().enumerate() {
            part.each_slot(&format!("/signing/string_to_sign/{index}"), &mut |at, slot| all.slot(at, slot, Use::Text));
        }
        if let Some(key) = &signing.key {
            for (index, name) in key.credentials.iter().enumerate() {
                all.add(format!("/signing/key/credentials/{index}"), name, Use::Key);
            }
            for (step, derive) in key.derive.iter().enumerate() {
                for (index, part) in derive.of.iter().enumerate() {
                    let pointer = format!("/signing/key/derive/{step}/of/{index}");
                    part.each_slot(&pointer, &mut |at, slot| all.slot(at, slot, Use::Text));
                }
            }
        }
        for (name, part) in &signing.prepare {
            match &part.content {
                super::Content::Text(template) => all.template(&keyed("/signing/prepare", name), template, Use::Header),
                _ => part.each_slot(&keyed("/signing/prepare", name), &mut |at, slot| all.slot(at, slot, Use::Text)),
            }
        }
        for ((section, name), template) in signing.placed() {
            let used_as = if section == "headers" { Use::Header } else { Use::Text };
            all.template(&keyed(&format!("/signing/{section}"), &name), template, used_as);
        }
        all.0
    }
}

fn keyed(section: &str, key: &str) -> String {
    let mut pointer = section.to_owned();
    push_key(&mut pointer, key);
    pointer
}

struct Mentions(Vec<Mention>);

impl Mentions {
    fn add(&mut self, pointer: String, name: &str, used_as: Use) {
        self.0.push(Mention { name: name.to_owned(), pointer, used_as });
    }

    fn template(&mut self, pointer: &str, template: &Template, used_as: Use) {
        for piece in &template.parts {
            let Piece::Slot(slot, filters) = piece else { continue };
            let encoded = filters.iter().any(|filter| matches!(filter, Filter::Percent | Filter::Base64));
            self.slot(pointer, slot, if encoded { Use::Text } else { used_as });
        }
    }

    fn slot(&mut self, pointer: &str, slot: &Slot, used_as: Use) {
        match slot {
            Slot::Credential(name) => self.add(pointer.to_owned(), name, used_as),
            Slot::Basic { user, password } => {
                self.add(pointer.to_owned(), user, Use::User);
                if let Some(password) = password {
                    self.add(pointer.to_owned(), password, Use::Text);
                }
            }
            _ => {}
        }
    }
}
