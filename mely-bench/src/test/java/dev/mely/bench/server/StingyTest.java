package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.bench.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Servers with and without a bound for their memory. */
@Timeout(300)
class StingyTest {
  @TempDir private Path directory;

  /** Real servers; the loader says what wrk would say. */
  @Test
  void sweepsTheNumberOfConnections() throws IOException {
    Path wrk = directory.resolve("wrk");
    Files.writeString(wrk, "#!/bin/sh\necho result 1000 2 2000000 500000 250000 10 20 30 40\n");
    assumeTrue(wrk.toFile().setExecutable(true), "a script can be run");
    Path json = directory.resolve("stingy.json");
    int code =
        new CommandLine(new StingyCommand())
            .execute(
                "--samples=1",
                "--connections=2,3",
                "--time=1",
                "--warm-up=1",
                "--cores=1",
                "--wrk=" + wrk,
                "--jvm-arg=-XX:TieredStopAtLevel=1",
                "--out=" + directory,
                "--json=" + json);
    assertEquals(0, code);
    Results results = Results.fromJson(Files.readString(json));
    List<String> expected = new ArrayList<>();
    for (String load : List.of("2 connections ", "3 connections ")) {
      for (String server : List.of("stock-pooled", "stock-adaptive", "mely", "mely-bound")) {
        expected.add(load + "nio-" + server);
      }
      expected.add(load + "core");
      expected.add(load + "core-pool");
    }
    assertEquals(expected, results.contenders());
    for (String c : expected) {
      assertEquals(1, results.ratio(c).median(), c);
      assertTrue(results.median(c, "pauses") >= 0, c);
    }
    assertTrue(Files.exists(directory.resolve("stingy-throughput.svg")));
    assertTrue(Files.exists(directory.resolve("stingy-p99.png")));
  }

  @Test
  void readsSlowlyFromBeginningToEnd() throws IOException {
    Path json = directory.resolve("slow.json");
    int code =
        new CommandLine(new SlowReadersCommand())
            .execute(
                "--samples=1",
                "--readers=3",
                "--time=1.5",
                "--warm-up=0.5",
                "--cores=1",
                "--jvm-arg=-XX:TieredStopAtLevel=1",
                "--out=" + directory,
                "--json=" + json);
    assertEquals(0, code);
    Results results = Results.fromJson(Files.readString(json));
    assertEquals(4, results.contenders().size());
    double bytes = 0; // some, somewhere: a starved machine may leave one without any
    for (String c : results.contenders()) {
      double rate = results.median(c, "megabytesPerSecond");
      assertTrue(rate == 0 || results.median(c, "directMiB") > 0, c);
      bytes += rate;
    }
    assertTrue(bytes > 0);
    assertTrue(Files.exists(directory.resolve("slow-readers-direct.png")));
  }

  /** What buffers a server has used is told once. */
  @ParameterizedTest
  @EnumSource(names = {"STOCK", "MELY", "MELY_BOUND"})
  void tellsItsFootprint(Group group) throws IOException, InterruptedException {
    ServerSetup setup = new ServerSetup(Service.ECHO, group, Transport.NIO, 1, false, null);
    List<String> flags = new ArrayList<>(Allocator.POOLED.flags());
    flags.add("-Xmx128m");
    try (ServerProcess server = ServerProcess.start(setup, flags);
        LoadClient client = new LoadClient(server.port(), 2, EchoDialogue::new)) {
      client.exchange(50);
      Footprint first = server.usage().memory();
      assertTrue(first.directBytes() > 0, first::toString);
      Footprint second = server.usage().memory();
      assertTrue(second.pauses() >= 0 && second.pauseMillis() >= 0, second::toString);
      assertTrue(second.liveBytes() <= 2 * 2048 + 65_536, second::toString);
    }
  }

  @Test
  void whatIsNotKnownIsNoFigure() {
    Map<String, Double> sample = new LinkedHashMap<>();
    new Footprint(3 << 20, 0, 4, 5).addTo(sample);
    assertEquals(Map.of("directMiB", 3.0, "pauses", 4.0, "pauseMillis", 5.0), sample);
  }

  @Test
  void refusesMoreConnectionsThanThereAreDescriptors() {
    CommandSpec spec = CommandSpec.create();
    new CommandLine(spec);
    assertDoesNotThrow(() -> Descriptors.check(spec, "--connections", 744, 1_000));
    ParameterException refused =
        assertThrows(
            ParameterException.class, () -> Descriptors.check(spec, "--connections", 745, 1_000));
    assertTrue(refused.getMessage().contains("'ulimit -n'"), refused::getMessage);
    assertTrue(Descriptors.limit() > 0);
  }

  /** The bound is one of Mely's own group; the others have none. */
  @Test
  void policiesOfTheGroups() {
    assertEquals(Group.MELY.policy(), Group.MELY_BOUND.policy());
    assertEquals(Group.MELY_BOUND, Group.parse("mely-bound"));
  }
}
