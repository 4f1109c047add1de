import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import sun.misc.Signal;
import sun.misc.SignalHandler;

/** The connections that are open: those that a stop waits for, and that a slow client is cut off from. */
final class Connections {
    /** After a signal: how long the connections have to end before the process cuts them off. */
    private static final long GRACE_MS = 5000;
    /** How long one response may take to leave, however slowly the client reads. */
    static final long WRITE_NANOS = 5_000_000_000L;

    /** What there is to know of an open connection. */
    interface Open {
        /** Ends it if it only waits for a request of which not a byte has come: no client loses anything by that. */
        void endIfIdle();

        /** When the write began that is under way, by System.nanoTime; 0 where there is none. */
        long writingSince();

        /** Ends it, from whichever thread. */
        void end();
    }

    private final Set<Open> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closing;

    void add(Open connection) {
        open.add(connection);
    }

    void remove(Open connection) {
        open.remove(connection);
    }

    /** Whether the server is shutting down: from now on every response closes its connection. */
    boolean areClosing() {
        return closing;
    }

    // ANCHOR: stop
    /**
     * On Ctrl-C or SIGTERM, stops accepting, and gives what is in flight five seconds.
     *
     * <p>Java tells a program of a signal by running its shutdown hooks, while all other threads go on.
     */
    void stopOnSignal(Closeable listener, Thread acceptor) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            long until = System.nanoTime() + GRACE_MS * 1_000_000;
            closing = true;
            letSignalsEndTheProcess();
            boolean allEnded = false;
            try {
                // Ends the wait in accept, too. When the acceptor has ended, no connection comes any more.
                listener.close();
                acceptor.join(GRACE_MS);
                // One that is busy now may be idle when its answer has left.
                while (!(allEnded = open.isEmpty()) && System.nanoTime() < until) {
                    open.forEach(Open::endIfIdle);
                    Thread.sleep(5);
                }
            } catch (IOException | InterruptedException error) {
                Options.complain("cannot stop gently: " + error);
            }
            // Left to itself, Java would end with the status of the signal.
            Runtime.getRuntime().halt(allEnded ? 0 : 1);
        }));
    }
    // ANCHOR_END: stop

    /**
     * From now on, a second signal ends the process at once, as it does any program that catches none.
     *
     * <p>Java's own handler would wait for the hooks, which run already. No documented class reaches signals; the
     * compiler warns of this one, which every JDK has.
     */
    private static void letSignalsEndTheProcess() {
        for (String name : List.of("INT", "TERM")) {
            Signal.handle(new Signal(name), SignalHandler.SIG_DFL);
        }
    }

    /** A blocking write of Java has no time limit, so a thread looks for those that have taken too long. */
    void limitWrites() {
        Thread watcher = new Thread(() -> {
            while (true) {
                long now = System.nanoTime();
                for (Open connection : open) {
                    // Read once: the write may end at any moment, and a second look would find the 0 that it leaves.
                    long since = connection.writingSince();
                    if (since != 0 && now - since > WRITE_NANOS) {
                        connection.end();
                    }
                }
                try {
                    Thread.sleep(250);
                } catch (InterruptedException error) {
                    return;
                }
            }
        });
        // The process does not wait for it.
        watcher.setDaemon(true);
        watcher.start();
    }
}
