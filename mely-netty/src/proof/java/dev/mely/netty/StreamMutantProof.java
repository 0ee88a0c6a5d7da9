package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.kit.Mutant;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The tests of {@link StreamInitializer} notice the bugs that are planted for them. */
@Timeout(300)
class StreamMutantProof {
  /** With a bug, a test that has not ended by then has noticed it: it takes a second at most. */
  private static final long HANGS_SECONDS = 8;

  private static final long PATIENCE_SECONDS = 200;

  /**
   * @param test simple name of the class whose method notices it
   * @param argument of that method, as a string; may be empty
   */
  record Planted(Mutant mutant, String test, String method, String argument) {
    @Override
    public String toString() {
      return mutant.name();
    }
  }

  private static Planted planted(
      String name, String file, String original, String replacement, String noticedBy) {
    String[] by = noticedBy.split("[.:]", -1);
    return new Planted(new Mutant(name, file, original, replacement), by[0], by[1], by[2]);
  }

  static List<Planted> planted() {
    return List.of(
        planted(
            "Netty credits what the stream's channel has read",
            "StreamInitializer.java",
            "AUTO_STREAM_FLOW_CONTROL, false",
            "AUTO_STREAM_FLOW_CONTROL, true",
            "StreamFlowTest.nothingIsCreditedBeforeItIsHandled:NIO"),
        planted(
            "a frame is credited when it arrives",
            "Offloaded.java",
            "      loop.post(messages, event);\n",
            """
                  if (bytes > 0) {
                    ctx.writeAndFlush(credit.frame(bytes));
                  }
                  loop.post(messages, event);
            """,
            "StreamFlowTest.manySlowStreamsHoldOneWindow:NIO"),
        planted(
            "of a burst the last frame alone is credited",
            "Offloaded.java",
            "owed += event.bytes;",
            "owed = event.bytes;",
            "StreamFlowTest.allWindowsAreWholeAgain:1"),
        planted(
            "padding is not credited",
            "StreamInitializer.java",
            "data.initialFlowControlledBytes()",
            "data.content().readableBytes()",
            "StreamFlowTest.nothingIsCreditedBeforeItIsHandled:NIO"),
        planted(
            "credits are not flushed",
            "Offloaded.java",
            "      outbound.write(credit.frame(bytes), null);\n      outbound.flush();\n",
            "      outbound.write(credit.frame(bytes), null);\n",
            "StreamFlowTest.creditsAreSentAtOnce:NIO"),
        planted(
            "a flush of the handlers is lost",
            "Outbound.java",
            "      } else if (next == FLUSH) {\n        flush = true;\n",
            "      } else if (next == FLUSH) {\n",
            "StreamInitializerTest.streamsOfOneConnectionRunAtTheSameTime:NIO"),
        planted(
            "a close overtakes the flush before it",
            "Outbound.java",
            "        if (flush) {\n          flush = false;\n          ctx.flush();\n        }\n",
            "",
            "StreamEndTest.aHandlerClosesItsStream:NIO"),
        planted(
            "flushes of a turn are not gathered",
            "StreamInitializer.java",
            "if (codec != null && ",
            "if (codec == null && ",
            "StreamInitializerTest.answersOfATurnAreFlushedTogether:"),
        planted(
            "a frame is released twice",
            "Offloaded.java",
            "owed += event.bytes;",
            "owed += event.bytes;\n      ReferenceCountUtil.safeRelease(event.message);",
            "StreamEndTest.resetBetweenDataFrames:NIO"),
        planted(
            "a reset overtakes the messages of its turn",
            "Offloaded.java",
            "      loop.post(messages, event);\n",
            """
                  OffloadMessage late = event;
                  if (userEvent) {
                    loop.post(messages, event);
                  } else {
                    ctx.channel().eventLoop().execute(() -> loop.post(messages, late));
                  }
            """,
            "StreamEndTest.resetBetweenDataFrames:NIO"),
        planted(
            "frames that no window bounds are not bounded",
            "Offloaded.java",
            "    if (credit != null && isFull()) {\n",
            "    if (credit == null && isFull()) {\n",
            "StreamFlowTest.framesWithoutAWindowAreBounded:false"),
        planted(
            "a stream is unregistered before it is inactive",
            "OffloadHandler.java",
            "    signal(ChannelPipeline::fireChannelInactive);\n",
            """
                signal(ChannelPipeline::fireChannelUnregistered);
                signal(ChannelPipeline::fireChannelInactive);
            """,
            "StreamEndTest.resetBetweenDataFrames:NIO"),
        planted(
            "a client's own stream waits for headers",
            "StreamInitializer.java",
            "        && codec.connection().remote().isValidStreamId(opened.stream().id());\n",
            "        && opened.stream().id() != 0;\n",
            "StreamOpeningTest.aClientsOwnStreamIsActiveAtOnce:"),
        planted(
            "a stream that reads by hand waits for headers",
            "OffloadHandler.java",
            "    if (ctx.channel().config().isAutoRead()) {\n",
            "    if (ctx.channel().isOpen()) {\n",
            "StreamOpeningTest.aStreamWithoutAutoReadIsActiveAtOnce:true"),
        planted(
            "what opens a stream is lost where no message follows",
            "Offloaded.java",
            "      if (opening != null) {\n",
            "      if (opening != null && credit != null) {\n",
            "StreamOpeningTest.withoutAFirstMessageTheNextSignalBringsIt:NIO"),
        planted(
            "a stream's key is not its color",
            "StreamInitializer.java",
            "offload.in(runtime.color(found));",
            "runtime.color(found);",
            "StreamInitializerTest.whatHasOneKeyIsNeverInParallel:NIO"));
  }

