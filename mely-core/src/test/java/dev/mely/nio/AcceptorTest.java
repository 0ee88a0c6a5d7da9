package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server tells of accepts that fail, and when. */
@Timeout(300)
class AcceptorTest {
  private final List<Throwable> told = Collections.synchronizedList(new ArrayList<>());
  private final List<SocketChannel> accepted = Collections.synchronizedList(new ArrayList<>());
  private final MonitorSelector selector = new MonitorSelector();
  private final SelectorPoller poller = new SelectorPoller(0, selector);
  private final Mely mely =
      Mely.builder()
          .cores(1)
          .pinned(false)
          .pollers(core -> poller)
          .errorHandler((color, event, error) -> told.add(error))
          .build();

  private final IOException first = new IOException("no descriptor");
  private final IOException second = new IOException("no descriptor again");

  @AfterEach
  void end() {
    mely.close();
  }

  private PlannedServer server() throws IOException {
    return new PlannedServer(selector);
  }

  /** Until all that is planned has been done, and what it led to has been told. */
  private void run(PlannedServer server, Handler<SocketChannel> handler) throws Exception {
    Color color = mely.newColor();
    ChannelKey key = poller.register(server);
    Acceptor acceptor = new Acceptor(mely, new Selectors(), key, server, color, handler);
    key.add(acceptor);
    acceptor.resume();
    server.goesAhead();
    await().until(server::isDone);
    CountDownLatch over = new CountDownLatch(1);
    mely.execute(color, over::countDown);
    over.await();
  }

  /** Accepting fails in whatever way: it backs off, tells of it once, and goes on. */
  @Test
  void failuresInARowAreToldOnce() throws Exception {
    Error planned = new OutOfMemoryError("planned");
    PlannedServer server = server().fails(planned).fails(planned).fails(first).fails(planned);
    run(server.connects(1).findsNobody(), Handler.of(accepted::add));
    assertEquals(List.of(planned), told);
    assertEquals(1, accepted.size());
  }

  /** The numbers are of rounds that end for want of clients, and of one that is full. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 15, 16, 17, 40})
  void theNextLackOfDescriptorsIsToldAgain(int clientsInBetween) throws Exception {
    PlannedServer server = server().fails(first).fails(first);
    server.connects(clientsInBetween).findsNobody().fails(second).fails(second);
    run(server.connects(1).findsNobody(), Handler.of(accepted::add));
    assertEquals(List.of(first, second), told);
    assertEquals(clientsInBetween + 1, accepted.size());
  }

  /** One descriptor that comes free for a moment makes no new lack of the old one. */
  @Test
  void aLackThatGoesOnAfterAFewConnectionsIsNotToldAgain() throws Exception {
    PlannedServer server = server().fails(first).connects(3).fails(second).connects(2);
    run(server.fails(second).findsNobody(), Handler.of(accepted::add));
    assertEquals(List.of(first), told);
    assertEquals(5, accepted.size());
  }

  /** A handler's failure closes its connection and costs the others nothing, time after time. */
  @Test
  void aHandlerThatFailsLosesItsConnectionOnly() throws Exception {
    PlannedServer server = server().connects(1).connects(3).findsNobody();
    run(
        server,
        Handler.of(
            client -> {
              accepted.add(client);
              if (accepted.size() <= 2) {
                throw accepted.size() == 1 ? first : second;
              }
            }));
    assertEquals(List.of(first, second), told);
    assertEquals(4, accepted.size());
    assertFalse(accepted.get(0).isOpen());
    assertFalse(accepted.get(1).isOpen());
    assertTrue(accepted.get(2).isOpen());
    assertTrue(accepted.get(3).isOpen());
  }
}
