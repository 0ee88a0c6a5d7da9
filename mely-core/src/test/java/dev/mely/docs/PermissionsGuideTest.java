package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Emitter;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Permissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/permissions.md: its pieces of Java, with the public API alone, see {@link SnippetsTest}. */
@Timeout(300)
class PermissionsGuideTest {
  private final BlockingQueue<Object> seen = new LinkedBlockingQueue<>();

  private Object next() throws InterruptedException {
    return seen.poll(120, TimeUnit.SECONDS);
  }

  private <E> Handler<E> saying(String what) {
    return Handler.of(event -> seen.add(what + " " + event));
  }

  @Test
  void readAndWrite() throws Exception {
    Handler<String> quote = saying("quote");
    Handler<String> update = saying("update");
    String order = "order";
    String tick = "tick";
    try (Mely mely = Mely.builder().build()) {
      Color prices = mely.newColor();
      mely.register(Permissions.read(prices), quote, order); // beside others that read
      mely.register(prices, update, tick); // alone, as always: to write is the default
      assertEquals("quote order", next());
      assertEquals("update tick", next());
    }
  }

  @Test
  void severalColors() throws Exception {
    Handler<Integer> transfer = saying("transfer");
    Handler<Integer> convert = saying("convert");
    int amount = 7;
    try (Mely mely = Mely.builder().build()) {
      Color from = mely.newColor();
      Color to = mely.newColor();
      Color account = to;
      Color rates = mely.newColor();
      Color limits = mely.newColor();
      mely.register(Permissions.write(from, to), transfer, amount);
      mely.register(Permissions.write(account).andRead(rates, limits), convert, amount);
      assertEquals("transfer 7", next());
      assertEquals("convert 7", next());
    }
  }

  @Test
  void fork() throws Exception {
    Set<String> merged = new ConcurrentSkipListSet<>();
    Handler<String> sort = Handler.of(merged::add);
    String lower = "lower";
    String upper = "upper";
    try (Mely mely = Mely.builder().build()) {
      Color left = mely.newColor();
      Color right = mely.newColor();
      Executor both = mely.executor(Permissions.write(left, right));
      both.execute(
          () -> {
            mely.fork()
                .child(Permissions.write(left), sort, lower)
                .child(Permissions.write(right), sort, upper)
                .then(failures -> merged.add("merge after " + failures.size() + " failures"));
            mely.execute(left, () -> seen.add(List.copyOf(merged)));
          });
      assertEquals(List.of("lower", "merge after 0 failures", "upper"), next());
    }
  }

  @Test
  void emitters() throws Exception {
    Handler<String> draw = saying("draw");
    Handler<String> store = saying("store");
    try (Mely mely = Mely.builder().build()) {
      Color chart = mely.newColor();
      Color archive = mely.newColor();
      Emitter<String> news = mely.newEmitter();
      Emitter.Subscription drawing = news.on(Permissions.write(chart), draw);
      news.on(Permissions.write(archive), store);
      news.emit("first"); // chart and archive in parallel
      news.emit("second"); // when both are through
      drawing.cancel();
      Set<Object> first = Set.of(next(), next());
      assertTrue(first.contains("store first"), first::toString);
    }
  }
}
