// The axes of the chart beside a law.

/** @typedef {[number, number, number, number]} Plotted what the axes surround: left, top, right, bottom */
/** @typedef {{ name: string, ticks: { at: number, value: number }[] }} Axis */

/**
 * A number with two digits that count.
 * @param {number} value
 */
const roughly = (value) =>
    value.toLocaleString("en", { maximumSignificantDigits: 2, useGrouping: value >= 1000 ? "always" : false });

/**
 * @param {Plotted} plot
 * @param {Axis} up
 * @param {Axis} across
 */
function drawAxes([left, top, right, bottom], up, across) {
    const grid = up.ticks.flatMap(({ at, value }) => [
        draw("path", { class: "grid", d: `M${left},${at}H${right}` }),
        draw("text", { x: left - 6, y: at + 4, "text-anchor": "end" }, roughly(value)),
    ]);
    const below = across.ticks.map(({ at, value }) =>
        draw("text", { x: at, y: bottom + 16, "text-anchor": "middle" }, roughly(value)),
    );
    return [
        ...grid,
        draw("path", { class: "axis", d: `M${left},${top}V${bottom}H${right}` }),
        draw("text", { y: 12 }, up.name),
        ...below,
        draw("text", { x: right, y: bottom + 31, "text-anchor": "end" }, across.name),
    ];
}
