package dev.mely.examples.sfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A hundred thousand messages that are nearly right: requests of a client that is known, steps of
 * handshakes, records of strangers. {@code -Dmely.fuzz.seed} repeats a run.
 */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class MutatedMessagesTest {
  private static final int REQUESTS = 90_000;
  private static final int HANDSHAKES = 2_000;
  private static final int RECORDS = 8_000;
  private static final long SEED = Long.getLong("mely.fuzz.seed", 1);

  @TempDir private Path temporary;

  /** One of each kind, as it should be. */
  private static List<byte[]> requests() {
    return List.of(
        Message.request(Op.PING).bytes(),
        Message.request(Op.LIST).text("d").bytes(),
        Message.request(Op.LIST).text("").bytes(),
        Message.request(Op.MORE).u32(4).bytes(),
        Message.request(Op.STAT).text("d/f").bytes(),
        Message.request(Op.OPEN).text("d/f").u8(Message.READ).bytes(),
        Message.request(Op.OPEN).text("g").u8(Message.WRITE).bytes(),
        Message.request(Op.READ).u32(1).u64(5).u32(100).bytes(),
        Message.request(Op.WRITE).u32(2).u64(7).data(new byte[50], 0, 50).bytes(),
        Message.request(Op.CLOSE).u32(3).u8(0).bytes(),
        Message.request(Op.RENAME).text("d/f").text("d/h").bytes(),
        Message.request(Op.REMOVE).text("d/../../outside/secret").bytes(),
        Message.request(Op.OPEN).text("../outside/secret").u8(Message.WRITE).bytes());
  }

  /** Changes some bytes, cuts some off, or puts some in; where it begins stays. */
  private static byte[] mutate(SplittableRandom random, byte[] right, int from) {
    byte[] message = right.clone();
    for (int n = random.nextInt(4); n >= 0; n--) {
      int at = message.length <= from ? from : random.nextInt(from, message.length);
      switch (random.nextInt(6)) {
        case 0 -> message = Arrays.copyOf(message, at);
        case 1 -> {
          byte[] longer = Arrays.copyOf(message, message.length + random.nextInt(1, 20));
          random.nextBytes(longer);
          System.arraycopy(message, 0, longer, 0, message.length);
          message = longer;
        }
        case 2 -> set(message, at, (byte) 0xff);
        case 3 -> set(message, at, (byte) 0);
        case 4 -> set(message, at, (byte) "./ab\0".charAt(random.nextInt(5)));
        default -> set(message, at, (byte) random.nextInt(256));
      }
    }
    return message;
  }

  private static void set(byte[] message, int at, byte value) {
    if (at < message.length) {
      message[at] = value;
    }
  }

  /** Each gets one answer, under its number, and a client beside it always gets the right bytes. */
  @Test
  void requestsOfAClientThatIsKnown() throws Exception {
    System.out.println("mutated requests: -Dmely.fuzz.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    Path root = Files.createDirectories(temporary.resolve("root/d")).getParent();
    Path outside = Files.createDirectories(temporary.resolve("outside"));
    Files.writeString(outside.resolve("secret"), "foreign");
    Files.createSymbolicLink(root.resolve("a"), outside);
    try (SfsSite site = new SfsSite(root);
        SfsClient neighbor = site.connect(site.reader);
        RawPeer peer = site.raw(site.writer)) {
      Files.createDirectory(root.resolve("safe"));
      byte[] content = site.write("safe/f", 5000);
      SfsClient.RemoteFile file = neighbor.open("safe/f", Message.READ);
      List<byte[]> right = requests();
      int[] statuses = new int[Status.values().length];
      int window = 300;
      for (int i = 0; i < REQUESTS; i += window) {
        ByteBuffer batch = ByteBuffer.allocate(1 << 20);
        for (int n = 0; n < window; n++) {
          if (random.nextInt(2000) == 0) {
            Files.writeString(root.resolve("d/f"), "again");
          }
          byte[] message = mutate(random, right.get(random.nextInt(right.size())), Message.FIELDS);
          Message.number(message, i + n + 1);
          if (random.nextInt(20) == 0) {
            message[5] = (byte) random.nextInt(256);
          }
          batch.put(peer.seal(message));
        }
        byte[] sent = Arrays.copyOf(batch.array(), batch.position());
        Thread writing = start(() -> peer.send(sent));
        for (int n = 0; n < window; ) {
          byte[] answer = peer.message();
          int number = Message.number(answer);
          if (number != Message.NO_REQUEST) {
            assertEquals(i + n + 1, number, "in order, each once");
            Status status = Status.of(Message.code(answer));
            assertNotNull(status);
            statuses[status.code()]++;
            n++;
          }
        }
        writing.join();
        byte[] data = new byte[content.length];
        neighbor.await(file.read(0, content.length)).get(data);
        assertArrayEquals(content, data);
      }
      System.out.println("answers by status: " + Arrays.toString(statuses));
      assertTrue(statuses[Status.OK.code()] > REQUESTS / 50, "some are still right");
      assertTrue(statuses[Status.BAD_REQUEST.code()] > REQUESTS / 50, "some are not");
      assertEquals("foreign", Files.readString(outside.resolve("secret")));
      assertEquals(1, outside.toFile().list().length);
    }
  }

  private interface Sending {
    void run() throws IOException;
  }

  private static Thread start(Sending sending) {
    Thread thread =
        new Thread(
            () -> {
              try {
                sending.run();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    thread.start();
    return thread;
  }

  /** No side of a handshake takes a step that was changed, nor fails in another way. */
  @Test
  void stepsOfHandshakes() throws Exception {
    System.out.println("mutated handshakes: -Dmely.fuzz.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    Identity server = Identity.generate();
    Identity client = Identity.generate();
    int refused = 0;
    for (int i = 0; i < HANDSHAKES; i++) {
      ServerHandshake here = new ServerHandshake(server, RekeyRule.DEFAULT);
      ClientHandshake there = new ClientHandshake(client, server.id(), RekeyRule.DEFAULT);
      int victim = random.nextInt(4);
      boolean changed = false;
      try {
        byte[] hello = body(there.start().get(0));
        byte[] first = victim == 0 ? mutate(random, hello, 0) : hello;
        changed |= !same(hello, first);
        List<byte[]> answers = here.take(first);
        byte[] second =
            victim == 1 ? mutate(random, body(answers.get(0)), 0) : body(answers.get(0));
        changed |= !same(body(answers.get(0)), second);
        there.take(second);
        byte[] third = victim == 2 ? mutate(random, body(answers.get(1)), 0) : body(answers.get(1));
        changed |= !same(body(answers.get(1)), third);
        byte[] proof = body(there.take(third).get(0));
        byte[] fourth = victim == 3 ? mutate(random, proof, 0) : proof;
        changed |= !same(proof, fourth);
        here.take(fourth);
        assertTrue(!changed && here.isComplete(), "a changed step was taken");
      } catch (ProtocolViolation e) {
        assertTrue(changed, "an unchanged step was refused");
        refused++;
      }
    }
    assertTrue(refused > HANDSHAKES / 2, "refused " + refused);
  }

  /** The top bit of an ephemeral key is ignored, but signed all the same. */
  private static boolean same(byte[] one, byte[] other) {
    return Arrays.equals(one, other);
  }

  private static byte[] body(byte[] record) {
    return Arrays.copyOfRange(record, Records.HEADER, record.length);
  }

  /** Records of strangers end their connection, and nothing else. */
  @Test
  void recordsOfStrangers() throws Exception {
    System.out.println("mutated records: -Dmely.fuzz.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    Path root = Files.createDirectories(temporary.resolve("root"));
    try (SfsSite site = new SfsSite(root);
        SfsClient neighbor = site.connect(site.reader)) {
      List<RawPeer> peers = new ArrayList<>();
      for (int i = 0; i < RECORDS; ) {
        RawPeer peer = site.raw();
        peers.add(peer);
        byte[] hello =
            new ClientHandshake(site.writer, site.identity.id(), RekeyRule.DEFAULT).start().get(0);
        try {
          for (int n = random.nextInt(20); n >= 0; n--, i++) {
            byte[] record = mutate(random, hello, 0);
            if (record.length >= 4 && random.nextBoolean()) {
              ByteBuffer.wrap(record).putInt(0, record.length - 4);
            }
            peer.send(record);
          }
        } catch (IOException ended) {
          i++;
        }
        if (peers.size() == 50) {
          for (RawPeer old : peers) {
            old.close();
          }
          peers.clear();
          neighbor.ping();
        }
      }
      for (RawPeer old : peers) {
        old.close();
      }
      neighbor.ping();
    }
  }
}
