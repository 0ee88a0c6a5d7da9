package dev.mely.examples.orders;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.examples.CommandLineAccess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Events of all sources that concern one order run one at a time. */
@Timeout(300)
class OrdersTest {
  private static final long PATIENCE_SECONDS = 120;

  /** A WebSocket client of Java's own. */
  private static final class Client implements WebSocket.Listener {
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final WebSocket socket;

    Client(OrdersCommand.Server server) {
      URI uri = URI.create("ws://127.0.0.1:" + server.address().getPort() + "/");
      socket = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(uri, this).join();
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
      answers.add(text.toString());
      from.request(1);
      return null;
    }

    Client send(String number) {
      socket.sendText(number, true).join();
      return this;
    }

    String answer() throws InterruptedException {
      String answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return answer == null ? "nothing" : answer;
    }
  }

  private static OrdersCommand.Server server(String expiry) {
    OrdersCommand command = new OrdersCommand();
    new CommandLine(command).parseArgs("--port=0", "--cores=2", "--expiry=" + expiry);
    return command.start();
  }

  @Test
  void requestsExcludeOtherEventsOfTheOrder() throws Exception {
    try (OrdersCommand.Server server = server("3600")) {
      assertEquals(0, lostItems(server, 20, server.group::color));
    }
  }

  @Test
  void eventsOfAnotherColorAreFoundOut() throws Exception {
    try (OrdersCommand.Server server = server("3600")) {
      assertTrue(lostItems(server, 100, number -> server.group.mely().newColor()) > 0);
    }
  }

  /**
   * Adds items by a WebSocket and by bare events. An event takes its time: until a request for
   * another order, sent after one for this order, has been answered.
   */
  private static int lostItems(
      OrdersCommand.Server server, int rounds, Function<String, Color> colors) throws Exception {
    Mely mely = server.group.mely();
    Client one = new Client(server);
    Client two = new Client(server);
    assertEquals("4711: 1", one.send("4711").answer());
    for (int i = 0; i < rounds; i++) {
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch open = new CountDownLatch(1);
      mely.execute(
          colors.apply("4711"),
          () -> {
            OrdersCommand.Order order = server.orders.get("4711");
            int before = order.items;
            inside.countDown();
            pass(open);
            order.items = before + 1;
          });
      pass(inside);
      one.send("4711");
      assertEquals("4712: " + (i + 1), two.send("4712").answer());
      open.countDown();
      assertTrue(one.answer().startsWith("4711: "));
    }
    int items =
        mely.submit(server.group.color("4711"), () -> server.orders.get("4711").items).get();
    return 1 + 2 * rounds - items;
  }

  private static void pass(CountDownLatch latch) {
    try {
      assertTrue(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aTimerEndsAnOrder() throws Exception {
    try (OrdersCommand.Server server = server("0")) {
      Client client = new Client(server);
      assertEquals("4711: 1", client.send("4711").answer());
      await().until(server.orders::isEmpty);
      assertEquals("4711: 1", client.send("4711").answer(), "a new order");
    }
  }

  @Test
  void commandLine() throws Exception {
    StringWriter text = new StringWriter();
    CommandLine line = CommandLineAccess.commandLine();
    line.setOut(new PrintWriter(text)).setErr(new PrintWriter(text));
    assertEquals(0, line.execute("orders", "--help"));
    assertTrue(text.toString().contains("--expiry=SECONDS"), text::toString);
    assertEquals(2, line.execute("orders", "--port=-1"));
    try (OrdersCommand.Server server = server("3600")) {
      assertEquals(1, line.execute("orders", "--port=" + server.address().getPort()));
    }
  }
}
