package dev.mely.netty.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.ChildJvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs that make their group themselves, started with the packaged agent. */
@Timeout(600)
class AgentIT {
  private static final String[] LIBRARIES = {"mely-core", "jctools-core", "byte-buddy"};

  @TempDir private Path lib;

  private String run(String argument, String path, Class<?> program, String... arguments)
      throws Exception {
    return run(AgentJars.copyTo(lib, LIBRARIES) + argument, List.of(), path, program, arguments);
  }

  private static String run(
      String agent, List<String> options, String path, Class<?> program, String... arguments)
      throws Exception {
    List<String> all = new ArrayList<>(options);
    // Two CPUs at least, as Java counts them: a group of two has two workers.
    all.addAll(List.of("-javaagent:" + agent, "-XX:ActiveProcessorCount=2"));
    return ChildJvm.run(path, all, program, arguments);
  }

  private static void assertSays(String said, String... parts) {
    for (String part : parts) {
      assertTrue(said.contains(part), () -> part + " is not in\n" + said);
    }
  }

  private static void assertRunsOnMely(String said) {
    assertSays(
        said,
        "mely: NioEventLoopGroup at " + TwoGroups.class.getName() + ".main(TwoGroups.java:",
        " runs on Mely, workers: 1\n",
        " runs on Mely, workers: 2\n",
        "at once: true\non Mely: true in two\nended: true\n");
  }

  @Test
  void bothGroupsOfAProgramRunOnMely() throws Exception {
    assertRunsOnMely(run("", AgentJars.ofProgram(), TwoGroups.class, "mayMeet"));
  }

  /** What the first test says of Mely is not so of Netty. */
  @Test
  void withoutTheAgentItIsOnNetty() throws Exception {
    assertSays(
        ChildJvm.run(AgentJars.ofProgram(), List.of(), TwoGroups.class),
        "at once: false\non Mely: false in two\nended: true\n");
  }

  @Test
  void inAnotherClassLoader() throws Exception {
    assertRunsOnMely(
        run(
            "",
            AgentJars.ofTests(),
            OtherLoader.class,
            AgentJars.ofProgram(),
            TwoGroups.class.getName()));
  }

  @Test
  void onTheModulePath() throws Exception {
    assertRunsOnMely(
        run(
            AgentJars.copyTo(lib, LIBRARIES).toString(),
            List.of("-p", AgentJars.ofNetty(), "--add-modules", "io.netty.transport"),
            AgentJars.ofTests(),
            TwoGroups.class,
            "mayMeet"));
  }

  @Test
  void theLibrariesMayBeOnTheClassPath() throws Exception {
    assertRunsOnMely(
        run(
            AgentJars.copyTo(lib).toString(),
            List.of(),
            AgentJars.ofProgram() + AgentJars.SEPARATOR + AgentJars.libraries(),
            TwoGroups.class,
            "mayMeet"));
  }

  @Test
  void onlyNamedPackages() throws Exception {
    String path = AgentJars.ofProgram();
    assertRunsOnMely(run("=com.acme, dev.mely.netty", path, TwoGroups.class, "mayMeet"));
    String said =
        run(
            lib.resolve("mely-netty.jar") + "=com.acme,dev.mely.net",
            List.of(),
            path,
            TwoGroups.class);
    assertSays(
        said,
        " stays Netty's own: its package is not among com.acme, dev.mely.net\n",
        "on Mely: false in two\nended: true\n");
  }

  @Test
  void everyMethodOfAGroupIsThatOfMely() throws Exception {
    assertSays(run("", AgentJars.ofProgram(), EveryMethod.class), "all are Mely's\n");
  }

  @Test
  void whatDoesNotFitStaysNettys() throws Exception {
    String said = run("", AgentJars.ofProgram(), LeftAlone.class);
    assertSays(
        said,
        "LeftAlone$1 at ",
        "a subclass may override what Mely would do\n",
        "its threads come from an executor, java.util.concurrent.ForkJoinPool\n",
        "it has a chooser of its own\n",
        "the channels of its transport cannot change their thread\n",
        "it has a queue or a RejectedExecutionHandler of its own\n",
        "Netty's own: 5\n");
    assertFalse(said.contains("runs on Mely"), said);
  }

  @Test
  void aGroupOfMelyItselfIsNotSpokenOf() throws Exception {
    String path = AgentJars.ofProgram() + AgentJars.SEPARATOR + AgentJars.libraries();
    assertEquals("on Mely: true\n", run("", path, OwnMely.class));
  }

  @Test
  void anOlderNettyIsRefused() throws Exception {
    String said = run("", AgentJars.withRefusedNetty(), TwoGroups.class);
    assertSays(
        said,
        "mely: nothing is replaced: Mely runs on Netty "
            + NettyVersion.OLDEST
            + " or newer, but this is "
            + System.getProperty("mely.netty.refused")
            + "\n",
        "on Mely: false in two\nended: true\n");
    assertEquals(NettyVersion.OLDEST + ".Final", System.getProperty("mely.netty.oldest"));
    assertEquals(1, said.split("mely: ", -1).length - 1, said);
  }

  @Test
  void aWrongArgumentIsRefused() throws Exception {
    assertSays(
        run("=transport=epoll", AgentJars.ofProgram(), TwoGroups.class),
        "mely: nothing is replaced: unknown argument 'transport=epoll';"
            + " known: packages, as in =org.example,com.acme\n",
        "on Mely: false in two\nended: true\n");
  }

  @Test
  void aMissingLibraryIsNamed() throws Exception {
    assertSays(
        run(
            AgentJars.copyTo(lib, "mely-core", "jctools-core").toString(),
            List.of(),
            AgentJars.ofTests() + AgentJars.SEPARATOR + AgentJars.ofNetty(),
            TwoGroups.class),
        "mely: nothing is replaced: byte-buddy.jar is missing: put it beside " + lib,
        "on Mely: false in two\nended: true\n");
  }
}
