package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class SamplerTest {
  private final Sampler sampler = new Sampler();
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final Listener listener = listener(told::add);
  private final FakeGroup group = new FakeGroup();

  @AfterEach
  void close() {
    sampler.close();
    awaitEnd();
  }

  private final AtomicInteger ends = new AtomicInteger();

  private Listener listener(Consumer<String> told) {
    return new Listener() {
      @Override
      public void tell(String json) {
        told.accept(json);
      }

      @Override
      public void ended() {
        ends.getAndIncrement();
      }
    };
  }

  /** Whether anything is measured in this process. */
  static boolean isAlive() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals(Sampler.THREAD));
  }

  static void awaitEnd() {
    Awaitility.await().until(() -> !isAlive());
  }

  /** Notes what it is asked. */
  private static final class FakeGroup implements WatchedGroup {
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private volatile boolean ended;
    private volatile boolean broken;

    @Override
    public void begin(long now) {
      calls.add("begin");
    }

    @Override
    public void tick(long now) {
      calls.add("tick");
      if (broken) {
        throw new IllegalStateException("planned");
      }
    }

    @Override
    public GroupFigures take(long now, double idleCpus) {
      calls.add("take");
      if (broken) {
        throw new IllegalStateException("planned");
      }
      return new GroupFigures(
          "fake",
          GroupFigures.NETTY,
          3,
          null,
          1,
          0.5,
          0.25,
          List.of(),
          List.of(),
          List.of(),
          List.of(),
          List.of());
    }

    @Override
    public void end() {
      calls.add("end");
      if (broken) {
        throw new IllegalStateException("planned");
      }
    }

    @Override
    public boolean hasEnded() {
      return ended;
    }

    /** Without what is repeated. */
    List<String> phases() {
      List<String> phases = new ArrayList<>();
      for (String call : calls) {
        if (phases.isEmpty() || !phases.get(phases.size() - 1).equals(call)) {
          phases.add(call);
        }
      }
      return phases;
    }
  }

  private String nextTold() throws InterruptedException {
    String json = told.poll(120, TimeUnit.SECONDS);
    assertTrue(json != null, "nothing was told");
    return json;
  }

  @Test
  void looksOnlyWhileSomebodyListens() throws Exception {
    sampler.watch(group);
    assertFalse(isAlive());
    assertEquals(List.of(), group.calls);
    assertTrue(sampler.add(listener));
    var json = JsonParser.parseString(nextTold()).getAsJsonObject();
    assertEquals(1, json.getAsJsonArray("groups").size());
    var told = json.getAsJsonArray("groups").get(0).getAsJsonObject();
    assertEquals("fake", told.get("name").getAsString());
    assertEquals(0.5, told.getAsJsonObject("sharing").get("queued").getAsDouble());
    assertTrue(json.get("cpus").getAsInt() > 0);
    sampler.remove(listener);
    awaitEnd();
    assertEquals(List.of("begin", "tick", "take"), group.phases().subList(0, 3));
    assertEquals("end", group.calls.get(group.calls.size() - 1));
    assertEquals(1, group.phases().stream().filter("end"::equals).count());
    int calls = group.calls.size();
    assertTrue(sampler.add(listener));
    nextTold();
    assertEquals("begin", group.calls.get(calls), "it begins anew");
  }

  @Test
  void aGroupThatHasEndedIsForgotten() throws Exception {
    sampler.watch(group);
    sampler.add(listener);
    nextTold();
    group.ended = true;
    Awaitility.await()
        .until(
            () ->
                JsonParser.parseString(nextTold())
                    .getAsJsonObject()
                    .getAsJsonArray("groups")
                    .isEmpty());
  }

  /** Also if nobody looks. */
  @Test
  void aGroupThatHasEndedIsForgottenWhenAnotherComes() throws Exception {
    sampler.watch(group);
    group.ended = true;
    sampler.watch(new FakeGroup());
    group.ended = false;
    sampler.add(listener);
    nextTold();
    assertEquals(List.of(), group.calls);
  }

  @Test
  void aGroupMayComeLater() throws Exception {
    sampler.add(listener);
    nextTold();
    sampler.watch(group);
    Awaitility.await().until(() -> nextTold().contains("fake"));
  }

  /** The page must not end because a look at one group fails, nor must those at others. */
  @Test
  void goesOnAfterAFailure() throws Exception {
    FakeGroup second = new FakeGroup();
    sampler.watch(group);
    sampler.watch(second);
    group.broken = true;
    sampler.add(listener);
    String json = nextTold();
    assertEquals(
        1,
        JsonParser.parseString(json).getAsJsonObject().get("groups").getAsJsonArray().size(),
        json);
    sampler.remove(listener);
    awaitEnd();
    assertTrue(group.calls.contains("end") && second.calls.contains("end"));
    group.broken = false;
    sampler.add(listener);
    Awaitility.await()
        .until(
            () ->
                JsonParser.parseString(nextTold()).getAsJsonObject().getAsJsonArray("groups").size()
                    == 2);
  }

  @Test
  void aListenerThatFailsIsRemoved() throws Exception {
    List<String> failed = new CopyOnWriteArrayList<>();
    Listener broken =
        listener(
            json -> {
              failed.add(json);
              throw new IllegalStateException("planned");
            });
    sampler.add(broken);
    sampler.add(listener);
    nextTold();
    nextTold();
    assertEquals(1, failed.size());
  }

  @Test
  void takesEightListenersAndNoneOnceItIsClosed() {
    List<Listener> eight = new ArrayList<>();
    for (int i = 0; i < Sampler.MOST_LISTENERS; i++) {
      int each = i;
      Listener one = listener(json -> told.add(each + json));
      eight.add(one);
      assertTrue(sampler.add(one));
    }
    assertFalse(sampler.add(listener));
    sampler.remove(eight.get(2));
    assertTrue(sampler.add(listener));
    sampler.close();
    assertEquals(Sampler.MOST_LISTENERS, ends.get(), "each is told");
    assertFalse(sampler.add(listener));
    awaitEnd();
  }
}
