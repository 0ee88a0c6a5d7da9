package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No memory for a buffer, at each place in turn: the connection ends, and its place is free. */
class FailingAllocatorTest {
  private static final class Failing extends AbstractByteBufAllocator {
    final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }

    private void count() {
      if (left.getAndDecrement() == 0) {
        throw new OutOfMemoryError("planted");
      }
    }

    @Override
    protected ByteBuf newDirectBuffer(int capacity, int max) {
      count();
      return new UnpooledDirectByteBuf(this, capacity, max);
    }

    @Override
    protected ByteBuf newHeapBuffer(int capacity, int max) {
      count();
      return new UnpooledHeapByteBuf(this, capacity, max);
    }
  }

  @Test
  void eachAllocationMayFail(@TempDir Path root) throws Exception {
    Files.writeString(root.resolve("small"), "fine");
    Files.write(root.resolve("large"), new byte[200_000]);
    Files.createDirectory(root.resolve("d"));
    Failing allocator = new Failing();
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    SwsConfig config = Transports.config(root, Build.NIO).maxClients(3);
    try (SwsServer server =
        SwsServer.start(config, group, NioServerSocketChannel.class, allocator)) {
      for (String target : List.of("/small", "/large", "/d/", "/none", "/d")) {
        for (int failure = 0; failure < 6; failure++) {
          try (RawClient client = new RawClient(server)) {
            await().until(() -> server.clients() == 1);
            allocator.left.set(failure);
            answeredOrEnded(client.send(RawClient.get(target)));
            allocator.left.set(Integer.MAX_VALUE);
          }
          await().until(() -> server.clients() == 0);
        }
      }
      try (RawClient client = new RawClient(server)) {
        assertEquals("fine", client.send(RawClient.get("/small")).read().text());
      }
    } finally {
      assertTrue(group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(2, TimeUnit.MINUTES));
    }
  }

  private static void answeredOrEnded(RawClient client) {
    try {
      client.read();
    } catch (IOException | AssertionError ended) {
      // Not a whole answer; but a client that is left alone would run out of patience.
      assertTrue(!(ended instanceof java.net.SocketTimeoutException), "left alone: " + ended);
    }
  }
}
