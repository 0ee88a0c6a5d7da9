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

/** A server's open connections, and counts of all connections. Thread-safe. */
public final class Clients {
  /** A connection that can be told that the server stops, or be ended. */
  public interface Member {
    /** Ends the session: what it owes is sent first. */
    void stop();

    /** Closes the connection. */
    void kill();

    /**
     * Closes the connection if it has been idle for too long; no-op if it has a timer of its own.
     */
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

  /** Makes an empty set for at most {@code max} open connections. */
  Clients(int max) {
    this.max = max;
  }

  /**
   * Opens a connection, which counts until it {@linkplain #leave leaves}; or closes the channel, if
   * the limit is reached.
   *
   * @param channel closed if the limit is reached or the opening fails
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
   * Adds an admitted connection, so that {@link #stop} finds it, and starts it. If this throws, the
   * connection has left.
   *
   * @param member told to stop at once if the server is stopping
   * @param begin starts the delivery of its events
   */
  public void add(Member member, Runnable begin) {
    members.add(member);
    try {
      // Read after the add (Dekker pattern): either stop finds the member, or this sees the flag.
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
          throw e; // it has not left: admit uncounts it
        }
      }
    }
  }

  /**
   * Removes a connection.
   *
   * @param member that was added; a second call does nothing
   */
  public void leave(Member member) {
    if (members.remove(member)) {
      count(-1);
    }
  }

  /** Uncounts a connection that was admitted but not added. */
  public void abandon() {
    count(-1);
  }

  private void count(int change) {
    if (open.addAndGet(change) == 0 && stopping) {
      empty.countDown();
    }
  }

  /** Calls every member; an exception or error of one does not keep the call from the others. */
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
      LOG.warn("a connection failed while it was opened, stopped or closed", why);
    } catch (Throwable noMemoryForThat) {
      // go on with the others
    }
  }

  /** Closes the connections that have been idle for too long. Called periodically. */
  void look() {
    each(Member::look);
  }

  /**
   * Admits no more connections, tells all to end, and waits for them; closes those that take too
   * long.
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

  /** Returns how many connections are open. */
  public int open() {
    return open.get();
  }

  /** Returns how many connections were served, open ones included. */
  public long served() {
    return served.sum();
  }

  /** Returns how many connections were closed at once, because the limit was reached. */
  public long refused() {
    return refused.sum();
  }
}
