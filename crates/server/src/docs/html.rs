//! HTML, written bit by bit.

use serde_json::Value;

/// A page under construction.
#[derive(Default)]
pub(super) struct Html(String);

impl Html {
    /// Appends HTML.
    pub(super) fn raw(&mut self, html: &str) -> &mut Self {
        self.0.push_str(html);
        self
    }

    /// Appends a text, or an attribute's value between double quotes.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for letter in text.chars() {
            match letter {
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '&' => self.0.push_str("&amp;"),
                '"' => self.0.push_str("&quot;"),
                _ => self.0.push(letter),
            }
        }
        self
    }

    /// Appends a text in which code stands between backticks.
    pub(super) fn prose(&mut self, text: &str) -> &mut Self {
        for (index, part) in text.split('`').enumerate() {
            match index % 2 {
                0 => self.text(part),
                _ => self.raw("<code>").text(part).raw("</code>"),
            };
        }
        self
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// The text of a JSON value; empty where it is none.
pub(super) fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
