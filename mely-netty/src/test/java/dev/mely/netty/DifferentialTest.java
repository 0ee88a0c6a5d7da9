package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Migrating;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random programs on Netty's own event loop and on colors that move at random: what each does with
 * its event loops must be what the {@link LoopContract} allows. That Netty's loop passes shows that
 * the contract is Netty's.
 *
 * <p>{@code -Dmely.programs=1000000} runs more of them, {@code -Dmely.seed=42 -Dmely.programs=1}
 * one again, as far as threads do the same again.
 */
@Timeout(value = 4, unit = TimeUnit.HOURS)
class DifferentialTest {
  private static final int PROGRAMS = Integer.getInteger("mely.programs", 10_000);
  private static final long SEED = Long.getLong("mely.seed", 1);
  private static final int CONFIGURATIONS = 4;
  private static final int PATIENCE_SECONDS = 120;

  @ParameterizedTest
  @CsvSource({"0, NIO, false", "1, NIO, true", "2, EPOLL, false", "3, EPOLL, true"})
  void everyProgramDoesWhatTheContractAllows(int part, Io io, boolean shared) throws Exception {
    int share = Math.max(1, PROGRAMS / CONFIGURATIONS);
    long first = PROGRAMS < CONFIGURATIONS ? SEED : SEED + (long) part * share;
    check("Netty", stock(io), io, shared, first, share);
    check("Mely", migrating(io, first).build(), io, shared, first, share);
  }

  private static void check(
      String who, EventLoopGroup group, Io io, boolean shared, long first, int programs)
      throws Exception {
    long start = System.nanoTime();
    try (LoopBed bed = new LoopBed(group, io, shared, true, PATIENCE_SECONDS, null)) {
      List<LoopBed.Failure> failures =
          bed.run(
              LongStream.range(first, first + programs).mapToObj(LoopProgram::random).iterator(),
              1);
      if (!failures.isEmpty()) {
        LoopBed.Failure small = bed.shrink(failures.get(0), 100, 20_000_000_000L);
        throw new AssertionError(
            String.format(
                "%s, %s, %s: -Dmely.seed=%d -Dmely.programs=1%n%s%nreduced to%n%s",
                who,
                io,
                shared ? "shared loops" : "own loops",
                failures.get(0).program().seed(),
                failures.get(0),
                small));
      }
    }
    System.out.printf(
        "%s, %s, %s: %d programs from seed %d, %d ms%n",
        who,
        io,
        shared ? "shared loops" : "own loops",
        programs,
        first,
        (System.nanoTime() - start) / 1_000_000);
  }

  /** A day for tasks: the quantum of tasks is not what this test is about. */
  static MelyEventLoopGroupBuilder migrating(Io io, long seed) {
    return io.builder()
        .cores(2)
        .maxTaskProcessingQuantum(Duration.ofDays(1))
        .runtime(Migrating.by(seed));
  }

  private static EventLoopGroup stock(Io io) {
    return new MultiThreadIoEventLoopGroup(1, handlers(io)) {
      @Override
      protected IoEventLoop newChild(Executor executor, IoHandlerFactory factory, Object... args) {
        return new SingleThreadIoEventLoop(
            this,
            executor,
            factory,
            Integer.MAX_VALUE,
            RejectedExecutionHandlers.reject(),
            TimeUnit.DAYS.toMillis(1));
      }
    };
  }

  static IoHandlerFactory handlers(Io io) {
    return io == Io.NIO ? NioIoHandler.newFactory() : EpollIoHandler.newFactory();
  }

  @Test
  void aSeedIsAProgram() {
    assertEquals(LoopProgram.random(7).toString(), LoopProgram.random(7).toString());
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
