package dev.mely.netty;

import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.netty.memory.ReadQueue;
import dev.mely.netty.memory.WorkingSet;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Back-pressure on the reads of one channel, where a group has a {@link WorkingSet}: reads are
 * delayed while the core has too many live buffers. Writes, flushes, tasks and closes never wait:
 * they free memory, or take none.
 *
 * <pre>
 *                ready to read, no room              its turn: an event in the color
 *   ADMITTED ------------------------------> PUT_OFF ---------------------------------------+
 *      ^                                        ^                                           |
 *      |                                        | ready to read, no room: head of the queue |
 *      |                                        |                                           v
 *      +---- ready to read: room, or forced ----+-------------------------------------- RETRYING
 * </pre>
 *
 * <p>While it is PUT_OFF, the I/O handler is not told of the channel's interest in reads, so that a
 * poll that waits does wait; all other operations are reported as usual. The transports are
 * level-triggered: what was ready is reported again when the interest is back. So nothing has to be
 * stored, and nothing is lost if the channel meanwhile turns {@code autoRead} off or on ({@link
 * Registration} stores its interest), is closed (the queue drops it at its turn), or moves to
 * another core (whose memory is then asked). Errors and hang-ups are served at once, and the bytes
 * that are left with them.
 *
 * <p>A forced read (see {@link ReadQueue}) lets the channel go on reading until another channel's
 * read is forced, unless its own output piles up beyond the write buffer's high-water mark: a
 * client that sends and does not read gets one read each time.
 *
 * <p>Confined to the color of the channel, except for what {@link ReadQueue} calls.
 */
final class ReadBackPressure extends Event implements ReadQueue.Waiter {
  private static final int ADMITTED = 0;
  private static final int PUT_OFF = 1;
  private static final int RETRYING = 2;

  private static final Handler<ReadBackPressure> RETRY = new Retry();

  private final WorkingSet set;
  private final Registration registration;
  private final Channel channel;

  /** Written by the color. */
  private volatile int state = ADMITTED;

  /** The next read goes on without room. Set by the queue, cleared by the color. */
  private volatile boolean forced;

  /** The queue that it waited in last. */
  private volatile @Nullable ReadQueue queue;

  ReadBackPressure(WorkingSet set, Registration registration, Channel channel) {
    super(false); // takes no room among the pending events: it is one for each channel
    this.set = set;
    this.registration = registration;
    this.channel = channel;
  }

  boolean isPutOff() {
    return state == PUT_OFF;
  }

  /**
   * The channel is ready to read.
   *
   * @return whether it may; if not, call {@link #putOff} next
   */
  boolean mayRead() {
    if (set.hasRoom() || forced || isFavored()) {
      forced = false;
      return true;
    }
    return false;
  }

  private boolean isFavored() {
    ReadQueue last = queue;
    return last != null && last.isFavored(this) && channel.isWritable();
  }

  /** Delays the read: into the queue of the core that runs the channel now. */
  void putOff() {
    ReadQueue here = set.readQueue(); // first: it may run out of memory
    boolean atHead = state == RETRYING;
    state = PUT_OFF;
    try {
      registration.submitInterestNow();
      queue = here;
      here.add(this, atHead);
    } catch (Throwable t) {
      state = ADMITTED; // it may be in no queue, and would never read again
      throw t;
    }
  }

  /** The channel has read: if there is still room, the next one in the queue may. */
  void afterRead() {
    if (state == RETRYING) {
      state = ADMITTED;
      lookForNext();
    }
  }

  private void lookForNext() {
    ReadQueue last = queue;
    if (last != null) {
      last.run();
    }
  }

  private void retry() {
    state = RETRYING;
    if (registration.isOver() || !registration.wantsReads()) {
      state = ADMITTED;
      lookForNext(); // this one does not need the room
    }
    registration.submitInterestNow();
  }

  /** No memory to queue the color, or the group ends: back into the queue. */
  private void dropped() {
    ReadQueue last = queue;
    if (last != null && !isOver()) {
      last.add(this, true);
    }
  }

  /** It is this channel's turn in the queue: an event of its color. */
  private static final class Retry extends Handler<ReadBackPressure> {
    @Override
    public void handle(ReadBackPressure backPressure) {
      backPressure.retry();
    }

    @Override
    protected void rejected(ReadBackPressure backPressure) {
      backPressure.dropped();
    }
  }

  // ---- The queue

  @Override
  public boolean isOver() {
    return registration.isOver();
  }

  @Override
  public void tryAgain(boolean newForced) {
    forced |= newForced;
    registration.loop.post(RETRY, this);
  }
}
