package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.OffloadBed.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random programs for the handlers of a channel, in its pipeline and off-loaded to a color that
 * moves at random: each handler must see the same, in the same order.
 *
 * <p>{@code -Dmely.programs=100000} runs more of them, {@code -Dmely.seed=42 -Dmely.programs=1} one
 * again, as far as threads do the same again.
 */
@Timeout(value = 4, unit = TimeUnit.HOURS)
class OffloadDifferentialTest {
  private static final int PROGRAMS = Integer.getInteger("mely.programs", 600);
  private static final long SEED = Long.getLong("mely.seed", 1);
  private static final int CONFIGURATIONS = 3;
  private static final int PATIENCE_SECONDS = 120;

  /** Runs programs one after the other on the channels of a server. */
  static final class Runner implements AutoCloseable {
    private final AtomicReference<OffloadRun> next = new AtomicReference<>();
    private final OffloadBed bed;

    private final int patience;

    /**
     * @param patience how long a step of a run may take, in seconds
     */
    Runner(Kind kind, long seed, int patience) throws InterruptedException {
      this.patience = patience;
      bed = new OffloadBed(kind, 2, seed);
      bed.serve(channel -> next.get().init(channel));
    }

    /** What is wrong with a program when it is off-loaded. */
    List<String> check(OffloadProgram program) throws InterruptedException {
      OffloadRun plain = new OffloadRun(program, null);
      run(plain);
      OffloadRun offloaded = new OffloadRun(program, bed::here);
      List<Integer> received = run(offloaded);
      List<String> differences = offloaded.differences(plain, received);
      if (!differences.isEmpty()) {
        differences.add(program.toString());
        differences.add(plain.toString());
        differences.add(offloaded.toString());
      }
      return differences;
    }

    private List<Integer> run(OffloadRun run) throws InterruptedException {
      next.set(run);
      Received received = new Received();
      Harness.Client client = bed.connect(bootstrap -> bootstrap.handler(received));
      run.finish(patience);
      client.channel.closeFuture().sync();
      return List.copyOf(received.numbers);
    }

    @Override
    public void close() {
      bed.close();
    }
  }

  /** The client. */
  private static final class Received extends ChannelInboundHandlerAdapter {
    final Queue<Integer> numbers = new ConcurrentLinkedQueue<>();
    private final ByteBuf rest = Unpooled.buffer();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      rest.discardReadBytes().writeBytes(bytes);
      bytes.release();
      while (rest.readableBytes() >= 4) {
        numbers.add(rest.readInt());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0, NIO", "1, EPOLL", "2, STOCK"})
  void offLoadedHandlersSeeWhatTheyWouldSeeInThePipeline(int part, Kind kind) throws Exception {
    int share = Math.max(1, PROGRAMS / CONFIGURATIONS);
    long first = PROGRAMS < CONFIGURATIONS ? SEED : SEED + (long) part * share;
    long seed = first;
    try (Runner runner = new Runner(kind, first, PATIENCE_SECONDS)) {
      for (; seed < first + share; seed++) {
        OffloadProgram program = OffloadProgram.random(seed);
        List<String> differences = runner.check(program);
        assertTrue(differences.isEmpty(), () -> String.join("\n", differences));
      }
      runner.bed.assertNoErrors();
    } catch (Throwable t) {
      System.out.println(
          "off-loaded handlers, " + kind + ": -Dmely.programs=1 -Dmely.seed=" + seed);
      throw t;
    }
  }

  /** For planted bugs: the first difference that some programs show; empty: none. */
  static String firstDifference(int programs, int patience) throws Exception {
    try (Runner runner = new Runner(Kind.NIO, 1, patience)) {
      for (long seed = 1; seed <= programs; seed++) {
        List<String> differences = runner.check(OffloadProgram.random(seed));
        if (!differences.isEmpty()) {
          return "program " + seed + ": " + differences.get(0);
        }
      }
      return "";
    } catch (ConditionTimeoutException e) {
      return "a program does not end";
    }
  }

  @Test
  void aSeedIsAProgram() {
    assertEquals(OffloadProgram.random(7), OffloadProgram.random(7));
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
