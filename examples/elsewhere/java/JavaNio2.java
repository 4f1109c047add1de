import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * java_nio2: the site on asynchronous channels, by callbacks.
 *
 * <p>Run it, then open http://127.0.0.1:8080/ in a browser: {@code cargo xtask run java_nio2}
 */
final class JavaNio2 {
    /** What all connections share. */
    record Shared(Site site, Connections connections, ScheduledExecutorService timer, boolean keepAlive) {}

    // ANCHOR: main
    public static void main(String[] args) throws IOException, InterruptedException {
        Options options = Options.read("java_nio2", args);
        int threads = Runtime.getRuntime().availableProcessors();
        // These threads wait in epoll, and run the callback of whichever channel is ready.
        var group = AsynchronousChannelGroup.withFixedThreadPool(threads, Executors.defaultThreadFactory());
        AsynchronousServerSocketChannel listener = listen(options, group);
        Connections connections = new Connections();
        connections.stopOnSignal(listener, Thread.currentThread());
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        Shared shared = new Shared(new Site(options), connections, timer, options.keepAlive());
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        options.announce(port, threads + " threads for all connections");

        // Returns at once: from here on the group's threads call the acceptor.
        Acceptor acceptor = new Acceptor(listener, shared);
        listener.accept(null, acceptor);
        // A stop waits for this thread, and then for the connections: by then it must know all of them.
        acceptor.ended.await();
    }
    // ANCHOR_END: main

    private static AsynchronousServerSocketChannel listen(Options options, AsynchronousChannelGroup group) {
        try {
            return AsynchronousServerSocketChannel.open(group).bind(options.address(), BlockingConnection.BACKLOG);
        } catch (IOException error) {
            throw options.cannotListen(error);
        }
    }

    // ANCHOR: acceptor
    /** Called once for each connection, or each failure to accept one. */
    private static final class Acceptor implements CompletionHandler<AsynchronousSocketChannel, Void> {
        private final AsynchronousServerSocketChannel listener;
        private final Shared shared;
        private final AcceptErrors errors = new AcceptErrors();
        /** Open until the listener is closed, and no connection can come any more. */
        private final CountDownLatch ended = new CountDownLatch(1);

        Acceptor(AsynchronousServerSocketChannel listener, Shared shared) {
            this.listener = listener;
            this.shared = shared;
        }

        @Override
        public void completed(AsynchronousSocketChannel channel, Void nothing) {
            AsyncConnection connection = new AsyncConnection(channel, shared);
            // A callback is for one event: for the next connection it has to be handed in again.
            listener.accept(null, this);
            connection.start();
        }

        @Override
        public void failed(Throwable error, Void nothing) {
            if (listener.isOpen()) {
                int pause = errors.pauseAfter(error);
                shared.timer().schedule(() -> listener.accept(null, this), pause, TimeUnit.MILLISECONDS);
            } else {
                ended.countDown();
            }
        }
    }
    // ANCHOR_END: acceptor
}
