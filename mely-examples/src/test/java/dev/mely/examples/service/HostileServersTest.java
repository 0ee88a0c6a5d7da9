package dev.mely.examples.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.chat.ChatProtocol;
import dev.mely.examples.counter.CounterProtocol;
import dev.mely.examples.echo.EchoProtocol;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What clients do that mean no good: {@code -Dmely.fuzz.messages} mutated messages a server, from
 * {@code -Dmely.fuzz.seed} on; connections that say nothing, half a word, or do not listen.
 */
@Timeout(300)
class HostileServersTest {
  private static final int MESSAGES = Integer.getInteger("mely.fuzz.messages", 20_000);
  private static final long SEED = Long.getLong("mely.fuzz.seed", 1);
  private static final int ROUND = 500;
  private static final int IDLE = 1_000;

  /** A server, what is right to say to it, and what it answers. */
  private enum Subject {
    ECHO(shared -> new EchoProtocol(), "", "hello\n", "hello") {
      @Override
      Answers answers() {
        return new Answers();
      }
    },
    COUNTER(CounterProtocol::new, "", "?\n", "") {
      @Override
      Answers answers() {
        return new CounterAnswers();
      }
    },
    CHAT(ChatProtocol::new, "name\n", "said\n", "name: said") {
      @Override
      Answers answers() {
        return new ChatAnswers();
      }
    };

    final Function<Executor, Protocol> protocol;
    final String greeting;
    final String message;
    final String answer;

    Subject(Function<Executor, Protocol> protocol, String greeting, String message, String answer) {
      this.protocol = protocol;
      this.greeting = greeting;
      this.message = message;
      this.answer = answer;
    }

    abstract Answers answers();
  }

  static Stream<Arguments> servers() {
    return Stream.of(Subject.values())
        .flatMap(s -> Stream.of(Carrier.values()).map(c -> Arguments.of(s, c)));
  }

  // ---- Mutated messages

  /** Each request is answered by the protocol's rules, after any input on its connection. */
  @ParameterizedTest
  @MethodSource("servers")
  void mutatedMessages(Subject subject, Carrier carrier) throws Exception {
    System.out.println("mutated messages: -Dmely.fuzz.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    try (Server server = carrier.start(subject.protocol)) {
      int left = MESSAGES;
      while (left > 0) {
        try (TextClient client = new TextClient(server.address())) {
          Answers answers = subject.answers();
          client.send(subject.greeting);
          answers.greet(client);
          for (boolean open = true; open && left > 0; ) {
            ByteArrayOutputStream sent = new ByteArrayOutputStream();
            for (int i = 0; i < ROUND; i++) {
              sent.write(mutated(subject.message, random));
            }
            left -= ROUND;
            sent.write('\n'); // so that no half of a line waits for the next round
            open = answers.check(client, sent.toByteArray());
          }
        } catch (AssertionError | IOException e) {
          throw new AssertionError("-Dmely.fuzz.seed=" + SEED, e);
        }
      }
      await().until(() -> server.clients().open() == 0);
    }
  }

