package dev.mely.examples.sws.hostile;

import dev.mely.examples.sws.Coloring;
import dev.mely.examples.sws.SwsConfig;
import dev.mely.examples.sws.SwsCoreServer;
import dev.mely.examples.sws.SwsServer;
import dev.mely.examples.sws.WebServer;
import dev.mely.examples.sws.hostile.FramingTricks.Trick;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every trick once, whole and in pieces, on each build of the server. */
@EnabledOnOs(OS.LINUX) // the site has pipes
@ParameterizedClass
@ValueSource(strings = {"netty", "mely", "2003"})
class FramingTricksTest {
  @Parameter String build;

  private static WebServer server;

  @BeforeParameterizedClassInvocation
  static void start(String build, @TempDir Path folder) throws Exception {
    Site site = new Site(folder);
    site.write();
    SwsConfig config = new SwsConfig(site.root()).port(0).cores(2);
    server =
        switch (build) {
          case "mely" -> SwsCoreServer.start(config, Coloring.MELY);
          case "2003" -> SwsCoreServer.start(config, Coloring.LIBASYNC);
          default -> SwsServer.start(config);
        };
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    server.close();
  }

  static List<Trick> all() {
    return FramingTricks.ALL;
  }

  @ParameterizedTest
  @MethodSource("all")
  void holds(Trick trick) throws Exception {
    Attack.run(server.address(), new SplittableRandom(trick.bytes().hashCode()), trick);
  }

  /** The table itself: a trick twice would be a slip. */
  @Test
  void noTrickIsThereTwice() {
    long different = FramingTricks.ALL.stream().distinct().count();
    Attack.check(different == FramingTricks.ALL.size(), "the same trick", "", "" + different);
  }
}
