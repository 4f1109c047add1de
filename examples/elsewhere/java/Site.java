import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** The pages of the site, and the work that each asks for. All connections share one. */
final class Site {
    /** What a request asks for, besides its answer. */
    enum Work { NOTHING, SLEEP, READ_FILE, COMPUTE }

    /** The work to do first: so many milliseconds or rounds. Then the answer, unless the work makes it. */
    record Plan(Work work, int amount, Path file, Response answer) {
        static Plan ready(Response answer) {
            return new Plan(Work.NOTHING, 0, null, answer);
        }

        static Plan sleep(int ms, Response answer) {
            return new Plan(Work.SLEEP, ms, null, answer);
        }
    }

    private static final Set<String> PAGES = Set.of("/", "/sleep", "/tenth", "/file", "/work", "*");
    private static final int MAX_SLEEP = 10_000;
    private static final int MAX_WORK = 100_000;

    /** The file that /file reads anew for each request. */
    private final Path hello = Options.pages().resolve("hello.html");
    private final byte[] index;
    private final boolean panicRoute;
    /** Requests to /tenth so far, over all connections. */
    private final AtomicLong tenth = new AtomicLong();

    Site(Options options) throws IOException {
        index = Files.readAllBytes(Options.pages().resolve("index.html"));
        panicRoute = options.panicRoute();
    }

    /** Decides what a request asks for. */
    Plan route(Request request) {
        if (panicRoute && request.path().equals("/panic")) {
            throw new IllegalStateException("somebody asked for /panic");
        }
        if (!PAGES.contains(request.path())) {
            return Plan.ready(Response.text(404,
                "404 Not Found: this site has the pages /, /sleep, /tenth, /file and /work.\n"));
        }
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            return Plan.ready(Response.text(405, "405 Method Not Allowed: this site answers GET and HEAD.\n"));
        }
        try {
            return page(request);
        } catch (IllegalArgumentException complaint) {
            return Plan.ready(Response.text(400, "400 Bad Request: " + complaint.getMessage() + "\n"));
        }
    }

    private Plan page(Request request) {
        switch (request.path()) {
            case "/sleep": {
                int ms = parameter(request, "ms", 100, MAX_SLEEP);
                return Plan.sleep(ms, Response.text(200, "slept " + ms + " ms\n"));
            }
            case "/tenth": {
                int ms = parameter(request, "ms", 2000, MAX_SLEEP);
                // One atomic addition: no two requests get the same number, and no lock is held.
                long number = tenth.incrementAndGet();
                return number % 10 == 0
                    ? Plan.sleep(ms, Response.text(200, "request " + number + " waited " + ms + " ms\n"))
                    : Plan.ready(Response.text(200, "request " + number + " did not wait\n"));
            }
            case "/file":
                return new Plan(Work.READ_FILE, 0, hello, null);
            case "/work":
                return new Plan(Work.COMPUTE, parameter(request, "n", 100, MAX_WORK), null, null);
            default:
                return Plan.ready(new Response(200, Response.HTML, index));
        }
    }

    /** The value of `name` in the query, or `usual` where the query does not name it. */
    private static int parameter(Request request, String name, int usual, int most) {
        for (String pair : request.query().split("&")) {
            if (!pair.startsWith(name + "=")) {
                continue;
            }
            String value = pair.substring(name.length() + 1);
            // Digits alone, of which zeros may come first. parseInt would take a sign as well.
            if (value.matches("0*[0-9]{1,9}") && Integer.parseInt(value) <= most) {
                return Integer.parseInt(value);
            }
            throw new IllegalArgumentException(name + " must be a whole number from 0 to " + most);
        }
        return usual;
    }

    /** The answer with the file, or what a client is told where there is none. */
    static Response fileAnswer(byte[] contents) {
        return new Response(200, Response.HTML, contents);
    }

    /** The answer where the file can't be read: a 503 where only a descriptor is missing. */
    static Response fileAnswer(IOException error) {
        if (String.valueOf(error.getMessage()).contains("Too many open files")) {
            return Response.text(503, "503 Service Unavailable: every file that this server may open is open. "
                + "Try again in a few seconds.\n");
        }
        return Response.refusal(500);
    }

    /** A string and the JSON of a small record, so many times; the answer is the last JSON. */
    static Response compute(int rounds) {
        String json = "{}";
        for (int round = 0; round < rounds; round++) {
            json = new Address("10 Downing Street", "Value: " + round).toJson();
        }
        return new Response(200, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }

    /** Java's standard library has no JSON. The escapes are those that RFC 8259, section 7 demands. */
    private record Address(String street, String city) {
        String toJson() {
            StringBuilder json = new StringBuilder(64).append("{\"street\":");
            quote(json, street).append(",\"city\":");
            return quote(json, city).append('}').toString();
        }

        private static StringBuilder quote(StringBuilder json, String text) {
            json.append('"');
            for (int at = 0; at < text.length(); at++) {
                char letter = text.charAt(at);
                if (letter == '"' || letter == '\\') {
                    json.append('\\').append(letter);
                } else if (letter < ' ') {
                    json.append(String.format("\\u%04x", (int) letter));
                } else {
                    json.append(letter);
                }
            }
            return json.append('"');
        }
    }
}
