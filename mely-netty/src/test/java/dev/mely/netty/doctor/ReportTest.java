package dev.mely.netty.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.sharing.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static final long SLICE = 80_000_000;
  private static final long TURN = 1_000_000;

  /**
   * A group after one slice, of two seconds.
   *
   * @param turns for each loop the names of the channels that it runs in turn; a dot: none; empty:
   *     none, ever
   */
  private static GroupRecord group(String... turns) {
    FakeLoop.Group fake = new FakeLoop.Group(turns.length);
    List<WatchedLoop> started = new ArrayList<>();
    List<List<Span>> spans = new ArrayList<>();
    for (int i = 0; i < turns.length; i++) {
      FakeLoop loop = fake.loop(i);
      List<Object> channels = new ArrayList<>();
      Map<Integer, Object> byName = new HashMap<>();
      turns[i]
          .chars()
          .forEach(
              name ->
                  channels.add(
                      byName.computeIfAbsent(name, key -> loop.channel("channel " + (char) name))));
      if (!channels.isEmpty()) {
        started.add(new WatchedLoop(loop, fake, "loop-" + i));
        spans.add(new ArrayList<>());
        for (long time = 0; time < 2 * SLICE; time += TURN) {
          int turn = (int) (time / TURN % channels.size());
          if (turns[i].charAt(turn) != '.') {
            spans.get(spans.size() - 1).add(new Span(channels.get(turn), time, time + TURN));
          }
        }
      }
    }
    GroupRecord group = new GroupRecord(started.get(0));
    Map<LoopRecord, List<Span>> ran = new HashMap<>();
    for (WatchedLoop loop : started) {
      group.add(loop);
      group.add(loop); // once is enough
    }
    for (LoopRecord loop : group.started()) {
      ran.put(loop, spans.get(started.indexOf(loop.loop())));
    }
    group.addSlice(ran, 0, SLICE, 2, 2);
    return group;
  }

  private static String text(GroupRecord group, double load) {
    return new Report(List.of(group), 2, load).text();
  }

  @Test
  void aLoopHasAllTheWork() {
    assertEquals(
        """
        mely doctor: 2 CPUs, busy 50 % of the time

        Group, 2 s, loops: 2
          loop                                   busy     lag (ms): median       p99       max
          loop-0                                100 %                    -         -         -
          loops without a thread: 1
          hottest channels, in % of one loop's time
           25.0 %  channel a
           25.0 %  channel b
           25.0 %  channel c
           25.0 %  channel d
          A channel waited for its loop while another loop was idle: about 100 % of the time.
          If waiting channels moved to idle loops: about 2.0 times as much at once, so more requests (a loop was full).\
        """,
        text(group("abcd", ""), 0.5));
  }

  /** Half of the time nothing runs: no loop is the limit. */
  @Test
  void noLoopIsFull() {
    String text = text(group("abcd....", ""), 0.5);
    assertTrue(text.contains("another loop was idle: about 38 % of the time.\n"), text);
    assertTrue(
        text.endsWith("about 1.8 times as much at once, so shorter waits (no loop was full)."),
        text);
  }

  @Test
  void theWorkIsSharedEvenly() {
    String text = text(group("ab", "cd"), 0.5);
    assertTrue(text.contains("was idle: about 0 % of the time.\n"), text);
    assertTrue(text.endsWith("  There is little to win by moving channels."), text);
  }

  /** One of eleven spans has something waiting for it. */
  @Test
  void aLittleIsNotWorthAChange() {
    String text = text(group("a.a.a.a.a.a.a.a.a.ab.", ""), 0.5);
    assertTrue(text.contains("There is little to win"), text);
  }

  @Test
  void oneChannelHasAllTheWork() {
    String text = text(group("a", "", ""), 0.5);
    assertTrue(text.contains("There is little to win"), text);
    assertTrue(text.endsWith("of one channel, and a channel cannot be divided."), text);
    assertTrue(text.contains("  100.0 %  channel a\n"), text);
  }

  /** A quarter of a CPU was left. */
  @Test
  void otherProcessesHaveTheCpus() {
    String text = text(group("ab", ""), 0.875);
    assertTrue(text.contains("about 1.3 times as much at once"), text);
    assertTrue(text.endsWith("  Other threads and processes left few CPUs for that."), text);
    String half = text(group("ab", ""), 0.75);
    assertFalse(half.contains("Other threads"), half);
    String none = text(group("ab", ""), 1);
    assertTrue(none.contains("There is little to win"), none);
    assertTrue(none.endsWith("left few CPUs for that."), none);
  }

  @Test
  void theLoadIsUnknown() {
    String text = text(group("ab", ""), Double.NaN);
    assertTrue(text.startsWith("mely doctor: 2 CPUs, load unknown\n"), text);
    assertTrue(text.contains("about 2.0 times as much at once"), text);
  }

  @Test
  void aGroupOfOneLoop() {
    String text = text(group("ab"), 0.5);
    assertTrue(text.contains("loops: 1\n"), text);
    assertTrue(text.endsWith("there is no other one to share the work with."), text);
  }

  @Test
  void theBusiestGroupComesFirst() {
    GroupRecord busy = group("ab", "cd");
    GroupRecord other = group("x", "");
    String text = new Report(List.of(other, busy), 2, 0.5).text();
    assertTrue(text.indexOf("channel a") < text.indexOf("channel x"), text);
  }

  @Test
  void onlyTheFiveHottestChannelsAreShown() {
    String text = text(group("abcdefgh", ""), 0.5);
    assertEquals(5, text.lines().filter(line -> line.contains("%  channel")).count(), text);
  }

  @Test
  void noLoopWasSeen() {
    String text = new Report(List.of(), 2, 0).text();
    assertTrue(text.startsWith("mely doctor: no event loop of Netty"), text);
  }
}
