package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signals of the operating system, sent to this very process by kill. */
@Timeout(300)
class SignalTest {
  @Test
  void signalIsAnEvent() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger count = new AtomicInteger();
      Color color = rig.mely().newColor();
      Handler<String> handler =
          Handler.of(
              e -> {
                assertEquals("user", e);
                assertTrue(color.isCurrent());
                count.incrementAndGet();
              });
      Source source = rig.nio.signal("USR2", color, handler, "user").resume();
      for (int i = 1; i <= 5; i++) {
        kill("USR2");
        int expected = i;
        await().until(() -> count.get() == expected);
      }
      assertTrue(source.cancel());
    }
  }

  /** All that come while one waits are one event; one that comes while it runs is another. */
  @Test
  void signalsAreMergedButNotLost() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger count = new AtomicInteger();
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      AtomicInteger witness = new AtomicInteger();
      Handler<String> handler =
          Handler.of(
              e -> {
                count.incrementAndGet();
                started.countDown();
                go.await();
              });
      rig.nio.signal("USR2", rig.mely().newColor(), handler, "event").resume();
      rig.nio
          .signal(
              "USR2",
              rig.mely().newColor(),
              Handler.of(e -> witness.incrementAndGet()),
              "of another source")
          .resume();
      kill("USR2");
      started.await();
      await().until(() -> witness.get() == 1);
      for (int i = 2; i <= 4; i++) {
        kill("USR2");
        int expected = i;
        await().until(() -> witness.get() == expected);
      }
      assertEquals(1, count.get());
      go.countDown();
      await().until(() -> count.get() == 2);
    }
  }

  @Test
  void pausedSourceRemembers() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger paused = new AtomicInteger();
      AtomicInteger witness = new AtomicInteger();
      Handler<AtomicInteger> count = Handler.of(AtomicInteger::incrementAndGet);
      Source source = rig.nio.signal("USR2", rig.mely().newColor(), count, paused);
      rig.nio.signal("USR2", rig.mely().newColor(), count, witness).resume();
      kill("USR2");
      await().until(() -> witness.get() == 1);
      assertEquals(0, paused.get());
      source.resume();
      await().until(() -> paused.get() == 1);
    }
  }

  /** The handler that was there before is there again: SIGCONT, which does nothing by default. */
  @Test
  void lastCancelRestoresWhatWasThereBefore() throws Exception {
    AtomicInteger outer = new AtomicInteger();
    AtomicInteger inner = new AtomicInteger();
    Handler<AtomicInteger> count = Handler.of(AtomicInteger::incrementAndGet);
    try (Rig rig = new Rig(1)) {
      Source first = rig.nio.signal("CONT", rig.mely().newColor(), count, outer).resume();
      Source second = rig.nio.signal("CONT", rig.mely().newColor(), count, inner).resume();
      kill("CONT");
      await().until(() -> outer.get() == 1 && inner.get() == 1);
      first.cancel();
      kill("CONT");
      await().until(() -> inner.get() == 2);
      second.cancel();
      kill("CONT");
      rig.nio.signal("CONT", rig.mely().newColor(), count, outer).resume();
      kill("CONT");
      await().until(() -> outer.get() == 2);
      assertEquals(2, inner.get());
    }
  }

  @Test
  void closingTheRuntimeEndsItsSources() throws Exception {
    Rig rig = new Rig(1);
    Source source =
        rig.nio.signal("USR2", rig.mely().newColor(), Handler.of(e -> {}), "event").resume();
    rig.close();
    assertTrue(source.isCancelled());
  }

  /** Made just as the runtime ends, which has cancelled those that it knew: it hears nothing. */
  @Test
  void aSourceMadeAsTheRuntimeEndsIsCancelled() throws Exception {
    Rig rig = new Rig(1);
    SignalSources sources = new SignalSources(rig.mely());
    Color color = rig.mely().newColor();
    rig.close();
    assertTrue(sources.add("USR2", color, Handler.of(e -> {}), "event").isCancelled());
    assertEquals(Set.of(), known(sources));
  }

  /** Else a program that listens for a while, time after time, would fill the memory. */
  @Test
  void cancelledSourcesAreForgotten() throws Exception {
    try (Rig rig = new Rig(1)) {
      SignalSources sources = new SignalSources(rig.mely());
      Color color = rig.mely().newColor();
      Source stays = sources.add("USR2", color, Handler.of(e -> {}), "event");
      for (int i = 0; i < 3; i++) {
        assertTrue(sources.add("USR2", color, Handler.of(e -> {}), "event").cancel());
      }
      assertEquals(Set.of(stays), known(sources));
      sources.close();
      assertTrue(stays.isCancelled());
    }
  }

  private static Set<?> known(SignalSources sources) throws ReflectiveOperationException {
    Field field = SignalSources.class.getDeclaredField("sources");
    field.setAccessible(true);
    return (Set<?>) field.get(sources);
  }

  @Test
  void signalsThatCannotBeHadAreRefused() throws Exception {
    try (Rig rig = new Rig(1)) {
      Handler<Object> nothing = Handler.of(e -> {});
      Color color = rig.mely().newColor();
      for (String name : new String[] {"NOSUCH", "SIGHUP", "KILL", "SEGV"}) {
        IllegalArgumentException refused =
            assertThrows(
                IllegalArgumentException.class,
                () -> rig.nio.signal(name, color, nothing, "event"));
        assertTrue(refused.getMessage().contains(name), refused::toString);
      }
    }
  }

  /**
   * A process started to ignore HUP and others, with a log that fails. USR1 comes even so; USR2
   * would show nothing, since the JVM has a handler of its own for it.
   */
  public static final class Deaf {
    private static final Logger LOG = Logger.getLogger("dev.mely.nio"); // or it is collected

    private Deaf() {}

    public static void main(String[] args) throws Exception {
      LOG.addHandler(new FailingLog());
      AtomicInteger hangUps = new AtomicInteger();
      AtomicInteger others = new AtomicInteger();
      CountDownLatch user = new CountDownLatch(1);
      Handler<AtomicInteger> count = Handler.of(AtomicInteger::incrementAndGet);
      try (Rig rig = new Rig(1)) {
        Color color = rig.mely().newColor();
        rig.nio.signal("HUP", color, count, hangUps).resume();
        rig.nio.signal("INT", color, count, others).resume();
        rig.nio.signal("TERM", color, count, others).resume();
        rig.nio.signal("USR1", color, Handler.of(CountDownLatch::countDown), user).resume();
        kill("HUP");
        kill("USR1");
        user.await();
      }
      System.out.println(hangUps + " of HUP, and USR1");
    }
  }

  private static final class FailingLog extends StreamHandler {
    @Override
    public void publish(LogRecord line) {
      System.out.println(new SimpleFormatter().formatMessage(line));
      throw new StackOverflowError("a log that fails");
    }
  }

  /** Not even where the fault cannot be logged. */
  @Test
  void faultAtOneSourceKeepsTheSignalFromNoOther() throws Exception {
    Logger logger = Logger.getLogger("dev.mely.nio");
    FailingLog failing = new FailingLog();
    logger.addHandler(failing);
    try (Rig rig = new Rig(1)) {
      CountDownLatch came = new CountDownLatch(1);
      Source source =
          rig.nio
              .signal("USR2", rig.mely().newColor(), Handler.of(CountDownLatch::countDown), came)
              .resume();
      SignalSource<?> broken = null;
      Signals.raise(Arrays.asList(broken, (SignalSource<?>) source));
      came.await();
    } finally {
      logger.removeHandler(failing);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HUP INT USR1", "HUP INT TERM USR1"})
  void whatTheProcessIgnoresIsReported(String ignored) throws Exception {
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                "trap '' " + ignored + "; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Deaf.class.getName())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), said);
    assertTrue(said.contains("0 of HUP, and USR1"), said);
    assertTrue(said.contains("signal HUP never comes"), said);
    assertTrue(said.contains("signal INT never comes"), said);
    assertEquals(ignored.contains("TERM"), said.contains("signal TERM never comes"), said);
    assertFalse(said.contains("signal USR1 never comes"), said);
  }

  private static void kill(String name) throws IOException, InterruptedException {
    long self = ProcessHandle.current().pid();
    assertEquals(0, new ProcessBuilder("kill", "-" + name, "" + self).start().waitFor());
  }
}