  private static byte[] mutated(String message, SplittableRandom random) {
    StringBuilder text = new StringBuilder(message);
    for (int n = random.nextInt(4); n > 0; n--) {
      int at = random.nextInt(text.length() + 1);
      switch (random.nextInt(6)) {
        case 0 -> text.insert(at, (char) random.nextInt(256));
        case 1 -> text.insert(at, "+\n");
        case 2 -> text.insert(at, "/who\n");
        case 3 -> text.setLength(at);
        case 4 -> text.insert(at, "\r\n");
        default -> text.insert(at, random.nextInt(500) == 0 ? "long".repeat(300) : "\u00c3");
      }
    }
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** What the echo answers. */
  private static class Answers {
    void greet(TextClient client) throws IOException {
      // Nothing was said.
    }

    /** Sends bytes and checks what comes back; false: the connection has ended, as it must. */
    boolean check(TextClient client, byte[] sent) throws IOException {
      assertArrayEquals(sent, client.send(sent).bytes(sent.length));
      return true;
    }
  }

  /** Answers line by line. */
  private abstract static class LineAnswers extends Answers {
    private final int longest;

    LineAnswers(int longest) {
      this.longest = longest;
    }

    @Override
    boolean check(TextClient client, byte[] sent) throws IOException {
      List<String> lines = new ArrayList<>();
      boolean tooLong = false;
      for (int from = 0; from < sent.length && !tooLong; ) {
        int end = from;
        while (sent[end] != '\n') {
          end++;
        }
        int length = end > from && sent[end - 1] == '\r' ? end - 1 - from : end - from;
        tooLong = length > longest;
        if (!tooLong) {
          lines.add(new String(Arrays.copyOfRange(sent, from, from + length), UTF_8));
        }
        from = end + 1;
      }
      client.send(sent);
      for (String line : lines) {
        check(line, client);
      }
      if (tooLong) {
        assertEquals("error: a line may have " + longest + " bytes", client.line());
        assertEquals(null, client.line());
      }
      return !tooLong;
    }

    abstract void check(String line, TextClient client) throws IOException;
  }

  private static final java.nio.charset.Charset UTF_8 = StandardCharsets.UTF_8;

  private static final class CounterAnswers extends LineAnswers {
    private long value = -1;

    CounterAnswers() {
      super(64);
    }

    @Override
    void check(String line, TextClient client) throws IOException {
      String answer = client.line();
      if (line.equals("+") || line.equals("?")) {
        long now = Long.parseLong(answer);
        if (value >= 0) { // no other client increments
          assertEquals(line.equals("+") ? value + 1 : value, now);
        }
        value = now;
      } else {
        assertEquals("error: '+' increments, '?' reads", answer, line);
      }
    }
  }

  private static final class ChatAnswers extends LineAnswers {
    ChatAnswers() {
      super(1024);
    }

    /** The guest before may not have left yet, and others may be talking. */
    @Override
    void greet(TextClient client) throws IOException {
      String line = client.line();
      while (line != null && !line.startsWith("* name has come")) {
        if (line.equals("error: that name is taken")) {
          client.send("name\n");
        }
        line = client.line();
      }
      assertTrue(line != null, "was not let in");
    }

    @Override
    void check(String line, TextClient client) throws IOException {
      String answer = client.line();
      if (line.equals("/who")) {
        assertEquals("* here: name", answer);
      } else {
        StringBuilder expected = new StringBuilder("name: ");
        line.codePoints()
            .map(c -> c < ' ' || (c >= 0x7f && c < 0xa0) ? '?' : c)
            .forEach(expected::appendCodePoint);
        assertEquals(expected.toString(), answer);
      }
    }
  }

  // ---- Who takes up room

  /** A thousand who say nothing, some who say half a word, never listen, or are half gone. */
  @ParameterizedTest
  @MethodSource("servers")
  void idleAndSlowOnesStopNobody(Subject subject, Carrier carrier) throws Exception {
    List<TextClient> crowd = new ArrayList<>();
    try (Server server = carrier.start(subject.protocol)) {
      for (int i = 0; i < IDLE; i++) {
        crowd.add(new TextClient(server.address()));
      }
      for (int i = 0; i < 20; i++) {
        crowd.get(i).send("half a wor"); // and nothing more
        crowd.get(20 + i).send("said before the end").endOutput();
      }
      AtomicInteger greedy = new AtomicInteger();
      CompletableFuture<?>[] floods = new CompletableFuture<?>[4];
      for (int i = 0; i < floods.length; i++) {
        TextClient client = new TextClient(server.address(), 4096);
        crowd.add(client);
        floods[i] =
            CompletableFuture.runAsync(
                () -> {
                  byte[] much =
                      ("flood" + greedy.incrementAndGet() + "\n").repeat(9_999).getBytes();
                  try {
                    for (int n = 0; n < 100_000; n++) {
                      client.send(much);
                    }
                  } catch (IOException ended) {
                    // By the server, or by the end of the test.
                  }
                },
                task -> new Thread(task, "flood").start());
      }
      for (int i = 0; i < 100; i++) {
        try (TextClient witness = new TextClient(server.address())) {
          witness.send(subject.greeting);
          subject.answers().greet(witness);
          witness.send(subject.message);
          String line = witness.line();
          while (line != null && !line.endsWith(subject.answer)) {
            line = witness.line(); // a chat is heard by all
          }
          assertTrue(line != null, "not answered");
        }
      }
      for (TextClient client : crowd) {
        client.reset();
      }
      CompletableFuture.allOf(floods).get(120, TimeUnit.SECONDS);
      await().until(() -> server.clients().open() == 0);
    }
  }
}
