// The questions of the chapters, as settings of the lab. questions.json has them all, and the pages their words from it.

import questions from "./questions.json" with { type: "json" };

/**
 * @typedef {object} Answer
 * @property {string} text
 * @property {string} why is shown with the result
 * @property {boolean} [right] one of them is
 *
 * @typedef {object} Preset
 * @property {string} name in a link, and in a page's `{{#lab NAME}}`
 * @property {string} title what the list calls it
 * @property {string} [server] the server of the ladder that it is about: its model and its threads are the settings'
 * @property {string} question what the reader answers before the run
 * @property {string} given the settings in words
 * @property {Answer[]} answers
 * @property {string} reveal what to see in the picture and in the figures
 * @property {string[]} knobs the settings that a small lab offers, and the ones to turn first
 * @property {SomeSettings} settings what differs from the lab's defaults
 * @property {{ label: string, settings: SomeSettings }} [beside] another server for the same clients, for the table
 * @property {{ figure: string, value: number }} holds a figure of the result, which the simulator and the law give too
 * @typedef {import("./options.js").SomeSettings} SomeSettings
 */

/** @type {Record<string, Preset>} */
export const presets = Object.fromEntries(questions.map((question) => [question.name, question]));
