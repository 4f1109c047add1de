//! Gives a link to the glossary the first sentence of its entry.
//!
//! It becomes the link's `aria-description`, which screen readers offer and `book/theme/pictures.css` shows. Only the first
//! link of a page to an entry has it, so that nothing is heard again and again.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};
use records::base::heading_id;

use pictures::text::escape;

/// The page whose headings of the third level are the terms.
pub(crate) const GLOSSARY: &str = "glossary.md";

/// The Markdown that the glossary and the links to it may use.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_HEADING_ATTRIBUTES);

/// The first sentence of each entry in plain words, by the `id` of its heading.
#[derive(Debug, Default)]
pub(crate) struct Terms(BTreeMap<String, String>);

impl Terms {
    /// Reads the terms of the glossary, in whose text a line is a sentence.
    pub(crate) fn of(glossary: &str) -> Terms {
        let mut terms = BTreeMap::new();
        // The heading above, until its sentence is there.
        let mut id: Option<String> = None;
        // The words so far of the heading or the sentence that is read.
        let mut words: Option<String> = None;
        for event in Parser::new_ext(glossary, OPTIONS) {
            match event {
                Event::Start(Tag::Heading { level: HeadingLevel::H3, id: own, .. }) => {
                    id = own.map(CowStr::into_string);
                    words = Some(String::new());
                }
                Event::End(TagEnd::Heading(HeadingLevel::H3)) => {
                    let name = words.take().unwrap_or_default();
                    id.get_or_insert_with(|| heading_id(&name));
                }
                Event::Start(Tag::Paragraph) if id.is_some() => words = Some(String::new()),
                Event::SoftBreak | Event::End(TagEnd::Paragraph) => {
                    if let (Some(id), Some(sentence)) = (id.take(), words.take()) {
                        terms.insert(id, sentence);
                    }
                }
                // The apostrophe that mdBook sets elsewhere.
                Event::Text(part) => {
                    words.iter_mut().for_each(|it| *it += &part.replace('\'', "’"))
                }
                Event::Code(part) => words.iter_mut().for_each(|it| *it += &part),
                _ => {}
            }
        }
        Terms(terms)
    }

    /// Explains the first link to each entry in the text of a page.
    pub(crate) fn explain(&self, page: &str) -> String {
        // Nearly half of the pages have no such link.
        if !page.contains(GLOSSARY) {
            return page.to_owned();
        }
        let mut explained = String::with_capacity(page.len());
        let mut end = 0;
        let mut seen = BTreeSet::new();
        for (event, place) in Parser::new_ext(page, OPTIONS).into_offset_iter() {
            let Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, .. }) = event
            else {
                continue;
            };
            let id = dest_url.strip_prefix(GLOSSARY).and_then(|rest| rest.strip_prefix('#'));
            let Some((id, sentence)) = id.and_then(|id| self.0.get_key_value(id)) else { continue };
            let link = &page[place.clone()];
            let Some(close) = link.rfind("](").filter(|_| seen.insert(id)) else { continue };
            // A bar would end a cell of a table.
            let description = escape(sentence).replace('|', "&#124;");
            explained += &page[end..place.start];
            explained += &format!(
                "<a class=\"term\" href=\"{dest_url}\" aria-description=\"{description}\">{}</a>",
                &link[1..close]
            );
            end = place.end;
        }
        explained + &page[end..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# G\n\nWords.\n\n## T\n\n### task\n\nA [future](#future) \"given\" to `an <executor>`.\nMore.\n\n\
                        More.\n\n### `'static` {#static}\n\nIt's a bound | a promise.\n";

    #[test]
    fn an_entry_is_known_by_its_id_and_its_first_sentence() {
        let Terms(terms) = Terms::of(TEXT);
        let terms: Vec<(&str, &str)> =
            terms.iter().map(|(id, sentence)| (id.as_str(), sentence.as_str())).collect();
        let expect = [
            ("static", "It’s a bound | a promise."),
            ("task", "A future \"given\" to an <executor>."),
        ];
        assert_eq!(terms, expect);
    }

    #[test]
    fn the_first_link_to_each_entry_is_explained_and_nothing_else_changes() {
        let terms = Terms::of(TEXT);
        let task = "<a class=\"term\" href=\"glossary.md#task\" \
                    aria-description=\"A future &quot;given&quot; to an &lt;executor&gt;.\">";
        let bound = "<a class=\"term\" href=\"glossary.md#static\" \
                     aria-description=\"It’s a bound &#124; a promise.\">";
        for (page, explained) in [
            (
                "A [*task*](glossary.md#task), [again](glossary.md#task).\n",
                format!("A {task}*task*</a>, [again](glossary.md#task).\n"),
            ),
            (
                "| a | b |\n|---|---|\n| [`'static`](glossary.md#static) | x |\n",
                format!("| a | b |\n|---|---|\n| {bound}`'static`</a> | x |\n"),
            ),
            (
                "```text\n[a](glossary.md#task)\n```\n\n[b](glossary.md#task)\n",
                format!("```text\n[a](glossary.md#task)\n```\n\n{task}b</a>\n"),
            ),
        ] {
            assert_eq!(terms.explain(page), explained);
        }
        for page in [
            "`[a](glossary.md#task)` [b](glossary.md) [c](glossary.md#none) [d](b.md#task)\n",
            "No link.\n",
        ] {
            assert_eq!(terms.explain(page), page);
        }
    }
}
