// Asks a server for some pages with fetch, and prints what it understood as JSON lines.
//
// Usage: node fetch.mjs HOST PORT PATH...

export {};

const [host, port, ...paths] = process.argv.slice(2);
for (const path of paths) {
    for (const method of ["GET", "HEAD"]) {
        const response = await fetch(`http://${host}:${port}${path}`, {
            method,
            signal: AbortSignal.timeout(20_000),
        });
        const answer = {
            method,
            path,
            status: response.status,
            reason: response.statusText,
            headers: Object.fromEntries(response.headers),
            body: await response.text(),
        };
        console.log(JSON.stringify(answer));
    }
}
