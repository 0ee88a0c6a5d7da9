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
 * An authenticated key exchange: both sides get shared secret keys and the other's identity. Four
 * steps, the first two unencrypted:
 *
 * <pre>
 *   client                                              server
 *      -- hello: versions, ephemeral key -----------------&gt;
 *      &lt;----------- hello: version, ephemeral key ----------
 *      &lt;----- {signature of the server over all of that} ---
 *      -- {public key, signature over all of that} -------&gt;
 * </pre>
 *
 * <p>The client knows the server's public key from the path; the key is part of the signed hash and
 * is never sent. Only the server learns the client's identity. Both sides sign the versions that
 * the client has offered, so that an attacker in between cannot force an older one (downgrade).
 * This is the SIGMA scheme (H. Krawczyk, CRYPTO 2003), with the key schedule of TLS 1.3.
 *
 * <p>Belongs to the color of its connection.
 */
abstract class Handshake {
  /** The only supported version; version 1 had other listings. */
  static final byte VERSION = 2;

  static final byte[] MAGIC = {'S', 'F', 'S'};

  final Identity self;
  private final boolean server;
  private final RekeyRule rule;
  private byte[] transcript = {};
  private byte[] secret = {};

  // After both hellos: for the two signatures. After the handshake: for the session.
  private @Nullable Sealer sealer;
  private @Nullable Opener opener;
  private @Nullable PublicId peer;

  /**
   * Starts a handshake.
   *
   * @param server whether this is the server's side
   */
  Handshake(Identity self, boolean server, RekeyRule rule) {
    this.self = self;
    this.server = server;
    this.rule = rule;
  }

  /** The records to send first. */
  abstract List<byte[]> start();

  /**
   * Takes the body of a record.
   *
   * @return records to send
   * @throws ProtocolViolation if the other side has another identity, or a message was modified
   */
  final List<byte[]> take(byte[] body) throws ProtocolViolation {
    if (isComplete()) {
      throw new ProtocolViolation("the handshake is over");
    }
    return opener == null ? takeHello(body) : takeProof(body);
  }

  abstract List<byte[]> takeHello(byte[] body) throws ProtocolViolation;

  abstract List<byte[]> takeProof(byte[] body) throws ProtocolViolation;

  /** The other side's identity; null until it is proved. */
  final @Nullable PublicId peer() {
    return peer;
  }

  // ---- Both sides

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

  /** The bytes that a side signs. */
  final byte[] toSign(String label) {
    return Records.concat(ascii(label), transcript);
  }

  /** Adds a step's message to the transcript, on which all later steps depend. */
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

  /** Encrypts the one sealed record that a side sends in the handshake. */
  final byte[] sealOnce(byte[] proof) {
    byte[] type = {Records.HANDSHAKE};
    return Objects.requireNonNull(sealer).seal(Records.concat(type, proof));
  }

  /** Decrypts the one sealed record that a side receives in the handshake; without its type. */
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
