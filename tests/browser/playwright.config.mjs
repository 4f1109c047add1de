// How the tests of the built book are run: in the Chromium that CHROMIUM names, which reaches nothing but this machine.
//
//     CHROMIUM=/usr/bin/chromium npx playwright test
//
// BOOK is the folder of the built book, if it is not target/book. What else can be said: npx playwright test --help.

import { defineConfig } from "@playwright/test";
import { reader } from "./book.mjs";

const executablePath = process.env.CHROMIUM;
if (!executablePath) {
    throw new Error("set CHROMIUM to the path of a Chromium or Chrome executable");
}

/** How long a page may take, in milliseconds. Generous, because a machine that is busy is no fault of the book. */
const PATIENCE = 300_000;

export default defineConfig({
    testDir: ".",
    outputDir: "../../target/browser",
    fullyParallel: true,
    forbidOnly: Boolean(process.env.CI),
    workers: 2,
    reporter: "list",
    timeout: 2 * PATIENCE,
    expect: { timeout: 60_000 },
    // A book that is published in a folder is another one.
    projects: [
        { name: "book", testIgnore: "published.spec.mjs" },
        { name: "published", testMatch: "published.spec.mjs" },
    ],
    use: {
        ...reader(),
        actionTimeout: PATIENCE,
        navigationTimeout: PATIENCE,
        launchOptions: {
            executablePath,
            // root can't have the sandbox.
            chromiumSandbox: process.getuid?.() !== 0,
            timeout: PATIENCE,
            args: [
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-gpu",
                "--disable-quic",
                "--disable-sync",
                "--no-first-run",
                // Nothing but this machine can be reached, whatever a page or the browser itself tries.
                "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
            ],
        },
    },
});
