package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.Mely;
import dev.mely.kit.Mutant;
import dev.mely.netty.LosesBuffers;
import io.grpc.ServerCallExecutorSupplier;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.function.BiFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Planted bugs that {@link GrpcColorsTest} and {@link GrpcColorsEndTest} find. */
@Timeout(300)
@ExtendWith(LosesBuffers.class)
class GrpcColorsMutantTest {
  private static final Logger FAILURES = Logger.getLogger("io.grpc.internal.SerializingExecutor");

  @TempDir private Path scratch;

  @BeforeAll
  static void expectFailures() {
    FAILURES.setLevel(Level.OFF);
  }

  @AfterAll
  static void reportFailures() {
    FAILURES.setLevel(null);
  }

  @Test
  void callsOfAKeyInColorsOfTheirOwn() throws Exception {
    GrpcColorsTest.ByKey broken = broken(": mely.color(key)", ": mely.newColor()");
    assertThrows(
        AssertionError.class, () -> GrpcColorsTest.checkExclusion(Setting.NIO_MIGRATING, broken));
  }

  @Test
  void callsWithoutAKeyInOneColor() throws Exception {
    GrpcColorsTest.ByKey broken =
        broken("? mely.newColor(mely.inspect().emptierCore())", "? mely.color(0)");
    assertThrows(
        AssertionError.class,
        () -> GrpcColorsTest.checkTwoRunAtOnce(Setting.NIO, true, broken, "none", "none", 1));
  }

  @Test
  void errorsOfTheKeyFunctionThatEndTheConnection() throws Exception {
    GrpcColorsTest.ByKey broken = broken("catch (Throwable t)", "catch (RuntimeException t)");
    assertThrows(
        AssertionError.class, () -> GrpcColorsEndTest.checkFailingKeys(Setting.NIO, true, broken));
  }

  @Test
  void exceptionsOfTheKeyFunctionWithoutAStatus() throws Exception {
    GrpcColorsTest.ByKey broken = broken("catch (Throwable t)", "catch (Error t)");
    assertThrows(
        AssertionError.class, () -> GrpcColorsEndTest.checkFailingKeys(Setting.NIO, true, broken));
  }

  private GrpcColorsTest.ByKey broken(String original, String replacement) throws Exception {
    Class<?> colors =
        new Mutant(replacement, "grpc/CallColors.java", original, replacement)
            .load("CallColors", scratch);
    Method byKey = colors.getMethod("byKey", Mely.class, BiFunction.class);
    return (mely, keys) -> {
      try {
        return (ServerCallExecutorSupplier) byKey.invoke(null, mely, keys);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    };
  }
}
