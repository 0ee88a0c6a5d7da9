package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was compiled with the Vert.x of the build runs on the oldest that the guide names. */
class OldestVertxIT {
  @ParameterizedTest
  @CsvSource({"nio, false, (NIO);", "native, true, (epoll);"})
  void itRunsOnMely(String transport, boolean isNative, String log) throws Exception {
    String older = Path.of("target", "oldest-vertx").toAbsolutePath() + File.separator + "*";
    String others =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("vertx-core-"))
            .collect(Collectors.joining(File.pathSeparator));
    String said =
        ChildJvm.run(
            older + File.pathSeparator + others, List.of(), VertxSupportTest.Main.class, transport);
    assertTrue(said.contains("MelyEventLoopGroup native " + isNative + " served\n"), said);
    assertTrue(said.contains(log), said);
    assertTrue(said.contains("on Vert.x " + System.getProperty("mely.vertx.oldest")), said);
  }
}
