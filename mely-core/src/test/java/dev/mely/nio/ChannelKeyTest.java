package dev.mely.nio;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a report does to a channel's sources, step by step. */
@Timeout(120)
class ChannelKeyTest {
  private static final int READ = SelectionKey.OP_READ;

  /** Counts down when it has been served. */
  private static final class Reading extends ChannelSource {
    final CountDownLatch served = new CountDownLatch(1);

    Reading(Mely mely, ChannelKey key, Color color) {
      super(mely, key, READ, color, Handler.of(x -> {}));
    }

    @Override
    void serve() {
      served.countDown();
      pause();
    }
  }

  /** A key of no selector, in which somebody else is just ahead of a report. */
  private static final class SlowKey extends SelectionKey {
    private final SelectableChannel channel;
    private int interest;
    private Runnable meanwhile = () -> {};

    SlowKey(SelectableChannel channel) {
      this.channel = channel;
    }

    @Override
    public int interestOpsAnd(int ops) {
      meanwhile.run();
      meanwhile = () -> {};
      int before = interest;
      interest &= ops;
      return before;
    }

    @Override
    public SelectableChannel channel() {
      return channel;
    }

    @Override
    public Selector selector() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isValid() {
      return true;
    }

    @Override
    public void cancel() {}

    @Override
    public int interestOps() {
      return interest;
    }

    @Override
    public SelectionKey interestOps(int ops) {
      interest = ops;
      return this;
    }

    @Override
    public int readyOps() {
      return interest;
    }
  }

  /** The report has been made for a source that is cancelled before the report arrives. */
  @Test
  void whoIsArmedWhileAReportIsOnItsWayIsTriedAsWell() throws Exception {
    Pipe pipe = Pipe.open();
    SelectorPoller poller = new SelectorPoller(0);
    try (Mely mely = Mely.builder().cores(1).pinned(false).build();
        Pipe.SourceChannel in = pipe.source();
        Pipe.SinkChannel out = pipe.sink()) {
      assertTrue(out.isOpen());
      Color color = mely.newColor();
      ChannelKey key = new ChannelKey(poller, in);
      SlowKey slow = new SlowKey(in);
      key.bind(slow);
      Reading first = new Reading(mely, key, color);
      Reading second = new Reading(mely, key, color);
      key.add(first);
      first.resume();
      slow.meanwhile =
          () -> {
            first.cancel();
            key.add(second);
            second.resume();
          };
      key.ready(READ);
      assertTrue(
          second.served.await(60, TimeUnit.SECONDS) || slow.interest == READ,
          "armed, and neither told nor listened for");
    } finally {
      poller.close();
    }
  }
}
