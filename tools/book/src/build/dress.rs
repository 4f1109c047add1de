//! What each page says of itself: its own title and description, a preview for those who link to it, the names of its
//! neighbours, and when it was changed last. mdBook has the same words on all pages, or none.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use anyhow::{Context, Result};
use mdbook_driver::book::Chapter;
use mdbook_renderer::RenderContext;
use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::Regex;

use super::{listings::Files, where_am_i};
use pictures::text::escape;

use crate::published;

/// The picture for previews: the race of the introduction when it has ended.
const PREVIEW: &str = "images/race.png";
/// A search engine shows about as many letters of a description.
const DESCRIPTION: usize = 200;
/// What git would say of the pages' days, in an archive without its history: `tools/release.sh` writes it.
pub(crate) const DAYS: &str = "page-days.txt";
/// How git is asked: each day with the pages of that day below it, the newest first.
const ASK: [&str; 4] = ["log", "--format=%x00%cd", "--date=format:%-d %B %Y", "--name-only"];

/// The page with the notes for teachers of all pages.
pub(super) const NOTES: &str = "teachers-notes.md";
/// The notes for one page in there, as `records::workshop::notes` lays them out.
static SHEET: LazyLock<Regex> = LazyLock::new(|| {
    let start = r#"<details class="sheet".*?<a href="([\w-]+\.html)">The page</a></p>"#;
    Regex::new(&format!("(?s){start}\n(.*?)</details>")).expect("a correct expression")
});

/// A page with what stands before and after it.
#[derive(Clone)]
struct Known {
    /// Its HTML, from the folder of the pages.
    path: PathBuf,
    title: String,
    description: String,
    previous: Option<String>,
    next: Option<String>,
    day: Option<String>,
    /// The line above its title.
    line: Option<String>,
}

/// The pages of a book by the path of their HTML.
pub(crate) struct Pages {
    book: String,
    /// The address of the folder that holds the pages, where the book has one.
    site: Option<String>,
    files: Files,
    pages: BTreeMap<PathBuf, Known>,
}

impl Pages {
    /// What a book is about to show, all directives filled in. Fails when it can't be told where a page stands.
    pub(crate) fn of(context: &RenderContext) -> Result<Self> {
        let chapters: Vec<&Chapter> =
            context.book.chapters().filter(|chapter| chapter.path.is_some()).collect();
        let mut days = days(&context.root, &context.config.book.src);
        let title = context.config.book.title.clone().unwrap_or_default();
        let mut lines = where_am_i::lines(context)?;
        let mut pages = BTreeMap::new();
        for (index, chapter) in chapters.iter().enumerate() {
            let name =
                |at: Option<usize>| at.and_then(|at| chapters.get(at)).map(|it| it.name.clone());
            let source = chapter.source_path.clone().unwrap_or_default();
            let path = chapter.path.clone().unwrap_or_default();
            let known = Known {
                path: path.with_extension("html"),
                title: chapter.name.clone(),
                // The first page begins with a picture, and is found as the book.
                description: match index {
                    0 => context.config.book.description.clone().unwrap_or_default(),
                    _ => first_paragraph(&chapter.content),
                },
                previous: name(index.checked_sub(1)),
                next: name(Some(index + 1)),
                day: days.remove(&source),
                line: lines.remove(&path),
            };
            pages.insert(path.with_extension("html"), known);
        }
        // mdBook shows the first page under a second name.
        let first = chapters.first().and_then(|chapter| chapter.path.as_ref());
        if let Some(known) = first.and_then(|path| pages.get(&path.with_extension("html"))) {
            pages.insert("index.html".into(), known.clone());
        }
        // Without a colon and what follows it, as a tab has little room.
        let book = title.split(':').next().unwrap_or_default().to_owned();
        let site = published::site(&context.config)
            .and_then(|site| Some(format!("{}{}", site.origin?, site.folder)));
        Ok(Self { book, site, files: Files::of(&context.config), pages })
    }

