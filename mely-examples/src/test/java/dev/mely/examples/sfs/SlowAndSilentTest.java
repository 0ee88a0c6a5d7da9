package dev.mely.examples.sfs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Clients that are slow, silent, half gone or too many: they end, and others do not notice. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class SlowAndSilentTest {
  private static final Duration SHORT = Duration.ofMillis(400);
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir private Path root;

  /** Impatient with those who are known: a handshake takes long where all is compiled anew. */
  private static SfsConfig impatient(SfsConfig config) {
    return config.handshake(LONG).idleTimeout(SHORT).drainTimeout(SHORT);
  }

  @Test
  void whoSaysNothingIsEnded() throws Exception {
    try (SfsSite site = new SfsSite(root, c -> c.handshake(SHORT).drainTimeout(SHORT));
        RawPeer stranger = site.raw();
        RawPeer half = site.raw()) {
      half.send(new byte[] {0, 0, 0, 37, 'S', 'F'});
      assertTrue(stranger.isEnded());
      assertTrue(half.isEnded());
    }
    try (SfsSite site = new SfsSite(root, SlowAndSilentTest::impatient);
        RawPeer client = site.raw(site.reader)) {
      assertTrue(client.isEnded());
    }
  }

  /** A byte now and then is no request. */
  @Test
  void whoSendsTooSlowlyIsEnded() throws Exception {
    try (SfsSite site = new SfsSite(root, SlowAndSilentTest::impatient);
        RawPeer client = site.raw(site.reader)) {
      byte[] record = client.seal(Message.request(Op.STAT).text("a".repeat(4000)).bytes());
      assertThrows(
          IOException.class,
          () -> {
            for (byte b : record) {
              client.send(new byte[] {b});
              Thread.sleep(20);
            }
          });
    }
  }

  /** A slow sender who is fast enough is served; each byte comes alone. */
  @Test
  void bytesMayComeOneByOne() throws Exception {
    try (SfsSite site = new SfsSite(root);
        RawPeer client = site.raw(site.reader)) {
      byte[] content = site.write("f", 100);
      for (byte b : client.seal(Message.request(Op.OPEN).text("f").u8(1).bytes())) {
        client.send(new byte[] {b});
      }
      assertEquals(0, Message.code(client.message()));
      for (byte b : client.seal(Message.request(Op.READ).u32(1).u64(0).u32(100).bytes())) {
        client.send(new byte[] {b});
      }
      ByteBuffer answer = ByteBuffer.wrap(client.message());
      assertEquals(ByteBuffer.wrap(content), answer.position(Message.FIELDS).slice());
    }
  }

  /** Asks for much more than any socket buffers, and reads none of it. */
  @Test
  void whoReadsNothingIsEndedAndCostsLittle() throws Exception {
    Duration idle = Duration.ofSeconds(2);
    try (SfsSite site =
        new SfsSite(root, c -> c.handshake(LONG).idleTimeout(idle).drainTimeout(SHORT))) {
      byte[] content = site.write("f", 65_536);
      try (RawPeer peer = site.raw(site.reader)) {
        peer.sendMessage(Message.request(Op.OPEN).text("f").u8(Message.READ).bytes());
        assertEquals(0, Message.code(peer.message()));
        Thread asking =
            new Thread(
                () -> {
                  try {
                    while (true) {
                      peer.sendMessage(Message.request(Op.READ).u32(1).u64(0).u32(65_536).bytes());
                    }
                  } catch (IOException ended) {
                    // as it should be
                  }
                });
        asking.start();
        int own = 0;
        while (asking.isAlive()) { // until the server has ended it
          long heard = System.nanoTime(); // what was asked then has been answered
          try (SfsClient neighbor = site.connect(site.reader)) {
            SfsClient.RemoteFile file = neighbor.open("f", Message.READ);
            for (int i = 0; i < 50 && asking.isAlive(); i++) {
              long asked = System.nanoTime();
              byte[] data = new byte[content.length];
              neighbor.await(file.read(0, data.length)).get(data);
              assertArrayEquals(content, data);
              own++;
              heard = asked;
              Thread.sleep(10);
            }
          } catch (IOException e) {
            if (System.nanoTime() - heard < idle.toNanos()) {
              throw e; // else the neighbor was held up itself, and is ended rightly
            }
          }
        }
        assertTrue(peer.isEnded());
        long answered = site.server.answers.sum() - own;
        assertTrue(
            answered < 1000, "what no socket buffers is not read from the disk: " + answered);
      }
      site.connect(site.reader).close();
    }
  }

  /** The client has ended its side, but not said so in a record; and one that vanished. */
  @Test
  void whoIsHalfGoneIsEnded() throws Exception {
    try (SfsSite site = new SfsSite(root, c -> c.handshake(LONG).drainTimeout(SHORT));
        RawPeer known = site.raw(site.reader);
        RawPeer stranger = site.raw()) {
      known.socket.shutdownOutput();
      stranger.socket.shutdownOutput();
      assertTrue(known.isEnded());
      assertTrue(stranger.isEnded());
      RawPeer reset = site.raw(site.writer);
      reset.socket.setSoLinger(true, 0);
      reset.close();
      site.connect().close();
    }
  }

  @Test
  void aThousandIdleConnections() throws Exception {
    List<RawPeer> idle = new ArrayList<>();
    try (SfsSite site =
        new SfsSite(root, c -> c.maxClients(1100).handshake(LONG).drainTimeout(SHORT))) {
      byte[] content = site.write("f", 1000);
      for (int i = 0; i < 1000; i++) {
        idle.add(site.raw());
      }
      try (SfsClient client = site.connect(site.reader)) {
        SfsClient.RemoteFile file = client.open("f", Message.READ);
        byte[] data = new byte[content.length];
        client.await(file.read(0, data.length)).get(data);
        assertArrayEquals(content, data);
      }
    } finally {
      for (RawPeer peer : idle) {
        peer.close();
      }
    }
  }

  /** Connections without a handshake make room for new ones; known clients do not. */
  @Test
  void thereIsRoomForSoManyAndNoMore() throws Exception {
    try (SfsSite site =
            new SfsSite(root, c -> c.maxClients(3).handshake(LONG).drainTimeout(SHORT));
        RawPeer oldest = site.raw();
        RawPeer second = site.raw();
        RawPeer third = site.raw()) {
      try (SfsClient one = site.connect();
          SfsClient two = site.connect();
          SfsClient three = site.connect()) {
        assertTrue(oldest.isEnded() && second.isEnded() && third.isEnded());
        assertThrows(IOException.class, site::connect);
        one.ping();
        two.ping();
        three.ping();
      }
      await()
          .atMost(SfsSite.PATIENCE)
          .ignoreExceptions()
          .until(
              () -> {
                site.connect().close();
                return true;
              });
    }
  }

  /** What has been accepted and waits for the default color is bounded as well. */
  @Test
  void noMoreWaitForAPlaceThanThereArePlaces() throws Exception {
    List<RawPeer> peers = new ArrayList<>();
    CountDownLatch busy = new CountDownLatch(1);
    try (SfsSite site =
        new SfsSite(root, c -> c.maxClients(3).handshake(LONG).drainTimeout(SHORT))) {
      FutureTask<Boolean> handler = new FutureTask<>(() -> busy.await(100, TimeUnit.SECONDS));
      site.server.nio().mely().execute(site.server.color(), handler);
      for (int i = 0; i < 9; i++) {
        peers.add(site.raw());
      }
      await().atMost(SfsSite.PATIENCE).until(() -> site.server.clients().refused() == 3);
      assertEquals(6, site.server.clients().open());
      assertTrue(peers.get(8).isEnded());
      busy.countDown();
      assertTrue(handler.get());
      await().atMost(SfsSite.PATIENCE).until(() -> site.server.clients().open() == 3);
      site.connect().close(); // and no place is lost
    } finally {
      busy.countDown();
      for (RawPeer peer : peers) {
        peer.close();
      }
    }
  }

  /** A client that never says goodbye does not hold up the end. */
  @Test
  void theServerEndsWhateverItsClientsDo() throws Exception {
    SfsSite site = new SfsSite(root, c -> c.handshake(LONG).drainTimeout(SHORT));
    try (RawPeer stranger = site.raw();
        RawPeer client = site.raw(site.reader)) {
      site.close();
      assertTrue(stranger.isEnded());
      assertTrue(client.isEnded());
    }
  }
}
