package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which transport is recognized, and what follows from it. */
@Timeout(300)
class TransportsTest {
  private static Transport of(IoHandlerFactory factory) {
    PollSection section = new PollSection(true, () -> {});
    IoHandler io = factory.newHandler(section);
    try {
      return Transports.of(factory, io);
    } finally {
      section.execute(io::destroy);
    }
  }

  /** A factory whose handlers are bound to their threads, as any is that does not say otherwise. */
  private static IoHandlerFactory bound(IoHandlerFactory factory) {
    return factory::newHandler;
  }

  @Test
  void eachHasItsClass() {
    Transport nio = assertInstanceOf(NioTransport.class, of(NioIoHandler.newFactory()));
    assertSame(NioSocketChannel.class, nio.channelTypes().client());
    assertEquals(500_000, nio.minWaitNanos(), "the selector waits for half a millisecond or more");
    Transport epoll = assertInstanceOf(EpollTransport.class, of(EpollIoHandler.newFactory()));
    assertSame(EpollSocketChannel.class, epoll.channelTypes().client());
    assertEquals(0, epoll.minWaitNanos());
    Transport local = assertInstanceOf(OtherTransport.class, of(LocalIoHandler.newFactory()));
    Throwable thrown = assertThrows(IllegalStateException.class, local::channelTypes);
    assertTrue(thrown.getMessage().contains("nio, epoll, io_uring, kqueue"), thrown.getMessage());
  }

  @Test
  void channelsMoveWhereTheHandlerAllowsIt() {
    assertTrue(!of(NioIoHandler.newFactory()).isBoundToThread());
    assertTrue(!of(EpollIoHandler.newFactory()).isBoundToThread());
    assertTrue(of(bound(NioIoHandler.newFactory())).isBoundToThread());
    assertTrue(of(bound(EpollIoHandler.newFactory())).isBoundToThread());
    assertTrue(of(LocalIoHandler.newFactory()).isBoundToThread());
    assertTrue(Transports.named("io_uring").isBoundToThread());
    assertTrue(Transports.named("kqueue").isBoundToThread());
  }

  /** The channels are of a kind that could move, and stay. */
  @ParameterizedTest
  @EnumSource
  void channelsOfABoundFactoryAreServedByTheThreadThatPolls(Io io) throws Exception {
    IoHandlerFactory factory = bound(Transports.newFactory(io.name()));
    MelyEventLoopGroup group = new MelyEventLoopGroup(2, factory);
    Set<Thread> threads = new HashSet<>();
    try (Harness harness = new Harness(group, Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      ColorEventLoop loop = Harness.loop(client.peer);
      assertInstanceOf(CoreEventLoop.class, loop);
      assertInstanceOf(
          PinnedRegistration.class, loop.submit(() -> loop.loopRegistrations().get(0)).get());
      for (int i = 0; i < 20; i++) {
        client.send("x");
        assertEquals("x", client.await(1));
        threads.add(loop.submit(Thread::currentThread).get());
      }
    }
    assertEquals(1, threads.size());
    Harness.await().until(() -> group.registeredChannels() == 0);
  }

  @Test
  void namesThatAreUnknownAreRefusedWithThoseThatAreKnown() {
    Throwable thrown =
        assertThrows(IllegalArgumentException.class, () -> Transports.newFactory("carrier pigeon"));
    assertTrue(
        thrown.getMessage().endsWith("known: auto, nio, epoll, io_uring, kqueue"),
        thrown.getMessage());
  }
}
