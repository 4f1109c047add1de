//! What mermaid has drawn, as a page can hold it: shapes and words, coloured by the book's style sheet.

use std::{collections::BTreeSet, fmt::Write, sync::LazyLock};

use anyhow::{Context, Result, ensure};
use regex::{Captures, Regex};
use roxmltree::{Document, Node};

use crate::rules::Form;

/// What a drawing may be made of.
const ELEMENTS: [&str; 11] =
    ["svg", "g", "path", "rect", "circle", "ellipse", "polygon", "line", "text", "tspan", "marker"];

/// What mermaid writes and a page does without: its style, what is repeated from elsewhere.
const DROPPED: [&str; 6] = ["style", "title", "desc", "script", "symbol", "image"];

/// What an element may say of itself.
const ATTRIBUTES: &str = "d x y x1 y1 x2 y2 cx cy r rx ry dx dy width height points transform marker-end marker-start \
    refX refY markerWidth markerHeight markerUnits orient viewBox text-anchor dominant-baseline";

/// The names that `book/theme/diagrams.css` colours.
const CLASSES: &str = "node thread cluster cluster-label flowchart-link transition edge-pattern-dotted edgeLabel \
    background labelBkg actor actor-line messageLine0 messageLine1 messageText note noteText state-start state-end \
    label-container";

static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"-?\d+\.\d+(e-?\d+)?").expect("a correct expression"));

/// The drawing `text` of mermaid as a page can hold it. `name` begins its ids, `server` names the token of its colour.
/// Fails when it is no XML, has no title or description, or is made of something that a page does not take.
pub fn clean(text: &str, name: &str, form: Form, server: Option<&str>) -> Result<String> {
    let document = Document::parse(text).context("what mermaid drew is no XML")?;
    let svg = document.root_element();
    let words = |wanted: &str| {
        let found = svg.children().find(|node| tag(node) == wanted);
        let text = found.and_then(|node| node.text()).filter(|text| !text.trim().is_empty());
        text.with_context(|| format!("it has no {wanted}: write accTitle and accDescr")).map(escape)
    };
    let form = format!("{form:?}").to_lowercase();
    let (title, desc) = (words("title")?, words("desc")?);
    let view = svg.attribute("viewBox").context("it has no size")?;
    let width = view.split_whitespace().nth(2).context("it has no width")?.parse::<f64>()?.ceil();
    let server = server.map(|server| format!(";--s:var(--server-{server})")).unwrap_or_default();
    let ends = svg.descendants().flat_map(|node| {
        ["marker-end", "marker-start"].into_iter().filter_map(move |it| node.attribute(it))
    });
    let used = ends.filter_map(marker).map(str::to_owned).collect();
    let cleaner = Cleaner { used, prefix: format!("d{name}-{form}") };
    let mut body = String::new();
    for child in svg.children() {
        cleaner.write(&child, &mut body)?;
    }
    let (id, size) = (&cleaner.prefix, if form == "narrow" { 13 } else { 14 });
    Ok(format!(
        "<svg class=\"pic mm {form}\" viewBox=\"{}\" font-size=\"{size}\" style=\"max-width:{width}px{server}\" \
         role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n<title id=\"{id}-t\">{title}</title>\n\
         <desc id=\"{id}-d\">{desc}</desc>\n{body}\n</svg>\n",
        tenths(view)
    ))
}

struct Cleaner {
    /// The ids of the markers that lines end in.
    used: BTreeSet<String>,
    /// What the ids of this drawing begin with: one page holds many.
    prefix: String,
}

impl Cleaner {
    /// Writes an element, if it shows something.
    fn write(&self, node: &Node, to: &mut String) -> Result<()> {
        if let Some(text) = node.text().filter(|_| node.is_text()) {
            if node.parent().is_some_and(|parent| ["text", "tspan"].contains(&tag(&parent))) {
                *to += &escape(&text.replace('\n', " "));
            }
            return Ok(());
        }
        let tag = tag(node);
        let is_unused = || !node.attribute("id").is_some_and(|id| self.used.contains(id));
        if !node.is_element() || DROPPED.contains(&tag) || tag == "marker" && is_unused() {
            return Ok(());
        }
        ensure!(
            tag == "defs" || ELEMENTS.contains(&tag),
            "it holds <{tag}>, which a page does not take"
        );
        let mut inside = String::new();
        for child in node.children() {
            self.write(&child, &mut inside)?;
        }
        let holds = ["g", "text", "tspan", "defs", "marker"].contains(&tag);
        let shows = !["rect", "path"].contains(&tag)
            || node.attribute("d").or(node.attribute("width")).is_some_and(|it| it != "0");
        if tag == "defs" {
            *to += &inside;
        } else if !shows || holds && inside.is_empty() {
            // A line of text that is empty, a label without words.
        } else {
            let attributes = self.attributes(node);
            let _ = match inside.as_str() {
                "" => write!(to, "<{tag}{attributes}/>"),
                _ if tag == "g" && attributes.is_empty() => write!(to, "{inside}"),
                _ => write!(to, "<{tag}{attributes}>{inside}</{tag}>"),
            };
        }
        Ok(())
    }

