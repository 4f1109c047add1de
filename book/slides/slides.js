// A page of the book as slides, and its teachers' notes in a second window. book/theme/present.js loads it.
//
// The slides are made of the page's own elements: each heading begins one, and what does not fit goes on
// to the next. They are laid out once, on a stage of 1280 by 720, which is scaled to the screen.
// A part that stands alone and is still too large is made smaller; if it would become too small to
// read, its slide scrolls, and the keys that lead on scroll first.
(() => {
    const WIDTH = 1280;
    const HEIGHT = 720;
    // How far a slide that is too full may shrink before it scrolls instead.
    const SMALLEST = 0.7;
    // Letters of 20 of 1080 pixels can be read in the last row.
    const LETTERS = 13.4;
    // How far a diagram may shrink; its letters are 16 pixels high.
    const DIAGRAM = LETTERS / 16;
    // From this height on, in parts of its width, a chart has its caption beside it.
    const TALL = 0.42;
    // So many letters alone on a slide are its whole message.
    const FEW = 150;
    // The sizes of a listing's letters, in pixels of the stage.
    const CODE = { largest: 23, least: 17.5, tall: 17, line: 1.32, letter: 0.603, padding: 44 };
    // How long to wait for the diagrams, in milliseconds.
    const PATIENCE = 60_000;

    const root = document.documentElement;
    const mode = new URLSearchParams(location.search).get("slides");
    // The paragraphs' first sentences, unless all of the text is asked for.
    const brief = mode !== "full";

    const make = (name, properties = {}, ...children) => {
        const element = Object.assign(document.createElement(name), properties);
        element.append(...children);
        return element;
    };
    const remembered = (name, value) => {
        // Some browsers refuse storage to a page from a file.
        try {
            if (value === undefined) {
                return sessionStorage.getItem(name);
            }
            sessionStorage.setItem(name, value);
        } catch {
            return null;
        }
        return value;
    };

    /** Resolves when the page is complete and its diagrams are drawn, or will not be. */
    const settled = async () => {
        if (document.readyState !== "complete") {
            await new Promise((done) => window.addEventListener("load", done, { once: true }));
        }
        await document.fonts.ready;
        const start = performance.now();
        const drawn = () =>
            [...document.querySelectorAll("pre.mermaid")].every((diagram) => diagram.querySelector("svg"));
        while (!drawn() && performance.now() - start < PATIENCE) {
            await new Promise((done) => setTimeout(done, 50));
        }
        // The last diagram's box is closed again in the same turn in which it is drawn.
        await new Promise((done) => setTimeout(done, 50));
    };

    // --- from the page to sections ---

    const words = (element) => element.textContent.trim().replace(/\s+/g, " ");
    const summaryOf = (details) => details.querySelector(":scope > summary");

    /**
     * Puts all behind the first sentence of a paragraph into a `span.more`; a line of the source is a sentence.
     * A question, or one of a few words, says nothing without the next.
     */
    const shorten = (paragraph) => {
        const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
        let said = "";
        for (let text = walker.nextNode(); text; text = walker.nextNode()) {
            let at = text.parentElement === paragraph ? text.data.indexOf("\n") : -1;
            while (at >= 0 && (said + text.data.slice(0, at)).trim().length < 45) {
                at = text.data.indexOf("\n", at + 1);
            }
            if (at >= 0 && /\?$/.test((said + text.data.slice(0, at)).trim())) {
                at = text.data.indexOf("\n", at + 1);
            }
            said += text.data;
            if (at >= 0) {
                const range = document.createRange();
                range.setStart(text, at);
                range.setEnd(paragraph, paragraph.childNodes.length);
                paragraph.append(make("span", { className: "more" }, range.extractContents()));
                return;
            }
        }
    };

    const isCaption = (element) =>
        element.matches("p") &&
        element.childNodes.length === 1 &&
        element.firstChild.nodeName === "STRONG" &&
        element.querySelector(":scope > strong > code") !== null &&
        words(element) === words(element.querySelector("code"));

    /** Whether these are a command and the few words before it, such as "To repeat it:". */
    const isCommand = (before, element) =>
        before?.matches("p") &&
        /^.{1,24}:$/.test(words(before)) &&
        element.matches("pre:not(.mermaid)") &&
        linesOf(element.querySelector("code") ?? element).length === 1;

    /** The blocks of these elements; a listing and the name of its file above it are one, and so is a command. */
    const blocksOf = (elements, whole) => {
        const blocks = [];
        let caption = null;
        for (const element of elements) {
            if (element.matches("script, style, link")) {
                continue;
            }
            if (isCaption(element)) {
                caption = element;
                continue;
            }
            if (caption) {
                caption.classList.add("caption");
                blocks.push(make("div", { className: "listing" }, caption, element));
                caption = null;
                continue;
            }
            if (brief && !whole && element.matches("p")) {
                shorten(element);
            }
            if (isCommand(blocks.at(-1), element)) {
                blocks.push(make("div", { className: "command" }, blocks.pop(), element));
                continue;
            }
            blocks.push(element);
        }
        if (caption) {
            blocks.push(caption);
        }
        return blocks;
    };

    /** A command that stands alone behind something folded moves to what it repeats, before the fold. */
    const bringCommands = (sections) => {
        for (const [index, { title, folded, id, elements }] of sections.entries()) {
            const [wordsBefore, command, ...more] = elements;
            const home = sections
                .slice(0, index)
                .findLast((other) => other.title === title && other.folded === folded && other.elements.length > 0);
            if (home && !id && command && more.length === 0 && isCommand(wordsBefore, command)) {
                home.elements.push(...elements.splice(0));
            }
        }
    };

    /** What the page says, in sections of a heading and blocks, and the notes for teachers. */
    const takeApart = (main) => {
        const sections = [];
        let notes = null;
        let kicker = "";
        let section = null;
        const begin = (values) => {
            section = { folded: false, elements: [], id: "", also: [], ...values };
            sections.push(section);
        };
        const fold = (details, above) => {
            const title = words(summaryOf(details));
            begin({ title, level: 3, kicker: above, folded: title !== "Answer" });
            if (title.startsWith("A solution")) {
                // One key more, lest it be shown to those who are still at it.
                section.elements.push(make("p", { className: "cover" }, "The key \u2193 shows it."));
                begin({ title, level: 3, kicker: above, folded: true });
            }
            for (const child of [...details.children].filter((one) => !one.matches("summary"))) {
                if (child.matches("details")) {
                    child.remove();
                    fold(child, title);
                    begin({ title, level: 3, kicker: above, folded: true });
                } else {
                    section.elements.push(child);
                }
            }
        };
        begin({ title: "", level: 1 });
        for (const element of [...main.children]) {
            element.remove();
            if (/^H[123]$/.test(element.tagName)) {
                const level = Number(element.tagName[1]);
                const title = words(element);
                begin({ title, level, id: element.id, kicker: level === 3 ? kicker : "" });
                if (level === 2) {
                    kicker = title;
                }
            } else if (element.matches("details") && words(summaryOf(element)) === "For teachers") {
                notes = element;
            } else if (element.matches("details") && words(summaryOf(element)).startsWith("The task:")) {
                // The class has to see it while it works.
                section.elements.push(...[...element.children].filter((one) => !one.matches("summary")));
                section.whole = true;
            } else if (element.matches("details") && section.id !== "predict" && section.title !== "Predict") {
                // What is folded on the page gets slides of its own, which the keys that lead on pass over.
                const { title, level, kicker: above } = section;
                fold(element, title);
                begin({ title, level, kicker: above });
            } else {
                section.elements.push(element);
            }
        }
        bringCommands(sections);
        const filled = sections.filter((one, index) => {
            // A heading with nothing below it but smaller headings is named on their slides.
            const next = sections[index + 1];
            const stays =
                one.elements.length > 0 ||
                (one.level === 1 && one.title) ||
                (one.id && one.level === 2 && !(next && next.level === 3));
            if (!stays && one.id && next) {
                next.also.push(one.id, ...one.also);
            }
            return stays;
        });
        return { sections: filled, notes };
    };

    // --- from sections to slides ---

    const stage = make("main");
    const deck = make("div", { className: "content deck" }, stage);
    const slides = [];

    const newSlide = (section, part) => {
        const title = make(section.level === 1 ? "h1" : "h2", { className: "slide-title" }, section.title);
        const header = make("header");
        if (section.kicker) {
            header.append(make("p", { className: "kicker" }, section.kicker));
        }
        header.append(title);
        const inner = make("div", { className: "inner" });
        const body = make("div", { className: "body" }, inner);
        const element = make("section", { className: "slide" }, header, body);
        element.setAttribute("aria-roledescription", "slide");
        element.classList.toggle("opening", section.level === 1);
        element.classList.toggle("folded", section.folded);
        stage.append(element);
        const slide = { section, part, element, header, title, body, inner, folded: section.folded };
        slides.push(slide);
        return slide;
    };

    const fits = ({ body }) => body.scrollHeight <= body.clientHeight + 1 && body.scrollWidth <= body.clientWidth + 1;

    const preOf = (block) => {
        if (block.matches("pre:not(.mermaid)")) {
            return block;
        }
        return block.matches(".listing") ? block.querySelector(":scope > pre:not(.mermaid)") : null;
    };

    const linesOf = (code) => code.textContent.replace(/\n$/, "").split("\n");

    /** The rows that a line takes at this size of the letters. */
    const rowsOf = (line, size) => {
        const columns = Math.floor((WIDTH - 2 * 48 - CODE.padding) / (size * CODE.letter));
        return Math.max(1, Math.ceil(line.length / columns));
    };

    /** Chooses the size of a listing's letters: its longest line fits, and if possible all of it. */
    const sizeListing = (pre, height) => {
        const lines = linesOf(pre.querySelector("code") ?? pre);
        const longest = Math.max(1, ...lines.map((line) => line.length));
        const room = WIDTH - 2 * 48 - CODE.padding;
        // The rest of a listing has no larger letters than what stands before it.
        const largest = Number(pre.dataset.most ?? CODE.largest);
        let size = Math.min(largest, Math.max(CODE.least, Math.floor((room / (longest * CODE.letter)) * 2) / 2));
        const tall = (height - CODE.padding) / (lines.length * CODE.line);
        if (tall < size && tall >= CODE.tall) {
            size = Math.floor(tall * 2) / 2;
        }
        pre.style.setProperty("--code-size", `${size}px`);
        pre.dataset.size = String(size);
        return size;
    };

    /** Cuts a listing behind so many lines, preferably where a line is empty; returns the listing of the rest. */
    const cutListing = (block, room) => {
        const pre = preOf(block);
        const code = pre.querySelector("code") ?? pre;
        const size = Number(pre.dataset.size);
        const lines = linesOf(code);
        const most = Math.max(4, Math.floor((room - CODE.padding) / (size * CODE.line)));
        let rows = 0;
        let fit = 0;
        while (fit < lines.length && rows + rowsOf(lines[fit], size) <= most) {
            rows += rowsOf(lines[fit], size);
            fit += 1;
        }
        fit = Math.max(1, fit);
        if (fit >= lines.length) {
            return null;
        }
        // Where few lines would be left over, halves read better.
        const ideal = Math.min(fit, Math.ceil(lines.length / Math.ceil(lines.length / fit)) + 3);
        let at = ideal;
        // A closing bracket stays with what it closes.
        while (at < fit && /^\s*[})\]]/.test(lines[at])) {
            at += 1;
        }
        for (let line = Math.min(at, fit); line > ideal * 0.35; line -= 1) {
            if (lines[line] === "" || lines[line - 1] === "") {
                at = line;
                break;
            }
        }
        let characters = lines.slice(0, at).join("\n").length;
        const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
        let text = walker.nextNode();
        while (text && characters > text.data.length) {
            characters -= text.data.length;
            text = walker.nextNode();
        }
        const range = document.createRange();
        range.setStart(text, characters);
        range.setEnd(code, code.childNodes.length);
        const rest = code.cloneNode(false);
        rest.append(range.extractContents());
        // The line end that was cut at, and empty lines, belong to neither part.
        const first = document.createTreeWalker(rest, NodeFilter.SHOW_TEXT);
        for (let node = first.nextNode(); node; node = first.nextNode()) {
            node.data = node.data.replace(/^\n+/, "");
            if (node.data !== "") {
                break;
            }
        }
        const restPre = pre.cloneNode(false);
        restPre.dataset.most = restPre.dataset.size;
        delete restPre.dataset.size;
        restPre.append(rest);
        if (block === pre) {
            return restPre;
        }
        const caption = block.querySelector(":scope > .caption").cloneNode(true);
        return make("div", { className: "listing" }, caption, restPre);
    };

    /** Moves what does not fit of a list or a table into another of its kind, and returns that; null if it can't. */
    const cutRows = (block, slide) => {
        const table = block.matches(".table-wrapper")
            ? block.querySelector("table")
            : block.matches("table")
              ? block
              : null;
        const parent = table ? table.tBodies[0] : block.matches("ul, ol") ? block : null;
        if (!parent || parent.children.length < 2) {
            return null;
        }
        const rest = table ? block.cloneNode(true) : block.cloneNode(false);
        const into = table ? (rest.matches("table") ? rest : rest.querySelector("table")).tBodies[0] : rest;
        into.replaceChildren();
        while (parent.children.length > 1 && !fits(slide)) {
            into.prepend(parent.lastElementChild);
        }
        if (!fits(slide) || into.children.length === 0) {
            parent.append(...into.children);
            return null;
        }
        // One row alone looks lost.
        while (into.children.length < 3 && parent.children.length > 4) {
            into.prepend(parent.lastElementChild);
        }
        if (block.matches("ol")) {
            rest.start = (block.start || 1) + parent.children.length;
        }
        return rest;
    };

    /** A smaller heading, for a picture that has not enough room otherwise; false if that was done before. */
    const crowd = ({ element }) => {
        const was = element.classList.contains("crowded");
        element.classList.add("crowded");
        return !was;
    };

    const sizeDiagram = (svg, slide) => {
        const { body } = slide;
        const { width, height } = svg.viewBox.baseVal;
        if (!width || !height) {
            return;
        }
        svg.style.maxWidth = "none";
        const resize = (scale) => {
            svg.style.width = `${scale * width}px`;
            svg.style.height = `${scale * height}px`;
        };
        const wide = Math.min(body.clientWidth / width, 1.8);
        resize(wide);
        const over = body.scrollHeight - body.clientHeight;
        if (over <= 0) {
            return;
        }
        const scale = wide - over / height;
        if (scale < DIAGRAM && wide >= DIAGRAM && crowd(slide)) {
            sizeDiagram(svg, slide);
            return;
        }
        // Its letters are too small to read then: better that the slide scrolls.
        resize(scale < DIAGRAM ? Math.min(wide, DIAGRAM * 1.1) : scale);
    };

    const sizeChart = (figure, slide) => {
        const svg = figure.querySelector("svg.wide");
        const { width, height } = svg.viewBox.baseVal;
        figure.classList.toggle("beside", height > width * TALL);
        const least = (LETTERS / svg.getAttribute("font-size")) * width + (figure.clientWidth - svg.clientWidth);
        let [low, high] = [least, slide.body.clientWidth];
        const fitsAt = (wide) => {
            figure.style.width = `${wide}px`;
            return fits(slide);
        };
        if (fitsAt(high)) {
            return;
        }
        if (!fitsAt(low) && crowd(slide) && !fitsAt(low)) {
            return;
        }
        while (high - low > 20) {
            const middle = (low + high) / 2;
            [low, high] = fitsAt(middle) ? [middle, high] : [low, middle];
        }
        fitsAt(low);
    };

    /** A recording is as high as its slide. */
    const sizeReplay = (figure, slide) => {
        const svg = figure.querySelector("svg.wide");
        const room = () =>
            slide.body.clientHeight -
            (svg.getBoundingClientRect().top - slide.inner.getBoundingClientRect().top) / stageScale() -
            36;
        const { height } = svg.viewBox.baseVal;
        const least = (LETTERS / svg.getAttribute("font-size")) * height;
        if (room() < least) {
            crowd(slide);
        }
        figure.style.setProperty("--room", `${Math.max(room(), least)}px`);
    };

    /** Gives a picture the room that the rest of its slide leaves. */
    const sizePictures = (slide) => {
        slide.inner.querySelectorAll("pre.mermaid svg").forEach((svg) => sizeDiagram(svg, slide));
        slide.inner.querySelectorAll("figure.chart:not(.replay)").forEach((figure) => sizeChart(figure, slide));
        if (slide.inner.querySelector("scheduler-lab")) {
            crowd(slide);
        }
        slide.inner.querySelectorAll("figure.replay").forEach((figure) => sizeReplay(figure, slide));
    };

    /** Makes a slide fit that is too full, or lets it scroll. */
    const refit = (slide) => {
        const { body, inner } = slide;
        const top = body.scrollTop;
        body.classList.remove("scrolls");
        ["tabindex", "role", "aria-label"].forEach((name) => body.removeAttribute(name));
        inner.style.zoom = "";
        const plays = inner.querySelector("rung-replay, scheduler-lab") !== null;
        const tall =
            plays || [...inner.querySelectorAll("pre.mermaid svg")].some((svg) => svg.clientHeight > body.clientHeight);
        if (!fits(slide) && (tall || !fitsSmaller(slide, SMALLEST))) {
            // Too wide is worse than too small.
            inner.style.zoom = tall ? "" : "0.85";
            for (let zoom = 0.8; body.scrollWidth > body.clientWidth + 1 && zoom > 0.3; zoom -= 0.05) {
                inner.style.zoom = String(zoom);
            }
            body.classList.add("scrolls");
            body.tabIndex = 0;
            body.setAttribute("role", "region");
            body.setAttribute("aria-label", `${slide.section.title}, scrolls`);
            body.scrollTop = top;
        }
    };

    /** The smallest letters of a slide, in pixels of the stage; those of code in a table, or in a caption. */
    const lettersOf = ({ inner }) => {
        const sizes = [inner.querySelector("figcaption") ? 16.3 : 18.9];
        inner.querySelectorAll("pre[data-size]").forEach(({ dataset }) => sizes.push(Number(dataset.size)));
        inner.querySelectorAll(".narrow").forEach(({ style }) => sizes.push(22 * 0.86 * Number(style.zoom || 1)));
        for (const svg of inner.querySelectorAll("pre.mermaid svg, figure.chart > svg.wide")) {
            const own = svg.closest("pre.mermaid") ? 16 : Number(svg.getAttribute("font-size"));
            sizes.push((own * svg.clientWidth) / svg.viewBox.baseVal.width);
        }
        return Math.min(...sizes);
    };

    /** Whether a slide fits at a size no smaller than this, with letters that can be read; then it has it. */
    const fitsSmaller = (slide, smallest) => {
        slide.inner.style.zoom = "";
        const least = Math.max(smallest, LETTERS / lettersOf(slide));
        for (let zoom = 0.95; zoom >= least - 0.001; zoom -= 0.05) {
            slide.inner.style.zoom = String(zoom);
            if (fits(slide)) {
                return true;
            }
        }
        slide.inner.style.zoom = "";
        return false;
    };

    /** Whether a block is not too wide for its slide. */
    const fitsBeside = (block, { body }) =>
        block.getBoundingClientRect().width <= body.clientWidth + 1 && body.scrollWidth <= body.clientWidth + 1;

    /** Makes a table that is too wide smaller. */
    const narrow = (block, { body }) => {
        if (!block.matches(".table-wrapper, table") || body.scrollWidth <= body.clientWidth + 1) {
            return;
        }
        block.classList.add("narrow");
        // A long name may go on in the next line.
        for (const code of block.querySelectorAll("code")) {
            const parts = code.textContent.split(/(?<=_)/);
            code.replaceChildren(...parts.flatMap((part, index) => (index > 0 ? [make("wbr"), part] : [part])));
        }
        for (let zoom = 1; body.scrollWidth > body.clientWidth + 1 && zoom > 0.7; zoom -= 0.05) {
            block.style.zoom = String(zoom);
        }
    };

    /** Whether a picture would be much larger on a slide of its own. */
    const isCramped = (block, { body }) => {
        if (block.matches("rung-replay, scheduler-lab")) {
            return body.scrollHeight > body.clientHeight + 1;
        }
        const figure = block.matches("figure.chart:not(.replay)") ? block : null;
        if (figure) {
            return parseFloat(figure.style.width) < body.clientWidth * 0.8;
        }
        const svg = block.matches("pre.mermaid") ? block.querySelector("svg") : null;
        return svg !== null && svg.clientWidth < Math.min(body.clientWidth * 0.9, svg.viewBox.baseVal.width);
    };

    const leadsOn = (block) =>
        block &&
        block.matches("p") &&
        (/:$/.test(words(block)) || (block.childNodes.length === 1 && block.firstChild.nodeName === "STRONG"));

    /** Whether a list or a table has rows to spare for the next slide. */
    const hasRows = (block) => {
        const table = block.matches(".table-wrapper")
            ? block.querySelector("table")
            : block.matches("table")
              ? block
              : null;
        return (table ? table.tBodies[0] : block.matches("ul, ol") ? block : { children: [] }).children.length > 3;
    };

    /** Spreads a section over as many slides as it needs. */
    const layOut = (section) => {
        const whole = section.folded || section.whole || section.id === "predict";
        let part = 1;
        let slide = newSlide(section, part);
        const queue = blocksOf(section.elements, whole);
        let guard = 0;
        while (queue.length > 0 && guard < 2000) {
            guard += 1;
            const block = queue.shift();
            const others = [...slide.inner.children].filter((one) => !one.matches(".command")).length;
            const room = slide.body.clientHeight;
            const pre = preOf(block);
            if (pre && pre.dataset.size === undefined) {
                sizeListing(pre, block === pre ? room : room - 40);
            }
            slide.inner.append(block);
            sizePictures(slide);
            const chart = slide.inner.querySelector("figure.chart:not(.replay)");
            if (chart === block) {
                chart.dataset.width = Number.parseFloat(chart.style.width);
            } else if (chart && Number.parseFloat(chart.style.width) < 0.85 * chart.dataset.width) {
                // A chart does not make room for what follows it.
                const wordsBefore = leadsOn(block.previousElementSibling) ? [block.previousElementSibling] : [];
                for (const one of [block, ...wordsBefore]) {
                    one.remove();
                    queue.unshift(one);
                }
                sizePictures(slide);
                part += 1;
                slide = newSlide(section, part);
                continue;
            }
            if (fits(slide) && !(others > 0 && isCramped(block, slide))) {
                continue;
            }
            // A command alone says nothing.
            if (block.matches(".command") && others > 0 && fitsSmaller(slide, 0.8)) {
                continue;
            }
            const last = others > 0 ? block.previousElementSibling : null;
            // Words that end in a colon stay above what they lead to.
            const top = last ? last.getBoundingClientRect().bottom - slide.body.getBoundingClientRect().top : 0;
            const short = top < room * (pre ? 0.4 : 0.3);
            if (short && others > 0 && !isCramped(block, slide) && fitsSmaller(slide, 0.8)) {
                continue;
            }
            if (pre && short && others > 0) {
                // The listing begins below these few words.
                const more = cutListing(
                    block,
                    room - (pre.getBoundingClientRect().top - slide.body.getBoundingClientRect().top),
                );
                refit(slide);
                if (more) {
                    queue.unshift(more);
                    part += 1;
                    slide = newSlide(section, part);
                }
                continue;
            }
            if (short && others > 0 && hasRows(block) && fitsBeside(block, slide)) {
                const rest = cutRows(block, slide);
                if (rest) {
                    queue.unshift(rest);
                    part += 1;
                    slide = newSlide(section, part);
                    continue;
                }
            }
            // A picture that doesn't fit below the words that lead to it stands alone.
            const cramped =
                (others === 1 && block.matches("figure.chart, rung-replay, pre.mermaid")) ||
                (others > 0 && block.matches("figure.chart") && isCramped(block, slide));
            if (others > (leadsOn(last) && !cramped ? 1 : 0)) {
                block.remove();
                slide.element.classList.remove("crowded");
                queue.unshift(block);
                if (leadsOn(last) && !cramped) {
                    last.remove();
                    queue.unshift(last);
                }
                sizePictures(slide);
                part += 1;
                slide = newSlide(section, part);
                continue;
            }
            narrow(block, slide);
            if (fits(slide)) {
                continue;
            }
            const above = pre ? pre.getBoundingClientRect().top - slide.body.getBoundingClientRect().top : 0;
            // A row or two on a slide of their own are not worth it.
            if (!pre && fitsSmaller(slide, 0.85)) {
                continue;
            }
            const rest = pre ? cutListing(block, room - above) : cutRows(block, slide);
            if (rest) {
                refit(slide);
                queue.unshift(rest);
                part += 1;
                slide = newSlide(section, part);
            } else {
                refit(slide);
                if (queue.length > 0) {
                    part += 1;
                    slide = newSlide(section, part);
                }
            }
        }
        const before = slides[slides.length - 2];
        const few = [...slide.inner.children];
        if (
            slide.part > 1 &&
            slide.inner.offsetHeight < slide.body.clientHeight * 0.25 &&
            !slide.inner.querySelector(":is(pre, figure):not(.command pre)")
        ) {
            // The last few words, rather on the slide before.
            const zoom = before.inner.style.zoom;
            before.inner.append(...few);
            if (!before.body.classList.contains("scrolls") && (fits(before) || fitsSmaller(before, 0.85))) {
                slide.element.remove();
                slides.pop();
            } else {
                slide.inner.append(...few);
                before.inner.style.zoom = zoom;
            }
        }
    };

    // --- showing them ---

    let current = 0;
    let speaker = null;
    let notes = null;
    let parts = [];
    let partShown = null;
    let nextPage = null;

    const live = make("p", { className: "said" });
    live.setAttribute("aria-live", "polite");
    const place = make("span", { className: "place" });
    const hint = make("span", { className: "hint" });
    const button = (label, text, action) => {
        const made = make("button", { type: "button", title: label }, text);
        made.setAttribute("aria-label", label);
        made.addEventListener("click", () => {
            action();
            made.blur();
        });
        return made;
    };

    const step = (from, by, folded) => {
        let to = from + by;
        while (slides[to] && slides[to].folded && !folded) {
            to += by;
        }
        return slides[to] ? to : from;
    };

    /** The address of a slide: the heading that it belongs to, and how many slides behind it. */
    const address = (index) => {
        let first = index;
        while (first > 0 && !slides[first].section.id) {
            first -= 1;
        }
        while (first > 0 && slides[first - 1].section === slides[first].section) {
            first -= 1;
        }
        const id = slides[first].section.id;
        return index === first ? `#${id}` : `#${id}~${index - first + 1}`;
    };

    const indexOf = (hash) => {
        const [id, count] = decodeURIComponent(hash.slice(1)).split("~");
        if (!id) {
            return 0;
        }
        let at = slides.findIndex(({ section }) => section.id === id || section.also.includes(id));
        if (at < 0) {
            at = slides.findIndex((slide) => [...slide.element.querySelectorAll("[id]")].some((one) => one.id === id));
        }
        return Math.min(Math.max(at, 0) + Math.max(Number(count) || 1, 1) - 1, slides.length - 1);
    };

    /** The parts that the notes count minutes for, each with its first slide. */
    const partsOf = (box) => {
        const links = [...(box?.querySelector("p")?.querySelectorAll('a[href^="#"]') ?? [])];
        const found = links.map((link) => ({
            link: link.getAttribute("href"),
            name: words(link),
            minutes: Number.parseInt(link.nextSibling?.textContent ?? "", 10),
            first: indexOf(link.getAttribute("href")),
        }));
        return found.sort((one, other) => one.first - other.first);
    };

    /** The part that a slide belongs to. What comes before the first one belongs to it. */
    const partOf = (index) => parts.findLast((one) => one.first <= index) ?? parts[0] ?? null;

    const show = (index) => {
        current = index;
        partShown = partOf(index);
        slides.forEach(({ element }, other) => {
            element.classList.toggle("shown", other === index);
            element.inert = other !== index;
        });
        const slide = slides[index];
        slide.body.scrollTop = 0;
        place.textContent = `${index + 1} / ${slides.length}`;
        const below = slides[index + 1];
        hint.textContent = below?.folded && !slide.folded ? `\u2193 ${below.section.title}` : "";
        live.textContent = `Slide ${index + 1} of ${slides.length}: ${slide.section.title}`;
        try {
            history.replaceState(null, "", `${location.pathname}${location.search}${address(index)}`);
        } catch {
            // A page from a file may not change its address everywhere; the slides work all the same.
        }
        tellSlide();
    };

    const refitLater = (slide) =>
        requestAnimationFrame(() => {
            slide.inner.style.zoom = "";
            sizePictures(slide);
            refit(slide);
        });

    /** Scrolls a slide that scrolls by most of its height; false if it is at its end. */
    const scroll = (direction) => {
        const { body } = slides[current];
        if (!body.classList.contains("scrolls")) {
            return false;
        }
        const before = body.scrollTop;
        body.scrollTop += direction * body.clientHeight * 0.8;
        return Math.abs(body.scrollTop - before) > 1;
    };

    /** Opens the first closed answer of the slide; false if there is none. */
    const reveal = () => {
        if (slides[current].section.id !== "predict") {
            return false;
        }
        const boxes = [...slides[current].inner.querySelectorAll("details:not([open])")];
        const box = boxes.find((one) => one.getClientRects().length > 0);
        if (!box) {
            return false;
        }
        box.open = true;
        const { body } = slides[current];
        refit(slides[current]);
        if (body.classList.contains("scrolls")) {
            // What was hidden is what they want to see.
            const [inside, seen] = [box.getBoundingClientRect(), body.getBoundingClientRect()];
            const over = Math.min(inside.bottom - seen.bottom, inside.top - seen.top);
            body.scrollTop += (Math.max(0, over) * body.clientHeight) / seen.height;
        }
        return true;
    };

    const actions = {
        next: () => {
            scroll(1) || reveal() || show(step(current, 1, false));
        },
        back: () => {
            scroll(-1) || show(step(current, -1, false));
        },
        down: () => {
            scroll(1) || reveal() || show(step(current, 1, true));
        },
        up: () => {
            scroll(-1) || show(step(current, -1, true));
        },
        first: () => show(0),
        last: () => show(slides.length - 1),
        blank: () => deck.classList.toggle("blank"),
        fullscreen: () => {
            if (document.fullscreenElement) {
                document.exitFullscreen();
            } else {
                root.requestFullscreen?.().catch(() => {});
            }
        },
        notes: () => openSpeaker(),
        text: () => {
            location.href = `${location.pathname}${brief ? "?slides=full" : "?slides"}${location.hash.split("~")[0]}`;
        },
        leave: () => {
            if (help.open) {
                help.close();
                return;
            }
            const { id } = slides[indexOf(address(current).split("~")[0])].section;
            location.href = `${location.pathname}${id ? `#${id}` : ""}`;
        },
        help: () => (help.open ? help.close() : help.show()),
    };

    const KEYS = {
        ArrowRight: "next",
        PageDown: "next",
        " ": "next",
        ArrowLeft: "back",
        PageUp: "back",
        Backspace: "back",
        ArrowDown: "down",
        ArrowUp: "up",
        Home: "first",
        End: "last",
        b: "blank",
        ".": "blank",
        f: "fullscreen",
        s: "notes",
        t: "text",
        Escape: "leave",
        "?": "help",
        h: "help",
    };

    const help = make("dialog", { className: "keys" });
    help.append(
        make("h2", {}, "Keys"),
        make("table", {
            innerHTML: [
                ["\u2192, Space, Page Down", "on: first down a slide that scrolls, then open its answer"],
                ["\u2190, Shift+Space, Page Up", "back"],
                ["\u2193, \u2191", "the same, folded boxes of the page included"],
                ["Home, End", "the first, the last slide"],
                ["S", "the notes, in a second window, which may stay open from page to page"],
                ["T", "all of the text, or the first sentences"],
                ["B", "nothing on the screen, and back"],
                ["F", "the whole screen, up to the next page; the browser\u2019s own key, often F11, stays"],
                ["Escape", "back to the page"],
            ]
                .map(([key, what]) => `<tr><th scope="row">${key}</th><td>${what}</td></tr>`)
                .join(""),
        }),
    );

    /** Whether an element wants this key for itself. */
    const takes = (target, key) => {
        if (!target.closest || key.startsWith("Page") || key === "Escape") {
            return false;
        }
        if (target.closest(".bar, .speaker-bar, summary, a")) {
            return key === " " || key === "Enter";
        }
        return (
            target.closest('input, select, textarea, button, [contenteditable], [role="slider"], rung-replay') !== null
        );
    };

    const actionOf = ({ key, shiftKey }) =>
        key === " " && shiftKey ? "back" : (KEYS[key] ?? KEYS[String(key).toLowerCase()]);

    const onKey = (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || takes(event.target, event.key)) {
            return;
        }
        const name = actionOf(event);
        // mdBook's own keys would turn the page, or search.
        event.stopImmediatePropagation();
        if (name) {
            event.preventDefault();
            actions[name]();
        }
    };

    const stageScale = () => deck.getBoundingClientRect().width / WIDTH;

    const scale = () => {
        const factor = Math.min(root.clientWidth / WIDTH, window.innerHeight / HEIGHT);
        const left = (root.clientWidth - WIDTH * factor) / 2;
        const top = (window.innerHeight - HEIGHT * factor) / 2;
        deck.style.transform = `translate(${left}px, ${top}px) scale(${factor})`;
    };

    // --- the second window ---
    //
    // Each page from a file is an origin of its own, so the windows share no objects: notes.js asks, and gets
    // messages. It goes on when this window shows another page, and its times are kept for when it is closed.

    const TIMES = "slides-times";
    const FROM_FILE = location.protocol === "file:";
    const NOTES = new URL("notes.html", document.currentScript.src).href;
    /** Names this page, as it is loaded now. */
    const KEY = `${Date.now()} ${Math.random()}`;

    const send = (message) => {
        if (speaker && !speaker.closed) {
            speaker.postMessage({ slides: true, ...message }, FROM_FILE ? "*" : location.origin);
        }
    };

    const openSpeaker = () => {
        if (speaker && !speaker.closed) {
            speaker.focus();
            return;
        }
        speaker = window.open(NOTES, "slides-notes", "popup,width=1120,height=760");
        if (!speaker) {
            live.textContent = "The browser did not open the notes: allow this page to open windows.";
            hint.textContent = live.textContent;
        }
    };

    const tellPage = () =>
        send({
            page: {
                key: KEY,
                title: slides[0].section.title,
                theme: root.className,
                base: location.href.split("#")[0],
                // Not those for paper, nor those of another theme.
                styles: [...document.querySelectorAll('link[rel="stylesheet"]')]
                    .filter(({ media, disabled }) => media !== "print" && !disabled)
                    .map(({ href }) => href),
                notes: [...(notes?.children ?? [])]
                    .filter((child) => !child.matches("summary"))
                    .map((child) => child.outerHTML)
                    .join(""),
                times: JSON.parse(remembered(TIMES) ?? "null"),
            },
        });

    const tellSlide = () => {
        const slide = slides[current];
        const next = slides[step(current, 1, false)];
        const texts = slide.inner.querySelectorAll(":scope > :is(p, ul, ol, blockquote), details > :is(p, ul, ol)");
        send({
            slide: {
                where: `${current + 1} / ${slides.length}`,
                now: [slide.section.kicker, slide.section.title].filter(Boolean).join(" \u203a "),
                next: next === slide ? "" : next.element.outerHTML,
                said: [...texts].map((text) => text.outerHTML).join(""),
                part: partShown && { ...partShown, id: location.pathname.split("/").at(-1) + partShown.link },
            },
        });
    };

    /** A message of the notes: of a window that this one opened, and no other. */
    const onMessage = ({ source, origin, data }) => {
        if (!data?.notes || source?.opener !== window || !(FROM_FILE || origin === location.origin)) {
            return;
        }
        speaker = source;
        if (data.has !== undefined) {
            if (data.times) {
                remembered(TIMES, JSON.stringify(data.times));
            }
            if (data.has !== KEY) {
                tellPage();
                tellSlide();
            }
        } else if (data.go) {
            show(indexOf(data.go));
        } else {
            actions[actionOf(data)]?.();
        }
    };

    // --- putting it together ---

    const begin = async () => {
        await settled();
        const page = document.querySelector("main");
        const before = location.hash;
        nextPage = document.querySelector('nav a[rel~="next"]');
        const apart = takeApart(page);
        notes = apart.notes;
        page.remove();
        root.classList.add("presenting");
        document.body.append(deck);
        for (const section of apart.sections) {
            layOut(section);
        }
        if (nextPage) {
            const link = make("a", { href: `${nextPage.getAttribute("href")}?slides` });
            const entry = [...document.querySelectorAll("#mdbook-sidebar a")].find((one) => one.href === nextPage.href);
            link.textContent = entry ? words(entry) : "The next page, as slides";
            const slide = newSlide(
                { title: "On to the next page:", level: 2, id: "the-end", also: [], folded: false },
                1,
            );
            slide.inner.append(make("p", {}, link));
        }
        for (const { element, inner, section } of slides) {
            const [only, ...more] = inner.children;
            const few = only?.matches("p") && more.length === 0 && words(only).length < FEW;
            element.classList.toggle("alone", few && section.level !== 1);
        }
        for (const slide of slides) {
            const parts = slides.filter((other) => other.section === slide.section).length;
            if (parts > 1) {
                slide.title.append(" ", make("small", {}, `${slide.part} of ${parts}`));
            }
        }
        const bar = make(
            "nav",
            { className: "bar" },
            hint,
            button("Back (\u2190)", "\u2190", actions.back),
            place,
            button("On (\u2192)", "\u2192", actions.next),
            button("Notes in a second window (S)", "Notes", actions.notes),
            button("Keys (?)", "?", actions.help),
            button("Back to the page (Escape)", "\u00d7", actions.leave),
        );
        bar.setAttribute("aria-label", "Slides");
        deck.append(bar, live, help);

        for (const slide of slides) {
            // An answer that opens, a form that says something: the slide must hold it.
            let height = 0;
            new ResizeObserver(() => {
                const now = slide.inner.scrollHeight;
                if (Math.abs(now - height) > 1) {
                    refit(slide);
                    height = slide.inner.scrollHeight;
                }
            }).observe(slide.inner);
            slide.inner.addEventListener("toggle", () => refit(slide), true);
        }
        new MutationObserver((changes) => {
            const changed = changes.map(({ target }) => target.closest?.("pre.mermaid")?.closest(".slide"));
            slides.filter(({ element }) => changed.includes(element)).forEach(refitLater);
        }).observe(stage, { childList: true, subtree: true });

        window.addEventListener("keydown", onKey, true);
        // A key that a form takes goes no further, where mdBook would turn the page.
        deck.addEventListener("keydown", (event) => event.stopPropagation());
        window.addEventListener("resize", scale);
        window.addEventListener("hashchange", () => show(indexOf(location.hash)));
        stage.addEventListener("click", (event) => {
            const link = event.target.closest?.('a[href^="#"]');
            if (link) {
                event.preventDefault();
                show(indexOf(link.getAttribute("href")));
            }
        });
        scale();
        parts = partsOf(notes);
        show(indexOf(before));
        window.addEventListener("message", onMessage);
        root.classList.add("slides-ready");
    };

    begin().catch((error) => console.error("The slides could not be made:", error));
})();
