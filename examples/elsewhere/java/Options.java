import java.io.File;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** What a command line says. It does for Java what examples/site does for Rust. */
record Options(String name, int port, boolean keepAlive, boolean panicRoute, int threads) {
    /** The largest pool that --threads makes. */
    private static final int MAX_THREADS = 1024;

    /** Reads the command line of a server without --threads. */
    static Options read(String name, String[] args) {
        return read(name, args, 0);
    }

    /** Reads the command line; ends the process with status 2 on anything that is no option. */
    static Options read(String name, String[] args, int usualThreads) {
        int port = 8080;
        int threads = usualThreads;
        boolean keepAlive = false;
        boolean panicRoute = false;
        try {
            for (int at = 0; at < args.length; at++) {
                // `--port 8081` and `--port=8081` are both usual.
                String[] parts = args[at].split("=", 2);
                String flag = parts[0];
                boolean takesNumber = flag.equals("--port") || flag.equals("--threads") && usualThreads > 0;
                if (takesNumber) {
                    String value = parts.length == 2 ? parts[1] : ++at < args.length ? args[at] : "";
                    if (flag.equals("--port")) {
                        port = number(flag, value, 0, 65535);
                    } else {
                        threads = number(flag, value, 1, MAX_THREADS);
                    }
                    continue;
                }
                // The flags without a value: as a whole, so that `--keep-alive=yes` is none.
                switch (args[at]) {
                    case "--keep-alive" -> keepAlive = true;
                    case "--panic-route" -> panicRoute = true;
                    case "--help", "-h" -> {
                        System.out.print(usage(name, usualThreads));
                        System.exit(0);
                    }
                    default -> throw new IllegalArgumentException("\"" + flag + "\" is no option");
                }
            }
        } catch (IllegalArgumentException complaint) {
            complain(name + ": " + complaint.getMessage() + "; --help lists the options");
            System.exit(2);
        }
        return new Options(name, port, keepAlive, panicRoute, threads);
    }

    private static int number(String flag, String value, int least, int most) {
        // Digits alone: parseInt would take a sign as well.
        if (value.matches("[0-9]{1,9}")) {
            int number = Integer.parseInt(value);
            if (least <= number && number <= most) {
                return number;
            }
        }
        throw new IllegalArgumentException(
            flag + " takes a whole number from " + least + " to " + most + ", not \"" + value + "\"");
    }

    private static String usage(String name, int usualThreads) {
        String pool = "  --threads N    how many threads the pool has, 1 to " + MAX_THREADS + " (default " + usualThreads + ")\n";
        return "Usage: " + name + " [OPTIONS]\n\n"
            + "  --port N       listen on this port of 127.0.0.1 (default 8080; 0 takes any free one)\n"
            + "  --keep-alive   let a connection carry more than one request\n"
            + (usualThreads > 0 ? pool : "")
            + "  --panic-route  add a page /panic whose handler panics, to see what that does\n"
            + "  -h, --help     print this\n";
    }

    /** The folder with the pages of the site: `cargo xtask run` gives it as `-Dsite=FOLDER`. */
    static Path pages() {
        return Path.of(System.getProperty("site", "examples" + File.separator + "site"));
    }

    /** Where to listen: this machine alone. */
    InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port);
    }

    /** Says in one line why the port can't be had, and ends the process with status 1. */
    RuntimeException cannotListen(Exception error) {
        String words = String.valueOf(error.getMessage());
        String why = words.contains("in use") ? "another program holds that port" : words;
        complain(name + ": cannot listen on 127.0.0.1:" + port + ": " + why + "; try --port 0, which takes any free one");
        System.exit(1);
        return new IllegalStateException("the process has ended");
    }

    /** Says in one line that the server is ready. Call it when everything is in place, signals included. */
    void announce(int boundPort, String threads) {
        System.out.println(String.format("%s: listening on http://127.0.0.1:%d/ with %s, process id %d",
            name, boundPort, threads, ProcessHandle.current().pid()));
    }

    /** Prints a line on standard error. Java's streams swallow the error where nobody listens any more. */
    static void complain(String line) {
        System.err.println(line);
    }
}
