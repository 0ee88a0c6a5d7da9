package dev.mely.examples.sws.hostile;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link HostileClients} against the server. {@code -Dmely.hostile.seconds=3600} attacks longer,
 * {@code -Dmely.hostile.seed} again as once before, {@code -Dmely.hostile.sigterms} ends it more
 * often.
 */
@EnabledOnOs(OS.LINUX) // which shows descriptors, and has pipes and limits
class HostileClientsTest {
  private static final int SECONDS = Integer.getInteger("mely.hostile.seconds", 4);
  private static final int SIGTERMS = Integer.getInteger("mely.hostile.sigterms", 3);
  private static final long SEED = Long.getLong("mely.hostile.seed", 1);

  @TempDir private Path folder;

  private ServerProcess start(Site site) throws Exception {
    return ServerProcess.start(
        // On a loaded machine a good client, too, may not read for some seconds.
        site.root(), folder.resolve("log"), "--idle-timeout=20", "--drain-timeout=2");
  }

  @Test
  void holds() throws Exception {
    System.out.println("hostile clients: -Dmely.hostile.seed=" + SEED);
    Site site = new Site(folder);
    site.write();
    try (ServerProcess server = start(site)) {
      InetSocketAddress address = server.address();
      assertNotNull(address, server.log());
      int sockets = server.sockets();
      // Files that stay open are open after a first round.
      assertEquals(List.of(), new HostileClients(address, site, 1, Duration.ofSeconds(2)).run());
      await().atMost(Duration.ofSeconds(120)).until(() -> server.sockets() == sockets);
      List<String> before = server.descriptors(folder.toRealPath());

      HostileClients clients = new HostileClients(address, site, SEED, Duration.ofSeconds(SECONDS));
      List<String> findings = clients.run();
      System.out.println(clients);
      findings.forEach(System.out::println);
      assertEquals(List.of(), findings, server.log());
      assertTrue(server.isAlive(), server.log());
      await()
          .atMost(Duration.ofSeconds(120))
          .untilAsserted(
              () -> {
                site.freePipe();
                List<String> after = server.descriptors(folder.toRealPath());
                assertTrue(after.size() <= before.size(), () -> before + " before, then " + after);
              });
      assertEquals(143, server.terminate(), server.log());
      assertFalse(server.log().contains("[ERROR]"), server.log());
      assertFalse(server.log().contains("LEAK"), server.log());
    }
  }

  /** Also before it has started, and with clients in the middle of everything. */
  @Test
  void endsBySignalAtAnyMoment() throws Exception {
    System.out.println("signals: -Dmely.hostile.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    Site site = new Site(folder);
    site.write();
    for (int i = 0; i < SIGTERMS; i++) {
      if (i % 50 == 49) {
        System.out.println(i + " clean ends");
      }
      try (ServerProcess server = start(site)) {
        if (random.nextInt(5) == 0) {
          Thread.sleep(random.nextInt(800));
        } else {
          InetSocketAddress address = server.address();
          assertNotNull(address, server.log());
          HostileClients clients =
              new HostileClients(address, site, random.nextInt(), Duration.ofSeconds(30));
          Thread load = new Thread(() -> runQuietly(clients));
          load.setDaemon(true);
          load.start();
          Thread.sleep(random.nextInt(1_500));
          assertTrue(server.isAlive(), server.log());
          terminate(server, i);
          clients.stop();
          load.join(120_000);
          assertFalse(load.isAlive());
          assertFalse(server.log().contains("[ERROR]"), server.log());
          continue;
        }
        terminate(server, i);
      }
    }
    System.out.println(SIGTERMS + " signals, " + SIGTERMS + " clean ends");
  }

  private static void terminate(ServerProcess server, int signal) throws Exception {
    long begin = System.nanoTime();
    int code = server.terminate();
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    if (code != 143) {
      throw new AssertionError(
          "signal " + signal + ": exit code " + code + " after " + took + ": " + server.log());
    }
    if (took.toSeconds() > 5) {
      System.out.println("signal " + signal + " took " + took);
    }
  }

  /** The server goes away in the middle: clients find a lot, and stop. */
  private static void runQuietly(HostileClients clients) {
    try {
      clients.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
