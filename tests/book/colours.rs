//! The colours of pictures: each is seen on every ground, and no two servers are taken for each other.

use std::{collections::BTreeSet, path::Path};

use ladder_tests::none;
use palette::{
    Hsl, IntoColor, Lab, LinSrgb, Srgb,
    color_difference::{Ciede2000, Wcag21RelativeContrast},
};
use records::servers::{FOREIGN, SERVERS};
use regex::Regex;

use super::repository::{files_below, package, read, root};

/// How far two servers are apart at least, in CIEDE2000; for readers who lack one of the three kinds of cones, to whom
/// the signs say the rest.
const APART: [(f32, &str, [[f32; 3]; 3]); 4] = [
    (15.0, "all colours", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    // Machado, Oliveira and Fernandes, 2009: what is left of linear red, green and blue.
    (
        9.0,
        "no red",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        10.0,
        "no green",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_82, 0.042_94, 0.968_881],
        ],
    ),
    (
        7.0,
        "no blue",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_9],
        ],
    ),
];

/// A colour of the book: its name, what it is on light grounds and what on dark ones.
type Token = (String, [Srgb; 2]);

fn tokens() -> Vec<Token> {
    let css = read("book/theme/pictures.css");
    let token = r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);";
    let token = Regex::new(token).expect("it is correct");
    let colour = |text: &str| text.parse::<Srgb<u8>>().expect("a colour").into_format();
    token
        .captures_iter(&css)
        .map(|found| (found[1].to_owned(), [colour(&found[2]), colour(&found[3])]))
        .collect()
}

/// The grounds of mdBook's themes, as its own style sheet has them: those of light themes, and those of dark ones.
fn grounds() -> [Vec<(String, Srgb)>; 2] {
    let manifest = package("mdbook-html")["manifest_path"].as_str().expect("a path");
    let folder = Path::new(manifest).parent().expect("a folder");
    let css = read(folder.join("front-end/css/variables.css"));
    let theme = r"\n\.(\w+)[^{]* \{([^}]*--bg: hsl\((\d+), (\d+)%, (\d+)%\);[^}]*)\}";
    let theme = Regex::new(theme).expect("it is correct");
    let mut grounds = [Vec::new(), Vec::new()];
    for found in theme.captures_iter(&css) {
        let number = |group: usize| found[group].parse::<f32>().expect("a number");
        let ground = Hsl::new(number(3), number(4) / 100.0, number(5) / 100.0).into_color();
        let is_dark = found[2].contains("--color-scheme: dark;");
        grounds[usize::from(is_dark)].push((found[1].to_owned(), ground));
    }
    grounds
}

/// The least contrast that a colour may have with its ground (WCAG 2.2, 1.4.3 and 1.4.11).
fn least_contrast(name: &str) -> f32 {
    match name {
        // It carries nothing.
        "chart-grid" => 1.0,
        "chart-axis" => 3.0,
        _ => 4.5,
    }
}

#[test]
fn every_colour_is_seen_on_every_ground() {
    let grounds = grounds();
    let names: Vec<_> = grounds.iter().flatten().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        BTreeSet::from_iter(names),
        BTreeSet::from(["ayu", "coal", "light", "navy", "rust"])
    );
    let mut complaints = Vec::new();
    for (name, colours) in tokens() {
        for (colour, grounds) in colours.iter().zip(&grounds) {
            for (theme, ground) in grounds {
                let contrast = colour.relative_contrast(*ground);
                if contrast < least_contrast(&name) {
                    complaints.push(format!("--{name} on {theme} has {contrast:.2} to 1"));
                }
            }
        }
    }
    none(complaints);
}

/// Pictures in a box of their own, such as the lab, stand on the page's ground: that is where their colours are seen.
/// Paper is white, as a light theme is.
#[test]
fn no_style_sheet_of_ours_has_another_ground() {
    let sheets = files_below(&root().join("book")).into_iter();
    let sheets = sheets.filter(|path| path.extension().is_some_and(|ending| ending == "css"));
    let others = sheets.filter(|path| !path.ends_with("paper.css") && read(path).contains("--bg:"));
    let others: Vec<_> = others.collect();
    assert!(others.is_empty(), "{others:?}");
}

/// A colour as it is seen by these cones.
fn seen(colour: Srgb, matrix: &[[f32; 3]; 3]) -> Lab {
    let (red, green, blue) = colour.into_linear::<f32>().into_components();
    let [red, green, blue] =
        matrix.map(|row| (row[0] * red + row[1] * green + row[2] * blue).clamp(0.0, 1.0));
    LinSrgb::new(red, green, blue).into_color()
}

#[test]
fn no_server_is_taken_for_another() {
    let servers: Vec<Token> =
        tokens().into_iter().filter(|(name, _)| name.starts_with("server-")).collect();
    let mut complaints = Vec::new();
    for (least, kind, matrix) in &APART {
        for (index, (one, colours)) in servers.iter().enumerate() {
            for (other, others) in &servers[..index] {
                for theme in 0..2 {
                    let [a, b] = [colours[theme], others[theme]].map(|it| seen(it, matrix));
                    let apart = a.difference(b);
                    if apart < *least {
                        complaints.push(format!("{one} and {other}, {kind}: {apart:.1} apart"));
                    }
                }
            }
        }
    }
    none(complaints);
}

#[test]
fn every_server_has_a_colour_of_the_style_sheet() {
    let tokens = tokens();
    let known = tokens.iter().filter_map(|(name, _)| name.strip_prefix("server-")).collect();
    let used =
        SERVERS.iter().filter_map(|server| server.colour.as_deref()).collect::<BTreeSet<_>>();
    assert_eq!(used, known);
    let others = FOREIGN.iter().filter(|server| {
        server.colour.as_ref().is_some_and(|colour| !used.contains(colour.as_str()))
    });
    none(others.map(|server| format!("{} has the colour of no rung", server.name)).collect());
    let css = read("book/theme/pictures.css");
    let on_a_stage = |name: &&str| {
        css.contains(&format!(".pic .of-{name} {{\n    --s: var(--server-{name});\n}}"))
    };
    none(used.into_iter().filter(|name| !on_a_stage(name)).map(str::to_owned).collect());
}

#[test]
fn a_model_of_the_lab_has_the_colour_of_its_server() {
    let css = read("book/lab/lab.css");
    // Several servers share the model of tasks, which is drawn as Tokio.
    let models =
        SERVERS.iter().filter_map(|it| Some((&it.name, it.lab.as_ref()?, it.colour.as_ref()?)));
    let single = models.filter(|(_, model, _)| *model != "tasks");
    let missing = single.filter(|(_, model, colour)| {
        let model = format!("[data-model=\"{model}\"]");
        let colour = format!("--s: var(--server-{colour});");
        !css.split('}').any(|rule| rule.contains(&model) && rule.contains(&colour))
    });
    none(missing.map(|(name, ..)| format!("{name} has another colour in lab.css")).collect());
}
