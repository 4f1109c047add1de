// What plays a picture of time: a track that is axis, slider and clock in one, a button, and the sentence of the moment
// for those who can't see it. Races, openings and recordings have it, and so may every other picture: it knows a time,
// and nothing of what is drawn. No module, so that a page from a file can use it; a module imports it for its effect
// (`import "../playing/player.js"`) and finds `makePlayer` in the global scope. `theme/elements.js` has to be there.
//
//     const player = makePlayer({ end, moments, name, sentence, show });
//
//     end        when the time is over; it begins at 0, in whatever unit the picture has
//     now        where it is at first; without it, at the end
//     moments    the times at which something changes, in order: an arrow key goes to the next or the one before
//     name       (time) => how the thumb says a time: "184 ms"
//     sentence   (time) => what there is to see then, in words
//     show       (time, isPlaying) => draws the curtain; called at once, and after every change
//     speed      () => how much time passes in a millisecond; without it, the whole lasts six seconds
//
//     player.slider, player.thumb   go, in this order, into an element of class `rows` around the picture. There `--left`
//                                   and `--right` say how far the track is from its edges, `--axis` how far the line of
//                                   the track is from its top; percentages or pixels. The style is playing.css
//     player.button                 Play, Pause or Play again; goes into an element of class `play`
//     player.live                   goes anywhere; it is not seen
//     player.now, player.isPlaying
//     player.seek(time), player.play(), player.pause(), player.toggle()
//     player.refresh()              draws the moment once more, where something else is shown
//     player.load({ end, moments }) takes another time; the cursor is at its end
//
// Space, the arrows, Home and End work in the slider and on the button, and nowhere else.

/** How long a picture plays, in milliseconds of the reader. */
const PLAYING = 6000;
/** How long after a jump what is to be seen is said, in milliseconds: who holds a key down is not told of every step. */
const TELLING = 300;

/**
 * @typedef {object} Played
 * @property {number} end
 * @property {number} [now]
 * @property {number[]} moments
 * @property {(time: number) => string} name
 * @property {(time: number) => string} sentence
 * @property {(time: number, isPlaying: boolean) => void} show
 * @property {() => number} [speed]
 */

/** @param {Played} played */
function makePlayer({ end, now = end, moments, name, sentence, show, speed = () => end / PLAYING }) {
    let isPlaying = false;
    let wasPlayed = false;
    let frame = 0;
    let telling = 0;

    const slider = make("input", {
        ...{ type: "range", min: 0, max: end, step: "any", value: now, "aria-label": "Time" },
        input: () => seek(Number(slider.value)),
        keydown: (event) => onKey(/** @type {KeyboardEvent} */ (event)),
    });
    const thumb = make("output", { class: "thumb", "aria-hidden": "true" });
    const button = make("button", {
        type: "button",
        click: () => toggle(),
        keydown: (event) => onKey(/** @type {KeyboardEvent} */ (event)),
    });
    const live = make("p", { class: "unseen", "aria-live": "polite" });

    const update = () => {
        slider.value = String(now);
        thumb.textContent = name(now);
        thumb.style.setProperty("--share", String(now / end));
        const words = isPlaying ? "Pause" : wasPlayed && now >= end ? "Play again" : "Play";
        if (button.textContent !== words) {
            button.textContent = words;
        }
        // While it plays, a screen reader would never stop.
        if (!isPlaying) {
            slider.setAttribute("aria-valuetext", `${name(now)}: ${sentence(now)}`);
        }
        show(now, isPlaying);
    };

    /** Says what is to be seen, where the slider doesn't. */
    const tell = () => {
        clearTimeout(telling);
        telling = window.setTimeout(() => {
            live.textContent = `${name(now)}: ${sentence(now)}`;
        }, TELLING);
    };

    const pause = () => {
        if (isPlaying) {
            cancelAnimationFrame(frame);
            isPlaying = false;
            update();
            tell();
        }
    };

    /** @param {number} time */
    const seek = (time) => {
        cancelAnimationFrame(frame);
        isPlaying = false;
        now = Math.min(Math.max(time, 0), end);
        update();
    };

    /** @param {number} before */
    const next = (before) => {
        frame = requestAnimationFrame((at) => {
            // A page that nobody saw for a while goes on where it was.
            const passed = Math.min(Math.max(at - before, 0), 100);
            now = Math.min(now + passed * speed(), end);
            if (now >= end) {
                pause();
                return;
            }
            update();
            next(at);
        });
    };

    const play = () => {
        if (isPlaying) {
            return;
        }
        if (now >= end) {
            now = 0;
        }
        clearTimeout(telling);
        isPlaying = true;
        wasPlayed = true;
        update();
        next(performance.now());
    };

    const toggle = () => {
        if (isPlaying) {
            pause();
            return;
        }
        // What plays is seen, as far as it fits.
        slider.parentElement?.scrollIntoView({ block: "nearest", behavior: "instant" });
        play();
    };

    /** @param {KeyboardEvent} event */
    const onKey = (event) => {
        const act = {
            ArrowRight: () => seek(moments.find((time) => time > now) ?? end),
            ArrowLeft: () => seek(moments.findLast((time) => time < now) ?? 0),
            Home: () => seek(0),
            End: () => seek(end),
            " ": () => toggle(),
        }[event.key];
        if (event.ctrlKey || event.metaKey || event.altKey || !act) {
            return;
        }
        // mdBook would turn the page.
        event.stopPropagation();
        // The key presses a button by itself.
        if (event.key === " " && targetOf(event) === button) {
            return;
        }
        event.preventDefault();
        act();
        if (targetOf(event) === button) {
            tell();
        }
    };

    /** @param {{ end: number, moments: number[] }} other */
    const load = (other) => {
        ({ end, moments } = other);
        slider.max = String(end);
        wasPlayed = false;
        seek(end);
    };

    update();
    return {
        ...{ slider, thumb, button, live, seek, play, pause, toggle, load, refresh: update },
        get now() {
            return now;
        },
        get isPlaying() {
            return isPlaying;
        },
    };
}

Object.assign(globalThis, { makePlayer });
