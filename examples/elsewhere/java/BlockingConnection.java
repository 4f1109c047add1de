import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.concurrent.Executor;

/**
 * One connection, served by calls that block: the same code for each kind of thread.
 *
 * <p>java_threads, java_pool and java_virtual differ only in the executor that they hand to {@link #acceptAll}.
 */
final class BlockingConnection implements Runnable, Connections.Open {
    /** The longest backlog that is asked for. */
    static final int BACKLOG = 1024;
    /** For the whole head, and for an idle connection that is kept. */
    static final long HEAD_NANOS = 5_000_000_000L;
    /** For reading what a client still sends after the last response, and the most bytes of it. */
    static final long DRAIN_NANOS = 1_000_000_000L;
    static final int DRAIN_LIMIT = 1024 * 1024;

    private final Socket socket;
    private final Site site;
    private final Connections connections;
    private final boolean keepAlive;
    /** Bytes that arrived and belong to no request yet. */
    private byte[] received = new byte[4096];
    private int count;
    // Other threads look at these two.
    private volatile boolean idle;
    private volatile long writingSince;

    BlockingConnection(Socket socket, Site site, Connections connections, boolean keepAlive) {
        this.socket = socket;
        this.site = site;
        this.connections = connections;
        this.keepAlive = keepAlive;
    }

    // ANCHOR: accept
    /** Accepts connections until the listener is closed; the executor decides which thread serves each. */
    static void acceptAll(ServerSocket listener, Executor executor, Options options, Connections connections)
            throws IOException, InterruptedException {
        Site site = new Site(options);
        AcceptErrors errors = new AcceptErrors();
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                var connection = new BlockingConnection(socket, site, connections, options.keepAlive());
                connections.add(connection);
                try {
                    executor.execute(connection);
                } catch (OutOfMemoryError noThread) {
                    // So Java says that the system gives it no thread.
                    connection.refuse();
                }
            } catch (IOException error) {
                if (!listener.isClosed()) {
                    Thread.sleep(errors.pauseAfter(error));
                }
            }
        }
    }
    // ANCHOR_END: accept

    /** Tells the client that there is no thread for it. Waits for nothing: the few bytes have room in the socket. */
    private void refuse() {
        try (socket) {
            // What has come is read, or the close becomes a reset and the answer is lost.
            socket.getInputStream().skip(socket.getInputStream().available());
            socket.getOutputStream().write(Response.refusal(503).encode(Request.parse(received, 0).request(), false));
        } catch (IOException error) {
            // The client has left.
        } finally {
            connections.remove(this);
        }
    }

    // ANCHOR: handle
    /** Serves the connection from its first byte to its last. Each call in here blocks the thread that runs it. */
    @Override
    public void run() {
        // The socket is closed at the end of this block, however that comes.
        try (socket) {
            socket.setTcpNoDelay(true);
            boolean keep = true;
            while (keep) {
                Request.Parsed head = nextRequest();
                if (head == null) {
                    return;
                }
                Request request = head.request();
                boolean isWhole = head.status() == Request.WHOLE;
                Response answer = isWhole ? carryOut(site.route(request)) : Response.refusal(head.status());
                keep = isWhole && keepAlive && request.mayStayOpen() && !connections.areClosing();
                writingSince = System.nanoTime();
                socket.getOutputStream().write(answer.encode(request, keep));
                writingSince = 0;
            }
            drain();
        } catch (IOException | InterruptedException error) {
            // The client has left, or was too slow: that concerns no other client.
        } catch (RuntimeException bug) {
            Options.complain("a handler panicked: " + bug);
        } finally {
            connections.remove(this);
        }
    }

    /** Does the work that a request asks for. */
    private static Response carryOut(Site.Plan plan) throws InterruptedException {
        switch (plan.work()) {
            case SLEEP:
                // A pool's thread sleeps. A virtual thread is put aside, and the thread that carried it runs another.
                Thread.sleep(plan.amount());
                return plan.answer();
            case READ_FILE:
                try {
                    // Here a virtual thread keeps the thread that carries it, because the kernel's read blocks.
                    return Site.fileAnswer(Files.readAllBytes(plan.file()));
                } catch (IOException error) {
                    return Site.fileAnswer(error);
                }
            case COMPUTE:
                return Site.compute(plan.amount());
            default:
                return plan.answer();
        }
    }
    // ANCHOR_END: handle

    /** Reads until a request head is whole, and takes it off what was received; null where none comes. */
    private Request.Parsed nextRequest() throws IOException {
        long until = System.nanoTime() + HEAD_NANOS;
        while (true) {
            Request.Parsed head = Request.parse(received, count);
            if (head.status() != Request.UNFINISHED) {
                count -= head.length();
                System.arraycopy(received, head.length(), received, 0, count);
                return head;
            }
            idle = count == 0;
            if (count == received.length) {
                received = Arrays.copyOf(received, 2 * count);
            }
            try {
                int more = read(count, until);
                if (more < 0) {
                    return null;
                }
                count += more;
            } catch (SocketTimeoutException late) {
                // Half a request deserves an answer. A client that never said a word does not wait for one.
                return count == 0 ? null : new Request.Parsed(408, head.request(), 0);
            } finally {
                idle = false;
            }
        }
    }

    /** Reads once, behind so many bytes that are there already; waits no longer than until then. */
    private int read(int from, long until) throws IOException {
        long left = (until - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
            throw new SocketTimeoutException("its time is over");
        }
        socket.setSoTimeout((int) left);
        return socket.getInputStream().read(received, from, received.length - from);
    }

    /**
     * Tells the client that the answer is whole, and reads what it still sends. Closing with unread input makes the
     * kernel send a reset, and a reset can destroy the answer (RFC 9112, section 9.6).
     */
    private void drain() throws IOException {
        socket.shutdownOutput();
        long until = System.nanoTime() + DRAIN_NANOS;
        for (int left = DRAIN_LIMIT; left > 0; ) {
            int more = read(0, until);
            if (more < 0) {
                return;
            }
            left -= more;
        }
    }

    /** Only closes the input: bytes that were read a moment ago are a request, whose answer can still leave. */
    @Override
    public void endIfIdle() {
        try {
            // A request may lie in the socket unread: one from the queue of a pool, for example.
            if (idle && socket.getInputStream().available() == 0) {
                socket.shutdownInput();
            }
        } catch (IOException error) {
            // It has ended already.
        }
    }

    @Override
    public long writingSince() {
        return writingSince;
    }

    @Override
    public void end() {
        try {
            socket.close();
        } catch (IOException error) {
            // It has ended already.
        }
    }
}
