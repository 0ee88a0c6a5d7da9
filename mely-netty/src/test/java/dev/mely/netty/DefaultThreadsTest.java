package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.Mely;
import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinning;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.NettyRuntime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How many threads a group has by default: the table in docs/netty.md. */
@Timeout(600)
class DefaultThreadsTest {
  private static final AllowedCpus ALLOWED = AllowedCpus.system();
  private static final int DEFAULT = ALLOWED.recommendedWorkers();

  /** Prints the number of threads of a group, and that of one which was told to have three. */
  public static final class Program {
    private Program() {}

    public static void main(String[] args) throws Exception {
      if (args[0].equals("handler")) {
        // Netty is used for the first time in a thread that is told that there is one CPU.
        try (Mely mely = Mely.builder().cores(1).pinned(true).build()) {
          CompletableFuture.runAsync(Program::print, mely.executor(mely.newColor())).get();
        }
      } else {
        if (args[0].equals("set")) {
          NettyRuntime.setAvailableProcessors(Integer.parseInt(args[1]));
        }
        print();
      }
    }

    private static void print() {
      System.out.println("\nthreads " + size(0) + " " + size(3));
    }

    private static int size(int threads) {
      MelyEventLoopGroup group = new MelyEventLoopGroup(threads, NioIoHandler.newFactory());
      int size = group.executorCount();
      group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      return size;
    }
  }

  static Stream<Arguments> settings() {
    int more = ALLOWED.count() + 2;
    return Stream.of(
        Arguments.of("-Dnone=", DEFAULT),
        Arguments.of("-XX:ActiveProcessorCount=1", 1),
        Arguments.of("-XX:ActiveProcessorCount=" + more, DEFAULT),
        Arguments.of("-Dio.netty.availableProcessors=1", 1),
        Arguments.of("-Dio.netty.availableProcessors=" + more, DEFAULT),
        Arguments.of("-Dio.netty.eventLoopThreads=" + more, more),
        Arguments.of("-Dio.netty.eventLoopThreads=0", 1));
  }

  @ParameterizedTest
  @MethodSource("settings")
  void settingsOfTheVirtualMachineCount(String option, int threads) throws Exception {
    assertEquals(threads, threads(List.of(option), "print"));
  }

  @Test
  void whatNettyWasToldByTheProgramCounts() throws Exception {
    assertEquals(1, threads(List.of(), "set", "1"));
    assertEquals(DEFAULT, threads(List.of(), "set", Integer.toString(ALLOWED.count() + 2)));
  }

  @Test
  void theDefaultIsTheSameInAPinnedHandler() throws Exception {
    assumeTrue(Pinning.objection(ALLOWED, 1).isEmpty(), "pinning is not advisable here");
    assertEquals(DEFAULT, threads(List.of(), "handler"));
  }

  private static int threads(List<String> options, String... arguments) throws Exception {
    String output =
        ChildJvm.run(
            System.getProperty("java.class.path"),
            new ArrayList<>(options),
            Program.class,
            arguments);
    String[] words =
        output.lines().filter(l -> l.startsWith("threads ")).findFirst().orElse(output).split(" ");
    assertEquals("3", words[words.length - 1], output);
    return Integer.parseInt(words[1]);
  }
}
