package dev.mely.examples.sfs;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
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
  private static final byte[] NO_BYTES = {};

  final Identity self;
  private final boolean server;
  private final RekeyRule rule;
  private byte[] transcript = NO_BYTES;
  private byte[] secret = NO_BYTES;

  /** Protect the two signatures. */
  private byte[] clientSecret = NO_BYTES;

  private byte[] serverSecret = NO_BYTES;
  private @Nullable PublicId peer;
  private @Nullable Sealer sealer;
  private @Nullable Opener opener;

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
    return clientSecret.length == 0 ? takeHello(body) : takeProof(body);
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
      PublicId serverId, byte[] clientHello, byte[] serverHello, X25519 own, byte[] other)
      throws ProtocolViolation {
    secret = Hkdf.extract(ascii("sfs1"), own.agree(other));
    transcript = hash(ascii("sfs1"), serverId.bytes(), clientHello, serverHello);
    clientSecret = secret("sfs1 handshake client");
    serverSecret = secret("sfs1 handshake server");
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
    byte[] fromClient = secret("sfs1 session client");
    byte[] fromServer = secret("sfs1 session server");
    sealer = new Sealer(server ? fromServer : fromClient, rule, System::nanoTime);
    opener = new Opener(server ? fromClient : fromServer);
    secret = NO_BYTES;
    peer = other;
  }

  private byte[] secret(String label) {
    return TrafficKey.derive(secret, label, Hkdf.HASH_BYTES, transcript);
  }

  final boolean isComplete() {
    return opener != null;
  }

  /** For the session; null until the handshake is complete. */
  final @Nullable Sealer sealer() {
    return sealer;
  }

  /** For the session; null until the handshake is complete. */
  final @Nullable Opener opener() {
    return opener;
  }

  /** Seals the one record that a side sends in the handshake. */
  final byte[] sealOnce(byte[] proof) {
    byte[] type = {Records.HANDSHAKE};
    return new Sealer(server ? serverSecret : clientSecret, RekeyRule.DEFAULT, System::nanoTime)
        .seal(Records.concat(type, proof));
  }

  /** Opens the one record that a side receives in the handshake; without its type. */
  final byte[] openOnce(byte[] body, int length) throws ProtocolViolation {
    byte[] message = new Opener(server ? clientSecret : serverSecret).open(body, 0, body.length);
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
