package dev.mely.examples.sfs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.nio.Nio;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A step that throws an exception or {@code Error}: its caller is told, or the connection ends. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class FaultsTest {
  @TempDir private Path root;

  // ---- File operations

  /** What a test asks of a file. */
  private interface Use {
    void of(SfsClient client) throws IOException;
  }

  /** A request, and a step of it that fails. */
  private record Case(String name, String step, Use use) {
    @Override
    public String toString() {
      return name + ": " + step;
    }
  }

  private static List<Case> cases() {
    return List.of(
        new Case("list", "newDirectoryStream", c -> c.list("")),
        new Case("list", "getFileAttributeView", c -> c.list("")),
        new Case("list", "iterator", c -> c.list("")),
        new Case("list", "hasNext", c -> c.list("")),
        new Case("list", "next", c -> c.list("")),
        new Case("list", "close", c -> c.list("")),
        new Case("stat", "getFileAttributeView", c -> c.stat("f")),
        new Case("stat", "newByteChannel", c -> c.stat("f")),
        new Case("read", "newByteChannel", c -> c.open("f", Message.READ)),
        new Case("write", "newByteChannel", c -> c.open("f", Message.WRITE)),
        new Case("write", "getFileAttributeView", c -> c.open("f", Message.WRITE)),
        new Case("rename", "move", c -> c.rename("f", "g")),
        new Case("remove", "deleteFile", c -> c.remove("f")));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void anErrorOfAFileOperationIsAnswered(Case planted) throws Exception {
    AtomicReference<Throwable> next = new AtomicReference<>();
    WatchedFolder.Watch watch =
        step -> {
          Throwable now = step.equals(planted.step()) ? next.getAndSet(null) : null;
          if (now instanceof Error error) {
            throw error;
          } else if (now != null) {
            throw (RuntimeException) now;
          }
        };
    try (SfsSite site = SfsSite.watched(root, watch);
        SfsClient client = site.connect()) {
      site.write("f", 10);
      long before = site.descriptors();
      List<Throwable> all =
          List.of(
              new OutOfMemoryError("planted"),
              new StackOverflowError("planted"),
              new IllegalStateException("planted"),
              new DirectoryIteratorException(new IOException("planted")));
      for (Throwable fault : all) {
        next.set(fault);
        SfsException refusal =
            assertThrows(SfsException.class, () -> planted.use().of(client), fault.toString());
        Status status = fault instanceof OutOfMemoryError ? Status.BUSY : Status.FAILED;
        assertEquals(status, refusal.status());
        if (!planted.step().equals("close")) {
          assertEquals(before, site.descriptors(), "nothing is left open");
        }
        client.ping();
      }
      planted.use().of(client);
    }
  }

  /** What is answered when not even the answer could be made where the file is. */
  @Test
  void anAnswerThatCannotBeMadeIsAFailure() throws Exception {
    WatchedFolder.Watch watch =
        step -> {
          if (step.equals("newByteChannel")) {
            throw new IOException() {
              @Override
              public String getMessage() {
                throw new OutOfMemoryError("planted");
              }
            };
          }
        };
    try (SfsSite site = SfsSite.watched(root, watch);
        SfsClient client = site.connect()) {
      site.write("f", 10);
      SfsException refusal =
          assertThrows(SfsException.class, () -> client.open("f", Message.WRITE));
      assertEquals(Status.BUSY, refusal.status());
      client.ping();
    }
  }

  /** A file is closed, too, if its closing could not be begun. */
  @Test
  void whatIsInHandIsClosed() throws Exception {
    Files.createFile(root.resolve("f"));
    FileChannel channel = FileChannel.open(root.resolve("f"), StandardOpenOption.READ);
    Volume volume = new Volume(WatchedFolder.open(root, step -> {}));
    Requests requests = new Requests(volume, true);
    int handle = requests.over(new Answer.OpenFile(channel, "key", false));
    assertTrue(requests.hasOpen());
    requests.parse(Message.request(Op.CLOSE).u32(handle).u8(0).bytes());
    assertTrue(channel.isOpen());
    assertTrue(requests.hasOpen());
    requests.over(null);
    assertFalse(channel.isOpen());
    assertFalse(requests.hasOpen());
    volume.close();
  }

  // ---- Steps of a connection

  /** Which step fails. */
  enum Moment {
    HANDSHAKE,
    ESTABLISHED,
    MESSAGE,
    DRAINED,
    PEER_CLOSED,
    ENCRYPT
  }

  /** The server's side of a connection, one step of which throws an error. */
  private static final class Side implements ConnectionUser {
    final Moment planted;
    final Error fault = new StackOverflowError("planted");
    final CompletableFuture<Throwable> ended = new CompletableFuture<>();
    @Nullable SecureConnection connection;

    Side(Moment planted) {
      this.planted = planted;
    }

    void begin(Nio nio, SocketChannel channel, Identity self) throws IOException {
      // The time is not to be had in nanoseconds.
      RekeyRule never = new RekeyRule(1000, Duration.ofSeconds(Long.MAX_VALUE));
      RekeyRule rule = planted == Moment.ENCRYPT ? never : RekeyRule.DEFAULT;
      Handshake handshake =
          planted == Moment.HANDSHAKE ? new Failing(fault) : new ServerHandshake(self, rule);
      Color color = nio.mely().color(0);
      connection = new SecureConnection(nio, channel, color, handshake, this);
      connection.start();
    }

    private void step(Moment step) {
      if (step == planted) {
        throw fault;
      }
    }

    @Override
    public void established(PublicId peer) {
      byte[] welcome = Message.unasked(Message.WELCOME).u8(0).u32(1).u32(Message.MAX_DATA).bytes();
      connection.send(welcome);
      step(Moment.ESTABLISHED);
    }

    @Override
    public void message(byte[] message) {
      step(Moment.MESSAGE);
      for (int i = 0; i < 300; i++) { // more than is let wait, and less than a socket takes
        connection.send(Message.withRoom(1000));
      }
    }

    @Override
    public void drained() {
      step(Moment.DRAINED);
    }

    @Override
    public void peerClosed() {
      step(Moment.PEER_CLOSED);
    }

    @Override
    public void ended(@Nullable Throwable why) {
      ended.complete(why);
    }
  }

  private static final class Failing extends Handshake {
    private final Error fault;

    Failing(Error fault) {
      super(Identity.generate(), true, RekeyRule.DEFAULT);
      this.fault = fault;
    }

    @Override
    List<byte[]> start() {
      return List.of();
    }

    @Override
    List<byte[]> takeHello(byte[] body) {
      throw fault;
    }

    @Override
    List<byte[]> takeProof(byte[] body) {
      throw fault;
    }
  }

  @ParameterizedTest
  @EnumSource
  void anErrorOfAStepEndsTheConnection(Moment planted) throws Exception {
    Identity self = Identity.generate();
    Side side = new Side(planted);
    try (Nio nio = Nio.start(Mely.builder().cores(2).errorHandler((color, event, error) -> {}));
        ServerSocketChannel listening = ServerSocketChannel.open().bind(null)) {
      listening.configureBlocking(false);
      Handler<SocketChannel> accepted = Handler.of(channel -> side.begin(nio, channel, self));
      nio.accept(listening, nio.mely().color(0), accepted).resume();
      try (RawPeer peer = new RawPeer(listening.socket().getLocalPort())) {
        try {
          peer.handshake(Identity.generate(), self.id());
          peer.sendMessage(Message.request(Op.PING).bytes());
          if (planted == Moment.PEER_CLOSED) {
            peer.sendMessage(new byte[] {Records.CLOSE});
          }
        } catch (IOException ended) {
          // Already.
        }
        assertTrue(peer.isEnded());
      }
      Throwable why = side.ended.get();
      assertNotNull(why);
      if (planted == Moment.ENCRYPT) {
        assertEquals(ArithmeticException.class, why.getClass());
      } else {
        assertSame(side.fault, why);
      }
    }
  }

  // ---- The end

  /** A helper thread that never comes back holds up neither the others nor the end. */
  @Test
  void theServerEndsWhateverItsHelpersDo() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    WatchedFolder.Watch watch =
        step -> {
          if (step.equals("iterator")) {
            never.await();
          }
        };
    Files.createFile(root.resolve("f"));
    SfsSite site = SfsSite.watched(root, c -> c.drainTimeout(Duration.ofMillis(100)), watch);
    try (RawPeer peer = site.raw(site.reader)) {
      peer.sendMessage(Message.request(Op.OPEN).text("f").u8(Message.READ).bytes());
      assertEquals(Status.OK.code(), Message.code(peer.message()));
      peer.sendMessage(Message.request(Op.LIST).text("").bytes());
      await().until(() -> site.server.answers.sum() == 1);
      site.close();
      assertTrue(peer.isEnded());
      never.countDown();
      await().until(() -> site.descriptors() == 0);
    } finally {
      never.countDown();
    }
  }

  // ---- The client

  /** A malformed answer ends the connection, and the wait of its callers. */
  @Test
  void aCallIsToldOfAnAnswerThatMakesNoSense() throws Exception {
    byte[] unknown = Message.request(Op.PING).bytes();
    unknown[5] = 99;
    byte[] cut = Message.reply(Status.FAILED).u16(17).bytes();
    try (SfsSite site = new SfsSite(root)) {
      for (byte[] answer : List.of(unknown, cut)) {
        try (StrangeServer server = new StrangeServer(request -> answer.clone());
            SfsClient client = server.connect(site)) {
          IOException end = assertThrows(IOException.class, client::ping);
          assertFalse(end.getMessage().contains("does not answer"), end.getMessage());
        }
      }
    }
  }

  @Test
  void theBenchmarkEndsIfTheFileDoes() throws Exception {
    byte[] opened = Message.leased().u32(7).attributes(file(100)).bytes();
    byte[] part = Message.withRoom(60);
    try (SfsSite site = new SfsSite(root);
        StrangeServer server =
            new StrangeServer(r -> (Message.code(r) == Op.OPEN.code() ? opened : part).clone());
        SfsClient client = server.connect(site)) {
      IOException end =
          assertThrows(
              IOException.class,
              () -> BenchCommand.measure(List.of(client), "f", 100, SfsSite.PATIENCE));
      assertTrue(end.getMessage().contains("truncated"), end.getMessage());
    }
  }

  private static Attributes file(long size) {
    return new Attributes(Attributes.Type.FILE, size, 0, 0);
  }
}
