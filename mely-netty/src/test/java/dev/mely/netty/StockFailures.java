package dev.mely.netty;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * The tests of Netty that fail on Netty's own group: the list {@code stock-failures.txt}, by name
 * and with the reason. Only these may fail on Mely's.
 *
 * <p>On Netty's own group nothing fails the build by itself: what fails is remembered, and {@link
 * StockSuite} compares it with the list.
 */
final class StockFailures implements InvocationInterceptor, TestExecutionExceptionHandler {
  /** Configuration parameter: of Netty's own group, run the tests on the list and no other. */
  static final String LISTED_ONLY = "dev.mely.netty.listedOnly";

  /** Name of test, reason. */
  static final Map<String, String> LIST = read();

  /** What has failed on Netty's own group. */
  private static final Map<String, Throwable> SEEN = new ConcurrentHashMap<>();

  private static Map<String, String> read() {
    Map<String, String> list = new TreeMap<>();
    try (InputStream in = StockFailures.class.getResourceAsStream("stock-failures.txt")) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(
              line -> {
                String[] parts = line.split("\\s*:\\s*", 2);
                list.put(parts[0].strip(), parts[1]);
              });
    } catch (IOException e) {
      throw new ExceptionInInitializerError(e);
    }
    return list;
  }

  /** Hands out and forgets what has failed on Netty's own group. */
  static Map<String, Throwable> takeSeen() {
    Map<String, Throwable> seen = new TreeMap<>(SEEN);
    SEEN.clear();
    return seen;
  }

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    if (isWanted(context)) {
      invocation.proceed();
    } else {
      invocation.skip();
    }
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    interceptTestMethod(invocation, method, context);
  }

  private static boolean isWanted(ExtensionContext context) {
    return !isStock(context)
        || !context.getConfigurationParameter(LISTED_ONLY).map(Boolean::valueOf).orElse(false)
        || LIST.containsKey(name(context));
  }

  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable thrown)
      throws Throwable {
    if (isStock(context)) {
      SEEN.put(name(context), thrown);
    } else if (!LIST.containsKey(name(context))) {
      throw thrown;
    }
  }

  private static boolean isStock(ExtensionContext context) {
    return bed(context).mode == SuiteBed.Mode.STOCK;
  }

  private static String name(ExtensionContext context) {
    return "%s %s.%s"
        .formatted(
            bed(context).io,
            context.getRequiredTestClass().getSimpleName(),
            context.getRequiredTestMethod().getName());
  }

  private static SuiteBed bed(ExtensionContext context) {
    return context.getRequiredTestInstances().findInstance(StreamSuite.class).orElseThrow().bed;
  }
}
