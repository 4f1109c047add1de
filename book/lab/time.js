// How a time is written, and where an axis has its numbers.

/**
 * Simulated milliseconds for a person.
 * @param {number} ms
 */
export function timeText(ms) {
    if (ms >= 1000) {
        return `${trim((ms / 1000).toFixed(ms < 10_000 ? 3 : 2))} s`;
    }
    return `${trim(ms.toFixed(ms < 10 ? 2 : 1))} ms`;
}

/** @param {string} text */
function trim(text) {
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/**
 * Distances between the marks of an axis: 1, 2 or 5 times a power of ten, at most `most` of them.
 * @param {number} from
 * @param {number} to
 * @param {number} most
 */
export function ticks(from, to, most) {
    const rough = (to - from) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? 10 * power;
    const marks = [];
    for (let count = Math.ceil(from / step - 1e-9); count * step <= to + step * 1e-9; count += 1) {
        marks.push(count * step);
    }
    return marks;
}
