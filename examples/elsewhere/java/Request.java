import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The head of a request, without anything that the site does not use.
 *
 * @param isHead the bytes begin as a HEAD request does: its answer has no body, whatever else is wrong with it
 */
record Request(String method, String path, String query, boolean http10, boolean keepAlive, boolean hasBody, boolean isHead) {
    /** The longest request head, in bytes, and the most header lines in it. */
    private static final int HEAD_LIMIT = 16 * 1024;
    private static final int MAX_HEADERS = 100;

    /** What parse makes of bytes that are no whole head yet, and of a whole one; else it is the status of a refusal. */
    static final int UNFINISHED = 0;
    static final int WHOLE = 200;

    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    private static final boolean[] TOKEN = table(LETTERS + "!#$%&'*+-.^_`|~");
    private static final boolean[] NAME = table(LETTERS + "-._~%!$&'()*+;=");
    private static final boolean[] ADDRESS = table(LETTERS + "-._~%!$&'()*+;=:");

    /** What a run of bytes turned out to be: a whole head has taken `length` of them. */
    record Parsed(int status, Request request, int length) {}

    /** Whether the connection may carry another request: past a body that nobody reads, that can't be found. */
    boolean mayStayOpen() {
        return keepAlive && !hasBody;
    }

    /** What there is to know of a request that can't be read. */
    private static Request unreadable(boolean isHead) {
        return new Request("", "", "", false, false, false, isHead);
    }

    /**
     * Looks for a request head at the start of the bytes. The rules are those of RFC 9112,
     * as examples/site/src/request.rs has them, with the sections.
     */
    static Parsed parse(byte[] bytes, int count) {
        int seen = Math.min(count, HEAD_LIMIT);
        // One char for each byte.
        String head = new String(bytes, 0, seen, StandardCharsets.ISO_8859_1);
        int start = 0;
        // Empty lines before a request are skipped (section 2.2).
        while (head.startsWith("\r\n", start)) {
            start += 2;
        }
        boolean isHead = head.startsWith("HEAD ", start);
        // A line ends with CR and LF. Nothing behind a bare LF is looked at.
        int end = bareLineFeed(head);
        List<String> lines = new ArrayList<>();
        int at = start;
        boolean complete = false;
        for (int stop = head.indexOf("\r\n", at); stop >= 0 && stop < end && !complete; stop = head.indexOf("\r\n", at)) {
            complete = stop == at;
            if (!complete) {
                lines.add(head.substring(at, stop));
            }
            at = stop + 2;
        }
        int status;
        RequestLine line = null;
        if (lines.isEmpty()) {
            status = judgeStart(head.substring(start, end));
        } else {
            line = RequestLine.read(lines.get(0));
            status = line.status == WHOLE ? UNFINISHED : line.status;
        }
        if (status == UNFINISHED && !complete) {
            status = judgeUnfinished(head, end, lines.isEmpty() ? head.substring(start) : "");
        } else if (status == UNFINISHED && lines.size() > MAX_HEADERS + 1) {
            status = 431;
        }
        if (status != UNFINISHED || !complete) {
            return new Parsed(status, unreadable(isHead), 0);
        }
        Headers headers = Headers.read(lines.subList(1, lines.size()), line.http10);
        Request request = new Request(line.method, line.path, line.query, line.http10, headers.keepAlive, headers.hasBody, isHead);
        return new Parsed(headers.status, request, at);
    }

    /** Where the first LF is that follows no CR; the end where there is none. */
    private static int bareLineFeed(String head) {
        for (int at = head.indexOf('\n'); at >= 0; at = head.indexOf('\n', at + 1)) {
            if (at == 0 || head.charAt(at - 1) != '\r') {
                return at;
            }
        }
        return head.length();
    }

    /** A head that is not whole: it never will be, it is too long, or it may still become one. */
    private static int judgeUnfinished(String head, int end, String line) {
        if (end < head.length()) {
            return 400;
        }
        if (head.length() < HEAD_LIMIT) {
            return UNFINISHED;
        }
        // One space: the method has ended, the target has not.
        boolean inTarget = line.indexOf(' ') >= 0 && line.indexOf(' ') == line.lastIndexOf(' ');
        return inTarget ? 414 : 431;
    }

    /** Refuses what can't become a request line: a method is a word of certain letters. */
    private static int judgeStart(String start) {
        int space = start.indexOf(' ');
        String method = space >= 0 ? start.substring(0, space) : start;
        if (method.endsWith("\r")) {
            method = method.substring(0, method.length() - 1);
        }
        boolean isFine = method.isEmpty() ? space < 0 : consistsOf(method, TOKEN);
        return isFine ? UNFINISHED : 400;
    }

    /** The first line of a head. */
    private static final class RequestLine {
        int status = 400;
        String method;
        String path;
        String query = "";
        boolean http10;

        static RequestLine read(String text) {
            RequestLine line = new RequestLine();
            String[] words = text.split(" ", 3);
            if (words.length < 3 || words[0].isEmpty() || !consistsOf(words[0], TOKEN) || words[1].isEmpty()
                || words[1].chars().anyMatch(letter -> letter <= ' ' || letter == 127)) {
                return line;
            }
            String version = words[2];
            if (!version.equals("HTTP/1.0") && !version.equals("HTTP/1.1")) {
                line.status = version.matches("HTTP/[0-9]\\.[0-9]") ? 505 : 400;
                return line;
            }
            line.method = words[0];
            line.http10 = version.equals("HTTP/1.0");
            line.readTarget(words[1]);
            return line;
        }

