package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.Migrating;
import dev.mely.StealPolicy;
import dev.mely.spi.Poller;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.blockhound.BlockHound;

/** BlockHound sees what user code does on a worker, and nothing of what the runtime does. */
@Timeout(300)
class BlockHoundTest {
  private static final Set<String> WAITS =
      Set.of(
          "java.lang.Thread.yield",
          "java.lang.Thread.onSpinWait",
          "java.lang.Thread.sleep",
          "java.lang.Object.wait",
          "java.util.concurrent.TimeUnit.sleep",
          "java.util.concurrent.locks.LockSupport.park",
          "java.util.concurrent.locks.LockSupport.parkNanos");

  /** Threads of their own, producers, and pollers that a group does not have. */
  private static final Set<String> NOT_BY_WORKERS =
      Set.of(
          "dev.mely.BlockedHandlers.sleep",
          "dev.mely.Shutdown.await",
          "dev.mely.SystemHost$ThreadParker.park",
          "dev.mely.kafka.ConsumerLoop.waitForHandlers",
          "dev.mely.netty.GroupShutdown.pause",
          "dev.mely.nio.SelectorPoller.rest");

  /** Runs in a virtual machine of its own: BlockHound changes the JDK's classes for good. */
  public static final class Program {
    private Program() {}

    public static void main(String[] args) throws Exception {
      Queue<String> violations = new ConcurrentLinkedQueue<>();
      BlockHound.Builder builder = BlockHound.builder();
      if (args[1].equals("untold")) {
        builder.nonBlockingThreadPredicate(p -> p.or(FastThreadLocalThread.class::isInstance));
      } else {
        builder.loadIntegrations();
      }
      builder.blockingMethodCallback(method -> violations.add(method + " in " + trace())).install();
      // Workers that park and spin themselves. Those of a group wait in their selector.
      for (StealPolicy policy : List.of(StealPolicy.ALL, StealPolicy.OFF)) {
        try (Mely mely = unpinned(3).policy(policy).build()) {
          for (int i = 0; i < 200; i++) {
            mely.execute(mely.newColor(), () -> {});
            TimeUnit.MICROSECONDS.sleep(100);
          }
        }
      }
      letAThiefPoll();
      System.out.println("core " + violations.stream().limit(5).toList());
      if (args[1].equals("untold")) {
        return;
      }
      // Plain threads, which only the runtime can know as workers.
      MelyEventLoopGroup group =
          Io.valueOf(args[0])
              .builder()
              .cores(3)
              .runtime(Migrating.by(5))
              .threadFactory(Thread::new)
              .build();
      try (Harness harness = new Harness(group, Harness.Echo::new)) {
        for (int c = 0; c < 10; c++) {
          Harness.Client client = harness.connect();
          for (int i = 0; i < 20; i++) {
            client.send("a");
            client.await(1);
          }
          client.channel.close().sync();
        }
        CountDownLatch ran = new CountDownLatch(2_000);
        for (int i = 0; i < 1_000; i++) {
          var loop = group.next();
          loop.execute(ran::countDown);
          loop.schedule(ran::countDown, i % 20, TimeUnit.MILLISECONDS);
        }
        ran.await(120, TimeUnit.SECONDS);
        TimeUnit.MILLISECONDS.sleep(50); // the workers park, and watch each other
        System.out.println("runtime " + List.copyOf(violations));
        violations.clear();
        group.next().submit(Program::block).sync();
        group.executor("named").submit(Program::block).sync();
        System.out.println("user " + violations.size() + " " + List.copyOf(violations));
        violations.clear();
      }
      System.out.println("shutdown " + List.copyOf(violations));
    }

    private static MelyBuilder unpinned(int cores) {
      return Mely.builder().cores(cores).pinned(false).threadFactory(FastThreadLocalThread::new);
    }