    fn attributes(&self, node: &Node) -> String {
        let mut attributes = String::new();
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            let value = match name {
                "id" if tag(node) == "marker" => self.id(value),
                "class" => {
                    let known = value.split_whitespace().filter(|it| is_one_of(CLASSES, it));
                    known.collect::<Vec<_>>().join(" ")
                }
                "marker-end" | "marker-start" => {
                    marker(value).map(|id| format!("url(#{})", self.id(id))).unwrap_or_default()
                }
                _ if is_one_of(ATTRIBUTES, name) => tenths(value),
                _ => continue,
            };
            if !value.is_empty() && value != "translate(0, 0)" {
                let _ = write!(attributes, " {name}=\"{}\"", escape(&value));
            }
        }
        attributes
    }

    fn id(&self, id: &str) -> String {
        format!("{}-{}", self.prefix, id.trim_start_matches("m_").trim_start_matches("m-"))
    }
}

fn is_one_of(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|it| it == word)
}

fn tag<'a>(node: &Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

/// The id in `url(#id)`.
fn marker(value: &str) -> Option<&str> {
    value.split_once('#')?.1.strip_suffix(')')
}

/// The numbers in a value, to a tenth of a pixel.
fn tenths(value: &str) -> String {
    let round = |found: &Captures| {
        let number: f64 = found[0].parse().unwrap_or_default();
        let text = format!("{number:.1}");
        let text = text.strip_suffix(".0").unwrap_or(&text);
        if text == "-0" { "0".to_owned() } else { text.to_owned() }
    };
    NUMBER.replace_all(value, round).into_owned()
}

/// A text as HTML and XML write it.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWN: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 67.26 20" style="background: #fff">
<title>A</title><desc>B &amp; C</desc><style>.x { fill: red }</style>
<defs><marker id="m_end"><path d="M0,0"/></marker><marker id="m_other"><path d="M0,0"/></marker></defs>
<g class="root"><g/><path class="flowchart-link x" d="M1.26,2L3,-0.01" style="fill:none" marker-end="url(#m_end)"/>
<g class="node thread"><rect/><text fill="#333" y="-10.1"><tspan>a &lt; b</tspan></text></g></g></svg>"##;

    #[test]
    fn shapes_and_words_are_left() {
        let cleaned = clean(DRAWN, "abc", Form::Narrow, Some("pool")).unwrap();
        let wanted = "<svg class=\"pic mm narrow\" viewBox=\"0 0 67.3 20\" font-size=\"13\" \
            style=\"max-width:68px;--s:var(--server-pool)\" role=\"img\" \
            aria-labelledby=\"dabc-narrow-t dabc-narrow-d\">\n<title id=\"dabc-narrow-t\">A</title>\n\
            <desc id=\"dabc-narrow-d\">B &amp; C</desc>\n\
            <marker id=\"dabc-narrow-end\"><path d=\"M0,0\"/></marker>\
            <path class=\"flowchart-link\" d=\"M1.3,2L3,0\" marker-end=\"url(#dabc-narrow-end)\"/>\
            <g class=\"node thread\"><text y=\"-10.1\"><tspan>a &lt; b</tspan></text></g>\n</svg>\n";
        assert_eq!(cleaned, wanted);
    }

    #[test]
    fn what_a_page_does_not_take_is_refused() {
        for (part, other, fault) in [
            ("<g/>", "<foreignObject/>", "<foreignObject>"),
            ("<desc>B &amp; C</desc>", "", "accDescr"),
            ("<title>A</title>", "<title> </title>", "accTitle"),
        ] {
            let error = clean(&DRAWN.replace(part, other), "abc", Form::Wide, None).unwrap_err();
            assert!(format!("{error:#}").contains(fault), "{error:#}");
        }
    }
}
