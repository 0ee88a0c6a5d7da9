package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(300)
class EveTest {
  @TempDir private Path directory;

  /** The whole command, as short as it can be: real servers, a real client, a file at the end. */
  @Test
  void runsFromBeginningToEnd() throws IOException {
    Path json = directory.resolve("eve.json");
    Results results;
    do {
      int code =
          new CommandLine(new EveCommand())
              .execute(
                  "--samples=1",
                  "--connections=4",
                  "--messages=50",
                  "--time=0.1",
                  "--warm-up=0.1",
                  "--groups=stock,mely",
                  "--equal-work=10",
                  "--programs=echo,counter-owned,counter-shared",
                  "--work=5",
                  "--reads=50",
                  "--cores=2",
                  "--jvm-arg=-XX:TieredStopAtLevel=1",
                  "--json=" + json);
      assertEquals(0, code);
      results = Results.fromJson(Files.readString(json));
      // A machine that is busy may answer so few that none is due in so short a time: once more.
    } while (!wasAsked(results));
    assertEquals(
        List.of(
            "echo nio-stock",
            "echo nio-mely",
            "counter-owned reads-50 nio-stock",
            "counter-owned reads-50 nio-mely",
            "counter-shared reads-50 nio-stock",
            "counter-shared reads-50 nio-mely"),
        results.contenders());
    for (String c : results.contenders()) {
      assertTrue(results.median(c, "messagesPerSecond") > 0, c);
      assertTrue(Double.isFinite(results.ratio(c).median()), c);
      // Counted in ticks of 10 ms, of which so short a sample may have none.
      assertTrue(results.median(c, "at10.serverCpuMicros") >= 0, c);
    }
  }

  private static boolean wasAsked(Results results) {
    return results.contenders().stream().allMatch(c -> results.median(c, "at10.p50Micros") > 0);
  }
}
