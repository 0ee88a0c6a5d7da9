package dev.mely.examples.sfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A man in the middle flips bits, and drops, repeats, swaps and truncates records. A client then
 * gets an error; results without an error are right, and the server has done only what its clients
 * requested.
 */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class ManInTheMiddleTest {
  private static final int ROUNDS = 12;
  private static final int SIZE = 150_000;
  private static final int PIECE = 30_000;

  @TempDir private Path root;

  private enum Deed {
    FLIP,
    DROP,
    REPEAT,
    EXCHANGE,
    CUT,
    CUT_WITHIN,
    REFLECT
  }

  @ParameterizedTest
  @EnumSource(Deed.class)
  void noDeedGoesUnnoticed(Deed deed) throws Exception {
    long seed = Long.getLong("mely.fuzz.seed", 1);
    System.out.println(deed + " in between: -Dmely.fuzz.seed=" + seed);
    try (SfsSite site = new SfsSite(root);
        Between between = new Between(site.server.address().getPort())) {
      byte[] content = site.write("f", SIZE);
      transfer(site, between, content, "w0"); // does no harm by itself
      for (int round = 0; round < ROUNDS; round++) {
        SplittableRandom random = new SplittableRandom(seed + round);
        AtomicInteger done = new AtomicInteger();
        boolean toServer = random.nextBoolean();
        // What is held back is noticed when the next record comes: one of several in a row.
        boolean holdsBack = deed == Deed.DROP || deed == Deed.EXCHANGE || deed == Deed.CUT_WITHIN;
        int victim = holdsBack ? (toServer ? 4 : 5) + random.nextInt(4) : random.nextInt(9);
        between.does(evil(deed, victim, toServer, random, done));
        String name = "w" + deed + round;
        assertThrows(IOException.class, () -> transfer(site, between, content, name));
        assertEquals(1, done.get());
        Path written = root.resolve(name);
        if (Files.exists(written)) {
          byte[] there = Files.readAllBytes(written);
          assertArrayEquals(Arrays.copyOf(content, there.length), there, "a part of it, or none");
        }
      }
      between.does((toServer, number, record) -> List.of(record));
      transfer(site, between, content, "again");
    }
  }

  /** Reads a file, writes it under another name, and says goodbye: some records each way. */
  private static void transfer(SfsSite site, Between between, byte[] content, String name)
      throws IOException {
    try (SfsClient client = site.connect(site.writer, between.port(), RekeyRule.DEFAULT)) {
      SfsClient.RemoteFile file = client.open("f", Message.READ);
      SfsClient.RemoteFile copy = client.open(name, Message.WRITE);
      List<CompletableFuture<ByteBuffer>> reads = new ArrayList<>();
      for (int at = 0; at < SIZE; at += PIECE) {
        reads.add(file.read(at, PIECE));
      }
      List<CompletableFuture<Fields>> writes = new ArrayList<>();
      for (int at = 0; at < SIZE; at += PIECE) {
        ByteBuffer data = client.await(reads.get(at / PIECE));
        byte[] piece = new byte[data.remaining()];
        data.get(piece);
        assertArrayEquals(Arrays.copyOfRange(content, at, at + PIECE), piece);
        writes.add(copy.write(at, piece, piece.length));
      }
      for (CompletableFuture<Fields> write : writes) {
        client.await(write).end();
      }
      copy.close(0);
    }
  }

  /** Does one deed, once, in one direction. */
  private static Between.Evil evil(
      Deed deed, int victim, boolean direction, SplittableRandom random, AtomicInteger done) {
    byte[][] held = {null};
    int bit = random.nextInt(8 * 40);
    return (toServer, number, record) -> {
      if (toServer != direction || number < victim || (done.get() > 0 && held[0] == null)) {
        return List.of(record);
      }
      done.set(1);
      switch (deed) {
        case FLIP -> {
          byte[] flipped = record.clone();
          // Not in the length: a longer record than there is would only wait.
          int at = 4 + bit / 8 % (record.length - 4);
          flipped[at] ^=
              (byte) (number == 0 && toServer && at == record.length - 1 ? 1 : 1 << bit % 7);
          return List.of(flipped);
        }
        case DROP -> {
          return List.of();
        }
        case REPEAT -> {
          return List.of(record, record);
        }
        case EXCHANGE -> {
          if (held[0] == null) {
            held[0] = record;
            return List.of();
          }
          byte[] first = held[0];
          held[0] = null;
          return List.of(record, first);
        }
        case CUT -> {
          return null;
        }
        case CUT_WITHIN -> {
          return List.of(Arrays.copyOf(record, record.length / 2), new byte[0]);
        }
        default -> {
          byte[] other = record.clone();
          Arrays.fill(other, 4, other.length, (byte) 7);
          return List.of(other);
        }
      }
    };
  }

  /** The end of the stream alone does not say that all has come. */
  @Test
  void anEndThatTheServerHasNotSentIsNoEnd() throws Exception {
    try (SfsSite site = new SfsSite(root);
        RawPeer peer = site.raw(site.reader)) {
      peer.sendMessage(Message.request(Op.PING).bytes());
      assertEquals(0, Message.code(peer.message()));
      byte[] close = peer.seal(new byte[] {Records.CLOSE});
      peer.send(Arrays.copyOf(close, close.length - 1));
      peer.socket.shutdownOutput();
      assertTrue(peer.isEnded());
      assertThrows(IOException.class, peer::message);
    }
  }

  /** Nothing that two connections send is the same, so that nothing of one fits the other. */
  @Test
  void aRecordedConnectionIsOfNoUse() throws Exception {
    try (SfsSite site = new SfsSite(root);
        Between between = new Between(site.server.address().getPort())) {
      List<byte[]> sent = new java.util.concurrent.CopyOnWriteArrayList<>();
      between.does(
          (toServer, number, record) -> {
            if (toServer) {
              sent.add(record);
            }
            return List.of(record);
          });
      site.write("f", 100);
      try (SfsClient client = site.connect(site.writer, between.port(), RekeyRule.DEFAULT)) {
        client.remove("f");
      }
      site.write("f", 100);
      try (RawPeer peer = site.raw()) {
        for (byte[] record : sent) {
          peer.send(record);
        }
        assertTrue(peer.isEnded());
      } catch (IOException reset) {
        assertNotEquals("", reset.toString());
      }
      assertTrue(Files.exists(root.resolve("f")), "removed once, not twice");
    }
  }
}
