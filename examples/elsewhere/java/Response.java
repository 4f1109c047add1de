import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;

/** A response before it is bytes. */
record Response(int status, String contentType, byte[] body) {
    static final String HTML = "text/html; charset=utf-8";
    static final String TEXT = "text/plain; charset=utf-8";

    /** As RFC 9110, section 5.6.7 prefers it. Java's own RFC_1123_DATE_TIME writes days below 10 with one digit. */
    private static final DateTimeFormatter DATE =
        DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

    static Response text(int status, String text) {
        return new Response(status, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** The answer to a request that is refused: its status in words. */
    static Response refusal(int status) {
        return text(status, status + " " + reason(status) + "\n");
    }

    /** The reason phrase of a status (RFC 9110, section 15). */
    static String reason(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 400 -> "Bad Request";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 414 -> "URI Too Long";
            case 431 -> "Request Header Fields Too Large";
            case 500 -> "Internal Server Error";
            case 503 -> "Service Unavailable";
            case 505 -> "HTTP Version Not Supported";
            default -> throw new IllegalArgumentException("no status of this site: " + status);
        };
    }

    /** The bytes to send (RFC 9112, section 2.1). */
    byte[] encode(Request request, boolean keepAlive) {
        StringBuilder head = new StringBuilder(256)
            .append("HTTP/1.1 ").append(status).append(' ').append(reason(status))
            .append("\r\nDate: ").append(DATE.format(ZonedDateTime.now(ZoneOffset.UTC)))
            .append("\r\nContent-Type: ").append(contentType)
            .append("\r\nContent-Length: ").append(body.length).append("\r\n");
        if (status == 405) {
            head.append("Allow: GET, HEAD\r\n");
        }
        // A 1.1 client takes an open connection for granted; a 1.0 client waits for these words.
        if (!keepAlive) {
            head.append("Connection: close\r\n");
        } else if (request.http10()) {
            head.append("Connection: keep-alive\r\n");
        }
        byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        if (request.isHead()) {
            return start;
        }
        byte[] all = Arrays.copyOf(start, start.length + body.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        return all;
    }
}