        /** A path, an absolute URL, or `*` (section 3.2). */
        private void readTarget(String target) {
            if (target.chars().anyMatch(letter -> letter == '#' || letter > 127)) {
                return;
            }
            String origin = target;
            boolean isStar = target.equals("*") && !method.equals("GET") && !method.equals("HEAD");
            if (!target.startsWith("/") && !isStar) {
                String scheme = "http://";
                if (!target.regionMatches(true, 0, scheme, 0, scheme.length())) {
                    return;
                }
                int end = scheme.length();
                while (end < target.length() && "/?".indexOf(target.charAt(end)) < 0) {
                    end++;
                }
                if (!isAuthority(target.substring(scheme.length(), end))) {
                    return;
                }
                origin = target.substring(end);
            }
            int question = origin.indexOf('?');
            path = question < 0 ? origin : origin.substring(0, question);
            query = question < 0 ? "" : origin.substring(question + 1);
            if (path.isEmpty()) {
                path = "/";
            }
            status = WHOLE;
        }
    }

    /** The header lines that concern the site. */
    private static final class Headers {
        int status = 400;
        boolean keepAlive;
        boolean hasBody;
        private int hosts;
        private String length;
        private String lastCoding;
        private boolean closes;
        private boolean keeps;

        static Headers read(List<String> lines, boolean http10) {
            Headers headers = new Headers();
            for (String line : lines) {
                if (!headers.take(line)) {
                    return headers;
                }
            }
            boolean hostIsFine = headers.hosts == 1 || (headers.hosts == 0 && http10);
            // Only `chunked` says where a body ends, so it has to come last (section 6.3).
            boolean codingIsFine = headers.lastCoding == null
                || (headers.lastCoding.equalsIgnoreCase("chunked") && headers.length == null && !http10);
            if (hostIsFine && codingIsFine) {
                headers.status = WHOLE;
                headers.hasBody = headers.lastCoding != null || (headers.length != null && !headers.length.equals("0"));
                headers.keepAlive = !headers.closes && (headers.keeps || !http10);
            }
            return headers;
        }

        /** Whether the line is one that may stand in a head. */
        private boolean take(String line) {
            int colon = line.indexOf(':');
            if (colon <= 0 || !consistsOf(line.substring(0, colon), TOKEN)) {
                return false;
            }
            String value = line.substring(colon + 1);
            if (value.chars().anyMatch(letter -> (letter < ' ' && letter != '\t') || letter == 127)) {
                return false;
            }
            value = trim(value);
            switch (line.substring(0, colon).toLowerCase(Locale.ROOT)) {
                case "host" -> {
                    hosts++;
                    return isAuthority(value);
                }
                case "content-length" -> {
                    return takeLength(value);
                }
                case "transfer-encoding" -> lastCoding = trim(value.substring(value.lastIndexOf(',') + 1));
                case "connection" -> {
                    for (String option : value.split(",")) {
                        closes |= trim(option).equalsIgnoreCase("close");
                        keeps |= trim(option).equalsIgnoreCase("keep-alive");
                    }
                }
                default -> {}
            }
            return true;
        }

        /** Two equal lengths say the same thing twice; 005 and 5 are equal. */
        private boolean takeLength(String value) {
            try {
                // A sign is no digit; parseUnsignedLong would take a plus.
                String number = Long.toUnsignedString(Long.parseUnsignedLong(value));
                boolean isFine = value.charAt(0) != '+' && (length == null || length.equals(number));
                length = number;
                return isFine;
            } catch (NumberFormatException error) {
                return false;
            }
        }
    }

    /** Whether this is a host with or without a port (RFC 9110, section 7.2). */
    private static boolean isAuthority(String text) {
        int end;
        boolean hostIsFine;
        if (text.startsWith("[")) {
            // An address in brackets may hold colons.
            end = text.indexOf(']') + 1;
            hostIsFine = end > 2 && consistsOf(text.substring(1, end - 1), ADDRESS);
        } else {
            end = text.indexOf(':') < 0 ? text.length() : text.indexOf(':');
            hostIsFine = end > 0 && consistsOf(text.substring(0, end), NAME);
        }
        return hostIsFine && text.substring(end).matches("(:[0-9]*)?");
    }

    private static boolean[] table(String letters) {
        boolean[] table = new boolean[256];
        letters.chars().forEach(letter -> table[letter] = true);
        return table;
    }

    private static boolean consistsOf(String text, boolean[] letters) {
        return text.chars().allMatch(letter -> letters[letter]);
    }

    /** Without the spaces and tabs at both ends: strip() would take more. */
    private static String trim(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && " \t".indexOf(text.charAt(from)) >= 0) {
            from++;
        }
        while (from < to && " \t".indexOf(text.charAt(to - 1)) >= 0) {
            to--;
        }
        return text.substring(from, to);
    }
}
