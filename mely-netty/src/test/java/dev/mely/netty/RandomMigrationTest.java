package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random migration by a system property: for groups that a foreign program constructs. */
@Timeout(300)
class RandomMigrationTest {
  private static final String PROPERTY = "dev.mely.randomMigration";
  private static final int CORES = 3;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(100);

  /** What the other virtual machine runs: two groups, by constructors, and what they run on. */
  public static final class Main {
    public static void main(String[] args) throws Exception {
      for (int i = 0; i < 2; i++) {
        MelyEventLoopGroup group = new MelyEventLoopGroup(CORES, NioIoHandler.newFactory());
        System.out.println("threads: " + threads(group).size());
        close(group);
      }
    }
  }

  @AfterEach
  void clear() {
    System.clearProperty(PROPERTY);
  }

  @Test
  void everyConstructorTakesItFromTheProperty() throws Exception {
    System.setProperty(PROPERTY, " -17 ");
    List<MelyEventLoopGroup> groups =
        List.of(
            new MelyEventLoopGroup(NioIoHandler.newFactory()),
            new MelyEventLoopGroup(CORES, NioIoHandler.newFactory()),
            new MelyEventLoopGroup(
                CORES, new DefaultThreadFactory("migrating"), NioIoHandler.newFactory()),
            MelyEventLoopGroup.builder().cores(CORES).build());
    for (MelyEventLoopGroup group : groups) {
      if (group.cores().size() == CORES) {
        assertEquals(CORES, threads(group).size(), "threads of one event loop");
      }
      close(group);
    }
  }

  @Test
  void whatIsNoSeedIsRefused() {
    System.setProperty(PROPERTY, "true");
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> new MelyEventLoopGroup(1, NioIoHandler.newFactory()));
    assertTrue(refused.getMessage().contains(PROPERTY), refused.getMessage());
  }

  @Test
  void theLogSaysSoOnce() throws Exception {
    String output = run("-D" + PROPERTY + "=5");
    assertEquals(1, output.lines().filter(l -> l.contains(PROPERTY)).count());
    assertTrue(output.contains("with seed 5"), output);
    assertEquals(2, output.lines().filter(("threads: " + CORES)::equals).count(), output);
    output = run("-Dother=5");
    assertTrue(!output.contains(PROPERTY), output);
  }

  private static String run(String option) throws Exception {
    return ChildJvm.run(System.getProperty("java.class.path"), List.of(option), Main.class);
  }

  /**
   * The threads that an event loop has run on, one task at a time, until it has been on all. On a
   * busy machine the only worker that has a CPU may steal the loop hundreds of times in a row.
   */
  private static Set<Thread> threads(MelyEventLoopGroup group) throws Exception {
    EventLoop loop = group.next();
    Set<Thread> threads = new HashSet<>();
    long start = System.nanoTime();
    while (threads.size() < CORES && System.nanoTime() - start < PATIENCE_NANOS) {
      threads.add(loop.submit(Thread::currentThread).get());
    }
    return threads;
  }

  private static void close(MelyEventLoopGroup group) throws Exception {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }
}
