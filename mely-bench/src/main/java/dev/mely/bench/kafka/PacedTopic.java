package dev.mely.bench.kafka;

import dev.mely.bench.Arrivals;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends the records of a topic while it is consumed, at random times, whether the consumer keeps up
 * or not. Key 0 is the hot one, if there is a hot one; how long records of the others take is
 * measured, after the first half.
 */
final class PacedTopic {
  /** How long the producer lets a record wait for others: less than its default, but not none. */
  private static final int LINGER_MILLIS = 1;

  private final Topic topic;
  private final double perSecond;
  private final double hotShare;
  private final SplittableRandom random;
  private double dueMicros;
  private boolean hot;

  /**
   * @param perSecond records of all keys
   * @param hotShare how many of them are the hot key's, 0 to 1
   */
  PacedTopic(Topic topic, double perSecond, double hotShare, long seed) {
    this.topic = topic;
    this.perSecond = perSecond;
    this.hotShare = hotShare;
    this.random = new SplittableRandom(seed);
  }

  /** Sends all, and waits until the broker has them. */
  void send(String address) throws Exception {
    dueMicros = Payload.nowMicros();
    topic.send(address, LINGER_MILLIS, record -> key(), this::due);
  }

  private int key() {
    hot = random.nextDouble() < hotShare;
    return hot ? 0 : 1 + random.nextInt(topic.keys() - 1);
  }

  private long due(int record) {
    double mean = TimeUnit.SECONDS.toNanos(1) / perSecond;
    dueMicros += Arrivals.gap(random, mean) / 1e3;
    long due = (long) dueMicros;
    for (long left = due - Payload.nowMicros(); left > 0; left = due - Payload.nowMicros()) {
      LockSupport.parkNanos(this, TimeUnit.MICROSECONDS.toNanos(left));
    }
    return hot || record < topic.records() / 2 ? 0 : due;
  }
}
