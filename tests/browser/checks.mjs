// Checks that each have a fresh window: what they find is reported under their name, and several run at a time.

import { askAxe, each, PATIENCE, problem, watch } from "./book.mjs";

/**
 * @typedef {import("playwright-core").Page} Page
 *
 * @typedef {object} Tools what a check says its findings with
 * @property {(given: unknown, wanted: unknown, what: string) => void} is says so where the two are not the same
 * @property {(text: string | null, words: string, what: string) => void} has says so where the words are not in the text
 * @property {() => Promise<void>} clean says what axe finds, and whether the page is too wide
 *
 * @typedef {(tab: Page, tools: Tools) => Promise<void>} Look
 * @typedef {{ theme?: "light" | "dark", motion?: "reduce" | "no-preference", width?: number, height?: number, scripts?: boolean, phone?: boolean }} Options
 */

export class Checks {
    /** @type {(() => Promise<void>)[]} */
    #queue = [];
    #browser;
    #origin;
    #prepare;
    #motion;

    /**
     * @param {import("playwright-core").Browser} browser
     * @param {string} origin
     * @param {{ motion?: Options["motion"], prepare?: () => void }} [options] what holds for all, where a check says
     *   nothing else; and what runs in each page before its own scripts
     */
    constructor(browser, origin, { motion = "reduce", prepare = () => {} } = {}) {
        this.#motion = motion;
        this.#browser = browser;
        this.#origin = origin;
        this.#prepare = prepare;
    }

    /**
     * Plans to open `address` and let `look` at it.
     * @param {string} name
     * @param {string} address
     * @param {Look} look
     * @param {Options} [options]
     */
    check(name, address, look, options = {}) {
        if (name.includes(process.env.ONLY ?? "")) {
            this.#queue.push(() => this.#look(name, address, look, options));
        }
    }

    /**
     * @param {string} name
     * @param {string} address
     * @param {Look} look
     * @param {Options} options
     */
    async #look(name, address, look, options) {
        const { theme = "light", motion = this.#motion, width = 1280, height = 844, scripts = true } = options;
        const { phone = false } = options;
        const context = await this.#browser.newContext({
            colorScheme: theme,
            reducedMotion: motion,
            viewport: { width, height },
            hasTouch: width < 500,
            isMobile: phone,
            javaScriptEnabled: scripts,
        });
        // print.html opens the browser's print dialogue.
        await context.addInitScript(() => {
            window.print = () => {};
        });
        await context.addInitScript(this.#prepare);
        const tab = await context.newPage();
        tab.setDefaultTimeout(PATIENCE);
        const say = (/** @type {string} */ what) => problem(name, what);
        watch(tab, new RegExp(`^(${this.#origin}|file:)`), say);
        try {
            const whole = address.includes(":") ? address : `${this.#origin}/${address}`;
            await tab.goto(whole, { waitUntil: "load", timeout: PATIENCE });
            await look(tab, this.#tools(tab, say));
        } catch (error) {
            say(String(error).split("\n")[0]);
        }
        await context.close();
    }

    /**
     * @param {Page} tab
     * @param {(what: string) => void} say
     * @returns {Tools}
     */
    #tools(tab, say) {
        const fits = () => document.documentElement.scrollWidth <= document.documentElement.clientWidth;
        /** @type {Tools["is"]} */
        const is = (given, wanted, what) => {
            if (given !== wanted) {
                say(`${what}: ${JSON.stringify(given)}, and not ${JSON.stringify(wanted)}`);
            }
        };
        return {
            is,
            has: (text, words, what) => {
                if (!text?.includes(words)) {
                    say(`${what} does not say “${words}”: ${text?.slice(0, 200)}`);
                }
            },
            clean: async () => {
                (await askAxe(tab, { inside: "main" })).forEach(say);
                is(await tab.evaluate(fits), true, "the page fits the screen");
            },
        };
    }

    /**
     * Does what is planned, so much at a time; returns how much it was.
     * @param {number} width
     */
    async run(width) {
        await each(this.#queue, width, (look) => look());
        return this.#queue.length;
    }
}
