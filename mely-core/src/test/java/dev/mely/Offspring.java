package dev.mely;

import dev.mely.nio.Nio;
import dev.mely.topology.Pinning;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A program whose handler starts whatever a handler may start, and says on which CPUs that may run:
 * a line for each kind, all masks that were seen. Linux only.
 */
public final class Offspring {
  /** Each line of the program's own begins so. */
  static final String SAYS = "offspring: ";

  private static final long MINUTE = 60_000_000_000L;
  private static final String KEY = "Cpus_allowed_list:";

  private Offspring() {}

  /**
   * Runs it.
   *
   * @param args {@code default}: on a runtime as it comes; {@code pinned}: on a pinned one; {@code
   *     helped}: on a pinned one, and all that is started is started unpinned; {@code own}: the
   *     same as pinned, but what is started are runtimes and groups of helpers
   */
  public static void main(String[] args) throws Exception {
    String mode = args[0];
    MelyBuilder builder =
        Mely.builder().cores(1).reportBlockedAfter(Duration.ZERO); // it takes long
    try (Mely mely = (mode.equals("default") ? builder : builder.pinned(true)).build()) {
      FutureTask<Object> task =
          new FutureTask<>(
              () -> {
                if (mode.equals("own")) {
                  startRuntimes();
                } else if (mode.equals("helped")) {
                  Pinning.unpinned(Offspring::start);
                } else {
                  start();
                }
                say("handler", List.of(mask()));
                return mode;
              });
      mely.execute(mely.newColor(), task);
      task.get();
    }
  }

  private static Object start() throws Exception {
    say("thread", List.of(inThread(Offspring::mask)));
    say("process", List.of(find(run("cat", "/proc/self/status"))));
    say("jvm", List.of(run(java(), "-cp", classPath(), Count.class.getName())));
    say("pool", List.of(new ForkJoinPool(2).submit(Offspring::mask).get()));
    say("async", List.of(CompletableFuture.supplyAsync(Offspring::mask).get()));
    Collection<String> masks = new ConcurrentSkipListSet<>();
    IntStream.range(0, 200).parallel().forEach(i -> masks.add(mask()));
    say("stream", masks);
    if (Runtime.version().feature() >= 21) {
      say("virtual", virtual());
    }
    return masks;
  }

  /** The carriers of ten virtual threads. */
  private static Collection<String> virtual() throws Exception {
    Collection<String> masks = new ConcurrentSkipListSet<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Runnable look = () -> masks.add(mask());
      threads.add(
          (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, look));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return masks;
  }

  /** Runtimes that a handler builds, without help. */
  private static void startRuntimes() throws Exception {
    int[] made = {0};
    MelyBuilder inner =
        Mely.builder().threadFactory(task -> new Thread(task, "inner-" + made[0]++));
    try (Nio nio = Nio.start(inner)) {
      Mely mely = nio.mely();
      say("cores", List.of(Integer.toString(mely.inspect().cores())));
      say("worker", tasks("inner-"));
      say("watchdog", tasks("mely-watchdog"));
      say("call", tasks("mely-call-"));
      say("lookup", tasks("mely-lookup-"));
    }
  }

  /** Prints how many CPUs the virtual machine counts. */
  public static final class Count {
    private Count() {}

    public static void main(String[] args) {
      System.out.println(Runtime.getRuntime().availableProcessors());
    }
  }

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  static String classPath() {
    return System.getProperty("java.class.path");
  }

  /** The output of a program. */
  static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(output);
    }
    return output.strip();
  }

  /** The mask of the calling thread, or of a virtual thread's carrier. */
  static String mask() {
    try {
      return find(Files.readString(Path.of("/proc/thread-self/status")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The masks of the threads whose names begin so: ours, once all have got to work. */
  private static Collection<String> tasks(String name) throws IOException, InterruptedException {
    String process = find(Files.readString(Path.of("/proc/self/status")));
    long start = System.nanoTime();
    Collection<String> masks;
    do {
      Thread.sleep(1);
      masks = new TreeSet<>();
      try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
        for (Path task : tasks) {
          if (read(task.resolve("comm")).startsWith(name)) {
            masks(read(task.resolve("status"))).forEach(masks::add);
          }
        }
      }
    } while (!masks.equals(Set.of(process)) && System.nanoTime() - start < MINUTE);
    return masks;
  }

  /** The file of a thread, which may have ended by now. */
  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }

  static String find(String status) {
    return masks(status).findFirst().orElseThrow();
  }

  private static Stream<String> masks(String status) {
    return status
        .lines()
        .filter(line -> line.startsWith(KEY))
        .map(line -> line.substring(KEY.length()).strip());
  }

  private static <T> T inThread(Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    new Thread(task).start();
    return task.get();
  }

  private static void say(String what, Collection<String> values) {
    System.out.println(SAYS + what + " " + String.join(" ", values));
  }
}