    /// Dresses all pages in a folder.
    pub(crate) fn dress_all(&self, folder: &Path) -> Result<()> {
        let notes = notes(folder)?;
        for path in self.pages.keys() {
            let file = folder.join(path);
            let page = std::fs::read_to_string(&file)
                .with_context(|| format!("mdBook did not render {}", file.display()))?;
            std::fs::write(&file, self.dress(path, &page, &notes))
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(())
    }

    /// A page as mdBook has rendered it, with what it says of itself.
    pub(crate) fn dress(&self, path: &Path, page: &str, notes: &Notes) -> String {
        let Some(known) = self.pages.get(path) else { return page.to_owned() };
        let mut dressed = between(page, "<title>", "</title>", &escape(&self.title(known)));
        if !known.description.is_empty() {
            let before = "<meta name=\"description\" content=\"";
            dressed = between(&dressed, before, "\">", &escape(&known.description));
        }
        // The first page keeps the book's name above it.
        if known.previous.is_some() {
            let before = "<h1 class=\"menu-title\">";
            dressed = between(&dressed, before, "</h1>", &escape(&known.title));
        }
        dressed =
            dressed.replacen("</head>", &format!("{}    </head>", self.preview(path, known)), 1);
        for (rel, class, name) in
            [("prev", "previous", &known.previous), ("next prefetch", "next", &known.next)]
        {
            if let Some(name) = name {
                dressed = name_neighbour(&dressed, rel, class, name);
            }
        }
        dressed = self.files.head(&dressed);
        if let Some(line) = &known.line {
            dressed = dressed.replacen("<main>", &format!("{line}\n<main>"), 1);
        }
        if let Some(day) = &known.day {
            let edition = env!("CARGO_PKG_VERSION");
            let foot = format!(
                "<footer class=\"page-foot\">Changed last on {day}, edition {edition}.</footer>\n</main>"
            );
            dressed = dressed.replacen("</main>", &foot, 1);
        }
        if let Some(own) = notes.get(&known.path) {
            dressed = dressed.replacen("</main>", &format!("{own}</main>"), 1);
        }
        dressed
    }

    fn title(&self, known: &Known) -> String {
        if known.previous.is_none() {
            return format!("{}: concurrency in Rust", self.book);
        }
        format!("{} - {}", known.title, self.book)
    }

    /// What those show who link to a page. Its own address stands in it once the book has one.
    fn preview(&self, path: &Path, known: &Known) -> String {
        let mut lines = vec![
            ("og:type", "article".to_owned()),
            ("og:site_name", self.book.clone()),
            ("og:title", self.title(known)),
            ("og:description", known.description.clone()),
        ];
        let mut canonical = String::new();
        if let Some(site) = &self.site {
            let first = known.previous.is_none();
            let page = if first { String::new() } else { path.display().to_string() };
            let address = format!("{site}{page}");
            canonical = format!("    <link rel=\"canonical\" href=\"{}\">\n", escape(&address));
            lines.push(("og:url", address));
            lines.push(("og:image", format!("{site}{PREVIEW}")));
        }
        let meta = lines.iter().map(|(name, value)| {
            format!("    <meta property=\"{name}\" content=\"{}\">\n", escape(value))
        });
        canonical + &meta.collect::<String>()
    }
}

/// What each page hides for its teacher, by the page's path.
pub(crate) type Notes = BTreeMap<PathBuf, String>;

/// The notes for teachers that mdBook has rendered in a folder, each for its page, in a `template`, which no browser shows:
/// book/teach reads it there. mdBook's search knows all that a page has, so they are no part of it before that is made.
pub(crate) fn notes(folder: &Path) -> Result<Notes> {
    let file = folder.join(NOTES).with_extension("html");
    if !file.is_file() {
        return Ok(Notes::new());
    }
    let page = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}", file.display()))?;
    let sheets = SHEET.captures_iter(&page).map(|sheet| {
        let name = &sheet[1];
        let own = sheet[2].replace(&format!("href=\"{name}#"), "href=\"#");
        let summary = "<summary>For teachers</summary>";
        let template = format!(
            "<template class=\"for-teachers\">\n<details>\n{summary}\n{own}</details>\n</template>\n"
        );
        (PathBuf::from(name), template)
    });
    Ok(sheets.collect())
}

/// `page` with `new` in place of what stands between the first `before` and the `after` behind it.
fn between(page: &str, before: &str, after: &str, new: &str) -> String {
    let parts = page.split_once(before).and_then(|(start, rest)| {
        let (_, end) = rest.split_once(after)?;
        Some(format!("{start}{before}{new}{after}{end}"))
    });
    parts.unwrap_or_else(|| page.to_owned())
}

/// The arrow below a page gets the name of where it leads, in sight and for a screen reader.
fn name_neighbour(page: &str, rel: &str, class: &str, name: &str) -> String {
    let start = format!("<a rel=\"{rel}\" href=\"");
    let class = format!("class=\"mobile-nav-chapters {class}\"");
    let name = escape(name);
    let named = page.match_indices(&start).find_map(|(at, _)| {
        let length = page[at..].find("</a>")?;
        let link = &page[at..at + length];
        if !link.contains(&class) {
            return None;
        }
        let spoken = link.replace(" chapter\" aria-label=", " page\" aria-label=");
        let spoken = spoken
            .replace(" chapter\" aria-keyshortcuts", &format!(" page: {name}\" aria-keyshortcuts"));
        Some(format!("{}{spoken}<span>{name}</span>{}", &page[..at], &page[at + length..]))
    });
    named.unwrap_or_else(|| page.to_owned())
}

