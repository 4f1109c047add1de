//! Where everything is on the sheet: a panel for each server, and the clock below them.

use serde::Serialize;

use crate::report::{
    charts::sheet::{NARROW, Sheet, WIDE},
    sign,
    stage::journey::Stage,
};

/// The measures of a panel, in pixels of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Form {
    #[serde(skip)]
    pub sheet: Sheet,
    #[serde(skip)]
    columns: usize,
    /// Between two panels that are side by side.
    #[serde(skip)]
    gap: i32,
    /// The width of a panel, and its height.
    pub wide: i32,
    #[serde(skip)]
    pub tall: i32,
    /// The middle of the request that is the first in line, where threads are at the right of it.
    #[serde(skip)]
    head: i32,
    /// From one request in line to the next.
    pub step: i32,
    /// The middle of the first box, and from one box to the next.
    #[serde(skip)]
    doors: i32,
    #[serde(skip)]
    pitch: i32,
    /// The middles of the upper and of the lower places.
    #[serde(skip)]
    rows: [i32; 2],
    /// The middle of both, where the line is.
    pub middle: f64,
    /// The middle of the row of clients, below the line.
    #[serde(skip)]
    clients: i32,
    pub foot: i32,
    pub radius: i32,
}

/// From one client to the next.
const CLIENT: i32 = 12;

const BROAD: Form = Form {
    sheet: WIDE,
    columns: 3,
    gap: 18,
    wide: 228,
    tall: 98,
    head: 90,
    step: 20,
    doors: 121,
    pitch: 25,
    rows: [38, 63],
    middle: 50.5,
    clients: 74,
    foot: 86,
    radius: 9,
};

const SLIM: Form = Form {
    sheet: NARROW,
    columns: 2,
    gap: 8,
    wide: 166,
    tall: 95,
    doors: 111,
    pitch: 22,
    rows: [36, 58],
    middle: 47.0,
    clients: 70,
    foot: 84,
    ..BROAD
};

const ALONE: Form = Form { sheet: NARROW, columns: 1, wide: 340, head: 150, doors: 185, ..BROAD };

impl Form {
    /// The forms for so many servers: one for each sheet, and for a single server one that suits both.
    pub fn all(servers: usize) -> &'static [Form] {
        if servers == 1 { &[ALONE] } else { &[BROAD, SLIM] }
    }
}

/// The place of a server on the sheet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Panel {
    #[serde(skip)]
    pub x: i32,
    #[serde(skip)]
    pub y: i32,
    /// The middle of the first in line.
    pub head: i32,
    pub clients: Vec<(i32, i32)>,
    /// The middles of its boxes, and of its tasks.
    pub boxes: Vec<(i32, f64)>,
    pub tasks: Vec<(i32, f64)>,
    /// From one answer to the next.
    pub answers: f64,
    /// The upper left corner of its sign when it is done.
    #[serde(skip)]
    pub landing: (i32, i32),
}

/// The clock: its bar from left to right, and the time at its right end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Clock {
    pub left: i32,
    pub right: i32,
    pub y: i32,
    pub last: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Layout {
    pub form: Form,
    pub panels: Vec<Panel>,
    pub clock: Clock,
    #[serde(skip)]
    pub height: i32,
}

impl Clock {
    pub fn place(&self, time: u64) -> f64 {
        let share = time.min(self.last) as f64 / self.last as f64;
        f64::from(self.left) + share * f64::from(self.right - self.left)
    }
}

