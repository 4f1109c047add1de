import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.InterruptedByTimeoutException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import static java.net.StandardSocketOptions.TCP_NODELAY;

/**
 * One connection, served by callbacks: no method in here waits.
 *
 * <p>Where {@link BlockingConnection} has a line below a call, this has a method that is called later. What the
 * blocking version keeps in local variables while it waits, this has to keep in fields.
 */
final class AsyncConnection implements Connections.Open {
    private final AsynchronousSocketChannel channel;
    private final JavaNio2.Shared shared;
    /** Bytes that arrived and belong to no request yet. */
    private byte[] received = new byte[4096];
    private int count;
    /** When the time is over for the head, the response or the rest, whichever is under way. */
    private long until;
    /** Java allows no read on a channel on which one has run out of time. */
    private boolean mayRead = true;
    // The thread that stops the server looks at this.
    private volatile boolean idle;

    AsyncConnection(AsynchronousSocketChannel channel, JavaNio2.Shared shared) {
        this.channel = channel;
        this.shared = shared;
        shared.connections().add(this);
    }

    void start() {
        try {
            channel.setOption(TCP_NODELAY, true);
            nextRequest();
        } catch (IOException error) {
            end();
        }
    }

    // ANCHOR: handle
    private void nextRequest() {
        until = System.nanoTime() + BlockingConnection.HEAD_NANOS;
        look();
    }

    /** Looks at what has arrived: works on a whole head, refuses what is none, and else asks for more. */
    private void look() {
        Request.Parsed head = Request.parse(received, count);
        if (head.status() == Request.UNFINISHED) {
            readMore(head.request());
            return;
        }
        count -= head.length();
        System.arraycopy(received, head.length(), received, 0, count);
        if (head.status() == Request.WHOLE) {
            carryOut(head.request(), shared.site().route(head.request()));
        } else {
            send(Response.refusal(head.status()), head.request(), false);
        }
    }

    // ANCHOR: more
    /** Asks for more bytes, and returns at once: `look` is called when they have come. */
    private void readMore(Request soFar) {
        idle = count == 0;
        if (count == received.length) {
            received = Arrays.copyOf(received, 2 * count);
        }
        ByteBuffer free = ByteBuffer.wrap(received, count, received.length - count);
        channel.read(free, timeLeft(), TimeUnit.NANOSECONDS, null, then(more -> {
            idle = false;
            if (more < 0) {
                end();
                return;
            }
            count += more;
            look();
        }, () -> {
            mayRead = false;
            // Half a request deserves an answer. A client that never said a word does not wait for one.
            if (count == 0) {
                end();
            } else {
                send(Response.refusal(408), soFar, false);
            }
        }));
    }
    // ANCHOR_END: more

    /** Does the work that a request asks for, or has it done, and sends the answer then. */
    private void carryOut(Request request, Site.Plan plan) {
        switch (plan.work()) {
            // No thread waits for this but the timer's, which waits for all of them.
            case SLEEP -> shared.timer().schedule(
                () -> guarded(() -> answer(request, plan.answer())), plan.amount(), TimeUnit.MILLISECONDS);
            // Another pool of Java's, in which a thread blocks in the read.
            case READ_FILE -> readFile(request, plan.file());
            // Here one of the group's few threads computes, and calls no callback of another connection.
            case COMPUTE -> answer(request, Site.compute(plan.amount()));
            case NOTHING -> answer(request, plan.answer());
        }
    }

    private void answer(Request request, Response answer) {
        boolean keep = shared.keepAlive() && request.mayStayOpen() && !shared.connections().areClosing();
        send(answer, request, keep);
    }

    private void send(Response answer, Request request, boolean keep) {
        until = System.nanoTime() + Connections.WRITE_NANOS;
        write(ByteBuffer.wrap(answer.encode(request, keep)), keep);
    }

    /** Writes all of it: a write may take a part, and then it is handed the rest. */
    private void write(ByteBuffer bytes, boolean keep) {
        channel.write(bytes, timeLeft(), TimeUnit.NANOSECONDS, null, then(some -> {
            if (bytes.hasRemaining()) {
                write(bytes, keep);
            } else if (keep) {
                nextRequest();
            } else {
                finish();
            }
        }, this::end));
    }
    // ANCHOR_END: handle

    private void readFile(Request request, Path path) {
        try {
            AsynchronousFileChannel file = AsynchronousFileChannel.open(path, StandardOpenOption.READ);
            readOn(request, file, ByteBuffer.allocate((int) file.size()));
        } catch (IOException error) {
            answer(request, Site.fileAnswer(error));
        }
    }

    /** Reads the file from where the buffer ends, until the buffer is full. */
    private void readOn(Request request, AsynchronousFileChannel file, ByteBuffer contents) {
        file.read(contents, contents.position(), null, then(some -> {
            if (some > 0 && contents.hasRemaining()) {
                readOn(request, file, contents);
                return;
            }
            close(file);
            answer(request, Site.fileAnswer(Arrays.copyOf(contents.array(), contents.position())));
        }, this::end, () -> {
            close(file);
            answer(request, Response.refusal(500));
        }));
    }

    /**
     * Tells the client that the answer is whole, and reads what it still sends. Closing with unread input makes the
     * kernel send a reset, and a reset can destroy the answer (RFC 9112, section 9.6).
     */
    private void finish() {
        try {
            channel.shutdownOutput();
        } catch (IOException error) {
            mayRead = false;
        }
        until = System.nanoTime() + BlockingConnection.DRAIN_NANOS;
        drain(BlockingConnection.DRAIN_LIMIT);
    }

    private void drain(int left) {
        if (!mayRead || left <= 0) {
            end();
            return;
        }
        channel.read(ByteBuffer.wrap(received), timeLeft(), TimeUnit.NANOSECONDS, null, then(more -> {
            if (more < 0) {
                end();
            } else {
                drain(left - more);
            }
        }, this::end));
    }

    /** What a channel calls when it is done: the next step; or `late`, where the time was over before that. */
    private <T> CompletionHandler<T, Void> then(Consumer<T> next, Runnable late) {
        return then(next, late, this::end);
    }

    /** The same, with what is to be done after any other failure. */
    private <T> CompletionHandler<T, Void> then(Consumer<T> next, Runnable late, Runnable failed) {
        return new CompletionHandler<>() {
            @Override
            public void completed(T result, Void nothing) {
                guarded(() -> next.accept(result));
            }

            @Override
            public void failed(Throwable error, Void nothing) {
                guarded(error instanceof InterruptedByTimeoutException ? late : failed);
            }
        };
    }

    /** Runs a step. An exception in it would end one of the group's threads, and leave the connection open. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException bug) {
            Options.complain("a handler panicked: " + bug);
            end();
        }
    }

    /** The time until `until`, in nanoseconds. Never zero, which a channel takes for no limit at all. */
    private long timeLeft() {
        return Math.max(1, until - System.nanoTime());
    }

    /** Only closes the input: bytes that are there already are a request, whose answer can still leave. */
    @Override
    public void endIfIdle() {
        if (idle) {
            try {
                channel.shutdownInput();
            } catch (IOException error) {
                // It has ended already.
            }
        }
    }

    /** The channel looks after the time of a write itself. */
    @Override
    public long writingSince() {
        return 0;
    }

    @Override
    public void end() {
        close(channel);
        shared.connections().remove(this);
    }

    private static void close(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception error) {
            // It has ended already.
        }
    }
}
