// A histogram of how long requests took.

import { coloursOf, contextOf, ticks, timeText } from "./canvas.js";

const HEIGHT = 160;
const [LEFT, RIGHT, TOP, BOTTOM] = [40, 12, 28, HEIGHT - 26];

/**
 * A bar for each range, and the marks that people ask for.
 * @param {HTMLCanvasElement} canvas
 * @param {number[]} latencies
 * @param {[string, number][]} marks
 */
export function drawHistogram(canvas, latencies, marks) {
    const width = canvas.clientWidth;
    if (width === 0) {
        return;
    }
    canvas.style.height = `${HEIGHT}px`;
    const palette = coloursOf(canvas);
    const context = contextOf(canvas, width, HEIGHT);
    const longest = latencies.reduce((most, value) => Math.max(most, value), 0);
    const limit = longest === 0 ? 1 : longest * 1.08;
    const inner = width - LEFT - RIGHT;
    const x = (/** @type {number} */ value) => LEFT + (value / limit) * inner;
    context.font = `12px ${palette.font}`;
    context.textBaseline = "middle";
    context.fillStyle = palette.server;
    const tallest = drawBars(context, latencies, limit, inner);
    context.fillStyle = palette.axis;
    context.fillRect(LEFT, BOTTOM, inner, 1);
    context.fillStyle = palette.fg;
    context.textAlign = "right";
    context.fillText(String(tallest), LEFT - 6, TOP + 5);
    context.fillText("0", LEFT - 6, BOTTOM - 5);
    context.textAlign = "center";
    for (const mark of ticks(0, limit, inner / 78)) {
        const label = timeText(mark);
        const half = context.measureText(label).width / 2;
        context.fillText(label, Math.min(x(mark), width - half - 1), BOTTOM + 14);
    }
    context.fillStyle = palette.fg;
    for (const [, value] of marks) {
        context.fillRect(x(value) - 0.75, 20, 1.5, BOTTOM - 20);
    }
    context.fillStyle = palette.fg;
    for (const { at, names } of groupsOf(marks, x)) {
        const label = names.join(", ");
        const half = context.measureText(label).width / 2;
        context.fillText(label, Math.min(Math.max(at, LEFT + half), width - half - 1), 9);
    }
}

/**
 * Draws the bars; returns how many are in the tallest.
 * @param {CanvasRenderingContext2D} context
 * @param {number[]} latencies
 * @param {number} limit
 * @param {number} inner the width of all bars
 */
function drawBars(context, latencies, limit, inner) {
    /** @type {number[]} */
    const bins = new Array(Math.max(12, Math.min(48, Math.floor((inner + LEFT + RIGHT) / 12)))).fill(0);
    for (const value of latencies) {
        bins[Math.min(bins.length - 1, Math.floor((value / limit) * bins.length))] += 1;
    }
    const tallest = bins.reduce((most, count) => Math.max(most, count), 1);
    bins.forEach((count, index) => {
        const length = (count / tallest) * (BOTTOM - TOP);
        const left = LEFT + (index / bins.length) * inner;
        context.fillRect(left + 0.5, BOTTOM - length, inner / bins.length - 1, length);
    });
    return tallest;
}

/**
 * Marks that are close together share a label.
 * @param {[string, number][]} marks
 * @param {(value: number) => number} x
 */
function groupsOf(marks, x) {
    /** @type {{ at: number, names: string[] }[]} */
    const groups = [];
    for (const [name, value] of marks) {
        const at = x(value);
        const last = groups.at(-1);
        if (last && at - last.at < 40 + 30 * (last.names.length - 1)) {
            last.names.push(name);
        } else {
            groups.push({ at, names: [name] });
        }
    }
    return groups;
}
