package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Mely.Timer;
import dev.mely.MelyBuilder;
import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import dev.mely.jmx.MelyManagement;
import dev.mely.pinning.Unpinned;
import dev.mely.pool.Instance;
import dev.mely.report.ShutdownReport;
import dev.mely.stage.Plan;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * docs/core.md: its pieces of Java, with the public API alone. {@link SnippetsTest} compares them
 * with the page; those about channels are in {@link NioGuideTest}.
 */
@Timeout(300)
class CoreGuideTest {
  private final BlockingQueue<Object> seen = new LinkedBlockingQueue<>();

  @Test
  void oneProgram() {
    Handler<String> print = Handler.of(System.out::println);
    try (Mely mely = Mely.builder().build()) {
      Color alice = mely.newColor();
      Color bob = mely.newColor();
      mely.register(alice, print, "a1"); // a1 before a2,
      mely.register(alice, print, "a2"); // on any core
      mely.register(bob, print, "b1"); //   in parallel with both
    }
  }

  final class Deposit extends Handler<Integer> {
    private int balance; // touched by one color only

    @Override
    public void handle(Integer amount) {
      balance += amount;
    }

    @Override
    protected void rejected(Integer amount) {
      // The runtime has ended before this deposit could be made.
    }
  }

  @Test
  void depositsOfOneAccountNeedNoLock() throws Exception {
    long accountNumber = 4711;
    Deposit deposit = new Deposit();
    try (Mely mely = Mely.builder().build()) {
      Color account = mely.color(accountNumber); // looked up once, then held
      mely.register(account, deposit, 100);
      mely.register(account, deposit, 20); // after the first: no lock, no lost update
      mely.execute(account, () -> seen.add(deposit.balance));
      assertEquals(120, seen.take());
    }
  }

  record Request(@Nullable Instance instance, ByteBuffer memory) {}

  @Test
  void memoryHasABound() throws InterruptedException {
    LinkedTransferQueue<Integer> seen = new LinkedTransferQueue<>();
    Handler<Request> write =
        Handler.of(
                (Request request) -> {
                  seen.add(request.memory.capacity());
                  if (request.instance != null) {
                    request.instance.free();
                  }
                })
            .named("Write");
    Plan plan =
        new Plan(
            Map.of("request", new Plan.Instances(100, 2048, Set.of("Parse"), Set.of("Write"))));
    Mely mely = Mely.builder().plan(plan).build();
    Handler<Color> parse =
        Handler.of(
                (Color next) -> {
                  Instance request = mely.pool().take(0);
                  ByteBuffer memory =
                      request != null ? request.memory() : ByteBuffer.allocate(2048);
                  mely.register(next, write, new Request(request, memory));
                })
            .named("Parse");
    mely.register(mely.newColor(), parse, mely.newColor());
    assertEquals(2048, seen.take());
    mely.close();
    assertNull(mely.pool(), "no worker");
  }

  static final class Picture {
    int side = 8;

    void shrink() {
      side /= 2;
    }
  }

  @Cost(nanos = 40_000)
  @Penalty(3)
  final class Thumbnail extends Handler<Picture> {
    @Override
    public void handle(Picture picture) {
      picture.shrink();
    }
  }

  @Test
  void costsAreDeclared() {
    Thumbnail handler = new Thumbnail();
    assertEquals(40_000, handler.costNanos());
    assertEquals(3, handler.penalty());
    Picture picture = new Picture();
    handler.handle(picture);
    assertEquals(4, picture.side);
  }

  final class Visit extends Event {
    final Color client;
    final String page;
    int hits;

    Visit(Color client, String page) {
      this.client = client;
      this.page = page;
    }
  }

  @Test
  void anEventTravelsFromColorToColor() throws Exception {
    try (Mely mely = Mely.builder().build()) {
      Color counting = mely.newColor();
      Map<String, Integer> hits = new HashMap<>(); // only the color "counting" touches it
      Handler<Visit> answer =
          Handler.of(visit -> System.out.println(visit.page + " " + visit.hits));
      Handler<Visit> count =
          Handler.of(
              visit -> {
                visit.hits = hits.merge(visit.page, 1, Integer::sum);
                mely.register(visit.client, answer, visit); // back to the client's color
              });
      mely.register(counting, count, new Visit(mely.newColor(), "index"));
      Visit visit = new Visit(mely.newColor(), "about");
      mely.registerUrgent(visit.client, answer, visit);
      mely.shutdown(Duration.ofSeconds(10));
      assertEquals(Map.of("index", 1), hits);
    }
  }

  @Test
  void timersRegisterTheirEvents() throws Exception {
    try (Mely mely = Mely.builder().build()) {
      Color client = mely.newColor();
      Handler<Object> close = Handler.of(seen::add);
      Handler<String> send = Handler.of(seen::add);
      Object connection = new Object();
      Timer giveUp = mely.schedule(client, close, connection, Duration.ofSeconds(30));
      Timer ping =
          mely.scheduleAtFixedRate(client, send, "ping", Duration.ZERO, Duration.ofMinutes(1));
      assertEquals("ping", seen.take());
      assertTrue(giveUp.cancel());
      assertTrue(ping.cancel());
    }
  }

