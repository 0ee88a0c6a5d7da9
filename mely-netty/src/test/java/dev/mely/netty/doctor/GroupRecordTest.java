package dev.mely.netty.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.doctor.FakeNetty.Pipeline;
import dev.mely.netty.sharing.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GroupRecordTest {
  private final FakeLoop.Group fake = new FakeLoop.Group(2);
  private final FakeLoop loop = fake.loop(0);
  private final WatchedLoop watched = new WatchedLoop(loop, fake, "loop-0");
  private final GroupRecord group = new GroupRecord(watched);

  private void addSlice(Object... channels) {
    group.add(watched);
    Map<LoopRecord, List<Span>> ran = new HashMap<>();
    for (LoopRecord each : group.started()) {
      ran.put(each, each.loop() == watched ? spans(channels) : List.of());
    }
    group.addSlice(ran, 0, channels.length * 1_000_000L, 2, 1);
  }

  private static List<Span> spans(Object... channels) {
    List<Span> spans = new ArrayList<>();
    for (Object channel : channels) {
      long start = spans.size() * 1_000_000L;
      spans.add(new Span(channel, start, start + 1_000_000));
    }
    return spans;
  }

  private List<String> channels() {
    return group.channels().stream().map(each -> each.name + " " + each.seconds()).toList();
  }

  /** Two streams of a connection run in one loop: neither could have moved alone. */
  @Test
  void streamsAreTheirConnections() {
    Pipeline connection = loop.childOf(loop.server(), "connection");
    addSlice(loop.childOf(connection, "stream 1"), loop.childOf(connection, "stream 2"));
    assertEquals(List.of("connection 1.0"), channels());
    assertEquals(0, group.queued());
  }

  @Test
  void connectionsOfAServerAreTheirOwn() {
    Pipeline server = loop.server();
    addSlice(
        loop.childOf(server, "one"), loop.childOf(server, "two"), loop.childOf(server, "three"));
    assertEquals(3, channels().size());
    assertTrue(group.queued() > 0.5);
  }

  /** A codec's EmbeddedChannel, for example, in a task. */
  @Test
  void channelsOfOtherLoopsAreTasks() {
    addSlice(new FakeLoop(null).channel("within"), loop.channel("one"));
    assertEquals(List.of("one 0.5"), channels());
    assertEquals(1, group.running());
  }

  @Test
  void loopsThatRunNoChannelAreFoundByTheirThreads() {
    Thread thread = new Thread("loop-1");
    fake.loop(1).thread = thread;
    loop.thread = null;
    group.addStarted(List.of(Thread.currentThread(), thread));
    assertEquals(
        List.of(new WatchedLoop(fake.loop(1), fake, "loop-1")),
        group.started().stream().map(LoopRecord::loop).toList());
  }

  @Test
  void aGroupMayGrow() {
    fake.loops.add(new FakeLoop(fake));
    group.addStarted(List.of());
    assertEquals(3, group.size());
    assertEquals(0, group.started().size());
  }

  /** As that of Mely: channels have loops of their own. */
  @Test
  void aGroupThatDoesNotListItsLoopsIsNotComplete() {
    assertTrue(group.isComplete());
    assertFalse(new GroupRecord(new WatchedLoop(new FakeLoop(fake), fake, "own")).isComplete());
  }
}
