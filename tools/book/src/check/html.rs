//! Reads of an HTML page what the check of the links needs.

use std::{cell::RefCell, collections::BTreeSet};

use html5ever::{
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, states::RawKind,
    },
};

/// What the check needs of one HTML page.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub ids: BTreeSet<String>,
    /// Where the page points to, and whether the browser loads it with the page.
    pub links: Vec<(String, bool)>,
    /// The page's `<base href>`: a link is relative to it.
    pub base: Option<String>,
}

/// The kinds of `<link>` for which a browser asks a host; the others, `canonical` among them, only say something of the
/// page (<https://html.spec.whatwg.org/multipage/links.html#linkTypes>).
const ASKED_FOR: [&str; 11] = [
    "apple-touch-icon",
    "dns-prefetch",
    "icon",
    "manifest",
    "mask-icon",
    "modulepreload",
    "preconnect",
    "prefetch",
    "preload",
    "prerender",
    "stylesheet",
];

struct Collector(RefCell<Page>);

impl Collector {
    fn take(&self, tag: &Tag) {
        let attribute = |name: &str| {
            let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name)?;
            Some(found.value.to_string())
        };
        let mut page = self.0.borrow_mut();
        page.ids.extend(attribute("id"));
        match &*tag.name {
            "a" => {
                page.ids.extend(attribute("name"));
                page.links.extend(attribute("href").map(|link| (link, false)));
            }
            "base" => page.base = page.base.take().or(attribute("href")),
            "link" => {
                let kinds = attribute("rel").unwrap_or_default().to_ascii_lowercase();
                let is_loaded =
                    kinds.split_ascii_whitespace().any(|kind| ASKED_FOR.contains(&kind));
                page.links.extend(attribute("href").map(|link| (link, is_loaded)));
            }
            "script" | "img" | "iframe" | "source" | "video" | "audio" => {
                page.links.extend(attribute("src").map(|link| (link, true)));
            }
            _ => {}
        }
    }
}

impl TokenSink for Collector {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        if tag.kind == TagKind::EndTag {
            return TokenSinkResult::Continue;
        }
        self.take(&tag);
        // What these hold is no markup.
        match &*tag.name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" => TokenSinkResult::RawData(RawKind::Rawtext),
            _ => TokenSinkResult::Continue,
        }
    }
}

pub(super) fn read_page(html: &str) -> Page {
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(html));
    let tokenizer = Tokenizer::new(Collector(RefCell::default()), Default::default());
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}
