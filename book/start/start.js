// Starts a server, a program or a check from its page, in the book that `cargo xtask serve` shows: theme/load.js loads this
// where the page has a place for it, <div class="start" data-server="ch03_small">, and nowhere else. The server's part is
// tools/book/src/serve/start. One run at a time: whoever looks at it keeps it alive, and any page may stop it.
//
// A published page can have the public Rust Playground run a small server: the place has the program that is sent
// (tools/book/src/playground). Nothing is sent before a reader has pressed a button and said yes.

/**
 * A client of a server, in milliseconds since the first one came.
 * @typedef {object} StartedClient
 * @property {string} what
 * @property {number} from
 * @property {number | null} to
 * @property {"waits" | "answered" | "nothing" | "left"} outcome
 * @property {string} words
 *
 * @typedef {object} StartedState
 * @property {number} run
 * @property {string} name
 * @property {"server" | "example" | "check"} kind
 * @property {"compiles" | "runs" | "stops" | "ended"} phase
 * @property {string[]} cargo
 * @property {string[]} lines
 * @property {boolean} cut
 * @property {string | null} address
 * @property {number | null} threads
 * @property {number} most
 * @property {string | null} ended
 * @property {number} now
 * @property {StartedClient[]} clients
 * @property {string | null} lacks
 * @property {boolean} [busy] it runs already, so nothing was started
 */
{
    /** Where the server is asked. */
    const PATH = "/__run";
    /** How often we look, in milliseconds. */
    const LOOK = 250;
    /** How long the picture is at least, and by how much it grows. */
    const STEP = 2500;
    /** A list with more clients than this is too long to be read. */
    const LISTED = 12;

    const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);
    const lab = new URL("../lab/", src).href;

    /** What a button of a running server sends: its words, and the server's word for it. */
    const SENDS = [
        ["One that says nothing", "silent"],
        ["Ten at once", "many"],
        ["One that leaves", "leaves"],
        ["The same again", "again"],
    ];

    const isServed = "served" in document.documentElement.dataset;

    /** What runs a program of a published page, and how long it may take, in milliseconds. */
    const PLAYGROUND = "https://play.rust-lang.org/execute";
    const PLAYGROUND_TIME = 15_000;
    /** Where this browser keeps that its reader has said yes. */
    const ALLOWED = "playground-allowed";
    /** Where this tab keeps the run that it began or looked at last. */
    const LAST_RUN = "begun-run";
    /** How a program ends that was told to, and has no answer of its own to that. */
    const INTERRUPTED = "signal: 2 (SIGINT)";

    let token = "";

    const pause = () => new Promise((done) => setTimeout(done, LOOK));

    /**
     * Asks the server for something.
     * @param {Record<string, unknown>} action
     * @returns {Promise<StartedState>}
     */
    const act = async (action) => {
        const headers = { "Content-Type": "application/json", "Start-Token": token };
        const response = await fetch(PATH, {
            method: "POST",
            headers,
            body: JSON.stringify(action),
            cache: "no-store",
        });
        if (!response.ok) {
            throw new Error(await response.text());
        }
        return response.json();
    };

    /** The drawing of the lab, once it is there. */
    const loadPicture = async () => {
        await loadStyle(`${lab}lab.css`);
        loadScripts(lab, ["picture"]);
        while (typeof LabPicture === "undefined") {
            await pause();
        }
    };

    /** @param {number} ms */
    const secondsOf = (ms) => `${(ms / 1000).toFixed(2)} s`;

    /**
     * What has become of a client.
     * @param {StartedClient} client
     * @param {number} now
     */
    const fateOf = ({ from, to, outcome, words }, now) => {
        const time = secondsOf((to ?? now) - from);
        return {
            waits: `has waited for ${time}`,
            answered: `${time}: ${words}`,
            nothing: `${time}: ${words}`,
            left: `left after ${time}`,
        }[outcome];
    };

    /**
     * The row of a client: a line as long as it waits, and its dot if it was answered.
     * @param {StartedClient} client
     * @param {number} request
     * @param {number} length
     * @returns {LabRow}
     */
    const rowOf = ({ from, to, outcome }, request, length) => {
        const end = to ?? length;
        /** @type {LabSpan[]} */
        const spans = [{ from, to: end, state: "queues", request }];
        if (to !== null && outcome !== "answered") {
            spans.push({ from: end, to: length, state: "idle", request });
        }
        return { spans, state: "idle", since: 0, request };
    };

    /** The question that is nearest to a place: the last one above it, or else the first below. @param {Element} place */
    const questionNear = (place) => {
        const questions = all(document, "main .predict");
        const isAbove = (/** @type {Element} */ question) =>
            (question.compareDocumentPosition(place) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
        return questions.findLast(isAbove) ?? questions[0];
    };

    /**
     * What the reader has predicted, in words; nothing where nothing was.
     * @param {Element | undefined} question
     */
    const predictionOf = (question) => {
        if (!question?.matches(".is-answered")) {
            return "";
        }
        const chosen = question.querySelector(".choice:has(:checked) > span");
        const field = question.querySelector(".estimate input");
        const estimate =
            field instanceof HTMLInputElement ? `${field.value} ${field.closest("fieldset")?.dataset.unit ?? ""}` : "";
        return `${wordsOf(need(question, ".question"))} You predicted: ${chosen ? wordsOf(chosen) : estimate}`;
    };

    /** Whether the reader has said yes, here or on another page. A browser that keeps nothing is asked on each page. */
    let isAllowed = false;
    try {
        isAllowed = localStorage.getItem(ALLOWED) === "yes";
    } catch {}

    const allow = () => {
        isAllowed = true;
        try {
            localStorage.setItem(ALLOWED, "yes");
        } catch {}
    };

    /**
     * Has the Playground run a program: what it wrote to its two outputs, and whether it ended well.
     * @param {string} code
     * @returns {Promise<{ success: boolean, exitDetail: string, stdout: string, stderr: string }>}
     */
    const runElsewhere = async (code) => {
        const what = { channel: "stable", mode: "debug", edition: "2024", crateType: "bin", tests: false, code };
        const response = await fetch(PLAYGROUND, {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify(what),
            credentials: "omit",
            referrerPolicy: "no-referrer",
            signal: AbortSignal.timeout(PLAYGROUND_TIME),
        });
        if (!response.ok) {
            throw new Error(`The Playground has refused it (${response.status}).`);
        }
        return response.json();
    };

    /**
     * What the clients of the program say, as the server of the book would tell it.
     * @param {string} name
     * @param {{ success: boolean, exitDetail: string, stdout: string, stderr: string }} output
     * @returns {StartedState}
     */
    const stateOf = (name, { success, exitDetail, stdout, stderr }) => {
        /** @type {StartedClient[]} */
        const clients = [];
        const lines = stdout.trimEnd().split("\n");
        for (const line of lines) {
            const found = /^client (\S+) (\d+) (\d+) (.*)$/.exec(line);
            if (found) {
                const [, what, from, to, words] = found;
                const outcome = /^\d{3} /.test(words) ? "answered" : "nothing";
                clients.push({ what, from: Number(from), to: Number(to), outcome, words });
            }
        }
        clients.sort((one, other) => one.from - other.from);
        return {
            ...{ run: 0, name, kind: "server", phase: "ended", cut: false, address: null, threads: null, most: 0 },
            ...{ lacks: null, clients, now: Math.max(0, ...clients.map(({ to }) => to ?? 0)) },
            lines: lines.filter((line) => !line.startsWith("client ")),
            cargo: stderr.trimEnd().split("\n"),
            ended: success ? "exit status: 0" : /^error/m.test(stderr) ? "it did not compile" : exitDetail,
        };
    };

    /** Remembers in this tab which run it has begun or looked at. @param {number} run */
    const remember = (run) => {
        try {
            sessionStorage.setItem(LAST_RUN, String(run));
        } catch {}
    };

    /** Whether this tab has begun or looked at it. @param {number} run */
    const isOwn = (run) => {
        try {
            return sessionStorage.getItem(LAST_RUN) === String(run);
        } catch {
            return false;
        }
    };

    /** A place of the page, from which one program can be started. */
    class Place {
        #place;
        #action;
        #first;
        #button = make("button", { type: "button", click: () => this.#press() });
        #again = make("button", { type: "button", hidden: true, click: () => this.#restart() }, "Start it again");
        #said = make("p", { role: "status" });
        #more = make("div", { class: "start-more", role: "group", "aria-label": "More clients", hidden: true });
        #rows = make("div", { class: "rows" });
        #legend = make("p", { class: "start-legend", hidden: true });
        #list = make("ol", { hidden: true });
        #cargo = make("pre", { tabindex: 0, role: "group", "aria-label": "What cargo says", hidden: true });
        #lines = make("pre", { tabindex: 0, role: "group", "aria-label": "What the program says", hidden: true });
        /** @type {LabPicture | undefined} */
        #picture;
        /** @type {StartedState | undefined} */
        #state;
        /** The run of another page that stands in the way. @type {StartedState | undefined} */
        #other;

        /** Whether an answer is still to come; a button that is off would lose the keyboard. */
        #isBusy = false;

        /** @param {HTMLElement} place */
        constructor(place) {
            const { server, program, check } = place.dataset;
            this.name = server ?? program ?? check ?? "";
            this.#place = place;
            this.#action = check ? "check" : "start";
            const here = server ? "Start it" : check ? "Check" : "Run it";
            this.#first = isServed ? here : "Run it on play.rust-lang.org";
            this.#again.textContent = `${this.#first} again`;
            for (const [words, which] of SENDS) {
                this.#more.append(make("button", { type: "button", click: () => this.#send(which) }, words));
            }
            const buttons = make("div", { class: "play" }, this.#button, this.#again, this.#said);
            const listing = make("div", { class: "start-rows" }, this.#rows, this.#legend, this.#list);
            place.append(buttons, listing, this.#more, this.#lines, this.#cargo);
            this.#label();
            this.#offerToGuess();
            new ResizeObserver(() => this.#draw()).observe(this.#rows);
        }

        /** Leads from a small server to the question that is nearest, as long as it is open. */
        #offerToGuess() {
            const question = questionNear(this.#place);
            const isSmall = this.#place.matches("[data-sent], [data-lacks]");
            if (!question || question.matches(".is-answered") || !isSmall) {
                return;
            }
            const { id } = need(question, ".question");
            this.#said.append(make("a", { href: `#${id}` }, "Guess first"));
        }

        /** What the button says now. */
        #label() {
            const phase = this.#state?.phase;
            const stops = { compiles: "Stop", runs: "Stop", stops: "End it now", ended: `${this.#first} again` };
            this.#button.textContent = this.#other ? `Stop ${this.#other.name}` : phase ? stops[phase] : this.#first;
            this.#button.setAttribute("aria-label", `${this.#button.textContent}: ${this.name}`);
            this.#again.hidden = phase !== "runs";
            this.#more.hidden = phase !== "runs" || !this.#state?.address || "check" in this.#place.dataset;
        }

        async #press() {
            if (this.#isBusy) {
                return;
            }
            if (!isServed) {
                await (isAllowed ? this.#runElsewhere() : this.#ask());
            } else if (this.#other) {
                await this.#replace(this.#other);
            } else if (this.#state && this.#state.phase !== "ended") {
                await this.#try(() => act({ action: "stop", run: this.#state?.run }));
            } else {
                await this.#start();
            }
        }

        /** Says what would be sent, and to whom. */
        #ask() {
            if (this.#place.querySelector(".start-ask")) {
                return;
            }
            const answer = (/** @type {boolean} */ yes) => {
                box.remove();
                this.#button.focus();
                if (yes) {
                    allow();
                    this.#runElsewhere();
                }
            };
            const sent = make("pre", { tabindex: 0 }, this.#place.dataset.sent ?? "");
            const buttons = [
                make("button", { type: "button", click: () => answer(true) }, "Send it"),
                make("button", { type: "button", click: () => answer(false) }, "Don’t"),
            ];
            const box = make(
                "div",
                { class: "start-ask", role: "group", "aria-label": "Before anything is sent", tabindex: -1 },
                make(
                    "p",
                    {},
                    "This sends the server above with three clients, as one program, to the public Rust Playground at " +
                        "play.rust-lang.org, which volunteers run. Like every site that you visit, it learns your address. " +
                        "You are asked once.",
                ),
                make("details", {}, make("summary", {}, "What is sent"), sent),
                make("div", { class: "start-more" }, ...buttons),
            );
            need(this.#place, ".play").after(box);
            box.focus();
        }

        /** Has the Playground run what this place has for it. */
        async #runElsewhere() {
            this.#said.textContent = "The Playground compiles and runs it …";
            this.#isBusy = true;
            try {
                const output = await runElsewhere(this.#place.dataset.sent ?? "");
                await this.follow(stateOf(this.name, output));
            } catch (error) {
                const isLate = error instanceof DOMException && error.name === "TimeoutError";
                const isAway = error instanceof TypeError;
                const why = isLate
                    ? "The Playground has not answered within 15 seconds."
                    : isAway
                      ? "The Playground can’t be reached."
                      : error instanceof Error
                        ? error.message
                        : "";
                const command = make("code", {}, `cargo run --example ${this.name}`);
                this.#said.replaceChildren(why, " On your own machine: ", command);
            }
            this.#isBusy = false;
        }

        /**
         * Does something that the server may refuse, or be gone for.
         * @template Result
         * @param {() => Promise<Result>} what
         * @returns {Promise<Result | undefined>}
         */
        async #try(what) {
            try {
                return await what();
            } catch (error) {
                const gone = error instanceof TypeError;
                const words = error instanceof Error ? error.message : String(error);
                this.#said.textContent = gone ? "The book's server is gone: cargo xtask serve starts it." : words;
                return undefined;
            }
        }

        async #start() {
            this.#said.textContent = "cargo compiles it …";
            this.#isBusy = true;
            const begun = await this.#try(() => act({ action: this.#action, name: this.name }));
            this.#isBusy = false;
            if (begun?.busy && begun.name !== this.name) {
                this.#other = begun;
                this.#said.textContent = `${begun.name} is running, and one program runs at a time.`;
                this.#label();
            } else if (begun) {
                await this.follow(begun);
            }
        }

        /** Ends what another page has started, and starts this. @param {StartedState} other */
        async #replace(other) {
            this.#other = undefined;
            this.#said.textContent = `${other.name} is stopping …`;
            await this.#try(async () => {
                await end(other);
                await this.#start();
            });
            this.#label();
        }

        async #restart() {
            const state = this.#state;
            if (state) {
                this.#button.focus();
                await this.#try(() => end(state));
                await this.#start();
            }
        }

        /** @param {string} which */
        async #send(which) {
            const sent = await this.#try(() => act({ action: "send", run: this.#state?.run, which }));
            this.#show(sent);
        }

        /** Goes on with what was begun before this page was loaded, unless its reader was quicker. @param {StartedState} state */
        async resume(state) {
            if (!this.#state && !this.#isBusy) {
                await this.follow(state);
            }
        }

        /** Looks at a run until it is over. @param {StartedState} state */
        async follow(state) {
            remember(state.run);
            this.#show(state);
            if (state.kind === "server") {
                await loadPicture();
                this.#picture ??= new LabPicture();
                this.#draw();
            }
            while (this.#state?.run === state.run && this.#state.phase !== "ended") {
                await pause();
                const seen = await this.#try(() => act({ action: "look", run: state.run }));
                if (!seen) {
                    // Other runs came after it, or the server is gone: either way this one is over.
                    this.#state = undefined;
                    this.#place.dataset.phase = "ended";
                    this.#label();
                    return;
                }
                this.#show(seen);
            }
        }

        /** @param {StartedState | undefined} state */
        #show(state) {
            if (!state) {
                return;
            }
            this.#state = state;
            this.#place.dataset.phase = state.phase;
            const said = this.#sentence(state);
            // A screen reader hears what is new.
            if (this.#said.textContent !== said) {
                this.#said.textContent = said;
            }
            this.#label();
            // What cargo has said is over once the program runs, unless it doesn't compile.
            write(this.#cargo, state.cargo, false);
            this.#cargo.hidden ||= !(state.phase === "compiles" || state.ended === "it did not compile");
            write(this.#lines, state.lines, state.cut);
            this.#list.hidden = state.clients.length === 0;
            const listed = state.clients.slice(-LISTED);
            this.#list.start = state.clients.length - listed.length + 1;
            this.#list.replaceChildren(
                ...listed.map((client) =>
                    make("li", {}, make("code", {}, client.what), ` ${fateOf(client, state.now)}`),
                ),
            );
            this.#writeLegend(state);
            this.#draw();
        }

        /** @param {StartedState} state */
        #sentence({ phase, kind, address, threads, most, ended, lacks }) {
            const now = threads === 1 ? "1 thread" : `${threads} threads`;
            const counted = threads === null ? "" : ` It has ${now}${most > threads ? `, and had ${most}` : ""}.`;
            const missing = lacks && phase !== "ended" ? ` ${lacks}` : "";
            if (phase === "ended") {
                const passed = ended === "exit status: 0" || ended === "exit code: 0";
                if (kind === "check" && ended !== "it did not compile") {
                    return passed ? "✓ Passed." : `Not passed yet. Your file is exercises/mine/${this.name}.rs.`;
                }
                if (ended === "it did not compile") {
                    return "It does not compile.";
                }
                return passed || ended === INTERRUPTED ? "It has ended." : `It has ended: ${ended}.`;
            }
            const words = {
                compiles: "cargo compiles it …",
                runs: address ? `It listens on ${address}.${counted}` : "It runs.",
                stops: "It was sent what Ctrl-C sends, and is ending …",
            };
            return words[phase] + missing;
        }

        /** @param {StartedState} state */
        #writeLegend({ clients }) {
            const predicted = predictionOf(questionNear(this.#place));
            this.#legend.hidden = clients.length === 0;
            const says = "A line is a client that waits, and its dot is the response.";
            const words = predicted ? make("strong", {}, ` ${predicted}`) : null;
            if (this.#legend.textContent !== says + (words?.textContent ?? "")) {
                this.#legend.replaceChildren(says, ...(words ? [words] : []));
            }
        }

        /** Draws the waits, for the room that there is. */
        #draw() {
            const state = this.#state;
            const width = this.#rows.clientWidth;
            if (!this.#picture || !state || state.clients.length === 0 || width === 0) {
                return;
            }
            const last = Math.max(...state.clients.map(({ to }) => to ?? state.now), 1);
            const length = Math.max(STEP, Math.ceil((last * 1.04) / STEP) * STEP);
            const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 10;
            const clients = state.clients.map((client, index) => rowOf(client, index, length));
            const settings = { model: "", length };
            if (!this.#picture.svg.isConnected) {
                this.#rows.replaceChildren(this.#picture.svg);
            }
            this.#picture.load({ clients, threads: [], cpus: [], settings }, width, scale);
            this.#picture.isOpen = true;
            this.#picture.show(Math.min(Math.max(last, state.phase === "ended" ? 0 : state.now), length));
            const answered = state.clients.filter(({ outcome }) => outcome === "answered").length;
            const label = `The clients of ${this.name}: ${answered} of ${state.clients.length} answered. The list below says how long each waited.`;
            this.#picture.svg.setAttribute("aria-label", label);
        }
    }

    /** Ends a run, and waits for that. @param {StartedState} run */
    const end = async ({ run }) => {
        await act({ action: "stop", run });
        for (let looks = 0; (await act({ action: "look", run })).phase !== "ended"; looks += 1) {
            await pause();
            // The servers give themselves five seconds.
            if (looks * LOOK > 7000) {
                await act({ action: "stop", run });
                looks = 0;
            }
        }
    };

    /**
     * Writes the last lines of an output, and keeps its end in sight.
     * @param {HTMLElement} box
     * @param {string[]} lines
     * @param {boolean} isCut
     */
    const write = (box, lines, isCut) => {
        const text = [...lines, ...(isCut ? ["… and more, which is not shown"] : [])].join("\n");
        box.hidden = text === "";
        if (box.textContent !== text) {
            const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
            box.textContent = text;
            if (isAtEnd) {
                box.scrollTop = box.scrollHeight;
            }
        }
    };

    /** What a published page can do. */
    const offerElsewhere = () => {
        for (const place of all(document, "main .start[data-sent]")) {
            new Place(place);
        }
        for (const place of all(document, "main .start[data-lacks]")) {
            const { lacks, server } = place.dataset;
            const command = make("code", {}, `cargo run --example ${server}`);
            const why = `The public Rust Playground doesn’t have ${lacks}, so this server runs on your own machine only: `;
            place.append(make("p", {}, why, command));
        }
    };

    /** What runs here, from this page or from one that was loaded before, is followed. */
    const begin = async () => {
        // In a frame, another site could have somebody press what they don't see.
        if (window.top !== window.self) {
            return;
        }
        if (!isServed) {
            offerElsewhere();
            return;
        }
        const places = all(document, "main .start").map((place) => new Place(place));
        const response = await fetch(PATH, { cache: "no-store" });
        if (!response.ok) {
            for (const place of all(document, "main .start")) {
                place.replaceChildren(make("p", {}, await response.clone().text()));
            }
            return;
        }
        const { token: own, state } = await response.json();
        token = own;
        const last = /** @type {StartedState | null} */ (state);
        // The book loads a page again when a file has changed: what has just ended is still to be read.
        if (last && (last.phase !== "ended" || isOwn(last.run))) {
            await places.find(({ name }) => name === last.name)?.resume(last);
        }
    };

    // Without a server there is nothing to start, and the page's own script says so.
    begin().catch(() => undefined);
}
