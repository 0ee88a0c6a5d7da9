package dev.mely.examples.sws.hostile;

import dev.mely.examples.sws.hostile.Connection.Response;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Attacks a server for a while, and checks meanwhile what others get of it. Each thread draws what
 * it does from the seed and its own number, so that the same seed does the same again, but for the
 * order in which threads have their turns.
 */
public final class HostileClients {
  private static final int ATTACKERS = 4;
  private static final int WITNESSES = 2;

  /** From time to time, more connections at once than the server has descriptors. */
  private static final int CROWD = 400;

  private final InetSocketAddress server;
  private final Site site;
  private final long seed;
  private final Duration duration;

  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;
  private final Queue<String> findings = new ConcurrentLinkedQueue<>();
  private final Map<Attack, LongAdder> attacks = new EnumMap<>(Attack.class);
  private final AtomicLong answers = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong changes = new AtomicLong();
  private final AtomicLong crowds = new AtomicLong();

  /** Others pause while all descriptors of the server are taken: it owes them nothing then. */
  private final ReentrantReadWriteLock plenty = new ReentrantReadWriteLock(true);

  HostileClients(InetSocketAddress server, Site site, long seed, Duration duration) {
    this.server = server;
    this.site = site;
    this.seed = seed;
    this.duration = duration;
    for (Attack attack : Attack.values()) {
      attacks.put(attack, new LongAdder());
    }
  }

  /** Attacks a server by hand; see the package. */
  public static void main(String[] args) throws Exception {
    Site site = new Site(Path.of(args[2]));
    HostileClients clients =
        new HostileClients(
            new InetSocketAddress(args[0], Integer.parseInt(args[1])),
            site,
            Long.parseLong(args[4]),
            Duration.ofSeconds(Long.parseLong(args[3])));
    List<String> findings = clients.run();
    System.out.println(clients);
    findings.forEach(System.out::println);
    System.exit(findings.isEmpty() ? 0 : 1);
  }

  /** Ends an attack before its time. Any thread. */
  void stop() {
    stopped = true;
    threads.forEach(Thread::interrupt);
  }

  private interface Step {
    void run(SplittableRandom random) throws Exception;
  }

  /** Attacks; returns what was found, nothing if the server held. */
  List<String> run() throws InterruptedException {
    long end = System.nanoTime() + duration.toNanos();
    for (int i = 0; i < ATTACKERS; i++) {
      threads.add(start("attacker", i, end, this::attack));
    }
    for (int i = 0; i < WITNESSES; i++) {
      threads.add(start("witness", 100 + i, end, this::witness));
    }
    threads.add(
        start(
            "vandal",
            200,
            end,
            random -> {
              site.vandalize(random);
              changes.incrementAndGet();
              Thread.sleep(random.nextInt(3));
            }));
    threads.add(start("crowd", 300, end, this::crowd));
    for (Thread thread : threads) {
      thread.join();
    }
    return List.copyOf(findings);
  }

  private Thread start(String name, int number, long end, Step step) {
    SplittableRandom random = new SplittableRandom(seed * 1_000 + number);
    Thread thread =
        new Thread(
            () -> {
              while (System.nanoTime() - end < 0 && findings.size() < 5 && !stopped) {
                try {
                  step.run(random);
                } catch (InterruptedException e) {
                  return;
                } catch (Exception | AssertionError e) {
                  findings.add(
                      name + ' ' + number + ": " + e + (e.getCause() == null ? "" : e.getCause()));
                }
              }
            },
            "hostile-" + name + '-' + number);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void attack(SplittableRandom random) throws Exception {
    Attack[] all = Attack.values();
    Attack attack = all[random.nextInt(all.length)];
    plenty.readLock().lock();
    try {
      attack.run(server, random);
      attacks.get(attack).increment();
    } catch (AssertionError e) {
      throw e;
    } catch (IOException e) {
      // Who is owed an answer and gets none has lost it; the others knew what they did.
      if (attack == Attack.FRAMING || attack == Attack.HALF_CLOSED || attack == Attack.CHANGING) {
        throw new IOException(attack + " lost its answer", e);
      }
    } finally {
      plenty.readLock().unlock();
    }
  }

  /** A correct client, which gets every byte in spite of the others. */
  private void witness(SplittableRandom random) throws Exception {
    plenty.readLock().lock();
    try (Connection connection = new Connection(server)) {
      for (int round = random.nextInt(1, 10); round > 0; round--) {
        List<Integer> asked = new ArrayList<>();
        StringBuilder requests = new StringBuilder();
        for (int n = random.nextInt(1, 6); n > 0; n--) {
          int file = random.nextInt(Site.files());
          asked.add(file);
          requests.append(Connection.get(Site.target(file)));
        }
        connection.send(requests.toString());
        for (int file : asked) {
          Response response = connection.read(false);
          expect(response, 200, Site.content(file));
        }
        other(connection, random);
      }
    } finally {
      plenty.readLock().unlock();
    }
  }

  /** A part of a file, its header alone, and the same file again. */
  private void other(Connection connection, SplittableRandom random) throws IOException {
    int file = random.nextInt(2, Site.files());
    String target = Site.target(file);
    byte[] content = Site.content(file);
    int first = random.nextInt(content.length);
    int last = random.nextInt(first, content.length);
    connection.send(Connection.get(target, "Range: bytes=" + first + "-" + last));
    Response part = connection.read(false);
    expect(part, 206, Arrays.copyOfRange(content, first, last + 1));
    connection.send(Connection.request("HEAD", target));
    Response head = connection.read(true);
    Attack.check(
        head.header("content-length").equals("" + content.length), "length", target, "" + head);
    connection.send(Connection.get(target, "If-None-Match: " + head.header("etag")));
    expect(connection.read(false), 304, new byte[0]);
  }

  private void expect(Response response, int status, byte[] body) {
    if (response.status() != status || !Arrays.equals(response.body(), body)) {
      throw new AssertionError(
          "wrong answer: " + response.status() + ", " + response.body().length + " bytes");
    }
    answers.incrementAndGet();
    bytes.addAndGet(body.length);
  }

  /** Takes all descriptors that the server has, and gives them back. */
  private void crowd(SplittableRandom random) throws Exception {
    Thread.sleep(random.nextInt(3_000, 15_000));
    plenty.writeLock().lock();
    List<Connection> crowd = new ArrayList<>();
    try {
      for (int i = 0; i < CROWD; i++) {
        Connection connection = new Connection(server);
        crowd.add(connection);
        connection.send(Connection.get(Site.target(random.nextInt(Site.files()))));
      }
      Thread.sleep(200);
      crowds.incrementAndGet();
    } finally {
      for (Connection connection : crowd) {
        if (random.nextBoolean()) {
          connection.reset();
        }
        connection.close();
      }
      // It is owed a moment: it tries to accept once a second while it cannot.
      Thread.sleep(1_500);
      plenty.writeLock().unlock();
    }
  }

  /** What has been done. */
  @Override
  public String toString() {
    return "seed "
        + seed
        + ", "
        + duration.toSeconds()
        + " s: "
        + answers
        + " answers ("
        + (bytes.get() >> 20)
        + " MiB) checked, "
        + changes
        + " changes of the folder, "
        + crowds
        + " crowds, attacks "
        + attacks;
  }
}
