package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.mely.kit.Mutant;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Shows that {@link PermissionRun} would notice. */
@Timeout(600)
class PermissionMutantProof {
  private static final int SEEDS = 50;

  static Stream<Mutant> mutants() {
    return Stream.of(
        new Mutant(
            "handlers run without the permissions that they have asked for",
            "PermissionExecutor.java",
            "asked.andWrite(own);",
            "Permissions.write(own);"),
        new Mutant(
            "a channel's executor has no color of its own: there is no order",
            "PermissionExecutor.java",
            "asked.andWrite(own);",
            "asked;"),
        new Mutant(
            "there is no order, though each thread knows where it is",
            "PermissionExecutor.java",
            """
            asked.andWrite(own);
              }

              @Override
              <E> void post(Handler<? super E> handler, E event) {
                groupState().mely().register(asked, handler, event);
            """,
            """
            asked;
              }

              private static final ThreadLocal<PermissionExecutor> INSIDE = new ThreadLocal<>();

              @Override
              public boolean inEventLoop(Thread thread) {
                return INSIDE.get() == this;
              }

              @Override
              <E> void post(Handler<? super E> handler, E event) {
                Handler<E> inside =
                    Handler.of(
                        e -> {
                          INSIDE.set(this);
                          try {
                            handler.handle(e);
                          } finally {
                            INSIDE.remove();
                          }
                        });
                groupState().mely().register(asked, inside, event);
            """),
        new Mutant(
            "whoever reads a name's color writes it",
            "ColorExecutors.java",
            "Permissions.read(color)",
            "Permissions.write(color)"),
        new Mutant(
            "those that read a name have another color than those that write it",
            "ColorExecutors.java",
            "of(Permissions.read(color))",
            "of(Permissions.read(cores.groupState().mely().newColor()))"),
        new Mutant(
            "all channels have one executor",
            "PermissionExecutors.java",
            "prior.note(latest.taskHandler().costNanos());",
            "return latest;"),
        new Mutant(
            "handlers that write run beside those that read",
            "MelyEventLoopGroup.java",
            "named.access() == Access.READ",
            "named.access() != null"),
        new Mutant(
            "the tasks of an executor are events of its own color alone",
            "ColorTasks.java",
            "      post(taskHandler(), event);\n    } catch (Throwable t) {",
            "      groupState.mely().register(color, taskHandler(), event);\n    } catch (Throwable t) {"),
        new Mutant(
            "a name is a new color each time",
            "ColorExecutors.java",
            "mely().color(key)",
            "mely().newColor()"));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(Mutant mutant, @TempDir Path scratch) throws Exception {
    Method run = run(mutant, scratch);
    for (long seed = 1; seed <= SEEDS; seed++) {
      String fault = (String) run.invoke(null, seed, "NIO");
      if (!fault.isEmpty()) {
        System.out.println("caught at seed " + seed + ": " + mutant + " (" + fault + ")");
        return;
      }
    }
    fail("not caught with " + SEEDS + " seeds: " + mutant);
  }

  /** It is the bug that is found, not the copy. */
  @Test
  void copyWithoutABugHolds(@TempDir Path scratch) throws Exception {
    Mutant none = new Mutant("no bug", "PermissionExecutor.java", "this.asked =", "this. asked =");
    assertEquals("", run(none, scratch).invoke(null, 1L, "NIO"));
  }

  private static Method run(Mutant mutant, Path scratch) throws Exception {
    Method run =
        mutant
            .loadCopy("PermissionRun", scratch)
            .getDeclaredMethod("run", long.class, String.class);
    run.setAccessible(true);
    return run;
  }
}
