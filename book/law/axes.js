// The axes of a picture that answers: of a law's curve and of one that is guessed.

/** @typedef {{ log: boolean, low: number, high: number, from: number, to: number }} Scale */
/** @typedef {[number, number, number, number]} Plotted what the axes surround: left, top, right, bottom */
/** @typedef {{ name: string, ticks: { at: number, value: number }[] }} Axis */

/**
 * Where a value lies on a sheet, and which value lies there.
 * @param {Scale} scale
 */
function scaleOf({ log, low, high, from, to }) {
    const scaled = log ? Math.log10 : (/** @type {number} */ value) => value;
    const back = log ? (/** @type {number} */ value) => 10 ** value : (/** @type {number} */ value) => value;
    const [least, most] = [scaled(low), scaled(high)];
    return {
        at: (/** @type {number} */ value) => from + ((scaled(value) - least) / (most - least)) * (to - from),
        value: (/** @type {number} */ at) => back(least + ((at - from) / (to - from)) * (most - least)),
    };
}

/**
 * Round numbers between two ends.
 * @param {boolean} log
 * @param {number} low
 * @param {number} high
 */
function roundNumbers(log, low, high) {
    if (log) {
        const powers = Array.from({ length: 16 }, (_, index) => 10 ** (index - 4));
        return powers.filter((power) => power >= low && power <= high);
    }
    const step = 10 ** Math.floor(Math.log10(high / 2));
    const by = high / step > 5 ? 2 * step : step;
    return Array.from({ length: Math.floor(high / by) + 1 }, (_, index) => index * by);
}

/**
 * A number with two digits that count.
 * @param {number} value
 */
const roughly = (value) =>
    value.toLocaleString("en", { maximumSignificantDigits: 2, useGrouping: value >= 1000 ? "always" : false });

/**
 * The name of an axis, which says what its distances mean.
 * @param {string} name
 * @param {boolean} log
 */
const axisName = (name, log) => (log ? `${name}, logarithmic` : name);

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
