package dev.mely.examples.service;

import java.io.Closeable;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections that there are, and how many there were. Thread-safe. */
public final class Clients {
  /** A connection that can be told that the server stops, or be ended. */
  public interface Member {
    /** Ends the session, in good order. */
    void stop();

    /** Closes the connection. */
    void kill();

    /** Closes the connection if it has been idle for too long, unless it sees to that itself. */
    default void look() {}
  }

  private static final Logger LOG = LoggerFactory.getLogger(Clients.class);

  private final int max;
  private final Set<Member> members = ConcurrentHashMap.newKeySet();
  private final AtomicInteger open = new AtomicInteger();
  private final LongAdder served = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final CountDownLatch empty = new CountDownLatch(1);
  private volatile boolean stopping;

  /** Opens a connection, which then is a {@linkplain #add member}. */
  interface Opening {
    void open() throws IOException;
  }

  /** Begins with none, and lets in so many at a time. */
  Clients(int max) {
    this.max = max;
  }

  /**
   * Lets one in, which counts from now until it {@linkplain #leave leaves}; or turns it away, if
   * there is no room.
   *
   * @param channel closed if it is turned away or cannot be opened
   */
  void admit(Opening opening, Closeable channel) throws IOException {
    if (open.incrementAndGet() > max || stopping) {
      count(-1);
      refused.increment();
      channel.close();
      return;
    }
    served.increment();
    try {
      opening.open();
    } catch (Throwable t) {
      count(-1);
      channel.close();
      throw t;
    }
  }

  /**
   * Makes one that is let in known to {@link #stop}, and lets it begin. From here on it leaves by
   * itself: what is thrown here ends it.
   *
   * @param member told to stop at once if the others have been told already
   * @param begin lets its events come
   */
  public void add(Member member, Runnable begin) {
    members.add(member);
    try {
      // Looked at after it is in the set: either it is told by stop, or it sees the flag here.
      if (stopping) {
        member.stop();
      }
      begin.run();
    } catch (Throwable t) {
      failed(t);
      try {
        member.kill();
      } catch (Throwable e) {
        failed(e);
        if (members.remove(member)) {
          throw e; // admit counts it no longer; else it has left by itself
        }
      }
    }
  }

  /**
   * Counts a connection no longer.
   *
   * @param member one that was added; called again, this does nothing
   */
  public void leave(Member member) {
    if (members.remove(member)) {
      count(-1);
    }
  }

  /** Counts a connection no longer that was let in and turned away before it was added. */
  public void abandon() {
    count(-1);
  }

  private void count(int change) {
    if (open.addAndGet(change) == 0 && stopping) {
      empty.countDown();
    }
  }

  /** One that fails, with an error too, keeps the others from nothing. */
  private void each(Consumer<Member> call) {
    for (Member member : members) {
      try {
        call.accept(member);
      } catch (Throwable e) {
        failed(e);
      }
    }
  }

  private static void failed(Throwable why) {
    try {
      LOG.warn("a connection could not begin, or be told something", why);
    } catch (Throwable noMemoryForThat) {
      // The others count.
    }
  }

  /** Closes those that have been idle for too long. Called at intervals. */
  void look() {
    each(Member::look);
  }

  /**
   * Tells all to end, lets nobody in, and waits for them; closes those that take too long.
   *
   * @param millis how long to wait
   */
  void stop(long millis) {
    stopping = true;
    each(Member::stop);
    try {
      if (open.get() > 0 && !empty.await(millis, TimeUnit.MILLISECONDS)) {
        each(Member::kill);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns how many connections there are. */
  public int open() {
    return open.get();
  }

  /** Returns how many connections were served, open ones included. */
  public long served() {
    return served.sum();
  }

  /** Returns how many connections were turned away, those beyond the limit. */
  public long refused() {
    return refused.sum();
  }
}
