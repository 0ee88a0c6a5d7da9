package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A flood of connections, and their end: nothing is left. */
@Timeout(300)
class ManyConnectionsTest {
  private static final int WANTED = 5_000;

  /** Two descriptors a connection, both ends being in this process, and a reserve. */
  private static final int CONNECTIONS =
      (int) Math.min(WANTED, (Rig.descriptorLimit() - Rig.descriptors() - 200) / 2);

  @Test
  void floodAndMassClose() throws Exception {
    System.out.println(
        CONNECTIONS + " connections of " + WANTED + "; limit " + Rig.descriptorLimit());
    assertTrue(CONNECTIONS > 100, "the descriptor limit is too low for this test");
    long before = Rig.descriptors();
    try (ServerSocketChannel server = Rig.listen();
        Rig rig = new Rig(2)) {
      Echo echo = new Echo(rig.nio, server);
      List<SocketChannel> clients = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        clients.add(Rig.client(server));
      }
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < CONNECTIONS; i++) {
          clients.get(i).write(ByteBuffer.allocate(4).putInt(0, i + round));
        }
        ByteBuffer in = ByteBuffer.allocate(4);
        for (int i = 0; i < CONNECTIONS; i++) {
          in.clear();
          while (in.hasRemaining()) {
            assertTrue(clients.get(i).read(in) > 0);
          }
          assertEquals(i + round, in.getInt(0));
        }
      }
      assertEquals(CONNECTIONS, echo.open.get());
      for (SocketChannel client : clients) {
        client.close();
      }
      await().until(() -> echo.open.get() == 0);
      // The descriptors are given up before the runtime ends.
      await().until(() -> Rig.descriptors() < before + 50);
    }
    await().until(() -> Rig.descriptors() <= before);
  }
}
