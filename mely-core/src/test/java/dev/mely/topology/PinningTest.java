package dev.mely.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Pinning takes effect or is reported once, and never fails (requirement B1). */
class PinningTest {
  static final List<Throwable> FAILURES =
      List.of(
          new IllegalStateException("sched_setaffinity(0, 128, 0x80) failed; errno=22"),
          new NoClassDefFoundError("net/openhft/affinity/Affinity"),
          new UnsatisfiedLinkError("no jnidispatch"),
          new ExceptionInInitializerError("no luck"),
          new OutOfMemoryError("made up"));

  private final List<String> log = new ArrayList<>();

  @Test
  void pinsTheThreadAndNoOther() throws Exception {
    assumeTrue(Files.isReadable(Path.of("/proc/thread-self/status")), "needs Linux");
    for (int cpu : AllowedCpus.system().cpus()) {
      String before = allowedList();
      assertEquals(
          cpu + " after true",
          inThread(
              () -> {
                boolean pinned = Pinning.affinity().pin(cpu);
                return allowedList() + " after " + pinned;
              }));
      assertEquals(before, allowedList());
    }
  }

  @Test
  void cpuThatDoesNotExistLeavesTheThreadAsItWas() throws Exception {
    AffinityPinner pinner = new AffinityPinner(AffinityPinner.OpenHft::new, log::add);
    BitSet before = new AffinityPinner.OpenHft().get();
    for (int cpu : new int[] {-1, 1023, Integer.MAX_VALUE}) {
      assumeTrue(!AllowedCpus.system().contains(cpu));
      assertEquals(
          before,
          inThread(
              () -> {
                assertFalse(pinner.pin(cpu));
                return new AffinityPinner.OpenHft().get();
              }));
    }
    assertEquals(3, log.size());
  }

  @ParameterizedTest
  @FieldSource("FAILURES")
  void whateverTheLibraryThrowsIsReported(Throwable failure) {
    Supplier<AffinityPinner.Calls> absent =
        () -> {
          throw PinningTest.<RuntimeException>sneaky(failure);
        };
    assertFalse(new AffinityPinner(absent, log::add).pin(3));
    assertEquals(List.of("Could not pin a thread to CPU 3, going on unpinned: " + failure), log);
  }

  /** On some platforms the library accepts everything and does nothing. */
  @Test
  void bindingThatDidNotTakeEffectIsReported() {
    assertFalse(new AffinityPinner(() -> new Stub(""), log::add).pin(3));
    assertFalse(new AffinityPinner(() -> new Stub("0-3"), log::add).pin(3));
    assertFalse(new AffinityPinner(() -> new Stub("2"), log::add).pin(3));
    assertTrue(new AffinityPinner(() -> new Stub("3"), log::add).pin(3));
    String prefix = "Could not pin a thread to CPU 3, going on unpinned: ";
    assertEquals(
        List.of(
            prefix + "this platform has no thread affinity",
            prefix + "the thread is still allowed on CPU 0-3",
            prefix + "the thread is still allowed on CPU 2"),
        log);
  }

  @Test
  void noneLeavesThreadsAlone() throws Exception {
    BitSet before = new AffinityPinner.OpenHft().get();
    assertEquals(
        before,
        inThread(
            () -> {
              assertFalse(Pinning.none().pin(AllowedCpus.system().cpus()[0]));
              return new AffinityPinner.OpenHft().get();
            }));
  }

  /** A class loader that sees this package but neither the library nor anything else. */
  @Test
  void absentLibraryIsReportedOncePerProcess() throws Exception {
    URL classes = Pinning.class.getProtectionDomain().getCodeSource().getLocation();
    Logger logger = Logger.getLogger("dev.mely.topology");
    RecordingHandler records = new RecordingHandler();
    logger.addHandler(records);
    logger.setUseParentHandlers(false);
    try (URLClassLoader alone =
        new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
      Class<?> pinning = alone.loadClass(Pinning.class.getName());
      Object pinner = pinning.getMethod("affinity").invoke(null);
      var pin = alone.loadClass(Pinner.class.getName()).getMethod("pin", int.class);
      for (int i = 0; i < 3; i++) {
        assertEquals(false, pin.invoke(pinner, 0));
      }
    } finally {
      logger.setUseParentHandlers(true);
      logger.removeHandler(records);
    }
    assertEquals(1, records.seen.size(), records.seen::toString);
    assertEquals(Level.WARNING, records.seen.get(0).getLevel());
    String message = records.seen.get(0).getMessage();
    assertTrue(message.contains("NoClassDefFoundError"), message);
    assertTrue(message.contains("CPU 0, going on unpinned"), message);
  }

  /** Loading the library leaves no trace in the system properties. */
  @Test
  void verbosityOfTheLoggingFacadeIsPutBack() {
    new AffinityPinner.OpenHft();
    assertEquals(null, System.getProperty("slf4j.internal.verbosity"));
  }

  private record Stub(String actual) implements AffinityPinner.Calls {
    @Override
    public void set(BitSet cpus) {}

    @Override
    public BitSet get() {
      return CpuList.parse(actual);
    }
  }

  private static final class RecordingHandler extends Handler {
    final List<LogRecord> seen = new ArrayList<>();

    @Override
    public void publish(LogRecord record) {
      seen.add(record);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static String allowedList() throws IOException {
    String key = "Cpus_allowed_list:";
    for (String line : Files.readAllLines(Path.of("/proc/thread-self/status"))) {
      if (line.startsWith(key)) {
        return line.substring(key.length()).strip();
      }
    }
    return "unknown";
  }

  private static <T> T inThread(Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "pinned");
    thread.start();
    T result = task.get();
    thread.join();
    return result;
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E sneaky(Throwable failure) throws E {
    throw (E) failure;
  }
}
