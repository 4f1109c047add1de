//! The finished element of a chart: named, described in words, in the theme's colours.

use std::fmt::Write;

use records::{description::ChartKind, sessions::Set, store::machine_name};

use crate::{
    charts::{canvas::Drawing, ink::themed, sheet::Sheet},
    disturbed,
    figure_names::words,
    sets::Sets,
    text::escape,
};

/// The element as it stands in the page: named, described, in the theme's colours.
pub fn finish(id: &str, sheet: Sheet, chart: &Drawing, sets: Sets) -> String {
    let body = chart.svg.split_once('>').map_or("", |(_, body)| body);
    let title = escape(&sets.experiment().title);
    let hatch = match sets.yours {
        None => String::new(),
        Some(_) => format!(
            "<defs><pattern id=\"{id}-hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><path d=\"M1.5 0V6\" stroke=\"var(--chart-2)\" stroke-width=\"3\"/>\
             </pattern></defs>"
        ),
    };
    format!(
        "<svg class=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\
         <title id=\"{id}-title\">{title}</title><desc id=\"{id}-desc\">{}</desc>{hatch}{}",
        sheet.class,
        sheet.width,
        chart.height,
        escape(&description(sets)),
        themed(body, id)
    )
}

/// The figures of a chart in words, for those who do not see it.
fn description(sets: Sets) -> String {
    let kind = match sets.experiment().chart.kind {
        ChartKind::Bars => "Bars",
        ChartKind::Lines => "Lines",
    };
    let mut text = format!("{kind}: {}.", words(&sets.experiment().metric));
    let list = |text: &mut String, set: Set| {
        let lines = set.record.experiment.variants.iter();
        let lines: Vec<String> = lines
            .filter_map(|variant| set.summary.line(&variant.name))
            .map(|line| format!("{}: {}", line.name, disturbed::median(line)))
            .collect();
        let _ = write!(text, " {}.", lines.join("; "));
    };
    if sets.yours.is_some() {
        let _ = write!(text, " This book's machine, {}:", machine_name(sets.ours.record));
    }
    list(&mut text, sets.ours);
    if let Some(yours) = sets.yours {
        let _ = write!(text, " Yours, {}:", machine_name(yours.record));
        list(&mut text, yours);
    }
    text
}
