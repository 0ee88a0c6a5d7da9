package dev.mely.examples.sfs;

import java.security.KeyPair;
import java.util.Arrays;
import java.util.List;

/** The server's side of a {@link Handshake}. */
final class ServerHandshake extends Handshake {
  private static final int MAX_VERSIONS = 16;

  ServerHandshake(Identity self, RekeyRule rule) {
    super(self, true, rule);
  }

  @Override
  List<byte[]> start() {
    return List.of();
  }

  @Override
  List<byte[]> takeHello(byte[] body) throws ProtocolViolation {
    int versions = body.length - MAGIC.length - 1 - RawKey.BYTES;
    if (versions < 1
        || versions > MAX_VERSIONS
        || body[MAGIC.length] != versions
        || !Arrays.equals(MAGIC, Arrays.copyOf(body, MAGIC.length))) {
      throw new ProtocolViolation("this is not an SFS client");
    }
    boolean known = false;
    for (int i = 0; i < versions; i++) {
      known |= body[MAGIC.length + 1 + i] == VERSION;
    }
    if (!known) {
      throw new ProtocolViolation("the client offers no supported version");
    }
    KeyPair ephemeral = RawKey.X25519.generate();
    byte[] hello = Records.concat(MAGIC, new byte[] {VERSION}, RawKey.of(ephemeral.getPublic()));
    byte[] other = Arrays.copyOfRange(body, body.length - RawKey.BYTES, body.length);
    agree(self.id(), body, hello, ephemeral, other);
    byte[] signature = self.sign(toSign("sfs1 server"));
    append(signature);
    return List.of(Records.plain(hello), sealOnce(signature));
  }

  @Override
  List<byte[]> takeProof(byte[] body) throws ProtocolViolation {
    byte[] proof = openOnce(body, PublicId.BYTES + PublicId.SIGNATURE_BYTES);
    PublicId client = PublicId.of(Arrays.copyOf(proof, PublicId.BYTES));
    byte[] signature = Arrays.copyOfRange(proof, PublicId.BYTES, proof.length);
    if (!client.hasSigned(toSign("sfs1 client"), signature)) {
      throw new ProtocolViolation("the client does not have the key that it names");
    }
    append(proof);
    complete(client);
    return List.of();
  }
}
