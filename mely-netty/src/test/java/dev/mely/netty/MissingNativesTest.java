package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * N1: native transports are optional. Without their classes, their native code or the kernel's
 * consent, one that is named is refused, and says why; {@code auto} uses NIO, and one line of the
 * log says why. In a virtual machine of its own.
 */
@Timeout(300)
class MissingNativesTest {
  /** What the other virtual machine runs. Argument: the name of the transport. */
  public static final class Main {
    public static void main(String[] args) throws Exception {
      MelyEventLoopGroupBuilder builder = MelyEventLoopGroup.builder().cores(1);
      try {
        builder.transport(args[0]);
      } catch (IllegalArgumentException e) {
        System.out.println("refused: " + e.getMessage() + ", cause: " + e.getCause());
        return;
      }
      MelyEventLoopGroup group = builder.build();
      System.out.println(group.serverSocketChannelType().getSimpleName());
      System.out.println(group.next().submit(() -> "ran").get());
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "epoll, netty-transport-classes-epoll",
    "epoll, netty-transport-native-epoll",
    "io_uring, netty-transport-classes-io_uring",
    "io_uring, netty-transport-native-io_uring",
    "kqueue, netty-transport-classes-kqueue"
  })
  void withoutOneOfItsJarsItIsRefused(String transport, String missing) throws Exception {
    assertRefused(transport, run(transport, missing));
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "io_uring", "kqueue"})
  void withNativesForbiddenItIsRefused(String transport) throws Exception {
    assertRefused(transport, run(transport, "", "-Dio.netty.transport.noNative=true"));
  }

  /** Case does not matter, in no language: Turkish has an i of its own. */
  @Test
  void nioNeedsNothing() throws Exception {
    String output = run("NIO", "epoll", "-Dio.netty.transport.noNative=true", "-Duser.language=tr");
    assertTrue(output.contains("NioServerSocketChannel\nran\n"), output);
    assertTrue(!output.contains("not available"), output);
  }

  @Test
  void theBestOneIsChosenAmongThoseThatSteal() throws Exception {
    String output = run("auto", "");
    assertTrue(output.contains("EpollServerSocketChannel\nran\n"), output);
    assertNioServes(run("auto", "epoll"));
    assertNioServes(run("auto", "netty-transport-native-epoll"));
    assertNioServes(run("auto", "", "-Dio.netty.transport.noNative=true"));
  }

  @Test
  void whatIsAskedForServesIfNothingIsMissing() throws Exception {
    String output = run("epoll", "");
    assertTrue(output.contains("EpollServerSocketChannel\nran\n"), output);
    assertTrue(!output.contains("not available"), output);
  }

  private static void assertRefused(String transport, String output) {
    String line =
        output
            .lines()
            .filter(l -> l.startsWith("refused: transport '" + transport + "' is not available"))
            .findFirst()
            .orElseThrow(() -> new AssertionError(output));
    assertTrue(line.contains("io.netty:netty-transport-native-" + transport + ","), line);
    String cause = line.substring(line.indexOf(", cause: ") + ", cause: ".length());
    assertTrue(cause.contains("Error") || cause.contains("Exception"), line);
    assertTrue(line.contains("(" + cause + ")"), line);
    assertTrue(!output.contains("\nran\n"), output);
  }

  private static void assertNioServes(String output) {
    assertTrue(output.contains("NioServerSocketChannel\nran\n"), output);
    String line = "epoll is not available, using NIO: ";
    assertEquals(1, output.lines().filter(l -> l.contains("not available")).count(), output);
    assertTrue(output.contains(line), output);
  }

  private static String run(String transport, String missing, String... options) throws Exception {
    String path =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> missing.isEmpty() || !entry.contains(missing))
            .collect(Collectors.joining(File.pathSeparator));
    return ChildJvm.run(path, List.of(options), Main.class, transport);
  }
}
