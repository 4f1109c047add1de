import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * java_virtual: the site on virtual threads, one for each connection.
 *
 * <p>Run it, then open http://127.0.0.1:8080/ in a browser: {@code cargo xtask run java_virtual}
 */
final class JavaVirtual {
    // ANCHOR: main
    public static void main(String[] args) throws IOException, InterruptedException {
        Options options = Options.read("java_virtual", args);
        ServerSocket listener = Listener.open(options);
        Connections connections = new Connections();
        connections.limitWrites();
        connections.stopOnSignal(listener, Thread.currentThread());
        openPoller();
        int carriers = Runtime.getRuntime().availableProcessors();
        options.announce(listener.getLocalPort(), "a virtual thread for each connection, carried by " + carriers + " threads");

        // No queue: each connection gets a thread that is no thread of the system. Those carry it while it runs.
        Executor threads = Executors.newVirtualThreadPerTaskExecutor();
        BlockingConnection.acceptAll(listener, threads, options, connections);
    }
    // ANCHOR_END: main

    // ANCHOR: poller
    /**
     * Lets a virtual thread wait for a socket, so that the JVM opens the epoll descriptors of its poller now.
     *
     * <p>It opens them at the first such wait, and tries once: without a descriptor left, no virtual thread waits ever after.
     */
    private static void openPoller() throws InterruptedException {
        Thread.startVirtualThread(() -> {
            try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                nobody.setSoTimeout(1);
                nobody.accept().close();
            } catch (IOException expected) {
                // Nobody has connected within the millisecond.
            }
        }).join();
    }
    // ANCHOR_END: poller
}
