package dev.mely.examples.sfs;

import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How two sides come to share keys that nobody else has, each knowing who the other is. Four steps,
 * the first two in the clear:
 *
 * <pre>
 *   client                                              server
 *      -- hello: versions, ephemeral key -----------------&gt;
 *      &lt;----------- hello: version, ephemeral key ----------
 *      &lt;----- {signature of the server over all of that} ---
 *      -- {public key, signature over all of that} -------&gt;
 * </pre>
 *
 * <p>The client knows the server's public key beforehand, from the path; it is hashed into what is
 * signed and is never sent. Who the client is, is seen by the server alone. The versions that the
 * client has offered are signed by both sides, so that nobody in between can take the better ones
 * out. This is the SIGMA scheme (H. Krawczyk, CRYPTO 2003), with the key schedule of TLS 1.3.
 *
 * <p>Belongs to the color of its connection.
 */
abstract class Handshake {
  /** The only version that is spoken; in version 1, listings were made in another way. */
  static final byte VERSION = 2;

  static final byte[] MAGIC = {'S', 'F', 'S'};

  final Identity self;
  private final boolean server;
  private final RekeyRule rule;
  private byte[] transcript = {};
  private byte[] secret = {};

  // For the two signatures, after both hellos; for the session, when it is complete.
  private @Nullable Sealer sealer;
  private @Nullable Opener opener;
  private @Nullable PublicId peer;

  /**
   * Begins.
   *
   * @param server whether this is the server's side
   */
  Handshake(Identity self, boolean server, RekeyRule rule) {
    this.self = self;
    this.server = server;
    this.rule = rule;
  }

  /** What to send before anything has come: whole records. */
  abstract List<byte[]> start();

  /**
   * Takes the body of a record.
   *
   * @return records to send
   * @throws ProtocolViolation if the other side is not who it should be, or somebody is in between
   */
  final List<byte[]> take(byte[] body) throws ProtocolViolation {
    if (isComplete()) {
      throw new ProtocolViolation("the handshake is over");
    }
    return opener == null ? takeHello(body) : takeProof(body);
  }

  abstract List<byte[]> takeHello(byte[] body) throws ProtocolViolation;

  abstract List<byte[]> takeProof(byte[] body) throws ProtocolViolation;

  /** Who the other side is; null until it has proved it. */
  final @Nullable PublicId peer() {
    return peer;
  }

  // ---- What both sides do

  /** After both hellos: derives the keys for the rest of the handshake. */
  final void agree(
      PublicId serverId, byte[] clientHello, byte[] serverHello, KeyPair own, byte[] other)
      throws ProtocolViolation {
    secret = Hkdf.extract(ascii("sfs1"), RawKey.agree(own.getPrivate(), other));
    transcript = hash(ascii("sfs1"), serverId.bytes(), clientHello, serverHello);
    deriveKeys("handshake", RekeyRule.DEFAULT);
  }

  private void deriveKeys(String phase, RekeyRule sealing) {
    byte[] ofClient = secret("sfs1 " + phase + " client");
    byte[] ofServer = secret("sfs1 " + phase + " server");
    sealer = new Sealer(server ? ofServer : ofClient, sealing, System::nanoTime);
    opener = new Opener(server ? ofClient : ofServer);
  }

  private byte[] secret(String label) {
    return TrafficKey.derive(secret, label, Hkdf.HASH_BYTES, transcript);
  }

  /** What a side signs. */
  final byte[] toSign(String label) {
    return Records.concat(ascii(label), transcript);
  }

  /** A step has been made: all that follows depends on it. */
  final void append(byte[] message) {
    transcript = hash(transcript, message);
  }

  /** After all steps: derives the keys of the session. */
  final void complete(PublicId other) {
    deriveKeys("session", rule);
    secret = new byte[0];
    peer = other;
  }

  final boolean isComplete() {
    return peer != null;
  }

  /** For the session; null until the handshake is complete. */
  final @Nullable Sealer sealer() {
    return isComplete() ? sealer : null;
  }

  /** For the session; null until the handshake is complete. */
  final @Nullable Opener opener() {
    return isComplete() ? opener : null;
  }

  /** Seals the one record that a side sends in the handshake. */
  final byte[] sealOnce(byte[] proof) {
    byte[] type = {Records.HANDSHAKE};
    return Objects.requireNonNull(sealer).seal(Records.concat(type, proof));
  }

  /** Opens the one record that a side receives in the handshake; without its type. */
  final byte[] openOnce(byte[] body, int length) throws ProtocolViolation {
    byte[] message = Objects.requireNonNull(opener).open(body, 0, body.length);
    if (message == null || message[0] != Records.HANDSHAKE || message.length != 1 + length) {
      throw new ProtocolViolation("not a step of the handshake");
    }
    return Arrays.copyOfRange(message, 1, message.length);
  }

  private static byte[] hash(byte[]... parts) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(Records.concat(parts));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
