//! The canvases on which charts are drawn, how much room a text takes there, and the finished element.

use crate::text::escape;

/// The canvas that a chart is drawn on, in the pixels of its own coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canvas {
    /// The class of its element.
    pub class: &'static str,
    /// How wide it is.
    pub width: i32,
    /// The size of the text.
    pub text: i32,
    /// The height of the area of a line chart.
    pub height: i32,
    /// About how many numbers fit below the horizontal axis.
    pub ticks: usize,
}

/// For columns of more than 660 px, where its text has at least 12 px.
pub const WIDE: Canvas = Canvas { class: "wide", width: 720, text: 14, height: 300, ticks: 6 };
/// For phones: from 280 px on, its text has at least 11 px.
pub const NARROW: Canvas = Canvas { class: "narrow", width: 340, text: 13, height: 240, ticks: 4 };

impl Canvas {
    /// From one line of text to the next.
    pub fn line_height(self) -> i32 {
        self.text + 6
    }
}

/// About how wide a text is. The reader's font is not known here, so this is rather too much.
pub fn width(text: &str, canvas: Canvas) -> i32 {
    let letter_width = |letter: char| match letter {
        letter if "ijltfrI.,:;'|()/ ".contains(letter) => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.92,
        'A'..='Z' => 0.72,
        _ => 0.6,
    };
    let em: f64 = text.chars().map(letter_width).sum();
    (em * f64::from(canvas.text)).ceil() as i32
}

/// About how wide the widest of these texts is.
pub fn widest<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, canvas: Canvas) -> i32 {
    texts.into_iter().map(|text| width(text.as_ref(), canvas)).max().unwrap_or(0)
}

/// The text in lines of at most this width, broken at spaces.
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

/// A drawing as an element of a page: named, and described for those who do not see it. `id` is unique in the book;
/// `data` are more attributes.
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
