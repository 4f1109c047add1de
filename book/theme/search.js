// What is typed into the search box finds something although mdBook's search knows no signs: "Mutex vs RwLock",
// "Ctrl+C", "Arc<Mutex<T>>". And who types a whole sentence, such as an error, gets the sections that have it first.
{
    /** Words that stand between those that are meant. */
    const BETWEEN = ["vs", "versus"];
    /** So many words in this order are a sentence. */
    const SENTENCE = 3;

    /** @param {string} text */
    const wordsIn = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

    /** @param {string} text */
    const bare = (text) => ` ${wordsIn(text).join(" ")} `;

    /** @param {string[]} words */
    const meant = (words) => words.filter((word) => !BETWEEN.includes(word.toLowerCase().replace(".", ""))).join(" ");

    /** @param {SearchIndex} prototype */
    const improve = (prototype) => {
        const ask = prototype.search;
        /** @type {Map<string, string>} */
        const bodies = new Map();
        prototype.search = function (query, settings) {
            const sentence = bare(query);
            /** @param {SearchResult} result */
            const has = ({ ref, doc }) => {
                const text = bodies.get(ref) ?? bare(`${doc.title} ${doc.body}`);
                bodies.set(ref, text);
                return text.includes(sentence);
            };
            /** A word that stands in every section, such as "why", is not in the index. */
            const lookThrough = () => {
                const all = Object.entries(this.documentStore.docs).map(([ref, doc]) => ({ ref, doc, score: 0 }));
                const inTitle = (/** @type {SearchResult} */ { doc }) => bare(doc.title).includes(sentence);
                return all.filter(has).sort((one, other) => Number(inTitle(other)) - Number(inTitle(one)));
            };
            // The next way only where the one before finds nothing.
            for (const way of [
                () => ask.call(this, meant(query.split(/\s+/)), settings),
                () => ask.call(this, meant(wordsIn(query)), settings),
                () => ask.call(this, meant(wordsIn(query)), { ...settings, bool: "OR" }),
                lookThrough,
            ]) {
                const found = way();
                if (found.length > 0) {
                    const whole = wordsIn(query).length < SENTENCE ? [] : found.filter(has);
                    return [...whole, ...found.filter((result) => !whole.includes(result))];
                }
            }
            return [];
        };
    };

    document.addEventListener("DOMContentLoaded", () => {
        if (window.elasticlunr) {
            improve(window.elasticlunr.Index.prototype);
        }
    });
}