/// The words of a page's first paragraph that is not folded: whole sentences, as many as fit.
fn first_paragraph(page: &str) -> String {
    let mut words: Option<String> = None;
    let mut open = 0;
    let mut folds = 0;
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                folds += html.matches("<details").count();
                folds -= html.matches("</details>").count().min(folds);
            }
            Event::Start(tag) => {
                if open == 0 && folds == 0 && tag == Tag::Paragraph {
                    words = Some(String::new());
                }
                open += 1;
            }
            Event::End(_) => {
                open -= 1;
                // A paragraph that is HTML only has no words.
                let read = if open == 0 { words.take() } else { None };
                if let Some(words) = read.filter(|words| words.contains(' ')) {
                    return shorten(words.trim());
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(words) = &mut words {
                    words.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(words) = &mut words {
                    words.push(' ');
                }
            }
            _ => {}
        }
    }
    String::new()
}

fn shorten(words: &str) -> String {
    if words.chars().count() <= DESCRIPTION {
        return words.to_owned();
    }
    let head: String = words.chars().take(DESCRIPTION).collect();
    match head.rfind(". ") {
        Some(end) if end > 40 => head[..=end].to_owned(),
        _ => head.rsplit_once(' ').map_or(head.clone(), |(whole, _)| format!("{whole} …")),
    }
}

/// The day on which each page was changed last, by its path below `source`: from git, or from the file of an archive.
fn days(root: &Path, source: &Path) -> BTreeMap<PathBuf, String> {
    let listed = std::fs::read_to_string(root.join(source).join(DAYS)).ok();
    let text = listed.or_else(|| {
        // In a clone without its history, all pages seem to be of the last day.
        if root.join(".git/shallow").exists() {
            return None;
        }
        let mut git = Command::new("git");
        git.arg("-C").arg(root).args(ASK);
        let printed = git.arg("--").arg(source).output().ok().filter(|it| it.status.success())?;
        String::from_utf8(printed.stdout).ok()
    });
    let mut days = BTreeMap::new();
    let mut day = "";
    for line in text.unwrap_or_default().lines() {
        if let Some(new) = line.strip_prefix('\0') {
            day = new;
        } else if let Ok(page) = Path::new(line).strip_prefix(source) {
            days.entry(page.to_path_buf()).or_insert_with(|| day.to_owned());
        }
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_a_pages_first_words() {
        let page = "# A\n\n<p class=\"x\">no</p>\n\n- a list of words\n\nA *thread* waits\nfor `accept`. And on.\n\nMore of it.\n";
        assert_eq!(first_paragraph(page), "A thread waits for accept. And on.");
        let long = format!(
            "One sentence is here, and it is long enough to be shown. {}",
            "word ".repeat(60)
        );
        assert_eq!(shorten(&long), "One sentence is here, and it is long enough to be shown.");
        assert_eq!(first_paragraph("# A\n"), "");
        let folded = "# A\n\n<details>\n<summary>About it</summary>\n\nNo word of it.\n\n</details>\n\nIt is so.\n";
        assert_eq!(first_paragraph(folded), "It is so.");
        // The figures of a race are read by a screen reader, and are no sentence.
        assert_eq!(
            first_paragraph("# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nIt is so.\n"),
            "It is so."
        );
    }

    #[test]
    fn an_arrow_below_a_page_has_the_name_of_its_neighbour() {
        let link = |class: &str| {
            format!(
                "<a rel=\"prev\" href=\"a.html\" class=\"{class}\" title=\"Previous chapter\" \
                 aria-label=\"Previous chapter\" aria-keyshortcuts=\"Left\"><svg></svg></a>"
            )
        };
        let page = link("mobile-nav-chapters previous") + &link("nav-chapters previous");
        let named = name_neighbour(&page, "prev", "previous", "A & B");
        let spoken = "aria-label=\"Previous page: A &amp; B\"";
        assert_eq!(named.matches(spoken).count(), 1, "{named}");
        assert_eq!(named.matches("<svg></svg><span>A &amp; B</span></a>").count(), 1, "{named}");
        assert!(named.ends_with(&link("nav-chapters previous")), "{named}");
    }
}