impl Layout {
    /// The places of these servers; `last` is the time at the clock's right end.
    pub fn of(form: Form, stages: &[Stage], last: u64) -> Layout {
        let rows = stages.len().div_ceil(form.columns);
        let y = rows as i32 * (form.tall + 10) + 24;
        let clock = Clock { left: 7, right: form.sheet.width - 14, y, last };
        // Who comes in at about the same time stands in a row that ends there.
        let near = last / 20;
        let panels = stages.iter().enumerate().map(|(index, stage)| {
            let later = stages
                .iter()
                .filter(|other| (stage.end() + 1..stage.end() + near).contains(&other.end()));
            let aside: i32 = later.map(|other| sign::wide(other.server) + 3).sum();
            let wide = sign::wide(stage.server);
            let at = clock.place(stage.end()).round() as i32 - wide / 2 - aside;
            let at = at.clamp(0, form.sheet.width - wide);
            Panel::of(form, stage, index, (at, y - sign::HIGH - 6))
        });
        Layout { form, panels: panels.collect(), clock, height: y + form.sheet.text + 12 }
    }
}

impl Panel {
    fn of(form: Form, stage: &Stage, index: usize, landing: (i32, i32)) -> Panel {
        let (column, row) = ((index % form.columns) as i32, (index / form.columns) as i32);
        // Beside tasks the threads are nearer to the line, which is short there.
        let shift = if stage.tasks > 0 { form.pitch } else { 0 };
        let boxes = stage.boxes.div_ceil(2) as i32;
        let columns = boxes + stage.tasks.div_ceil(2) as i32;
        let room = form.wide - form.radius - 2 - (form.doors - shift);
        let pitch = form.pitch.min(room / (columns - 1).max(1));
        let places = |count: usize, first: i32| -> Vec<(i32, f64)> {
            let at = |place: usize| {
                let y = if count == 1 { form.middle } else { f64::from(form.rows[place % 2]) };
                (form.doors - shift + pitch * (first + place as i32 / 2), y)
            };
            (0..count).map(at).collect()
        };
        let clients = stage.clients() as i32;
        let beside = form.doors - shift - 2 * form.radius - 8;
        let apart = CLIENT.min(beside / (clients - 1).max(1));
        Panel {
            x: column * (form.wide + form.gap),
            y: row * (form.tall + 10),
            head: form.head - shift,
            clients: (0..clients).map(|it| (form.radius + it * apart, form.clients)).collect(),
            boxes: places(stage.boxes, 0),
            tasks: places(stage.tasks, boxes),
            answers: f64::from(form.wide - 12) / (stage.journeys.len() as f64 - 1.0).max(1.0),
            landing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_panel_and_no_sign_covers_another() {
        let rungs = ["ch01_single_threaded", "ch02_thread_spawn", "ch06_tokio"];
        let stages = rungs.map(Stage::recorded);
        for &form in Form::all(3) {
            let layout = Layout::of(form, &stages, 1_300_000);
            for panel in &layout.panels {
                let places = panel.boxes.iter().chain(&panel.tasks);
                let most = form.wide - form.radius;
                assert!(places.clone().all(|place| place.0 <= most), "{panel:?}");
                let line = panel.head - form.radius;
                assert!(line > 0 && places.clone().all(|place| place.0 > panel.head), "{panel:?}");
                assert!(panel.x + form.wide <= form.sheet.width, "{panel:?}");
                // Clients stand between the floor of the line and the answers, beside the boxes.
                let (floor, foot) = (form.middle + f64::from(form.radius) + 8.0, form.foot - 4);
                let first = places.map(|place| place.0).min().unwrap() - form.radius - 1;
                assert_eq!(panel.clients.len(), 6);
                assert!(panel.clients.iter().all(|&(x, y)| {
                    x - 4 >= 0 && x + 4 < first && f64::from(y - 5) > floor && y + 5 < foot
                }));
            }
            let mut landings: Vec<i32> = layout.panels.iter().map(|it| it.landing.0).collect();
            landings.sort_unstable();
            assert!(landings.windows(2).all(|two| two[1] - two[0] >= 18), "{landings:?}");
        }
        // A single server has the whole sheet.
        let alone = Form::all(1)[0];
        assert_eq!((Form::all(1).len(), alone.wide), (1, alone.sheet.width));
    }
}
