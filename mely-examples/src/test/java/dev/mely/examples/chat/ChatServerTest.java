package dev.mely.examples.chat;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import dev.mely.examples.service.Carrier;
import dev.mely.examples.service.Server;
import dev.mely.examples.service.TextClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Requirement C5: all guests get the same lines in the same order, and none waits for one that does
 * not read.
 */
@Timeout(300)
class ChatServerTest {
  private static final int GUESTS = 200;
  private static final int SAYINGS = 6;
  private static final String LONG = "-".repeat(450);

  private static Server start(Carrier carrier) throws IOException {
    return carrier.start(ChatProtocol::new, 10_000, ChatProtocol.SEND_BUFFER);
  }

  private static TextClient join(Server server, String name) throws IOException {
    TextClient client = new TextClient(server.address()).send(name + "\n");
    String line = client.line();
    assertTrue(line.startsWith("* " + name + " has come"), line);
    return client;
  }

  /**
   * 200 guests, each of whom says something, and one more who never reads. It is dropped, as the
   * rule has it; all others hear all, in one and the same order, and each speaker in his own. As
   * much is said at a time as the server keeps for a guest who gets no CPU, and is dropped for
   * more.
   */
  @ParameterizedTest
  @EnumSource
  void allHearTheSame(Carrier carrier) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(GUESTS + 1);
    try (Server server = start(carrier)) {
      TextClient deaf = new TextClient(server.address(), 4096).send("deaf\n");
      String first = deaf.line();
      assertTrue(first.startsWith("* deaf has come"), first);
      List<TextClient> guests = new ArrayList<>();
      for (int i = 0; i < GUESTS; i++) {
        guests.add(join(server, "guest" + i));
      }
      List<Listener> listeners = new ArrayList<>();
      List<Future<Heard>> heard = new ArrayList<>();
      Map<String, String> once = new ConcurrentHashMap<>(); // each line is heard 200 times
      for (TextClient guest : guests) {
        Listener listener = new Listener(guest, once);
        listeners.add(listener);
        heard.add(threads.submit(listener));
      }
      int said = 0;
      for (int saying = 0; saying < SAYINGS; saying++) {
        for (TextClient guest : guests) {
          guest.send(saying + LONG + "\n");
        }
        said += GUESTS;
        untilAllHaveHeard(said, listeners);
      }
      // How much the kernel holds for the deaf one differs: one more guest speaks until it is full.
      TextClient crier = join(server, "crier");
      threads.submit(() -> drain(crier));
      while (!heard.stream().allMatch(Future::isDone)) {
        crier.send(("more" + LONG + "\n").repeat(GUESTS));
        said += GUESTS;
        untilAllHaveHeard(said, listeners);
      }
      List<String> all = heard.get(0).get(120, TimeUnit.SECONDS).said;
      for (int i = 0; i < GUESTS; i++) {
        Heard one = heard.get(i).get(120, TimeUnit.SECONDS);
        assertEquals(all, one.said, "guest " + i);
        assertTrue(one.news.contains("* deaf has been dropped, too slow"), "" + one.news);
        String name = "guest" + i + ": ";
        List<String> own = all.stream().filter(line -> line.startsWith(name)).toList();
        assertEquals(SAYINGS, own.size());
        for (int saying = 0; saying < SAYINGS; saying++) {
          assertEquals(name + saying + LONG, own.get(saying));
        }
      }
      deaf.close();
      crier.close();
      for (TextClient guest : guests) {
        guest.close();
      }
      await().until(() -> server.clients().open() == 0);
    } finally {
      threads.shutdownNow();
    }
  }

  private record Heard(List<String> said, List<String> news) {}

  private static @Nullable Void drain(TextClient client) throws IOException {
    String line = client.line();
    while (line != null) {
      line = client.line();
    }
    return null;
  }

  private static void untilAllHaveHeard(int lines, List<Listener> listeners) {
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> listeners.stream().allMatch(l -> l.done || l.lines >= lines));
  }

  /** Reads until the end of the chat, in which a guest is dropped. */
  private static final class Listener implements Callable<Heard> {
    private final TextClient client;
    private final Map<String, String> once;

    /** What guests have said and this one has heard, written by its thread alone. */
    volatile int lines;

    /** It listens no more. */
    volatile boolean done;

    Listener(TextClient client, Map<String, String> once) {
      this.client = client;
      this.once = once;
    }

    @Override
    public Heard call() throws IOException {
      try {
        return listen();
      } finally {
        done = true;
      }
    }

    private Heard listen() throws IOException {
      Heard heard = new Heard(new ArrayList<>(), new ArrayList<>());
      boolean dropped = false;
      int count = 0;
      while (heard.said.size() < GUESTS * SAYINGS || !dropped) {
        String line = client.line();
        if (line == null) {
          throw new IOException("dropped after " + heard.said.size());
        }
        boolean news = line.startsWith("* ");
        if (!line.startsWith("crier: ")) {
          (news ? heard.news : heard.said).add(once.computeIfAbsent(line, same -> same));
        }
        dropped |= news && line.contains("dropped");
        count += news ? 0 : 1;
        lines = count;
      }
      return heard;
    }
  }

  @ParameterizedTest
  @EnumSource
  void namesAndCommands(Carrier carrier) throws Exception {
    try (Server server = start(carrier);
        TextClient ann = join(server, "ann");
        TextClient bob = new TextClient(server.address())) {
      bob.send("ann\nb b\n\nbob\r\n");
      assertEquals("error: that name is taken", bob.line());
      assertEquals("error: a name has 1 to 20 letters, digits, '-' and '_'", bob.line());
      assertEquals("error: a name has 1 to 20 letters, digits, '-' and '_'", bob.line());
      assertEquals("* bob has come, 2 here", bob.line());
      assertEquals("* bob has come, 2 here", ann.line());
      ann.send("one\ntwo\n/who\nthree\n");
      for (String line : List.of("ann: one", "ann: two", "* here: ann, bob", "ann: three")) {
        assertEquals(line, ann.line());
      }
      for (String line : List.of("ann: one", "ann: two", "ann: three")) {
        assertEquals(line, bob.line());
      }
      // No escape sequence reaches the terminal of another.
      bob.send("\u001b[31mred\u0007 \u00e9 \u009b\n".getBytes(StandardCharsets.UTF_8));
      assertEquals("bob: ?[31mred? \u00e9 ?", ann.line());
      assertEquals("bob: ?[31mred? \u00e9 ?", bob.line());
      bob.send("bye\n/quit\nnot heard\n");
      assertEquals("bob: bye", bob.line());
      assertEquals(null, bob.line());
      assertEquals("bob: bye", ann.line());
      assertEquals("* bob has gone", ann.line());
      try (TextClient again = join(server, "bob")) {
        again.send("/who\n");
        assertEquals("* here: ann, bob", again.line());
        again.send("x".repeat(2_000) + "\n");
        assertEquals("error: a line may have 1024 bytes", again.line());
        assertEquals(null, again.line());
      }
      assertEquals("* bob has come, 2 here", ann.line());
      assertEquals("* bob has gone", ann.line());
    }
  }

  /** What was said before the end is heard; a stop ends all. */
  @ParameterizedTest
  @EnumSource
  void endsInGoodOrder(Carrier carrier) throws Exception {
    Server server = start(carrier);
    try (server;
        TextClient ann = join(server, "ann");
        TextClient bob = new TextClient(server.address())) {
      bob.send("bob\nlast word\n").endOutput();
      assertEquals("* bob has come, 2 here", ann.line());
      assertEquals("bob: last word", ann.line());
      assertEquals("* bob has gone", ann.line());
      assertEquals("* bob has come, 2 here", bob.line());
      assertEquals("bob: last word", bob.line());
      assertEquals(null, bob.line());
      Thread stop = new Thread(server::close);
      stop.start();
      assertEquals(null, ann.line());
      ann.leave();
      stop.join();
      assertEquals(0, server.clients().open());
    }
  }

  /** A client of another language. */
  @ParameterizedTest
  @EnumSource
  void python(Carrier carrier) throws Exception {
    assumeTrue(Programs.run("python3", "--version"), "python3 is not installed");
    String program =
        """
        import asyncio, sys
        N, SAY = 40, 10
        async def main():
            ends = []
            for n in range(N):
                ends.append(await asyncio.open_connection('127.0.0.1', int(sys.argv[1])))
                ends[n][1].write(b'p%d\\n' % n)
                assert (await ends[n][0].readline()).startswith(b'* p%d has come' % n)
            async def talk(n):
                reader, writer = ends[n]
                writer.write(b''.join(b'%d of %d\\n' % (i, n) for i in range(SAY)))
                said = []
                while len(said) < N * SAY:
                    line = await reader.readline()
                    assert line, 'ended'
                    if not line.startswith(b'* '): said.append(line)
                return said
            heard = await asyncio.gather(*(talk(n) for n in range(N)))
            assert all(h == heard[0] for h in heard)
            for n in range(N):
                own = [l for l in heard[0] if l.startswith(b'p%d: ' % n)]
                assert own == [b'p%d: %d of %d\\n' % (n, i, n) for i in range(SAY)], own
        asyncio.run(main())
        """;
    try (Server server = start(carrier)) {
      assertTrue(Programs.run("python3", "-c", program, "" + server.address().getPort()));
    }
  }
}