  @Test
  void whatIsStartedUnpinnedIsNotConfined() throws Exception {
    Process child = Unpinned.call(() -> new ProcessBuilder("cat", "/proc/self/status").start());
    assertEquals(0, child.waitFor());
    ThreadFactory threads = task -> new Thread(() -> Unpinned.run(task));
    threads.newThread(() -> seen.add("ran")).start();
    assertEquals("ran", seen.take());
  }

  @Test
  void producersWaitForRoom() throws Exception {
    Mely mely =
        Mely.builder()
            .maxPending(1_000_000)
            .maxPendingPerColor(1_000)
            .overflow(MelyBuilder.Overflow.BLOCK)
            .build();
    Color color = mely.newColor();
    Handler<Integer> last = Handler.of(i -> seen.add(i));
    for (int i = 0; i < 100_000; i++) {
      mely.register(color, last, i);
    }
    mely.close();
    assertEquals(100_000, seen.size());
    assertEquals(0, mely.inspect().statistics().refused());
    assertThrows(RejectedExecutionException.class, () -> mely.register(color, last, 0));
  }

  @Test
  void aProducerThatDoesNotWaitIsTold() throws Exception {
    try (Mely mely = Mely.builder().cores(1).maxPendingPerColor(1).build()) {
      Color account = mely.newColor();
      Handler<Integer> deposit = Handler.of(seen::add);
      Queue<Integer> waiting = new ArrayDeque<>();
      Executor poller = Runnable::run; // the thread that polls
      mely.pause(account);
      mely.register(account, deposit, 1);
      int amount = 2;
      if (!mely.tryRegister(account, deposit, amount)) {
        waiting.add(amount); // stop reading from where it came
        mely.whenRoom(account).thenRunAsync(() -> retry(waiting), poller);
      }
      mely.resume(account);
      assertEquals(1, seen.take());
      assertEquals("again: [2]", seen.take());
    }
  }

  private void retry(Queue<Integer> waiting) {
    seen.add("again: " + waiting);
  }

  @Test
  void aColorIsPausedForAWhile() throws Exception {
    try (Mely mely = Mely.builder().build()) {
      Color account = mely.newColor();
      mely.pause(account);
      CompletableFuture<Void> paused = mely.submit(account, Handler.of(seen::add), "paused");
      mely.submit(mely.newColor(account.core()), () -> "others run").get();
      assertFalse(paused.isDone());
      mely.pause(account);
      mely.schedule(mely.newColor(), Handler.of(mely::resume), account, Duration.ofSeconds(5));
      paused.get();
      assertEquals("paused", seen.take());
    }
  }

  final class Price extends Handler<Double> {
    volatile double latest;

    @Override
    public void handle(Double price) {
      latest = price;
    }

    @Override
    protected boolean isDroppable() {
      return true;
    }
  }

  @Test
  void newPricesReplaceOldOnes() throws Exception {
    Price prices = new Price();
    CountDownLatch go = new CountDownLatch(1);
    try (Mely mely = Mely.builder().cores(1).pinned(false).maxPendingPerColor(10).build()) {
      Color color = mely.newColor();
      mely.register(
          color,
          Handler.of(
              event -> {
                seen.add(event);
                go.await();
              }),
          "begun");
      seen.take();
      for (int i = 1; i <= 20; i++) {
        mely.register(color, prices, (double) i);
      }
      go.countDown();
      mely.shutdown(Duration.ofSeconds(10));
      assertEquals(20, prices.latest);
      assertEquals(10, mely.inspect().statistics().dropped());
    }
  }

  @Test
  void whatAHandlerThrowsIsTold() throws Exception {
    BlockingQueue<String> failures = new LinkedBlockingQueue<>();
    Mely mely =
        Mely.builder()
            .errorHandler((color, event, error) -> failures.add(event + ": " + error.getMessage()))
            .build();
    Handler<String> fail =
        Handler.of(
            event -> {
              throw new IllegalStateException("no");
            });
    mely.register(mely.color(0), fail, "question");
    assertEquals("question: no", failures.take());
    mely.close();
  }

  @Test
  void aFutureComesBackIntoAColor() throws Exception {
    String key = "index";
    Map<String, String> pages = new HashMap<>(Map.of(key, "<html>"));
    BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    try (Mely mely = Mely.builder().build()) {
      Color cache = mely.newColor();
      Color connection = mely.newColor();
      CompletableFuture.supplyAsync(() -> pages.get(key), mely.executor(cache))
          .thenAcceptAsync(page -> answers.add(page), mely.executor(connection));
      assertEquals("<html>", answers.take());
    }
  }

  @Test
  void shutdownSaysWhatWasLeft() {
    Mely mely = Mely.builder().build();
    mely.register(mely.color(0), Handler.of(seen::add), "last");
    ShutdownReport report = mely.shutdown(Duration.ofSeconds(5));
    if (!report.drained()) {
      System.err.println(report.eventsLeft() + " events left, stuck: " + report.stuckCores());
    }
    assertEquals(List.of("last"), List.copyOf(seen));
    assertTrue(report.drained());
  }

  @Test
  void whatARuntimeShows() {
    try (Mely mely = Mely.builder().build()) {
      System.err.println(mely.inspect().statistics()); // per core: events, steals, time parked, ...
      System.err.println(mely.inspect().dump()); // what each core does at this moment
      try (MelyManagement bean = MelyManagement.register(mely, "orders")) {
        System.err.println(bean.name()); // the same by JMX
      }
      assertEquals(mely.inspect().cores(), mely.inspect().statistics().cores().size());
    }
  }
}
