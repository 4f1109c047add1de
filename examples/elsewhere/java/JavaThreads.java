import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.Executor;

/**
 * java_threads: the site on operating-system threads, one for each connection.
 *
 * <p>Run it, then open http://127.0.0.1:8080/ in a browser: {@code cargo xtask run java_threads}
 */
final class JavaThreads {
    // ANCHOR: main
    public static void main(String[] args) throws IOException, InterruptedException {
        Options options = Options.read("java_threads", args);
        ServerSocket listener = Listener.open(options);
        Connections connections = new Connections();
        connections.limitWrites();
        connections.stopOnSignal(listener, Thread.currentThread());
        options.announce(listener.getLocalPort(), "a thread for each connection");

        // No queue and no bound: each connection gets a thread of the system, which ends with it.
        Executor threads = connection -> new Thread(connection).start();
        BlockingConnection.acceptAll(listener, threads, options, connections);
    }
    // ANCHOR_END: main
}
