package dev.mely.examples.sfs;

import java.security.KeyPair;
import java.util.Arrays;
import java.util.List;

/** The client's side of a {@link Handshake}. */
final class ClientHandshake extends Handshake {
  private static final String WRONG_SERVER =
      "the server does not have the key in its path, or an attacker is in between";

  private static final int SERVER_HELLO = MAGIC.length + 1 + RawKey.BYTES;

  private final PublicId server;
  private final byte[] versions;
  private final KeyPair ephemeral = RawKey.X25519.generate();
  private final byte[] hello;

  ClientHandshake(Identity self, PublicId server, RekeyRule rule) {
    this(self, server, rule, new byte[] {VERSION});
  }

  /** Takes the versions to offer, of which only {@link #VERSION} is known. */
  ClientHandshake(Identity self, PublicId server, RekeyRule rule, byte[] versions) {
    super(self, false, rule);
    this.server = server;
    this.versions = versions.clone();
    byte[] key = RawKey.of(ephemeral.getPublic());
    this.hello = Records.concat(MAGIC, new byte[] {(byte) versions.length}, versions, key);
  }

  @Override
  List<byte[]> start() {
    return List.of(Records.plain(hello));
  }

  @Override
  List<byte[]> takeHello(byte[] body) throws ProtocolViolation {
    if (body.length != SERVER_HELLO || !Arrays.equals(MAGIC, Arrays.copyOf(body, MAGIC.length))) {
      throw new ProtocolViolation("this is not an SFS server");
    }
    byte version = body[MAGIC.length];
    boolean offered = false;
    for (byte known : versions) {
      offered |= known == version;
    }
    if (!offered || version != VERSION) {
      throw new ProtocolViolation("the server has chosen version " + version);
    }
    byte[] other = Arrays.copyOfRange(body, MAGIC.length + 1, body.length);
    agree(server, hello, body, ephemeral, other);
    return List.of();
  }

  @Override
  List<byte[]> takeProof(byte[] body) throws ProtocolViolation {
    byte[] signature;
    try {
      signature = openOnce(body, PublicId.SIGNATURE_BYTES);
    } catch (ProtocolViolation e) {
      // The server's key goes into the secrets, so another server's signature cannot be decrypted.
      throw new ProtocolViolation(WRONG_SERVER);
    }
    if (!server.hasSigned(toSign("sfs1 server"), signature)) {
      throw new ProtocolViolation(WRONG_SERVER);
    }
    append(signature);
    byte[] proof = Records.concat(self.id().bytes(), self.sign(toSign("sfs1 client")));
    byte[] record = sealOnce(proof);
    append(proof);
    complete(server);
    return List.of(record);
  }
}
