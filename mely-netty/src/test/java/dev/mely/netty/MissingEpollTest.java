package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The epoll jars are optional: without them, in a virtual machine of its own, NIO serves. */
@Timeout(60)
class MissingEpollTest {
  /** What the other virtual machine runs. */
  public static final class Main {
    public static void main(String[] args) throws Exception {
      MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).transport("auto").build();
      System.out.println(group.serverSocketChannelType().getSimpleName());
      System.out.println(group.next().submit(() -> "ran").get());
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty-transport-classes-epoll", "netty-transport-native-epoll"})
  void nioServesInstead(String missing) throws Exception {
    String output = run(missing);
    assertTrue(output.contains("NioServerSocketChannel\nran\n"), output);
    long lines = output.lines().filter(line -> line.contains("epoll is not available")).count();
    assertEquals(1, lines, output);
  }

  @Test
  void epollServesIfNothingIsMissing() throws Exception {
    String output = run("no such jar");
    assertTrue(output.contains("EpollServerSocketChannel\nran\n"), output);
  }

  private static String run(String missing) throws Exception {
    String path =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains(missing))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", path, Main.class.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertEquals(0, process.waitFor(), output);
    return output;
  }
}
