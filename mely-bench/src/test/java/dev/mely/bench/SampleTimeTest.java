package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class SampleTimeTest {
  @Command
  private static final class Some {
    @Mixin private SampleTime time = new SampleTime(3, 5, 1.2, 2);

    static Some parse(String... args) {
      Some some = new Some();
      new CommandLine(some).parseArgs(args);
      return some;
    }
  }

  @Test
  void hasDefaults() {
    SampleTime time = Some.parse().time;
    assertEquals(3, time.seconds(false));
    assertEquals(5, time.warmUpSeconds(false));
    assertEquals(1.2, time.seconds(true));
    assertEquals(2, time.warmUpSeconds(true));
    assertEquals(3_000_000_000L, time.nanos(false));
    assertEquals(2_000_000_000L, time.warmUpNanos(true));
  }

  /** What is said counts, of a quick run too; also if it says what is usual. */
  @Test
  void takesWhatIsChosen() {
    SampleTime time = Some.parse("--time", "7", "--warm-up", "5").time;
    assertEquals(7, time.seconds(true));
    assertEquals(7, time.seconds(false));
    assertEquals(5, time.warmUpSeconds(true));
  }

  @Test
  void tellsItsDefaults() {
    String usage = new CommandLine(new Some()).getUsageMessage();
    assertTrue(usage.contains("default: 3.0"), usage);
    assertTrue(usage.contains("5.0"), usage);
  }
}
