package dev.mely.examples.sfs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.Programs;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What the server does for its clients, and what it refuses them. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class SfsServerTest {
  @TempDir private Path temporary;

  private Path root() throws IOException {
    return Files.createDirectories(temporary.resolve("root"));
  }

  private static void refused(Status status, Executable request) {
    SfsException refusal = assertThrows(SfsException.class, request);
    assertEquals(status, refusal.status(), refusal.getMessage());
  }

  private static byte[] readAll(SfsClient client, String path) throws IOException {
    SfsClient.RemoteFile file = client.open(path, Message.READ);
    byte[] all = new byte[(int) file.attributes().size()];
    for (int at = 0; at < all.length; ) {
      ByteBuffer piece = client.await(file.read(at, Math.min(Message.MAX_DATA, all.length - at)));
      int n = piece.remaining();
      piece.get(all, at, n);
      at += n;
    }
    file.close(0);
    return all;
  }

  @Test
  void filesAreWrittenReadRenamedAndRemoved() throws Exception {
    try (SfsSite site = new SfsSite(root());
        SfsClient client = site.connect()) {
      assertTrue(client.mayWrite());
      client.ping();
      Files.createDirectory(site.root.resolve("d"));
      SfsClient.RemoteFile file = client.open("d/new", Message.WRITE);
      assertEquals(0, file.attributes().size());
      byte[] content = SfsSite.bytes(100_000, 1);
      client.await(file.write(0, content, 60_000)).end();
      byte[] rest = java.util.Arrays.copyOfRange(content, 60_000, 100_000);
      client.await(file.write(60_000, rest, rest.length)).end();
      file.close(Message.SYNC);
      assertArrayEquals(content, Files.readAllBytes(site.root.resolve("d/new")));
      assertArrayEquals(content, readAll(client, "d/new"));
      assertEquals(100_000, client.stat("d/new").size());
      assertEquals(Attributes.Type.DIRECTORY, client.stat("d").type());

      site.write("taken", 10);
      client.rename("d/new", "taken"); // replaces it
      assertArrayEquals(content, Files.readAllBytes(site.root.resolve("taken")));
      refused(Status.NOT_FOUND, () -> client.stat("d/new"));
      client.open("taken", Message.WRITE | Message.TRUNCATE).close(0);
      assertEquals(0, Files.size(site.root.resolve("taken")));
      client.remove("taken");
      client.remove("d");
      assertEquals(List.of(), client.list(""));
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedAndTheRestGoesOn() throws Exception {
    try (SfsSite site = new SfsSite(root());
        SfsClient client = site.connect()) {
      Files.createDirectories(site.root.resolve("d/e"));
      site.write("f", 10);
      refused(Status.NOT_FOUND, () -> client.open("none", Message.READ));
      refused(Status.NOT_FOUND, () -> client.remove("none"));
      refused(Status.NOT_FOUND, () -> client.rename("none", "other"));
      refused(Status.NOT_FOUND, () -> client.list("none"));
      refused(Status.WRONG_TYPE, () -> client.open("d", Message.READ));
      refused(Status.WRONG_TYPE, () -> client.open("d", Message.WRITE));
      refused(Status.WRONG_TYPE, () -> client.list("f"));
      refused(Status.WRONG_TYPE, () -> client.stat("f/x"));
      refused(Status.EXISTS, () -> client.remove("d"));
      refused(Status.DENIED, () -> client.remove(""));
      refused(Status.DENIED, () -> client.rename("", "x"));
      refused(Status.BAD_REQUEST, () -> client.open("f", 64));
      for (String path : List.of("..", "a//b", "/f", "d/../f", "./f", "f/", "f\0")) {
        refused(Status.BAD_REQUEST, () -> client.stat(path));
        refused(Status.BAD_REQUEST, () -> client.open(path, Message.WRITE));
        refused(Status.BAD_REQUEST, () -> client.remove(path));
        refused(Status.BAD_REQUEST, () -> client.rename("f", path));
      }
      SfsClient.RemoteFile file = client.open("f", Message.READ);
      refused(Status.BAD_REQUEST, () -> client.await(file.read(-1, 1)));
      refused(Status.BAD_REQUEST, () -> client.await(file.read(0, Message.MAX_DATA + 1)));
      refused(Status.BAD_REQUEST, () -> client.await(file.read(0, -1)));
      refused(Status.DENIED, () -> client.await(file.write(0, new byte[1], 1)));
      assertEquals(0, client.await(file.read(10, 5)).remaining(), "at the end");
      assertEquals(4, client.await(file.read(6, 50)).remaining(), "before the end");
      file.close(0);
      refused(Status.BAD_REQUEST, () -> client.await(file.read(0, 1)));
      client.ping();
    }
  }

  @Test
  void aClientThatMayOnlyReadWritesNothing() throws Exception {
    try (SfsSite site = new SfsSite(root());
        SfsClient client = site.connect(site.reader)) {
      byte[] content = site.write("f", 1000);
      assertFalse(client.mayWrite());
      assertArrayEquals(content, readAll(client, "f"));
      refused(Status.DENIED, () -> client.open("f", Message.WRITE));
      refused(Status.DENIED, () -> client.open("new", Message.WRITE));
      refused(Status.DENIED, () -> client.rename("f", "g"));
      refused(Status.DENIED, () -> client.remove("f"));
      assertArrayEquals(content, Files.readAllBytes(site.root.resolve("f")));
      assertEquals(1, client.list("").size());
    }
  }

  @Test
  void anUnknownClientIsRefused() throws Exception {
    try (SfsSite site = new SfsSite(root())) {
      IOException refusal =
          assertThrows(IOException.class, () -> site.connect(Identity.generate()));
      assertTrue(refusal.getMessage().contains("does not know"), refusal.getMessage());
      assertEquals(1, site.server.turnedAway.sum());
      site.connect().close();
    }
  }

  @Test
  void anotherServerIsRefused() throws Exception {
    try (SfsSite site = new SfsSite(root())) {
      RemotePath other =
          new RemotePath(Identity.generate().id(), "127.0.0.1", site.server.path().port(), "");
      IOException refusal =
          assertThrows(
              IOException.class,
              () ->
                  SfsClient.connect(
                      site.nio, other, site.writer, RekeyRule.DEFAULT, SfsSite.PATIENCE));
      assertTrue(refusal.getMessage().contains("does not have the key"), refusal.getMessage());
    }
  }

  /** Links, pipes and swaps lead nowhere outside, to read, write, rename or remove. */
  @Test
  void nothingOutsideIsTouched() throws Exception {
    Path outside = Files.createDirectories(temporary.resolve("outside"));
    Files.writeString(outside.resolve("secret"), "foreign");
    try (SfsSite site = new SfsSite(root());
        SfsClient client = site.connect()) {
      site.write("f", 10);
      Files.createSymbolicLink(site.root.resolve("dir"), outside);
      Files.createSymbolicLink(site.root.resolve("link"), outside.resolve("secret"));
      Files.createSymbolicLink(site.root.resolve("fresh"), outside.resolve("made"));
      Files.createSymbolicLink(site.root.resolve("up"), Path.of(".."));
      assertTrue(Programs.run("mkfifo", site.root.resolve("pipe").toString()));
      for (String path : List.of("dir/secret", "link", "up/outside/secret", "pipe", "dir")) {
        refused(Status.DENIED, () -> client.open(path, Message.READ));
        refused(Status.DENIED, () -> client.stat(path));
      }
      refused(Status.DENIED, () -> client.list("dir"));
      refused(Status.DENIED, () -> client.list("up"));
      for (String path : List.of("dir/secret", "dir/new", "link", "fresh", "up/new", "pipe")) {
        refused(Status.DENIED, () -> client.open(path, Message.WRITE));
        refused(Status.DENIED, () -> client.open(path, Message.WRITE | Message.TRUNCATE));
      }
      for (String path : List.of("dir/secret", "up/outside/secret")) {
        refused(Status.DENIED, () -> client.remove(path));
        refused(Status.DENIED, () -> client.rename(path, "mine"));
        refused(Status.DENIED, () -> client.rename("f", path));
      }
      client.remove("link"); // the link itself
      client.rename("fresh", "other"); // the link itself
      assertEquals("foreign", Files.readString(outside.resolve("secret")));
      assertEquals(1, outside.toFile().list().length);
      assertFalse(Files.exists(temporary.resolve("new")));
    }
  }

  @Test
  void aLargeDirectoryIsListedByPages() throws Exception {
    try (SfsSite site = new SfsSite(root());
        SfsClient client = site.connect(site.reader)) {
      List<String> names = new ArrayList<>();
      for (int i = 0; i < 1200; i++) {
        String name = "n".repeat(50) + (10_000 + i) + "\u00fc";
        names.add(name);
        Files.createFile(site.root.resolve(name));
      }
      long before = site.server.answers.sum();
      assertEquals(names, client.list("").stream().map(SfsClient.Entry::name).sorted().toList());
      assertTrue(site.server.answers.sum() - before > 1, "more than one page");
    }
  }

  @Test
  void oneClientOpensSoManyFilesAndNoMore() throws Exception {
    try (SfsSite site = new SfsSite(root())) {
      site.write("f", 10);
      long before = site.descriptors();
      try (SfsClient client = site.connect()) {
        SfsClient.RemoteFile first = client.open("f", Message.READ);
        for (int i = 1; i < Requests.MAX_OPEN; i++) {
          client.open("f", Message.READ);
        }
        refused(Status.BUSY, () -> client.open("f", Message.READ));
        first.close(0);
        client.open("f", Message.READ);
        assertTrue(site.descriptors() >= before + Requests.MAX_OPEN);
      }
      await().atMost(SfsSite.PATIENCE).until(() -> site.descriptors() == before);
    }
  }

  /** Asks what a file is; returns the lease of the answer, once its time is right. */
  private static long lease(RawPeer peer, SfsSite site, String path) throws IOException {
    peer.sendMessage(Message.request(Op.STAT).text(path).bytes());
    byte[] answer = peer.message();
    assertEquals(Status.OK.code(), Message.code(answer));
    Fields fields = new Fields(answer, Message.FIELDS);
    long lease = fields.u64();
    assertEquals(lease == 0 ? 0 : site.server.leases().millis(), fields.u32());
    return lease;
  }

  private static void calledBack(RawPeer peer, long lease) throws IOException {
    byte[] message = peer.message();
    assertEquals(Message.NO_REQUEST, Message.number(message));
    assertEquals(Message.BROKEN, Message.code(message));
    assertEquals(lease, new Fields(message, Message.FIELDS).u64());
  }

  @Test
  void whoHasALeaseIsCalledBack() throws Exception {
    try (SfsSite site = new SfsSite(root());
        RawPeer watcher = site.raw(site.reader);
        SfsClient other = site.connect()) {
      site.write("f", 10);
      long first = lease(watcher, site, "f");
      assertTrue(first != 0);
      assertEquals(first, lease(watcher, site, "f"), "extended");
      SfsClient.RemoteFile file = other.open("f", Message.WRITE);
      other.await(file.write(10, new byte[7], 7)).end();
      calledBack(watcher, first);
      other.await(file.write(17, new byte[7], 7)).end(); // there is no lease to break
      file.close(0);

      site.write("g", 3);
      long second = lease(watcher, site, "f");
      assertTrue(second != 0 && second != first);
      other.rename("g", "f"); // another file has the name now
      calledBack(watcher, second);
      long third = lease(watcher, site, "f");
      other.remove("f");
      calledBack(watcher, third);
    }
  }

  /** Many clients with changing keys at once; each byte is compared. */
  @Test
  void clientsAtTheSameTimeGetTheirOwnBytes() throws Exception {
    RekeyRule often = new RekeyRule(5, Duration.ofMillis(20));
    try (SfsSite site = new SfsSite(root(), c -> c.rekey(often))) {
      List<byte[]> contents = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        contents.add(site.write("f" + i, 300_000 + i));
      }
      List<Thread> threads = new ArrayList<>();
      List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
      for (int t = 0; t < 8; t++) {
        int seed = t;
        Thread thread =
            new Thread(
                () -> {
                  SplittableRandom random = new SplittableRandom(seed);
                  int port = site.server.address().getPort();
                  try (SfsClient client = site.connect(site.writer, port, often)) {
                    for (int i = 0; i < 4; i++) {
                      int file = random.nextInt(4);
                      assertArrayEquals(contents.get(file), readAll(client, "f" + file));
                      assertArrayEquals(new byte[] {(byte) seed, (byte) i}, echo(client, seed, i));
                    }
                  } catch (Throwable e) {
                    failures.add(e);
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(List.of(), failures);
    }
  }

  private static byte[] echo(SfsClient client, int seed, int i) throws IOException {
    String name = "own" + seed;
    SfsClient.RemoteFile file = client.open(name, Message.WRITE | Message.TRUNCATE);
    client.await(file.write(0, new byte[] {(byte) seed, (byte) i}, 2)).end();
    file.close(0);
    return readAll(client, name);
  }

  @Test
  void namesAreText() throws Exception {
    try (SfsSite site = new SfsSite(root());
        SfsClient client = site.connect();
        RawPeer peer = site.raw(site.writer)) {
      client.open("\u00e4 b", Message.WRITE).close(0);
      assertEquals("\u00e4 b", client.list("").get(0).name());
      byte[] wrong = Message.request(Op.STAT).text("abc").bytes();
      wrong[wrong.length - 1] = (byte) 0xff;
      peer.sendMessage(wrong);
      byte[] answer = peer.message();
      assertEquals(Status.BAD_REQUEST.code(), Message.code(answer));
      String reason = new Fields(answer, Message.FIELDS).text();
      assertTrue(reason.contains("UTF-8"), reason);
    }
  }

  /** What was asked is answered before the server ends. */
  @Test
  void answersInFlightAreSentBeforeTheEnd() throws Exception {
    Duration drain = SfsSite.PATIENCE;
    try (SfsSite site = new SfsSite(root(), c -> c.idleTimeout(drain).drainTimeout(drain));
        RawPeer peer = site.raw(site.writer)) {
      byte[] content = site.write("f", 65_536);
      byte[] open = Message.request(Op.OPEN).text("f").u8(Message.READ).bytes();
      peer.sendMessage(open);
      assertEquals(0, Message.code(peer.message()));
      for (int i = 0; i < 20; i++) {
        byte[] read = Message.request(Op.READ).u32(1).u64(0).u32(65_536).bytes();
        Message.number(read, i + 1);
        peer.sendMessage(read);
      }
      for (int i = 0; i < 6; i++) { // so many it has answered, and has more to do
        assertEquals(content.length + Message.FIELDS, peer.message().length);
      }
      Thread closing = new Thread(site.server::close);
      closing.start();
      EOFException end =
          assertThrows(
              EOFException.class,
              () -> {
                while (true) {
                  assertEquals(content.length + Message.FIELDS, peer.message().length);
                }
              });
      assertTrue(end.getMessage().contains("nothing more"), "by a record, not by a cut");
      peer.sendMessage(new byte[] {Records.CLOSE});
      closing.join();
    }
  }
}
