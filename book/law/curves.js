// The chart beside a sentence that says a law: the rate by the number of clients, and where the sentence stands on it.

/** The sheet and the plot in it. */
const CURVE_SHEET = [340, 150];
/** @type {Plotted} */
const CURVE_PLOT = [52, 22, 326, 112];
/** So far from each other labels can be read. */
const LABELS_APART = 14;

/**
 * The lines of a law's chart: what it is of, how its mark is labelled, and its server where that is not the law's own.
 * @type {Record<string, { of: string, name?: string, server?: string }[]>}
 */
const CURVES = {
    thread: [{ of: "rate" }],
    pool: [{ of: "rate" }],
    tasks: [
        { of: "rate", name: "tasks" },
        { of: "pooled", name: "the pool", server: "pool" },
    ],
};

/**
 * The next of 1, 2, 5, 10, 20, 50 and so on.
 * @param {number} value
 */
function roundAbove(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return power * /** @type {number} */ ([1, 2, 5, 10].find((digit) => digit * power >= value));
}

/**
 * Where the sentence stands, with a label that says how much; lines that coincide have one.
 * @param {{ x: number, y: number, value: number, name?: string, style?: string }[]} points from the highest
 */
function drawPoints(points) {
    let below = Number.POSITIVE_INFINITY;
    return points.toReversed().map(({ x, y, value, name, style }, index, all) => {
        const dot = draw("circle", { class: "here", cx: x, cy: y, r: 5 });
        if (all[index + 1]?.value === value) {
            return draw("g", { style }, dot);
        }
        const alike = all[index - 1]?.value === value ? `${name} and ${all[index - 1].name} alike` : name;
        // Right of the lower mark the lines part.
        const right = index === 0 && all.length > 1 ? 0.7 : 0.5;
        const before = x < CURVE_PLOT[0] + right * (CURVE_PLOT[2] - CURVE_PLOT[0]);
        below = Math.min(y - 9, below - LABELS_APART);
        const place = { x: before ? x - 4 : x + 4, y: below, "text-anchor": before ? "start" : "end" };
        const words = alike ? `${alike}: ${inWords(value)}` : inWords(value);
        return draw("g", { style }, dot, draw("text", place, words));
    });
}

/**
 * A law's chart.
 * @param {string} law
 * @param {Numbers} given
 */
function drawCurves(law, given) {
    const [left, top, right, bottom] = CURVE_PLOT;
    const { clients, workers = 1 } = given;
    const most = roundAbove(1.25 * Math.max(clients, workers));
    const rates = (/** @type {number} */ count) => LAWS[law]({ ...given, clients: count });
    const lines = CURVES[law];
    const high = roundAbove(1.2 * Math.max(...lines.map(({ of }) => rates(most)[of])));
    const across = (/** @type {number} */ count) => left + (count / most) * (right - left);
    const up = (/** @type {number} */ rate) => bottom - (rate / high) * (bottom - top);
    const place = (/** @type {number} */ count, /** @type {string} */ of) => `${across(count)},${up(rates(count)[of])}`;
    const ticksOf = (/** @type {number} */ end, /** @type {typeof up} */ scale) =>
        [0, end / 2, end].map((value) => ({ at: scale(value), value }));
    const styleOf = (/** @type {string | undefined} */ server) => server && `--s:var(--server-${server})`;
    const points = lines.map(({ of, name, server }) => {
        const value = rates(clients)[of];
        return { x: across(clients), y: up(value), value, name, style: styleOf(server) };
    });
    return [
        ...drawAxes(
            CURVE_PLOT,
            { name: "by the law: responses per second", ticks: ticksOf(high, up) },
            { name: "clients", ticks: ticksOf(most, across) },
        ),
        ...lines.map(({ of, server }) => {
            const drawn = [0, Math.min(workers, most), most].map((count) => place(count, of)).join(" ");
            return draw("polyline", { class: "curve", style: styleOf(server), points: drawn });
        }),
        ...drawPoints(points),
    ];
}
