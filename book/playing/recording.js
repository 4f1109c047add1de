// A race, an opening, a recording, or a pair of openings: their drawings are whole when they come, and nothing is drawn
// again. What lies after the cursor is veiled or, where it plays closed, hidden.
{
    /** It plays by itself when so much of it is seen. */
    const SEEN = 0.6;

    /** @param {number} end in microseconds, as all times are */
    const namesUpTo = (end) => (/** @type {number} */ time) => {
        if (end >= 2_000_000) {
            return `${(time / 1_000_000).toFixed(1)} s`;
        }
        const digits = end < 500_000 ? 1 : 0;
        const number = (time / 1000).toLocaleString("en", {
            minimumFractionDigits: digits,
            maximumFractionDigits: digits,
        });
        return `${number} ms`;
    };

    /**
     * Draws the cursor, and the veil over what comes after it: in each band of rows, unless these are over.
     * @param {SVGSVGElement} svg
     * @param {number} share how much of the time has passed
     * @param {number} time
     */
    const drawCurtain = (svg, share, time) => {
        const { left, right, bands } = svg.dataset;
        const x = (Number(left) + share * (Number(right) - Number(left))).toFixed(1);
        const edges = (bands ?? "").split(";").map((band) => band.split(" ").map(Number));
        const veiled = edges.filter(([, , until]) => time < until);
        const wide = svg.viewBox.baseVal.width;
        const future = veiled.map(([top, bottom]) => `M${x} ${top}H${wide}V${bottom}H${x}z`).join("");
        need(svg, ".future", SVGPathElement).setAttribute("d", future);
        const [top, bottom] = [edges[0][0], edges[edges.length - 1][1]];
        need(svg, ".cursor", SVGPathElement).setAttribute("d", share < 1 ? `M${x} ${top}V${bottom}` : "");
    };

    let switches = 0;

    /**
     * A switch of which one of several is on.
     * @param {string[]} names
     * @param {number | undefined} on which of them is on at first, if one is
     * @param {(place: number) => void} choose
     */
    const makeSwitch = (names, on, choose) => {
        switches += 1;
        const labels = names.map((word, place) => {
            const input = make("input", {
                ...{ type: "radio", name: `switch-${switches}`, checked: place === on, change: () => choose(place) },
                // mdBook would turn the page.
                keydown: (event) => event.stopPropagation(),
            });
            return make("label", {}, input, word);
        });
        return make("fieldset", { class: "switch" }, make("legend", { class: "unseen" }, "The server"), ...labels);
    };

    /** @typedef {{ rows: HTMLElement, svgs: SVGSVGElement[], moments: [number, string][], wasPlayed: boolean }} Side */

    class RungReplay extends HTMLElement {
        connectedCallback() {
            if (this.querySelector(".play button")) {
                return;
            }
            const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
            // What plays closed shows nothing of its end before.
            const waits = this.matches(".closed") && !isStill;
            /** @type {{ end: number, moments: [number, string][] }[]} */
            const data = all(this, "script").map((script) => JSON.parse(script.textContent ?? ""));
            const [{ end }] = data;
            /** @type {Side[]} */
            const sides = all(this, ".rows").map((rows, index) => ({
                rows,
                svgs: all(rows, "svg"),
                moments: data[index].moments,
                wasPlayed: !waits,
            }));
            // Who wants no motion sees both sides of a pair until one of them is chosen.
            let shown = waits ? sides.slice(0, 1) : sides;

            const player = makePlayer({
                end,
                now: waits ? 0 : end,
                moments: [...new Set(sides.flatMap(({ moments }) => moments.map(([time]) => time)))].sort(
                    (a, b) => a - b,
                ),
                name: namesUpTo(end),
                sentence: (now) => {
                    const said = shown.map(({ moments }) => moments.findLast(([time]) => time <= now)?.[1] ?? "");
                    return said.join(" After the change: ");
                },
                show: (now) => {
                    for (const side of shown) {
                        side.wasPlayed ||= now >= end;
                        side.rows.parentElement?.classList.toggle("is-told", side.wasPlayed);
                        for (const svg of side.svgs) {
                            drawCurtain(svg, now / end, now);
                        }
                    }
                },
            });
            /** Shows one side of a pair. @param {number} place */
            const show = (place) => {
                shown = [sides[place]];
                this.dataset.shown = String(place);
                shown[0].rows.append(player.slider, player.thumb);
            };
            /** @param {number} place */
            const choose = (place) => {
                show(place);
                if (shown[0].wasPlayed) {
                    player.refresh();
                } else {
                    player.seek(0);
                    player.play();
                }
            };
            shown[shown.length - 1].rows.append(player.slider, player.thumb);
            const play = need(this, ".play");
            play.prepend(player.button);
            if (sides.length > 1) {
                play.append(makeSwitch(["before", "after"], waits ? 0 : undefined, choose));
            }
            if (sides.length > 1 && waits) {
                show(0);
            }
            this.append(player.live);
            for (const svg of sides.flatMap(({ svgs }) => svgs)) {
                svg.addEventListener("click", ({ clientX, clientY }) => {
                    const { x } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM()?.inverse());
                    const [left, right] = [Number(svg.dataset.left), Number(svg.dataset.right)];
                    if (x >= left) {
                        player.seek(((x - left) / (right - left)) * end);
                    }
                });
            }
            if (this.matches(".once") && !isStill) {
                const sees = new IntersectionObserver(
                    (entries) => {
                        if (entries.some(({ intersectionRatio }) => intersectionRatio >= SEEN)) {
                            sees.disconnect();
                            player.play();
                        }
                    },
                    { threshold: SEEN },
                );
                sees.observe(sides[0].rows);
            }
        }
    }

    customElements.define("rung-replay", RungReplay);
}
