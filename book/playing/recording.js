// A race, an opening or a recording: its drawings are whole when they come, and nothing is drawn again. What lies after
// the cursor is veiled.
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

    class RungReplay extends HTMLElement {
        connectedCallback() {
            if (this.querySelector(".play button")) {
                return;
            }
            /** @type {{ end: number, moments: [number, string][] }} */
            const { end, moments } = JSON.parse(need(this, "script").textContent ?? "");
            const svgs = /** @type {SVGSVGElement[]} */ (all(this, ".rows > svg"));
            const player = makePlayer({
                end,
                moments: moments.map(([time]) => time),
                name: namesUpTo(end),
                sentence: (now) => moments.findLast(([time]) => time <= now)?.[1] ?? "",
                show: (now) => {
                    for (const svg of svgs) {
                        drawCurtain(svg, now / end, now);
                    }
                },
            });
            need(this, ".rows").append(player.slider, player.thumb);
            need(this, ".play").prepend(player.button);
            this.append(player.live);
            for (const svg of svgs) {
                svg.addEventListener("click", ({ clientX, clientY }) => {
                    const { x } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM()?.inverse());
                    const [left, right] = [Number(svg.dataset.left), Number(svg.dataset.right)];
                    if (x >= left) {
                        player.seek(((x - left) / (right - left)) * end);
                    }
                });
            }
            if (this.matches(".once") && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
                const sees = new IntersectionObserver(
                    (entries) => {
                        if (entries.some(({ intersectionRatio }) => intersectionRatio >= SEEN)) {
                            sees.disconnect();
                            player.play();
                        }
                    },
                    { threshold: SEEN },
                );
                sees.observe(need(this, ".rows"));
            }
        }
    }

    customElements.define("rung-replay", RungReplay);
}
