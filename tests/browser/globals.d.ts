// What the pages have that is not written in this repository.

declare const mermaid: {
    initialize(settings: Record<string, unknown>): void;
    run(what: { nodes: Element[] }): Promise<void>;
};

interface Window {
    /** How much of the screen was moved, as lab.spec.mjs counts it. */
    shift: number;
    /** The same, and what was moved, as weight.spec.mjs counts it. */
    jumps: number;
    moved: string[];
    /** What mdBook's search has of each section, once its index has come. */
    search: { doc_urls: string[]; index: SearchIndex };
    /** mdBook's search; not on the page for printing. */
    elasticlunr?: { Index: { prototype: SearchIndex } };
}

/** What mdBook's search has of a section. */
interface SearchDocument {
    title: string;
    body: string;
    breadcrumbs: string;
}

interface SearchResult {
    ref: string;
    score: number;
    doc: SearchDocument;
}

interface SearchIndex {
    documentStore: { docs: Record<string, SearchDocument> };
    search(query: string, settings: object): SearchResult[];
}

/** What Chromium says of a file that a page has loaded, and TypeScript does not know. */
interface PerformanceResourceTiming {
    renderBlockingStatus: "blocking" | "non-blocking";
}

/** An entry of kind `layout-shift`, which TypeScript does not know. */
interface LayoutShift extends PerformanceEntry {
    value: number;
    hadRecentInput: boolean;
    sources: { node?: Node | null }[];
}
