package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class LoadClientTest {
  /** Answers the first message of one connection with a byte that is not its own, or not at all. */
  private static String failure(boolean answers) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> server =
          CompletableFuture.runAsync(
              () -> {
                try (Socket socket = listener.accept()) {
                  byte[] message = socket.getInputStream().readNBytes(Frame.BYTES);
                  if (answers) {
                    message[3] ^= 1;
                    socket.getOutputStream().write(message);
                    socket.getInputStream().read(); // until the client has gone
                  }
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      try (LoadClient client = new LoadClient(listener.getLocalPort(), 1, EchoDialogue::new)) {
        return assertThrows(IOException.class, () -> client.exchange(1)).getMessage();
      } finally {
        server.handle((nothing, error) -> nothing).join();
      }
    }
  }

  @Test
  void noticesAnEchoThatIsNone() throws Exception {
    String failure = failure(true);
    assertTrue(failure.startsWith("message 1 came back as 100000001 "), failure);
  }

  @Test
  void noticesAServerThatGoesAway() throws Exception {
    String failure = failure(false);
    assertTrue(failure.contains("the server has closed a connection"), failure);
  }
}
