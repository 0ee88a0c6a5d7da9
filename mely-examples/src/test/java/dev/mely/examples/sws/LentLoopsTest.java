package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server on loops that are not its own. */
class LentLoopsTest {
  @TempDir private Path root;

  @Test
  void runsOnNettysOwnGroupAndLeavesItRunning() throws IOException {
    Files.writeString(root.resolve("file.txt"), "fine");
    SwsConfig config = Transports.config(root, Build.NIO);
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    try {
      try (SwsServer server = SwsServer.start(config, group, NioServerSocketChannel.class, null)) {
        try (RawClient client = new RawClient(server)) {
          assertEquals("fine", client.send(RawClient.get("/file.txt")).read().text());
        }
        assertTrue(server.description().contains("MultiThreadIoEventLoopGroup"));
        assertEquals(List.of(), server.cores());
      }
      assertFalse(group.isShuttingDown());
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }
}