    /** A thief that is long in a stuck core's poller keeps that core's worker waiting outside. */
    private static void letAThiefPoll() {
      CountDownLatch stuck = new CountDownLatch(1);
      CountDownLatch polled = new CountDownLatch(1);
      try (Mely mely =
          unpinned(2)
              .stuckAfter(Duration.ofMillis(1))
              .pollers(core -> new SlowPoller(core == 0 ? stuck : new CountDownLatch(1), polled))
              .build()) {
        mely.execute(
            mely.newPinnedColor(0),
            () -> {
              stuck.countDown();
              while (polled.getCount() > 0) {
                // Computes.
              }
            });
      }
    }

    /** Waits by spinning, so that nothing but the runtime blocks. */
    private record SlowPoller(CountDownLatch stuck, CountDownLatch polled) implements Poller {
      @Override
      public void poll(long maxWaitNanos) {
        boolean slow = stuck.getCount() == 0 && polled.getCount() > 0;
        if (slow) {
          polled.countDown();
        }
        long wait = slow ? 20_000_000 : Math.min(maxWaitNanos, 100_000);
        long start = System.nanoTime();
        while (System.nanoTime() - start < wait) {
          // Not onSpinWait: BlockHound takes that for blocking, too.
        }
      }

      @Override
      public void wakeup() {}
    }

    private static boolean block() throws InterruptedException {
      Thread.sleep(1);
      return true;
    }

    private static String trace() {
      return StackWalker.getInstance()
          .walk(frames -> frames.skip(2).limit(12).map(Object::toString).toList())
          .toString();
    }
  }

  @ParameterizedTest
  @EnumSource
  void blockingIsSeenInUserCodeAlone(Io io) throws Exception {
    String output = run(io.name(), "told");
    assertTrue(output.contains("core []"), output);
    assertTrue(output.contains("runtime []"), output);
    assertTrue(output.contains("user 2 [java.lang.Thread.sleep"), output);
    assertTrue(output.contains("shutdown []"), output);
  }

  /** Some waits are so rare that the program above seldom meets them. */
  @Test
  void eachMethodThatWaitsIsToldOf() throws Exception {
    Path source = Path.of("src/main/java/dev/mely/netty/blocking/BlockHoundSupport.java");
    Set<String> told =
        Pattern.compile("allowBlockingCallsInside\\(\"([^\"]+)\", \"([^\"]+)\"\\)")
            .matcher(Files.readString(source))
            .results()
            .map(call -> call.group(1) + "." + call.group(2))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> waiting = new TreeSet<>();
    new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("dev.mely").stream()
            .filter(
                type ->
                    !type.getPackageName()
                        .matches("dev.mely.netty.(doctor|monitor)")) // own threads
            .flatMap(type -> type.getMethodCallsFromSelf().stream())
            .filter(
                call ->
                    WAITS.contains(call.getTarget().getOwner().getName() + "." + call.getName()))
            .map(call -> call.getOriginOwner().getName() + "." + call.getOrigin().getName())
            .forEach(waiting::add);
    assertTrue(waiting.containsAll(NOT_BY_WORKERS), waiting::toString);
    waiting.removeAll(NOT_BY_WORKERS);
    waiting.removeAll(told);
    assertEquals(Set.of(), waiting);
  }

  /** The test above would fail if the runtime did not say where it waits. */
  @Test
  void withoutTheSupportAnIdleWorkerIsTakenForABlockedOne() throws Exception {
    String output = run(Io.NIO.name(), "untold");
    assertTrue(output.contains("core [") && output.contains("dev.mely.Idler"), output);
  }

  private static String run(String... args) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx256m",
            "-XX:+IgnoreUnrecognizedVMOptions",
            "-XX:+AllowRedefinitionToAddDeleteMethods",
            "-XX:+EnableDynamicAgentLoading",
            "-Djdk.attach.allowAttachSelf=true",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName()));
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(120, TimeUnit.SECONDS), output);
    assertEquals(0, process.exitValue(), output);
    return output;
  }
}
