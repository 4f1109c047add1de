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
    /** What the build writes for teach mode, where it has been loaded. */
    LESSONS?: Lesson[];
    SOLUTIONS?: ExerciseTexts[];
}

/** The colours of code (theme/highlight.js). */
declare const hljs: { highlight(language: string, code: string, ignoreIllegals: boolean): { value: string } };

/** A lesson of teach/lessons.js, which tools/records/src/workshop/lessons.rs explains. */
interface Lesson {
    name: string;
    title: string;
    days: { start: string; parts: LessonPart[] }[];
}

interface LessonPart {
    name: string;
    title: string;
    minutes: number;
    /** The time at which it starts by the plan: 09:45. */
    starts: string;
    kind: "part" | "prediction" | "exercise" | "together" | "pause" | "slack";
    page: string | null;
    id: string | null;
    /** The part's last section on that page, where that isn't the one before the next heading of its level. */
    through: string | null;
    exercise: string | null;
    /** HTML. */
    lines: { type: string[]; ask: string; answers: string; class: string };
}

/** Where a lesson is: its day, from 1, and the place of the part in it. */
interface LessonPlace {
    name: string;
    day: number;
    index: number;
}

/** The texts of an exercise in teach/solutions.js, which tools/records/src/workshop/texts.rs writes. */
interface ExerciseTexts {
    name: string;
    title: string;
    solution: string;
    /** The names of its checks. */
    checks: string[];
    /** What is wrong in each, the check that catches it, and the words with which it does. */
    wrong: { title: string; code: string; caught: string; says: string }[];
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
