import java.io.IOException;
import java.net.ServerSocket;

/** The listener of the two servers whose calls block. */
final class Listener {
    private Listener() {}

    /** Binds 127.0.0.1; where the port can't be had, says so in one line and ends the process with status 1. */
    static ServerSocket open(Options options) {
        try {
            ServerSocket listener = new ServerSocket();
            listener.bind(options.address(), BlockingConnection.BACKLOG);
            return listener;
        } catch (IOException error) {
            throw options.cannotListen(error);
        }
    }
}
