//! The canvases on which pictures are drawn, in two sizes; the room that a text takes there; and the finished element.

use crate::text::escape;

/// A canvas, in the pixels of its own coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canvas {
    /// The class of its element.
    pub class: &'static str,
    /// Its width.
    pub width: i32,
    /// The size of the text.
    pub text: i32,
    /// The height of the area of a line chart.
    pub height: i32,
    /// The number of numbers that fit below the horizontal axis, about.
    pub ticks: usize,
}

/// The canvas for columns of more than 660 px, where its text has at least 12 px.
pub const WIDE: Canvas = Canvas { class: "wide", width: 720, text: 14, height: 300, ticks: 6 };
/// The canvas for phones: from 280 px on, its text has at least 11 px.
pub const NARROW: Canvas = Canvas { class: "narrow", width: 340, text: 13, height: 240, ticks: 4 };

impl Canvas {
    /// Returns the distance from one line of text to the next.
    pub fn line_height(self) -> i32 {
        self.text + 6
    }
}

/// Estimates the width of a text. The reader's font is not known here, so this is rather too much.
pub fn width(text: &str, canvas: Canvas) -> i32 {
    let em: f64 = text.chars().map(letter_width).sum();
    (em * f64::from(canvas.text)).ceil() as i32
}

/// Estimates the width of a letter, as a part of the text's size.
fn letter_width(letter: char) -> f64 {
    match letter {
        letter if "ijltfrI.,:;'|()/ ".contains(letter) => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.92,
        'A'..='Z' => 0.72,
        _ => 0.6,
    }
}

/// Estimates the width of the widest of these texts.
pub fn widest<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, canvas: Canvas) -> i32 {
    texts.into_iter().map(|text| width(text.as_ref(), canvas)).max().unwrap_or(0)
}

/// Breaks a text at spaces, into lines of at most this width.
pub fn wrap(text: &str, most: i32, canvas: Canvas) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line)
                if width(line, canvas) + width(" ", canvas) + width(word, canvas) <= most =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Writes a drawing as an element of a page, with a title and a description for those who do not see it. `id` is unique
/// in the book; `data` are more attributes.
pub fn element(
    id: &str,
    (class, data): (&str, &str),
    (width, height): (i32, i32),
    (title, description): (&str, &str),
    body: &str,
) -> String {
    format!(
        "<svg class=\"pic {class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"{id}-title {id}-desc\"{data}><title id=\"{id}-title\">{}</title>\
         <desc id=\"{id}-desc\">{}</desc>{body}</svg>",
        escape(title),
        escape(description)
    )
}
