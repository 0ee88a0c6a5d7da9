package dev.mely.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection that throws an {@code Error} when it is told something, and the others. */
@Timeout(300)
class ClientsTest {
  private static final int MEMBERS = 3;

  private final AtomicInteger stopped = new AtomicInteger();
  private final AtomicInteger killed = new AtomicInteger();
  private final AtomicInteger looked = new AtomicInteger();

  /** An error that cannot be logged either, as when there is no memory. */
  private static final class Unspeakable extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
      throw new Error("planted");
    }
  }

  /** Counts what it is told, and throws each time. */
  private final class Faulty implements Clients.Member {
    @Override
    public void stop() {
      stopped.incrementAndGet();
      throw new Unspeakable();
    }

    @Override
    public void kill() {
      killed.incrementAndGet();
      throw new Unspeakable();
    }

    @Override
    public void look() {
      looked.incrementAndGet();
      throw new Unspeakable();
    }
  }

  @Test
  void eachIsTold() throws Exception {
    Clients clients = new Clients(MEMBERS);
    for (int i = 0; i < MEMBERS; i++) {
      clients.admit(() -> clients.add(new Faulty(), () -> {}), () -> {});
    }
    clients.look();
    assertEquals(MEMBERS, looked.get());
    clients.stop(1); // none of them leaves
    assertEquals(MEMBERS, stopped.get());
    assertEquals(MEMBERS, killed.get());
  }

  @Test
  void oneThatCannotBeginNorBeKilledIsCountedOffOnce() throws Exception {
    Clients clients = new Clients(2);
    Faulty member = new Faulty();
    AtomicInteger closed = new AtomicInteger();
    clients.admit(() -> {}, () -> {}); // another one, who stays
    assertThrows(
        Unspeakable.class,
        () ->
            clients.admit(
                () ->
                    clients.add(
                        member,
                        () -> {
                          throw new Unspeakable();
                        }),
                closed::incrementAndGet));
    assertEquals(1, killed.get());
    assertEquals(1, closed.get());
    assertEquals(1, clients.open());
    clients.leave(member); // what it had begun tells of its end later
    assertEquals(1, clients.open());
  }

  @Test
  void oneThatCannotBeOpenedLeavesItsPlace() throws Exception {
    Clients clients = new Clients(1);
    AtomicInteger closed = new AtomicInteger();
    assertThrows(
        Unspeakable.class,
        () ->
            clients.admit(
                () -> {
                  throw new Unspeakable();
                },
                closed::incrementAndGet));
    assertEquals(0, clients.open());
    assertEquals(1, closed.get());
    clients.admit(() -> clients.add(new Faulty(), () -> {}), closed::incrementAndGet);
    assertEquals(1, clients.open());
    clients.admit(Assertions::fail, closed::incrementAndGet); // there is no room
    assertEquals(2, closed.get());
    assertEquals(2, clients.served());
    assertEquals(1, clients.refused());
  }

  @Test
  void oneThatCannotBeginIsEnded() throws Exception {
    Clients clients = new Clients(MEMBERS);
    AtomicInteger ended = new AtomicInteger();
    Clients.Member member =
        new Clients.Member() {
          @Override
          public void stop() {}

          @Override
          public void kill() {
            ended.incrementAndGet();
            clients.leave(this);
          }
        };
    Runnable begin =
        () -> {
          throw new Unspeakable();
        };
    clients.admit(() -> clients.add(member, begin), () -> {});
    assertEquals(1, ended.get());
    assertEquals(0, clients.open());
  }

  @ParameterizedTest
  @EnumSource
  void aServerEndsAllTheSame(Carrier carrier) throws Exception {
    AtomicReference<Executor> color = new AtomicReference<>();
    Server server =
        carrier.start(
            shared -> {
              color.set(shared);
              return new dev.mely.examples.echo.EchoProtocol();
            });
    try (TextClient client = new TextClient(server.address())) {
      assertEquals("well", client.send("well\n").line());
      Clients clients = server.clients();
      Clients.Member member =
          new Clients.Member() {
            @Override
            public void stop() {
              clients.leave(this);
              throw new Unspeakable();
            }

            @Override
            public void kill() {
              throw new Unspeakable();
            }
          };
      clients.admit(() -> clients.add(member, () -> {}), () -> {});
      server.close();
      assertNull(client.line(), "it was told, too");
    } finally {
      server.close();
    }
    server.awaitClose();
    assertThrows(RejectedExecutionException.class, () -> color.get().execute(() -> {}));
  }
}
