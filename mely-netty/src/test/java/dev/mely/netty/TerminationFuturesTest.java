package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the termination futures of event loops complete, and what a loop is good for afterwards. */
@Timeout(300)
class TerminationFuturesTest {
  /** More loops than a core keeps when their channels have left. */
  private static final int MANY = 20;

  private Harness harness;

  @BeforeEach
  void start() throws Exception {
    harness = new Harness(Io.NIO.builder().cores(1).build(), Harness.Echo::new);
  }

  @AfterEach
  void stop() {
    harness.close();
  }

  private Future<?> end(int n, List<Harness.Client> clients) throws Exception {
    clients.add(harness.connect());
    return clients.get(n).peer.eventLoop().terminationFuture();
  }

  @Test
  void everyOneCompletesWithTheGroup() throws Exception {
    List<Future<?>> ends = new ArrayList<>();
    List<Harness.Client> clients = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      ends.add(end(i, clients));
    }
    assertEquals(MANY, harness.group.groupState().terminationFutures().size());
    assertTrue(ends.stream().noneMatch(Future::isDone));
    assertSame(
        harness.group.groupState().termination(),
        harness.group.next().terminationFuture(),
        "that of a shared color");
    harness.group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    assertTrue(ends.stream().allMatch(Future::isDone));
    assertTrue(clients.get(0).peer.eventLoop().terminationFuture().isDone(), "asked for later");
    assertEquals(0, harness.group.groupState().terminationFutures().size());
  }

  @Test
  void theyCompleteWhenMoreThanAFewLoopsHaveBeenLeft() throws Exception {
    List<Future<?>> ends = new ArrayList<>();
    List<Harness.Client> clients = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      ends.add(end(i, clients));
    }
    for (Harness.Client client : clients) {
      client.channel.close().sync();
    }
    Harness.await().until(() -> ends.stream().filter(Future::isDone).count() == MANY - 16);
    int done = 0;
    while (!ends.get(done).isDone()) {
      done++;
    }
    EventLoop loop = clients.get(done).peer.eventLoop();
    assertFalse(loop.isShuttingDown());
    assertFalse(loop.isTerminated());
    assertEquals("works", loop.submit(() -> "works").sync().getNow());
    Future<?> next = loop.terminationFuture();
    assertNotSame(ends.get(done), next);
    assertFalse(next.isDone());
  }

  @Test
  void aLoopThatHasAChannelIsNotEnded() throws Exception {
    List<Harness.Client> clients = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Future<?> end = end(i, clients);
      Harness.loop(clients.get(i).peer).terminateLater();
      clients.get(i).peer.eventLoop().submit(() -> {}).sync();
      assertFalse(end.isDone());
    }
  }

  @Test
  void itCanBeWaitedForAnywhereElse() throws Exception {
    List<Harness.Client> clients = new ArrayList<>();
    Future<?> end = end(0, clients);
    assertFalse(end.await(1));
    EventLoop loop = clients.get(0).peer.eventLoop();
    Throwable thrown = loop.submit(() -> end.await(1)).await().cause();
    assertInstanceOf(BlockingOperationException.class, thrown);
  }

  /** Otherwise the next channel might be given what a listener is about to close. */
  @Test
  void theLoopIsNotFreeBeforeAllListenersHaveBeenTold() throws Exception {
    List<Harness.Client> clients = new ArrayList<>();
    List<Integer> free = new CopyOnWriteArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Future<?> end = end(i, clients);
      EventLoop loop = clients.get(i).peer.eventLoop();
      Channel socket = new NioDatagramChannel();
      loop.register(socket).sync();
      end.addListener(f -> socket.close());
      end.addListener(f -> free.add(harness.group.pool().freeColors()));
    }
    for (Harness.Client client : clients) {
      client.channel.close().sync();
    }
    Harness.await().until(() -> free.size() == MANY - 16);
    assertEquals(List.of(16, 17, 18, 19), free, "free before each of them is");
    Harness.await().until(() -> harness.group.pool().freeColors() == MANY);
  }
}
