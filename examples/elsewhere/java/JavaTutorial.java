import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** JavaTutorial: a server with a pool as tutorials have it. It has no limit of time: see JavaPool. */
final class JavaTutorial {
    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        ServerSocket listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        ExecutorService pool = Executors.newFixedThreadPool(8);
        while (true) {
            Socket client = listener.accept();
            pool.execute(() -> serve(client));
        }
    }

    private static void serve(Socket client) {
        try (client; var lines = new BufferedReader(new InputStreamReader(client.getInputStream()))) {
            // Waits for the client, however long that takes; an empty line ends the head.
            String line = lines.readLine();
            while (line != null && !line.isEmpty()) {
                line = lines.readLine();
            }
            String answer = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nHello!\n";
            client.getOutputStream().write(answer.getBytes());
        } catch (IOException error) {
            System.err.println(error);
        }
    }
}
