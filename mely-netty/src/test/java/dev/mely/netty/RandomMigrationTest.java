package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random migration by a system property: for groups that a foreign program constructs. */
@Timeout(300)
class RandomMigrationTest {
  private static final int CORES = 3;
  private static final int TASKS = 300;

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
    System.clearProperty(RandomMigration.PROPERTY);
  }

  @Test
  void everyConstructorTakesItFromTheProperty() throws Exception {
    System.setProperty(RandomMigration.PROPERTY, " -17 ");
    List<MelyEventLoopGroup> groups =
        List.of(
            new MelyEventLoopGroup(NioIoHandler.newFactory()),
            new MelyEventLoopGroup(CORES, NioIoHandler.newFactory()),
            new MelyEventLoopGroup(
                CORES, new DefaultThreadFactory("migrating"), NioIoHandler.newFactory()),
            MelyEventLoopGroup.builder().cores(CORES).build());
    for (MelyEventLoopGroup group : groups) {
      assertEquals(-17L, group.engine().settings().seed());
      if (group.cores().size() == CORES) {
        assertEquals(CORES, threads(group).size(), "threads of one event loop");
      }
      close(group);
    }
  }

  /** A seed set by the program is used. */
  @Test
  void theBuilderComesFirst() throws Exception {
    System.setProperty(RandomMigration.PROPERTY, "1");
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(CORES).randomMigration(2).build();
    assertEquals(2L, group.engine().settings().seed());
    close(group);
  }

  @Test
  void withoutThePropertyNothingIsDrawn() throws Exception {
    MelyEventLoopGroup group = new MelyEventLoopGroup(CORES, NioIoHandler.newFactory());
    assertNull(group.engine().settings().seed());
    close(group);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "true", "1.5", "99999999999999999999"})
  void whatIsNoSeedIsRefused(String text) {
    System.setProperty(RandomMigration.PROPERTY, text);
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> new MelyEventLoopGroup(1, NioIoHandler.newFactory()));
    assertTrue(refused.getMessage().contains(RandomMigration.PROPERTY), refused.getMessage());
    assertTrue(refused.getMessage().endsWith("but is '" + text + "'"), refused.getMessage());
  }

  @Test
  void theLogSaysSoOnce() throws Exception {
    String output = run("-D" + RandomMigration.PROPERTY + "=5");
    assertEquals(1, output.lines().filter(l -> l.contains(RandomMigration.PROPERTY)).count());
    assertTrue(output.contains("with seed 5"), output);
    assertEquals(2, output.lines().filter(("threads: " + CORES)::equals).count(), output);
    output = run("-Dother=5");
    assertTrue(!output.contains(RandomMigration.PROPERTY), output);
  }

  private static String run(String option) throws Exception {
    return ChildJvm.run(System.getProperty("java.class.path"), List.of(option), Main.class);
  }

  /** The threads that an event loop has run on, one task at a time. */
  private static Set<Thread> threads(MelyEventLoopGroup group) throws Exception {
    EventLoop loop = group.next();
    Set<Thread> threads = new HashSet<>();
    for (int i = 0; i < TASKS; i++) {
      threads.add(loop.submit(Thread::currentThread).get());
    }
    return threads;
  }

  private static void close(MelyEventLoopGroup group) throws Exception {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }
}
