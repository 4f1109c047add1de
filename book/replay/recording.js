// A recording: what it holds, and what it says of a moment.

/**
 * @typedef {"idle" | "free" | "ready" | "holds" | "runs" | "woken" | "answered"} BarKind
 *
 * @typedef {object} Bar all that a row does in the same way with the same thread
 * @property {BarKind} kind
 * @property {number | null} who the thread
 * @property {number | null} request
 * @property {[number, number][]} spans from, to, in microseconds
 *
 * @typedef {{ label: string, bars: Bar[] }} Row
 * @typedef {"cpus" | "threads" | "requests" | "tasks"} GroupName
 * @typedef {{ id: GroupName, rows: Row[] }} Group
 * @typedef {{ duration: number, threads: string[], groups: Group[] }} Recording
 */

/**
 * What the rows of a group can do, and how it is said; those of a thread first.
 * @type {Partial<Record<BarKind, [string, string]>>}
 */
const DOES = {
    runs: ["work", "work"],
    holds: ["asleep with a request", "wait and hold a thread"],
    free: ["", "wait and hold nothing"],
    ready: ["in line", "in line"],
    idle: ["idle", "not seen"],
};

/**
 * A recording as the page has it: `["holds", 2, 5, from, to, …]` is a bar, thread 2 asleep with request 5 in hand.
 * @param {string} json
 * @returns {Recording}
 */
function readRecording(json) {
    /** @param {[BarKind, number | null, number | null, ...number[]]} list */
    const barOf = ([kind, who, request, ...times]) => {
        const starts = times.filter((_, index) => index % 2 === 0);
        return { kind, who, request, spans: starts.map((from, index) => [from, times[2 * index + 1]]) };
    };
    return JSON.parse(json, (key, value) => (key === "bars" ? value.map(barOf) : value));
}

/**
 * All bars, in the order in which they are drawn.
 * @param {Recording} recording
 */
function barsOf({ groups }) {
    return groups.flatMap(({ rows }) => rows.flatMap(({ bars }) => bars));
}

/**
 * The moments at which something changes.
 * @param {Recording} recording
 */
function momentsOf(recording) {
    const times = barsOf(recording).flatMap(({ spans }) => spans.flat());
    return [...new Set([0, ...times, recording.duration])].sort((one, other) => one - other);
}

/**
 * What a row does at a moment: the bar, or nothing.
 * @param {Row} row
 * @param {number} time
 */
function barAt({ bars }, time) {
    const inside = (/** @type {Bar} */ { spans }) => spans.some(([from, to]) => from <= time && time < to);
    return bars.find((bar) => bar.kind in DOES && inside(bar));
}

/**
 * What the rows of a group do at a moment, in words.
 * @param {Recording} recording
 * @param {Group} group
 * @param {number} time
 */
function groupAt({ threads }, { id, rows }, time) {
    if (id === "cpus") {
        const cpu = (/** @type {Row} */ row) => {
            const bar = barAt(row, time);
            return bar?.kind === "runs" && bar.who !== null ? `runs ${threads[bar.who]}` : "is idle";
        };
        return rows.map((row) => `${row.label} ${cpu(row)}`).join("; ");
    }
    const short = (/** @type {Row} */ row) => {
        const request = id === "threads" ? barAt(row, time)?.request : undefined;
        return row.label.replace(/^request /, "") + (request ? ` (${request})` : "");
    };
    const done = (/** @type {Row} */ { bars }) =>
        bars.some(({ kind, spans }) => kind === "answered" && spans[0][0] <= time);
    const open = rows.filter((row) => !done(row));
    // Only what rows of this group do at some time.
    const kinds = Object.entries(DOES).filter(([kind]) =>
        rows.some(({ bars }) => bars.some((bar) => bar.kind === kind)),
    );
    const parts = kinds.map(([kind, names]) => {
        const some = open.filter((row) => barAt(row, time)?.kind === kind);
        return `${names[id === "threads" ? 0 : 1]}: ${some.map(short).join(", ") || "none"}`;
    });
    if (id === "requests") {
        const answered = rows.length - open.length;
        const sent = answered + open.filter((row) => barAt(row, time)).length;
        parts.unshift(`${sent} sent, ${answered} answered`);
    }
    return parts.join("; ");
}
