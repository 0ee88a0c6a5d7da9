package dev.mely.examples.proxy;

import static dev.mely.examples.proxy.Proxies.patiently;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinning;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names by a resolver that is silent until it is told to speak, and a clock that tests set. */
@Timeout(300)
class LookupsTest {
  private final CountDownLatch speak = new CountDownLatch(1);
  private final AtomicLong clock = new AtomicLong();
  private final Map<String, Integer> asked = new ConcurrentHashMap<>();
  private final Lookups lookups = new Lookups(this::resolve, clock::get);

  private InetAddress[] resolve(String host) throws Exception {
    asked.merge(host, 1, Integer::sum);
    if (host.startsWith("silent")) {
      speak.await();
    }
    if (host.startsWith("no")) {
      throw new UnknownHostException(host);
    }
    if (host.startsWith("error")) {
      throw new StackOverflowError(host);
    }
    if (host.equals("empty")) {
      return new InetAddress[0];
    }
    return new InetAddress[] {InetAddress.getByAddress(host, new byte[] {10, 0, 0, 1})};
  }

  @AfterEach
  void end() {
    speak.countDown();
    lookups.close();
  }

  private BlockingQueue<Lookups.Answer> ask(String host, String client) {
    BlockingQueue<Lookups.Answer> answers = new LinkedBlockingQueue<>();
    lookups.ask(host, client, answers::add);
    return answers;
  }

  private static Lookups.Answer get(BlockingQueue<Lookups.Answer> answers) throws Exception {
    Lookups.Answer answer = answers.poll(120, TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError("there is no answer");
    }
    return answer;
  }

  private int asked(String host) {
    return asked.getOrDefault(host, 0);
  }

  @Test
  void anAnswerIsKeptForAWhile() throws Exception {
    assertEquals("a", get(ask("a", "me")).addresses().get(0).getHostName());
    assertInstanceOf(UnknownHostException.class, get(ask("no", "me")).failure());
    clock.addAndGet(Lookups.KEPT_UNKNOWN.toNanos() - 1);
    assertNull(get(ask("a", "another")).failure());
    get(ask("no", "another"));
    assertEquals(1, asked("a"));
    assertEquals(1, asked("no"));
    clock.incrementAndGet();
    get(ask("no", "me"));
    assertEquals(2, asked("no"));
    clock.set(Lookups.KEPT_FOUND.toNanos());
    get(ask("a", "me"));
    assertEquals(2, asked("a"));
  }

  @Test
  void soManyAnswersAreKept() throws Exception {
    for (int i = 0; i < Lookups.KEPT; i++) {
      get(ask("a" + i, "me"));
    }
    get(ask("a0", "me"));
    assertEquals(1, asked("a0"));
    get(ask("one more", "me"));
    get(ask("a0", "me"));
    get(ask("a1", "me"));
    assertEquals(1, asked("a0"), "used a moment ago");
    assertEquals(2, asked("a1"));
  }

  @Test
  void whatFailedOtherwiseIsTriedAgain() throws Exception {
    assertInstanceOf(StackOverflowError.class, get(ask("error", "me")).failure());
    assertInstanceOf(StackOverflowError.class, get(ask("error", "me")).failure());
    assertEquals(2, asked("error"));
    assertInstanceOf(UnknownHostException.class, get(ask("empty", "me")).failure());
    assertEquals(0, lookups.busy());
  }

  @Test
  void whoAsksForTheSameSharesALookup() throws Exception {
    BlockingQueue<Lookups.Answer> one = ask("silent", "me");
    lookups.ask(
        "silent",
        "who fails",
        answer -> {
          throw new StackOverflowError();
        });
    BlockingQueue<Lookups.Answer> two = ask("silent", "you");
    assertEquals(1, lookups.busy());
    speak.countDown();
    assertSame(get(one), get(two));
    assertEquals(1, asked("silent"));
  }

  @Test
  void aClientHasAShareOfTheThreadsAndOthersAreNotHeldUp() throws Exception {
    List<Lookups.Question> questions = new ArrayList<>();
    for (int i = 0; i < Lookups.THREADS; i++) {
      questions.add(lookups.ask("silent" + i, "one", answer -> {}));
    }
    assertEquals(Lookups.THREADS / 2, lookups.busy());
    for (int i = 0; i < Lookups.THREADS; i++) {
      lookups.ask("silent too " + i, "two", answer -> {});
    }
    assertEquals(Lookups.THREADS / 4 * 3, lookups.busy());
    assertNull(get(ask("a", "three")).failure());
    BlockingQueue<Lookups.Answer> behind = ask("b", "one");
    assertEquals(0, asked("b"), "it waits, for either client");
    assertNull(get(ask("b", "three")).failure(), "but not for another one");
    assertNull(get(behind).failure());
    int waiting = Lookups.THREADS * 2 - lookups.busy();
    assertEquals(lookups.busy() + waiting, lookups.underWay());
    questions.forEach(lookups::forget);
    assertEquals(Lookups.THREADS + Lookups.THREADS / 2, lookups.underWay(), "what waited is gone");
    BlockingQueue<Lookups.Answer> last = ask("last", "one");
    speak.countDown();
    assertNull(get(last).failure(), "threads come back, and go on with what waits");
    patiently().until(() -> lookups.busy() == 0 && lookups.underWay() == 0);
    assertEquals(0, asked("silent" + (Lookups.THREADS - 1)), "nobody wanted it any more");
    assertEquals(1, asked("silent too " + (Lookups.THREADS - 1)));
  }

  /** The thread of a lookup is started by who asks: a worker, which may be pinned. */
  @Test
  void threadsAreNotPinnedAsTheWorkerIs() throws Exception {
    Path status = Path.of("/proc/thread-self/status");
    assumeTrue(Files.isReadable(status), "needs Linux");
    BlockingQueue<String> masks = new LinkedBlockingQueue<>();
    Lookups.Resolver resolver =
        host -> {
          masks.add(mask(status));
          throw new UnknownHostException(host);
        };
    try (Lookups others = new Lookups(resolver, clock::get)) {
      FutureTask<Boolean> worker =
          new FutureTask<>(
              () -> {
                boolean pinned = Pinning.affinity().pin(AllowedCpus.system().cpus()[0]);
                others.ask("a", "me", answer -> {});
                return pinned;
              });
      new Thread(worker).start();
      assumeTrue(worker.get(), "threads cannot be pinned here");
      assertEquals(mask(Path.of("/proc/self/status")), masks.take());
    }
  }

  private static String mask(Path status) throws IOException {
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aClientIsAnAddressOrANetworkOfVersion6() {
    assertEquals(client("10.1.2.3", 1), client("10.1.2.3", 2));
    assertEquals(client("2001:db8::1", 1), client("2001:db8::ffff:1:2", 1));
    assertEquals(false, client("10.1.2.3", 1).equals(client("10.1.2.4", 1)));
    assertEquals(false, client("2001:db8:0:1::1", 1).equals(client("2001:db8:0:2::1", 1)));
  }

  private static Object client(String address, int port) {
    return Lookups.client(new InetSocketAddress(address, port));
  }
}
