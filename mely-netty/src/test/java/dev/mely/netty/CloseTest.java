package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From JDK 19 on each executor can be closed: a {@code try} statement ends a group. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // JDK 19 waits for a day
class CloseTest {
  /** Together longer than what a graceful shutdown without a time-out leaves them. */
  private static final int TASKS = 5;

  private static final long TASK_MILLIS = 600;

  @ParameterizedTest
  @EnumSource
  void whatWasSubmittedRunsFirst(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    EventLoop loop = group.next();
    List<Future<Integer>> submitted = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      int result = i;
      submitted.add(
          loop.submit(
              () -> {
                Thread.sleep(TASK_MILLIS);
                return result;
              }));
    }
    close(group);
    for (int i = 0; i < TASKS; i++) {
      assertEquals(i, submitted.get(i).get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
    assertTrue(group.isTerminated());
  }

  /** Else it would wait for its own end. */
  @ParameterizedTest
  @EnumSource
  void insideALoopItThrowsAndTheGroupEnds(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    Future<?> inside =
        group
            .next()
            .submit(
                () -> {
                  close(group);
                  return null;
                });
    ExecutionException e =
        assertThrows(
            ExecutionException.class, () -> inside.get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
    assertInstanceOf(IllegalStateException.class, e.getCause());
    assertTrue(group.terminationFuture().await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  /** Netty's own loop refuses what a task submits now. */
  @Test
  void aTaskThatGoesOnForEverIsCutOff() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    EventLoop loop = group.next();
    loop.submit(
        new Callable<Void>() {
          @Override
          public Void call() throws Exception {
            Thread.sleep(TASK_MILLIS);
            loop.submit(this);
            return null;
          }
        });
    close(group);
    assertTrue(group.isTerminated());
  }

  /** On older JDKs, what the method does on newer ones. */
  @SuppressWarnings("deprecation")
  private static void close(Object group) throws Exception {
    if (group instanceof AutoCloseable closeable) {
      closeable.close();
    } else {
      EventLoopGroup older = (EventLoopGroup) group;
      older.shutdown();
      assertTrue(older.awaitTermination(1, TimeUnit.DAYS));
    }
  }
}
