//! The finished element of a chart: named, described in words, in the theme's colours.

use records::{description::ChartKind, sessions::Set, store::machine_name};

use crate::{
    charts::{canvas::Drawing, ink::themed, sheet::Sheet},
    disturbed,
    figure_names::words,
    sets::Sets,
    text::escape,
};

/// The element as the page has it: named, described, in the theme's colours.
pub fn finish(
    id: &str,
    sheet: Sheet,
    chart: &Drawing,
    (title, description): (&str, &str),
) -> String {
    let body = chart.svg.split_once('>').map_or("", |(_, body)| body);
    format!(
        "<svg class=\"pic {}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\
         <title id=\"{id}-title\">{}</title><desc id=\"{id}-desc\">{}</desc>{}",
        sheet.class,
        sheet.width,
        chart.height,
        escape(title),
        escape(description),
        themed(body)
    )
}

/// The figures of a chart in words, for those who do not see it.
pub fn description(sets: Sets) -> String {
    let kind = match sets.experiment().chart.kind {
        ChartKind::Bars => "Bars",
        ChartKind::Lines => "Lines",
    };
    let what = words(&sets.experiment().metric);
    let figures = |set: Set| {
        let variants = sets.experiment().variants.iter();
        let lines = variants.filter_map(|variant| set.summary.line(&variant.name));
        let figures = lines.map(|line| format!("{}: {}", line.name, disturbed::median(line)));
        figures.collect::<Vec<_>>().join("; ")
    };
    match sets.yours {
        None => format!("{kind}: {what}. {}.", figures(sets.ours)),
        Some(yours) => format!(
            "{kind}: {what}. This book's machine, {}: {}. Yours, {}: {}.",
            machine_name(sets.ours.record),
            figures(sets.ours),
            machine_name(yours.record),
            figures(yours)
        ),
    }
}
