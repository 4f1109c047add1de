// What drawings of the lab share: colours and sharpness of a canvas, the marks of an axis, and how a time is written.

/** @typedef {ReturnType<typeof coloursOf>} Colours */

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
 * The theme's colours, as the page has them now.
 * @param {Element} element
 */
export function coloursOf(element) {
    const style = getComputedStyle(element);
    const of = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    return {
        fg: of("--fg"),
        bg: of("--bg"),
        axis: of("--chart-axis"),
        grid: of("--chart-grid"),
        server: of("--s"),
        font: style.fontFamily,
    };
}

/**
 * Makes the canvas as sharp as the screen, and gives its context, in CSS pixels.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function contextOf(canvas, width, height) {
    const scale = Math.min(window.devicePixelRatio || 1, 3);
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(height * scale);
    }
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
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
