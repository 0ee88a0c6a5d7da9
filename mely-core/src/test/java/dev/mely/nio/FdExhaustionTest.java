package dev.mely.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server without file descriptors waits until it has some again, and says so once. */
@Timeout(300)
class FdExhaustionTest {
  private static final int LIMIT = 100;
  private static final int CLIENTS = 200;

  /** What a spinning acceptor exceeds within milliseconds; a second. */
  private static final int MANY_POLLS = 5_000;

  @Test
  void acceptBacksOffAndRecovers() throws Exception {
    Process process = start();
    try (BufferedReader answers = process.inputReader(StandardCharsets.US_ASCII);
        OutputStream commands = process.getOutputStream()) {
      String first = answers.readLine();
      assertNotNull(first, "the server ended before it listened; its error stream says why");
      int port = Integer.parseInt(first);
      Server server = new Server(commands, answers);
      Figures idle = server.ask();
      List<SocketChannel> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        SocketChannel client =
            SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        client.write(ByteBuffer.wrap(new byte[] {(byte) i}));
        clients.add(client);
      }
      // The first failure may be due to a descriptor that the virtual machine had open for a
      // moment: the server goes on then, and what counts is the episode that lasts.
      AtomicReference<Figures> last = new AtomicReference<>(idle);
      Rig.await()
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                Figures before = last.getAndSet(server.ask());
                return last.get().descriptors == -1
                    && last.get().errors > 0
                    && last.get().accepted == before.accepted
                    && last.get().errors == before.errors;
              });

      Figures exhausted = last.get();
      long start = System.nanoTime();
      assertTrue(exhausted.accepted < CLIENTS, exhausted::toString);
      Thread.sleep(1_000);
      Figures later = server.ask();
      assertEquals(exhausted.errors, later.errors, "reported again in the same episode");
      assertEquals(exhausted.accepted, later.accepted);
      long seconds = 1 + (System.nanoTime() - start) / 1_000_000_000;
      assertTrue(
          later.polls - exhausted.polls < seconds * MANY_POLLS, "spins: " + exhausted + later);

      // A served connection makes room for a waiting one.
      for (int i = 0; i < CLIENTS; i++) {
        ByteBuffer in = ByteBuffer.allocate(1);
        assertEquals(1, clients.get(i).read(in));
        assertEquals((byte) i, in.get(0));
        clients.get(i).close();
      }
      Rig.await().until(() -> server.ask().open == 0);
      assertEquals(CLIENTS, server.ask().accepted);
      Rig.await().until(() -> server.ask().descriptors == idle.descriptors);

      commands.write("quit\n".getBytes(StandardCharsets.US_ASCII));
      commands.flush();
      assertEquals("left 0 others []", answers.readLine());
      assertEquals(0, process.waitFor());
    } finally {
      process.destroyForcibly();
    }
  }

  private static Process start() throws IOException {
    Path classes = Path.of("target", "classes").toAbsolutePath();
    Path tests = Path.of("target", "test-classes").toAbsolutePath();
    String classPath = System.getProperty("java.class.path") + File.pathSeparator + tests;
    return new ProcessBuilder(
            "bash",
            "-c",
            "ulimit -n " + LIMIT + " && exec \"$@\"",
            "bash",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-cp",
            classPath,
            FdExhaustionServer.class.getName(),
            classes.toString(),
            tests.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private record Figures(int accepted, int open, int errors, long polls, long descriptors) {}

  private record Server(OutputStream commands, BufferedReader answers) {
    Figures ask() {
      try {
        commands.write("?\n".getBytes(StandardCharsets.US_ASCII));
        commands.flush();
        String[] figures = answers.readLine().split(" ", -1);
        return new Figures(
            Integer.parseInt(figures[0]),
            Integer.parseInt(figures[1]),
            Integer.parseInt(figures[2]),
            Long.parseLong(figures[3]),
            Long.parseLong(figures[4]));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
