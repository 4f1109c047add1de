// A recording: what it holds, and what it says of a moment.

/**
 * @typedef {{ label: string, bars: Bar[] }} Row
 * @typedef {"clients" | "threads" | "cpus"} GroupName
 * @typedef {{ id: GroupName, rows: Row[] }} Group
 * @typedef {{ duration: number, threads: string[], groups: Group[] }} Recording
 */

/**
 * A recording as the page has it: `["works", 2, 5, from, to, …]` is a bar, thread 2 at work for request 5.
 * @param {string} json
 * @returns {Recording}
 */
function readRecording(json) {
    /** @param {[Kind, number | null, number | null, ...number[]]} list */
    const barOf = ([kind, thread, request, ...times]) => {
        const starts = times.filter((_, index) => index % 2 === 0);
        return { kind, thread, request, spans: starts.map((from, index) => [from, times[2 * index + 1]]) };
    };
    return JSON.parse(json, (key, value) => (key === "bars" ? value.map(barOf) : value));
}

/**
 * The bars of a group.
 * @param {Recording} recording
 * @param {GroupName} id
 */
function barsOf({ groups }, id) {
    return groups.filter((group) => group.id === id).flatMap(({ rows }) => rows.flatMap(({ bars }) => bars));
}

/**
 * The moments at which something changes.
 * @param {Recording} recording
 */
function momentsOf(recording) {
    const bars = recording.groups.flatMap(({ rows }) => rows.flatMap((row) => row.bars));
    const times = bars.flatMap(({ spans }) => spans.flat());
    return [...new Set([0, ...times, recording.duration])].sort((one, other) => one - other);
}

/**
 * The numbers of all requests, in order.
 * @param {Recording} recording
 */
function requestsOf(recording) {
    const sent = barsOf(recording, "clients").filter(({ kind }) => kind === "sent");
    return sent.flatMap(({ request }) => request ?? []).sort((one, other) => one - other);
}

/**
 * What happens at a moment, in a few sentences: which requests are where, and what the CPUs run.
 * @param {Recording} recording
 * @param {number} time
 */
function sentenceAt(recording, time) {
    const bars = barsOf(recording, "clients");
    /** @param {Kind} kind */
    const since = (kind) =>
        bars
            .filter((bar) => bar.kind === kind && bar.spans.some(([from]) => from <= time))
            .map(({ request }) => request);
    const answered = [...since("done"), ...since("refused")];
    /** @param {Kind} kind */
    const now = (kind) =>
        bars
            .filter((bar) => bar.kind === kind && bar.spans.some(([from, to]) => from <= time && time < to))
            .map(({ request }) => request)
            .filter((request) => !answered.includes(request))
            .sort((one, other) => Number(one) - Number(other));
    /**
     * @param {string} words
     * @param {Kind} kind
     */
    const part = (words, kind) => (now(kind).length > 0 ? [`${words}: ${now(kind).join(", ")}.`] : []);
    const runs = barsOf(recording, "cpus").filter(
        ({ kind, spans }) => kind === "works" && spans.some(([from, to]) => from <= time && time < to),
    );
    const names = runs.map(({ thread }) => recording.threads[thread ?? -1]);
    return [
        `${since("sent").length} sent, ${answered.length} answered.`,
        ...part("In line", "queues"),
        ...part("Asleep, each with a thread", "holds"),
        ...part("Waiting without a thread", "free"),
        ...part("At work", "works"),
        names.length > 0 ? `The CPUs run ${names.join(" and ")}.` : "The CPUs are idle.",
    ].join(" ");
}
