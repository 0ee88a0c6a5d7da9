package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.topology.AllowedCpus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many cores a runtime has by default: no more than the virtual machine was told to use. */
@Timeout(300)
class DefaultCoresTest {
  private static final AllowedCpus ALLOWED = AllowedCpus.system();
  private static final int DEFAULT = ALLOWED.recommendedWorkers();

  /**
   * Prints the cores of four runtimes: one, two that handlers of the others build, and one that is
   * built when a pinned thread has just been told that there is one CPU: on JDK 17 all threads are
   * told the same for 20 ms.
   */
  public static final class Program {
    private static final long SECOND = 1_000_000_000;

    private Program() {}

    public static void main(String[] args) throws Exception {
      List<String> cores = new ArrayList<>();
      try (Mely first = Mely.builder().build();
          Mely pinned = Mely.builder().cores(1).pinned(true).build()) {
        cores.add(Integer.toString(first.inspect().cores()));
        cores.add(coresOfOneMore(first.executor(first.newColor())));
        Executor inPinned = pinned.executor(pinned.newColor());
        cores.add(coresOfOneMore(inPinned));
        CompletableFuture.runAsync(Program::askUntilOne, inPinned).get();
        cores.add(coresOfOneMore(Runnable::run));
      }
      System.out.println("\n" + String.join(" ", cores));
    }

    private static void askUntilOne() {
      long start = System.nanoTime();
      while (Runtime.getRuntime().availableProcessors() > 1 && System.nanoTime() - start < SECOND) {
        Thread.onSpinWait();
      }
    }

    private static String coresOfOneMore(Executor executor) throws Exception {
      return CompletableFuture.supplyAsync(
              () -> {
                try (Mely mely = Mely.builder().build()) {
                  return Integer.toString(mely.inspect().cores());
                }
              },
              executor)
          .get();
    }
  }

  @Test
  void allThatTheProcessMayUse() throws Exception {
    assertEquals(DEFAULT, cores(List.of(), List.of()));
  }

  @Test
  void oneWhereTheVirtualMachineWasToldOne() throws Exception {
    assertEquals(1, cores(List.of(), List.of("-XX:ActiveProcessorCount=1")));
  }

  @Test
  void notMoreThanThereAreCpusWhateverTheVirtualMachineWasTold() throws Exception {
    String more = "-XX:ActiveProcessorCount=" + (ALLOWED.count() + 2);
    assertEquals(DEFAULT, cores(List.of(), List.of(more)));
  }

  @Test
  void oneOnOneCpu() throws Exception {
    List<String> taskset = List.of("taskset", "-c", Integer.toString(ALLOWED.cpus()[0]));
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/taskset")), "needs taskset");
    assertEquals(1, cores(taskset, List.of()));
    assertEquals(1, cores(taskset, List.of("-XX:ActiveProcessorCount=2")));
  }

  private static int cores(List<String> prefix, List<String> options) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.add(Offspring.java());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(options);
    command.addAll(List.of("-cp", Offspring.classPath(), Program.class.getName()));
    String output = Offspring.run(command.toArray(String[]::new));
    String last = output.substring(output.lastIndexOf('\n') + 1);
    String[] four = last.split(" ", -1);
    assertEquals(4, four.length, output);
    for (String cores : four) {
      assertEquals(four[0], cores, output);
    }
    return Integer.parseInt(four[0]);
  }
}
