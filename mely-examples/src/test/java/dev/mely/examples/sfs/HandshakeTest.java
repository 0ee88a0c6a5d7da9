package dev.mely.examples.sfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.KeyPairGenerator;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Two sides of a handshake without a network, and a man in the middle. */
class HandshakeTest {
  private static final Identity SERVER = Identity.generate();
  private static final Identity CLIENT = Identity.generate();

  private final ServerHandshake server = new ServerHandshake(SERVER, RekeyRule.DEFAULT);
  private ClientHandshake client = new ClientHandshake(CLIENT, SERVER.id(), RekeyRule.DEFAULT);

  /** Changes the body of one of the four steps. */
  private interface Between {
    byte[] change(int step, byte[] body);
  }

  /** Carries the steps to and fro. */
  private void run(Between between) throws ProtocolViolation {
    ArrayDeque<byte[]> toServer = new ArrayDeque<>(client.start());
    ArrayDeque<byte[]> toClient = new ArrayDeque<>();
    for (int step = 0; !toServer.isEmpty() || !toClient.isEmpty(); step++) {
      boolean forServer = !toServer.isEmpty();
      byte[] record = forServer ? toServer.remove() : toClient.remove();
      byte[] body = between.change(step, Arrays.copyOfRange(record, 4, record.length));
      if (forServer) {
        toClient.addAll(server.take(body));
      } else {
        toServer.addAll(client.take(body));
      }
    }
  }

  @Test
  void bothKnowEachOther() throws Exception {
    run((step, body) -> body);
    assertTrue(client.isComplete() && server.isComplete());
    assertEquals(SERVER.id(), client.peer());
    assertEquals(CLIENT.id(), server.peer());
    for (int i = 0; i < 3; i++) {
      carries(client.sealer(), server.opener(), i);
      carries(server.sealer(), client.opener(), i);
    }
  }

  private static void carries(Sealer sealer, Opener opener, int number) throws Exception {
    byte[] message = {Records.DATA, 1, 2, (byte) number};
    byte[] record = sealer.seal(message);
    assertArrayEquals(message, opener.open(record, 4, record.length - 4));
  }

  @Test
  void aServerWithAnotherKeyIsRefused() {
    client = new ClientHandshake(CLIENT, Identity.generate().id(), RekeyRule.DEFAULT);
    assertThrows(ProtocolViolation.class, () -> run((step, body) -> body));
    assertFalse(client.isComplete());
  }

  /** Public keys are public: naming another one's must not be enough. */
  private static Identity impostor(PublicId victim) throws Exception {
    KeyPairGenerator keys = KeyPairGenerator.getInstance("Ed25519");
    return new Identity(keys.generateKeyPair().getPrivate(), victim);
  }

  @Test
  void aServerThatOnlyKnowsThePublicKeyIsRefused() throws Exception {
    ServerHandshake impostor = new ServerHandshake(impostor(SERVER.id()), RekeyRule.DEFAULT);
    byte[] hello = client.start().get(0);
    List<byte[]> answers = impostor.take(Arrays.copyOfRange(hello, 4, hello.length));
    client.take(Arrays.copyOfRange(answers.get(0), 4, answers.get(0).length));
    byte[] signature = Arrays.copyOfRange(answers.get(1), 4, answers.get(1).length);
    assertThrows(ProtocolViolation.class, () -> client.take(signature));
    assertFalse(client.isComplete());
  }

  @Test
  void aClientThatOnlyKnowsThePublicKeyIsRefused() throws Exception {
    client = new ClientHandshake(impostor(CLIENT.id()), SERVER.id(), RekeyRule.DEFAULT);
    assertThrows(ProtocolViolation.class, () -> run((step, body) -> body));
    assertFalse(server.isComplete());
  }

  /** After any modification on the way, neither side completes the handshake. */
  @Test
  void eachByteOfEachStepCounts() throws Exception {
    long seed = Long.getLong("mely.fuzz.seed", 1);
    System.out.println("changed handshakes: -Dmely.fuzz.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    int[] lengths = new int[4];
    run(
        (step, body) -> {
          lengths[step] = body.length;
          return body;
        });
    int changed = 0;
    for (int step = 0; step < 4; step++) {
      // All bytes of the two hellos' beginnings, and every third of the rest.
      for (int at = 0; at < lengths[step]; at += step < 2 && at < 6 ? 1 : 3) {
        refused(step, at, (byte) (1 << random.nextInt(7)));
        changed++;
      }
    }
    assertTrue(changed > 80, "changed " + changed);
  }

  private static void refused(int changedStep, int at, byte bits) {
    HandshakeTest other = new HandshakeTest();
    boolean[] reached = {false};
    assertThrows(
        ProtocolViolation.class,
        () ->
            other.run(
                (step, body) -> {
                  if (step == changedStep) {
                    reached[0] = true;
                    body[at] ^= bits;
                  }
                  return body;
                }),
        () -> "step " + changedStep + ", byte " + at + ", bits " + bits);
    assertTrue(reached[0]);
    assertFalse(other.server.isComplete());
    if (changedStep < 3) {
      assertFalse(other.client.isComplete());
    }
  }

  @Test
  void whoTakesVersionsOutOfAnOfferIsNoticed() throws Exception {
    byte[] offer = {9, Handshake.VERSION};
    client = new ClientHandshake(CLIENT, SERVER.id(), RekeyRule.DEFAULT, offer);
    run((step, body) -> body); // the known one of the two is chosen
    assertTrue(server.isComplete());

    HandshakeTest downgraded = new HandshakeTest();
    downgraded.client = new ClientHandshake(CLIENT, SERVER.id(), RekeyRule.DEFAULT, offer);
    assertThrows(
        ProtocolViolation.class,
        () -> downgraded.run((step, body) -> step == 0 ? withoutFirstVersion(body) : body));
    assertFalse(downgraded.client.isComplete());
  }

  private static byte[] withoutFirstVersion(byte[] hello) {
    ByteBuffer less = ByteBuffer.allocate(hello.length - 1);
    less.put(hello, 0, 3).put((byte) (hello[3] - 1)).put(hello, 5, hello.length - 5);
    return less.array();
  }

  @Test
  void aVersionThatWasNotOfferedIsRefused() {
    client = new ClientHandshake(CLIENT, SERVER.id(), RekeyRule.DEFAULT, new byte[] {9});
    assertThrows(ProtocolViolation.class, () -> run((step, body) -> body));
    HandshakeTest chosen = new HandshakeTest();
    assertThrows(
        ProtocolViolation.class,
        () ->
            chosen.run(
                (step, body) -> {
                  if (step == 1) {
                    body[3] = 9;
                  }
                  return body;
                }));
  }

  /** A signature is good for the handshake it was made for. */
  @Test
  void stepsOfAnotherHandshakeAreRefused() throws Exception {
    byte[][] old = new byte[4][];
    run(
        (step, body) -> {
          old[step] = body.clone();
          return body;
        });
    for (int replayed = 1; replayed < 4; replayed++) {
      int changed = replayed;
      HandshakeTest next = new HandshakeTest();
      assertThrows(
          ProtocolViolation.class,
          () -> next.run((step, body) -> step == changed ? old[step] : body));
    }
    // The first step is the client's alone: who repeats it learns nothing, and proves nothing.
    ServerHandshake again = new ServerHandshake(SERVER, RekeyRule.DEFAULT);
    again.take(old[0]);
    assertThrows(ProtocolViolation.class, () -> again.take(old[3]));
    assertFalse(again.isComplete());
  }
}
