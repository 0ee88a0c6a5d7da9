package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import dev.mely.examples.service.Connection;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A subscriber that cannot be told what it hears. */
class TopicsTest {
  private final Mely mely = Mely.builder().cores(1).pinned(false).build();
  private final Store store =
      new Store(mely, 2, new SipHash(1, 2), System::currentTimeMillis, Kv.MAX_BULK);

  @AfterEach
  void end() {
    mely.close();
  }

  /** Runs tasks at once, but for the first ones, at which it throws. */
  private static final class Fake implements Connection {
    private int failures;
    private final StringBuilder sent = new StringBuilder();
    private boolean aborted;

    Fake(int failures) {
      this.failures = failures;
    }

    @Override
    public void execute(Runnable task) {
      if (failures > 0) {
        failures--;
        throw new Error("planted");
      }
      task.run();
    }

    @Override
    public void send(ByteBuffer bytes) {
      sent.append(StandardCharsets.UTF_8.decode(bytes));
    }

    @Override
    public long unsent() {
      return 0;
    }

    @Override
    public void pause() {}

    @Override
    public void resume() {}

    @Override
    public void finish() {}

    @Override
    public void abort() {
      aborted = true;
    }
  }

  private Session session(Connection connection) {
    CommandTable table = new CommandTable();
    return new Session(connection, mely, store, table, Kv.config(null, Fsync.NO), 1, closed -> {});
  }

  @Test
  void costsTheOthersAndThePublisherNothing() {
    Topics topics = store.topics();
    Fake dropped = new Fake(1);
    Fake lost = new Fake(2);
    Fake well = new Fake(0);
    Fake byPattern = new Fake(0);
    Bytes channel = new Bytes(Bytes.of("news"));
    topics.subscribe(channel, session(dropped));
    topics.subscribe(channel, session(lost));
    topics.subscribe(channel, session(well));
    topics.subscribePattern(new Bytes(Bytes.of("n*")), session(byPattern));
    assertEquals(4, topics.publish(Bytes.of("news"), Bytes.of("rain")));
    assertTrue(well.sent.toString().contains("rain"), well.sent.toString());
    assertTrue(byPattern.sent.toString().contains("rain"), byPattern.sent.toString());
    assertTrue(dropped.aborted, "it would miss a message, and not know");
    assertFalse(well.aborted || byPattern.aborted);
  }
}
