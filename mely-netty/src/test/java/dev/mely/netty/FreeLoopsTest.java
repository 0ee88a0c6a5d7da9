package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which loop the next channel gets. */
@Timeout(300)
class FreeLoopsTest {
  private final MelyEventLoopGroup group =
      MelyEventLoopGroup.builder().cores(2).sharedColors(6).build();

  private final GroupState groupState = group.groupState();

  @AfterEach
  void end() throws Exception {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  private ColorEventLoop loop() {
    return group.cores().newLoop(0);
  }

  @Test
  void theOneThatWasLeftLastComesFirst() {
    FreeLoops free = new FreeLoops(10, 10, groupState.terminationFutures());
    ColorEventLoop one = loop();
    ColorEventLoop two = loop();
    free.add(one);
    free.add(two);
    free.add(one); // is in there
    assertEquals(2, free.size());
    assertSame(two, free.take());
    assertSame(one, free.take());
    assertNull(free.take());
    free.add(two);
    assertSame(two, free.take());
  }

  @Test
  void keepsSoManyAndNoMore() {
    FreeLoops free = new FreeLoops(2, 2, groupState.terminationFutures());
    for (int i = 0; i < 5; i++) {
      free.add(loop());
    }
    assertEquals(2, free.size());
  }

  @Test
  void countsThoseForWhichSomethingIsKept() {
    FreeLoops free = new FreeLoops(10, 2, groupState.terminationFutures());
    for (int i = 0; i < 2; i++) {
      assertTrue(free.hasRoomForRequested());
      ColorEventLoop loop = loop();
      loop.free = free;
      loop.terminationFuture();
      free.add(loop);
      free.add(loop());
    }
    assertFalse(free.hasRoomForRequested());
    free.take(); // nothing is kept for it
    assertFalse(free.hasRoomForRequested());
    free.take();
    assertTrue(free.hasRoomForRequested());
  }

  @Test
  void aLoopThatAChannelHasJoinedMeanwhileIsNotHandedOut() throws Exception {
    FreeLoops free = new FreeLoops(10, 10, groupState.terminationFutures());
    ColorEventLoop joined = loop();
    joined.free = free;
    free.add(joined);
    Channel channel = new NioSocketChannel();
    joined.register(channel).sync();
    Channel resolver = new NioDatagramChannel();
    joined.register(resolver).sync();
    assertEquals(2, joined.registeredChannels());
    assertNull(free.take());
    channel.close().sync();
    Harness.await().until(() -> free.size() == 1);
    assertEquals(1, joined.registeredChannels());
    assertSame(joined, free.take(), "a resolver's socket does not keep it");
    resolver.close().sync();
    Harness.await().until(() -> joined.registeredChannels() == 0);
  }

  @Test
  void clientsHaveAColorEachWhileThereIsOne() throws Exception {
    List<Channel> clients = new ArrayList<>();
    Set<EventLoop> loops = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 6; i++) {
      clients.add(new NioSocketChannel());
      group.register(clients.get(i)).sync();
      loops.add(clients.get(i).eventLoop());
    }
    assertEquals(6, loops.size());
    for (int i = 6; i < 20; i++) {
      clients.add(new NioSocketChannel());
      group.register(clients.get(i)).sync();
      assertTrue(loops.contains(clients.get(i).eventLoop()));
    }
    for (int i = 0; i < 6; i++) {
      loops.remove(group.next());
    }
    assertEquals(Set.of(), loops, "they are those of next()");
    for (Channel client : clients) {
      client.close().sync();
    }
  }

  @Test
  void aRegistrationThatFailsGivesTheLoopBack() throws Exception {
    Channel parent = new NioServerSocketChannel();
    for (int i = 0; i < 30; i++) {
      NioSocketChannel closed = new NioSocketChannel(parent, SocketChannel.open());
      closed.unsafe().closeForcibly();
      assertFalse(group.register(closed).await().isSuccess());
      Harness.await().until(() -> groupState.pendingRegistrations().size() == 0);
    }
    Harness.await().until(() -> group.pool().freeColors() == 2);
    parent.unsafe().closeForcibly();
  }

  /** What servers keep for a channel's loop is bounded by the number of channels at one time. */
  @Test
  void keyedColorsAreUsedAgain() throws Exception {
    AtomicInteger keys = new AtomicInteger();
    MelyEventLoopGroup keyed =
        MelyEventLoopGroup.builder()
            .cores(1)
            .colorAssigner(channel -> channel.parent() == null ? null : keys.getAndIncrement())
            .build();
    Set<EventLoop> loops = Collections.newSetFromMap(new IdentityHashMap<>());
    try (Harness harness = new Harness(keyed, Quiet::new)) {
      for (int i = 0; i < 30; i++) {
        Harness.Client client = harness.connect();
        loops.add(client.peer.eventLoop());
        client.channel.close().sync();
        Harness.await().until(() -> keyed.registeredChannels() == 1);
        Harness.await().until(() -> keyed.pool().keys() == 0);
      }
      assertEquals(30, keys.get());
      assertTrue(loops.size() <= 2, () -> loops.size() + " loops for one channel at a time");
    }
  }

  private static final class Quiet extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      throw new AssertionError("nothing is sent");
    }
  }
}
