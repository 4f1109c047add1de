//! The exercises of an agenda, for `cargo xtask learn`.

use std::path::Path;

use anyhow::{Result, bail};

use crate::{
    agenda::{Agenda, Slot, named, of_page, read_agendas},
    notes::{EXERCISE, Notes, Part, read_notes},
};

/// The exercises that an agenda holds, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// What the agenda is called in `book/workshop.toml`.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// The names of its exercises.
    pub exercises: Vec<String>,
}

impl Order {
    /// The place of an exercise in it.
    pub fn place(&self, exercise: &str) -> Option<usize> {
        self.exercises.iter().position(|own| own == exercise)
    }
}

/// The exercises of the agenda of this name.
///
/// # Errors
/// When there is no such agenda, or no exercise in it, or something in it is not there.
pub fn order(root: &Path, name: &str) -> Result<Order> {
    let agendas = read_agendas(root)?;
    let notes = read_notes(root)?;
    let agenda = named(&agendas, name)?;
    let exercises = exercises_of(agenda, &notes)?;
    if exercises.is_empty() {
        let with = agendas.iter().filter(|agenda| {
            exercises_of(agenda, &notes).is_ok_and(|exercises| !exercises.is_empty())
        });
        let with: Vec<&str> = with.map(|agenda| agenda.name.as_str()).collect();
        bail!("the agenda `{name}` has no exercise; these have: {}", with.join(", "));
    }
    Ok(Order { name: agenda.name.clone(), title: agenda.title.clone(), exercises })
}

fn exercises_of(agenda: &Agenda, notes: &[Notes]) -> Result<Vec<String>> {
    let mut exercises = Vec::new();
    for slot in agenda.day.iter().flat_map(|day| &day.slots) {
        let Slot::Page { page, parts } = slot else { continue };
        let own = of_page(notes, page)?;
        for part in parts {
            exercises.extend(own.part(part)?.exercise().map(str::to_owned));
        }
    }
    Ok(exercises)
}

impl Part {
    /// The name of the exercise that it is, if it is one.
    fn exercise(&self) -> Option<&str> {
        let name = self.name.strip_prefix(EXERCISE)?.trim();
        Some(name.trim_matches('`')).filter(|_| self.is_exercise())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{book, with_slots};

    #[test]
    fn an_agenda_has_its_exercises_in_its_order() {
        let slots = "{ page = \"one\", parts = [\"exercise hard\", \"the server\"] }, { pause = 5 }, \
                     { page = \"one\", parts = [\"exercise\"] }";
        let order = order(book(&with_slots(slots)).path(), "short").unwrap();
        assert_eq!(order.exercises, ["hard", "easy"]);
        assert_eq!(order.title, "An hour");
        assert_eq!((order.place("easy"), order.place("another")), (Some(1), None));
    }
}
