// The law of servers that wait, for the numbers in sentences and for the lab. All times are milliseconds, all rates are
// per second. No module, so that a page from a file can use it.

/**
 * How many requests per second a number of threads, CPUs or clients can get done, if each request takes one of them for
 * that long; no limit where it takes none.
 * @param {number} count
 * @param {number} ms
 */
const rateOf = (count, ms) => (ms > 0 ? (count * 1000) / ms : Number.POSITIVE_INFINITY);

/**
 * Little's law: what is in a system, on average, is what leaves it per time, times how long it stays.
 * It asks nothing of the arrivals, of the work, or of the order, only that what comes in also comes out.
 * This is how long each stays.
 * @param {number} count how many are in the system
 * @param {number} rate how many leave it per second
 */
const stayOf = (count, rate) => (count * 1000) / rate;

// The lab, which is made of modules, imports this as one.
Object.assign(globalThis, { rateOf, stayOf });
