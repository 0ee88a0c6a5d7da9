package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.mely.netty.grpc.CallColorsTest;
import io.netty.channel.Channel;
import io.netty.util.Version;
import java.io.File;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * What was compiled with the Netty of the build runs on the oldest one that the guide names: tests
 * of this module, in a virtual machine that has its jars.
 */
@Timeout(300)
class OldestNettyIT {
  private static final Path JARS = Path.of("target", "oldest-netty");

  private static final List<Class<?>> TESTS =
      List.of(
          CallColorsTest.class,
          ColorEventLoopTest.class,
          ColoredHandlersTest.class,
          DoubleRegistrationTest.class,
          KeyedHandlerTest.class,
          LoopChannelsTest.class,
          LoopTasksTest.class,
          MelyEventLoopGroupTest.class,
          OffloadHandlerTest.class,
          RegistrationTest.class,
          ShutdownTest.class,
          StingyAllocatorTest.class,
          StreamInitializerTest.class,
          TaskOrderTest.class);

  @Test
  void testsOfThisModulePassOnIt() throws Exception {
    List<String> options =
        List.of(
            "-ea",
            "-Dio.netty.leakDetection.level=paranoid",
            "-Dio.netty.leakDetection.targetRecords=0",
            "-Dio.netty.customResourceLeakDetector=" + LeakCounter.class.getName());
    String said = ChildJvm.run(path(), options, Main.class);
    assertTrue(said.contains("on " + System.getProperty("mely.netty.oldest")), said);
  }

  /** The class path of this test with other jars of Netty. */
  private static String path() throws Exception {
    Set<String> older = new TreeSet<>();
    try (Stream<Path> jars = Files.list(JARS)) {
      jars.map(OldestNettyIT::module).forEach(older::add);
    }
    assertEquals(14, older.size(), older::toString);
    String others =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !older.contains(module(Path.of(entry))))
            .collect(Collectors.joining(File.pathSeparator));
    return JARS.toAbsolutePath() + File.separator + "*" + File.pathSeparator + others;
  }

  /** The name of a jar without its version and what follows. */
  private static String module(Path jar) {
    return jar.getFileName().toString().replaceAll("-\\d.*", "");
  }

  /** Runs the tests, and says on which Netty. */
  static final class Main {
    private Main() {}

    public static void main(String[] arguments) {
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request()
              .selectors(TESTS.stream().map(test -> selectClass(test)).toList())
              .build();
      SummaryGeneratingListener listener = new SummaryGeneratingListener();
      LauncherFactory.create().execute(request, listener);
      TestExecutionSummary summary = listener.getSummary();
      summary.printFailuresTo(new PrintWriter(System.out, true));
      System.out.println(summary.getTestsSucceededCount() + " passed on " + version());
      boolean passed =
          summary.getTotalFailureCount() == 0 && summary.getTestsSucceededCount() > 100;
      System.exit(passed ? 0 : 1);
    }

    private static String version() {
      ClassLoader loader = Channel.class.getClassLoader();
      return Version.identify(loader).get("netty-transport").artifactVersion();
    }
  }
}
