// Times of day, as a lesson's plan has them, for both windows.

/**
 * The minutes since midnight of a time such as 09:05.
 * @param {string} clock
 */
function minutesOf(clock) {
    const [hours, minutes] = clock.split(":").map(Number);
    return hours * 60 + minutes;
}

/**
 * A time of day, such as 09:05.
 * @param {number} minutes since midnight
 */
function clockText(minutes) {
    return [(minutes / 60) % 24, minutes % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
}
