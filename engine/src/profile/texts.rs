//! Templates as values of a profile.

use super::read::{At, Kind, Problems, code};
use crate::field;
use crate::template::{Site, Template};
use serde_json::Value;

/// A template at a site, perhaps one that becomes a header's value.
pub struct TemplateAt {
    site: Site,
    header: bool,
}

pub fn template(site: Site) -> TemplateAt {
    TemplateAt { site, header: false }
}

pub fn header_value(site: Site) -> TemplateAt {
    TemplateAt { site, header: true }
}

impl Kind for TemplateAt {
    type Out = Template;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<Template> {
        let Value::String(text) = value else {
            problems.wrong_type(at, value, "a string");
            return None;
        };
        let template = match Template::parse(text, self.site) {
            Ok(template) => template,
            Err(mistakes) => {
                for message in mistakes {
                    problems.add(at, code::INVALID_VALUE, message);
                }
                return None;
            }
        };
        if self.header && !field::is_value(&template.skeleton()) {
            let message = "not a header value: no line breaks or control characters, no space at either end";
            problems.add(at, code::INVALID_VALUE, message);
            return None;
        }
        Some(template)
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        serde_json::json!({ "type": "string" })
    }
}
