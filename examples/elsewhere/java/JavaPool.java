import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * java_pool: the site on a fixed number of threads.
 *
 * <p>Run it, then open http://127.0.0.1:8080/ in a browser: {@code cargo xtask run java_pool}
 */
final class JavaPool {
    // ANCHOR: main
    public static void main(String[] args) throws IOException, InterruptedException {
        Options options = Options.read("java_pool", args, 8);
        ServerSocket listener = Listener.open(options);
        Connections connections = new Connections();
        connections.limitWrites();
        connections.stopOnSignal(listener, Thread.currentThread());
        options.announce(listener.getLocalPort(), options.threads() + " threads");

        // Eight threads, and before them a queue that has no bound: who comes ninth waits in it.
        Executor threads = Executors.newFixedThreadPool(options.threads());
        BlockingConnection.acceptAll(listener, threads, options, connections);
    }
    // ANCHOR_END: main
}
