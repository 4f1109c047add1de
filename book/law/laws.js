// The laws that a sentence with numbers says, and what a law says of clients, threads and tasks as a picture.

/**
 * @typedef {Record<string, number>} Numbers
 * @typedef {"holds" | "idle" | "free" | "line"} Mark a mark of the visual language: a thread that is held, an idle
 *   one, a request that holds nothing, a request in line
 * @typedef {{ words: string, marks: [Mark, number][], server?: string }} LawRow
 */

/** So many marks of a row are drawn; the rest is a number. */
const MOST_MARKS = 66;
const IN_A_LINE = 33;
/** The size of a mark, in pixels of the sheet, and the width and the height of the sheet. */
const MARK = 10;
const SHEET = [340, 112];

/**
 * What follows from the given numbers: `clients` that always ask again, `workers`, and `ms` for each request.
 * @type {Record<string, (given: Numbers) => Numbers>}
 */
const LAWS = {
    thread: (given) => LAWS.pool({ ...given, workers: 1 }),
    pool: ({ clients, workers, ms }) => {
        const held = Math.min(clients, workers);
        const rate = rateOf(held, ms);
        return { rate, held, line: clients - held, wait: stayOf(clients, rate) / 1000 };
    },
    tasks: ({ clients, workers, ms }) => ({
        rate: rateOf(clients, ms),
        pooled: rateOf(Math.min(clients, workers), ms),
    }),
};

/**
 * What a law's picture shows.
 * @type {Record<string, (given: Numbers) => LawRow[]>}
 */
const PICTURES = {
    thread: (given) => PICTURES.pool({ ...given, workers: 1 }),
    pool: ({ clients, workers }) => {
        const held = Math.min(clients, workers);
        const idle = workers - held;
        return [
            {
                words: `${held} of ${workers} ${workers === 1 ? "thread is" : "threads are"} held`,
                marks: [
                    ["holds", held],
                    ["idle", idle],
                ],
            },
            { words: `${clients - held} in line`, marks: [["line", clients - held]] },
        ];
    },
    tasks: ({ clients, workers }) => {
        const held = Math.min(clients, workers);
        const waits = clients === 1 ? "1 request waits" : `${clients} requests wait`;
        return [
            { words: `Tasks: ${waits} but ${clients === 1 ? "holds" : "hold"} no thread`, marks: [["free", clients]] },
            {
                words: `Pool: ${held} ${held === 1 ? "request holds" : "requests hold"} a thread, ${clients - held} in line`,
                server: "pool",
                marks: [
                    ["holds", held],
                    ["line", clients - held],
                ],
            },
        ];
    },
};

/**
 * A number as the book writes it.
 * @param {number} value
 */
const inWords = (value) =>
    value >= 100
        ? Math.round(value).toLocaleString("en")
        : value.toLocaleString("en", { maximumSignificantDigits: 3, useGrouping: false });

/**
 * A mark with its left upper corner at a place.
 * @param {Mark} mark
 * @param {number} x
 * @param {number} y
 */
function drawMark(mark, x, y) {
    const size = MARK - 3;
    return mark === "holds" || mark === "idle"
        ? draw("rect", { class: mark, x, y, width: size, height: size })
        : draw("circle", { class: mark, cx: x + size / 2, cy: y + size / 2, r: size / 2 });
}

/**
 * The rows of a picture, one below the other.
 * @param {LawRow[]} rows
 */
function drawRows(rows) {
    return rows.map(({ words, marks, server }, row) => {
        const top = 14 + (row * SHEET[1]) / 2;
        const all = marks.flatMap(([mark, count]) => Array.from({ length: Math.min(count, MOST_MARKS) }, () => mark));
        const shown = all.slice(0, MOST_MARKS);
        const more = marks.reduce((sum, [, count]) => sum + count, 0) - shown.length;
        const drawn = shown.map((mark, index) =>
            drawMark(mark, 2 + (index % IN_A_LINE) * MARK, top + 7 + Math.floor(index / IN_A_LINE) * MARK),
        );
        const text = more > 0 ? `${words} (the picture leaves out ${inWords(more)})` : words;
        const style = server && `--s:var(--server-${server})`;
        return draw("g", { style }, draw("text", { y: top }, text), ...drawn);
    });
}
