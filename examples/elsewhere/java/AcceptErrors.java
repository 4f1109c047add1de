/** What to do when a connection can't be accepted, so that no error stops a server. */
final class AcceptErrors {
    private static final int BACK_OFF_MS = 100;
    private static final long RECOVERED_NANOS = 1_000_000_000L;

    private long lastFailure = System.nanoTime() - 2 * RECOVERED_NANOS;

    /**
     * How long to wait before the next try, in milliseconds. Most often this process may open no more files and
     * sockets: that is said once each time it begins, and the pause lets connections end and give theirs back.
     */
    int pauseAfter(Throwable error) {
        long now = System.nanoTime();
        // After a second without a failure, the next one is news.
        if (now - lastFailure > RECOVERED_NANOS) {
            Options.complain("cannot accept a connection: " + error.getMessage() + ". Trying again every 100 ms.");
        }
        lastFailure = now;
        return BACK_OFF_MS;
    }
}