  @ParameterizedTest
  @MethodSource("planted")
  void plantedBugIsNoticed(Planted planted, @TempDir Path scratch) throws Exception {
    Throwable noticed = run(planted.mutant(), planted, scratch, HANGS_SECONDS);
    assertTrue(noticed != null, () -> planted.method() + " has not noticed it");
    System.out.println(planted + ": " + noticed);
  }

  /** It is the bug that is noticed, not the copy. */
  @ParameterizedTest
  @MethodSource("planted")
  void copyWithoutABugPasses(Planted planted, @TempDir Path scratch) throws Exception {
    Mutant none =
        new Mutant(
            "no bug",
            "OffloadSettings.java",
            "record OffloadSettings(",
            "record OffloadSettings (");
    Throwable noticed = run(none, planted, scratch, PATIENCE_SECONDS);
    if (noticed != null) {
      throw new AssertionError(planted.method() + " fails without a bug", noticed);
    }
  }

  /** What has been noticed, or null. */
  private static @Nullable Throwable run(Mutant mutant, Planted planted, Path scratch, long seconds)
      throws Exception {
    Class<?> test = mutant.load(planted.test(), scratch);
    Constructor<?> constructor = test.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object instance = constructor.newInstance();
    FutureTask<String> task =
        new FutureTask<>(
            () -> {
              callIfThere(instance, "tap");
              try {
                Method method = method(test, planted.method());
                method.invoke(instance, arguments(method, planted.argument()));
              } finally {
                callIfThere(instance, "nothingIsLogged");
              }
              return "done";
            });
    Thread thread = new Thread(task, planted.test());
    thread.start();
    try {
      task.get(seconds, TimeUnit.SECONDS);
      return null;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      return cause instanceof InvocationTargetException call ? call.getCause() : cause;
    } catch (TimeoutException e) {
      thread.interrupt();
      return e;
    } finally {
      thread.join(TimeUnit.SECONDS.toMillis(HANGS_SECONDS));
    }
  }

  private static void callIfThere(Object instance, String name) throws Exception {
    for (Method method : instance.getClass().getDeclaredMethods()) {
      if (method.getName().equals(name)) {
        method.setAccessible(true);
        method.invoke(instance);
      }
    }
  }

  private static Method method(Class<?> test, String name) {
    Method found =
        Arrays.stream(test.getDeclaredMethods())
            .filter(m -> m.getName().equals(name))
            .findFirst()
            .orElseThrow();
    found.setAccessible(true);
    return found;
  }

  private static Object[] arguments(Method method, String argument) throws Exception {
    if (argument.isEmpty()) {
      return new Object[0];
    }
    Class<?> type = method.getParameterTypes()[0];
    if (type == int.class) {
      return new Object[] {Integer.valueOf(argument)};
    }
    if (type == boolean.class) {
      return new Object[] {Boolean.valueOf(argument)};
    }
    if (type == long.class) {
      return new Object[] {Long.valueOf(argument)};
    }
    Method valueOf = type.getDeclaredMethod("valueOf", String.class);
    valueOf.setAccessible(true);
    return new Object[] {valueOf.invoke(null, argument)};
  }
}
