package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinning;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * On which CPUs that may run which a handler starts: all of the process's, unless the runtime is
 * pinned and the handler starts it without help (requirement B1).
 */
@Timeout(300)
class OffspringTest {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final AllowedCpus ALLOWED = AllowedCpus.system();
  private static final List<String> OWN = List.of("worker", "watchdog", "call", "lookup");

  private String all;

  @BeforeEach
  void severalCpus() throws Exception {
    assumeTrue(Files.isReadable(STATUS), "needs Linux");
    assumeTrue(ALLOWED.count() > 1, "needs two CPUs");
    all = Offspring.find(Files.readString(STATUS));
  }

  @Test
  void whatAHandlerStartsIsNotConfined() throws Exception {
    assertEquals(started(all, jvm(), all), run("default"));
  }

  @Test
  void whatAPinnedHandlerStartsInheritsItsCpu() throws Exception {
    assumePinned();
    String cpu = Integer.toString(ALLOWED.cpus()[0]);
    assertEquals(started(cpu, "1", cpu), run("pinned"));
  }

  @Test
  void whatAPinnedHandlerStartsUnpinnedIsNotConfined() throws Exception {
    assumePinned();
    String cpu = Integer.toString(ALLOWED.cpus()[0]);
    assertEquals(started(all, jvm(), cpu), run("helped"));
  }

  @Test
  void runtimesOfAPinnedHandlerHaveAllCoresAndAreNotConfined() throws Exception {
    assumePinned();
    Map<String, String> expected = new LinkedHashMap<>();
    expected.put("cores", Integer.toString(ALLOWED.recommendedWorkers()));
    OWN.forEach(thread -> expected.put(thread, all));
    expected.put("handler", Integer.toString(ALLOWED.cpus()[0]));
    assertEquals(expected, run("own"));
  }

  /** What the factory does to its threads stays, unless the workers are pinned. */
  @Test
  void threadFactoryMayConfineWorkers() throws Exception {
    assumePinned();
    int[] cpus = ALLOWED.cpus();
    int last = cpus[cpus.length - 1];
    ThreadFactory confining =
        task ->
            new Thread(
                () -> {
                  Pinning.affinity().pin(last);
                  task.run();
                });
    assertEquals(Integer.toString(last), maskOf(Mely.builder().threadFactory(confining)));
    assertEquals(
        Integer.toString(cpus[0]), maskOf(Mely.builder().pinned(true).threadFactory(confining)));
  }

  /** A pin would be the carrier's, which others use, too. */
  @Test
  void virtualThreadsAreNotPinned() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "needs virtual threads");
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    ThreadFactory virtual =
        (ThreadFactory)
            Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    assertEquals(all, maskOf(Mely.builder().pinned(true).threadFactory(virtual)));
  }

  @Test
  void moreWorkersThanCpusAreNotPinned() throws Exception {
    try (Mely mely = Mely.builder().cores(ALLOWED.count() + 1).pinned(true).build()) {
      assertEquals(all, mask(mely));
    }
  }

  private static String maskOf(MelyBuilder builder) throws Exception {
    try (Mely mely = builder.cores(1).build()) {
      return mask(mely);
    }
  }

  private static String mask(Mely mely) throws Exception {
    return CompletableFuture.supplyAsync(Offspring::mask, mely.executor(mely.newColor())).get();
  }

  private static void assumePinned() throws Exception {
    assumeTrue(Pinning.objection(ALLOWED, 1).isEmpty(), "pinning is not advisable here");
    FutureTask<Boolean> pin = new FutureTask<>(() -> Pinning.affinity().pin(ALLOWED.cpus()[0]));
    new Thread(pin).start();
    assumeTrue(pin.get(), "threads cannot be pinned here");
  }

  /** What a child that is not confined counts. */
  private static String jvm() throws Exception {
    return Offspring.run(
        Offspring.java(), "-cp", Offspring.classPath(), Offspring.Count.class.getName());
  }

  private static Map<String, String> started(String mask, String jvm, String handler) {
    Map<String, String> expected = new LinkedHashMap<>();
    expected.put("thread", mask);
    expected.put("process", mask);
    expected.put("jvm", jvm);
    expected.put("pool", mask);
    expected.put("async", mask);
    expected.put("stream", mask);
    if (Runtime.version().feature() >= 21) {
      expected.put("virtual", mask);
    }
    expected.put("handler", handler);
    return expected;
  }

  private static Map<String, String> run(String mode) throws Exception {
    String output =
        Offspring.run(
            Offspring.java(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            Offspring.classPath(),
            Offspring.class.getName(),
            mode);
    Map<String, String> said = new LinkedHashMap<>();
    for (String line : output.lines().toList()) {
      if (line.startsWith(Offspring.SAYS)) { // the virtual machine and the libraries talk, too
        String[] words = line.split(" ", 3);
        said.put(words[1], words[2]);
      }
    }
    return said;
  }
}
