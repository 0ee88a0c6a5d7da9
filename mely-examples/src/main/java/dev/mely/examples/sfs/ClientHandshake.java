package dev.mely.examples.sfs;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The client's side of a {@link Handshake}. */
final class ClientHandshake extends Handshake {
  private static final String WRONG_SERVER =
      "the server does not have the key that its path names, or somebody is in between";

  private static final int SERVER_HELLO = MAGIC.length + 1 + X25519.BYTES;

  private final Identity self;
  private final PublicId server;
  private final RekeyRule rule;
  private final byte[] versions;
  private final X25519 ephemeral = X25519.generate();
  private final byte[] hello;
  private @Nullable HandshakeKeys keys;
  private @Nullable PublicId peer;

  ClientHandshake(Identity self, PublicId server, RekeyRule rule) {
    this(self, server, rule, new byte[] {VERSION});
  }

  /** Takes the versions to offer, of which only {@link #VERSION} is known. */
  ClientHandshake(Identity self, PublicId server, RekeyRule rule, byte[] versions) {
    this.self = self;
    this.server = server;
    this.rule = rule;
    this.versions = versions.clone();
    this.hello =
        concat(MAGIC, new byte[] {(byte) versions.length}, versions, ephemeral.publicKey());
  }

  @Override
  List<byte[]> start() {
    return List.of(Records.plain(hello));
  }

  @Override
  List<byte[]> take(byte[] body) throws ProtocolViolation {
    if (keys == null) {
      takeHello(body);
      return List.of();
    }
    return takeSignature(keys, body);
  }

  private void takeHello(byte[] body) throws ProtocolViolation {
    if (body.length != SERVER_HELLO || !Arrays.equals(MAGIC, Arrays.copyOf(body, MAGIC.length))) {
      throw new ProtocolViolation("this is no SFS server");
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
    keys = agree(server, hello, body, ephemeral, other);
  }

  private List<byte[]> takeSignature(HandshakeKeys step, byte[] body) throws ProtocolViolation {
    if (isComplete()) {
      throw new ProtocolViolation("the handshake is over");
    }
    byte[] signature;
    try {
      signature = openOnce(step.server(), body, PublicId.SIGNATURE_BYTES);
    } catch (ProtocolViolation e) {
      // The key goes into the secrets, so that another server's signature cannot even be opened.
      throw new ProtocolViolation(WRONG_SERVER);
    }
    if (!server.hasSigned(toSign("sfs1 server"), signature)) {
      throw new ProtocolViolation(WRONG_SERVER);
    }
    append(signature);
    byte[] id = self.id().bytes();
    byte[] own = self.sign(toSign("sfs1 client"));
    append(concat(id, own));
    complete(false, rule);
    peer = server;
    return List.of(sealOnce(step.client(), id, own));
  }

  @Override
  @Nullable PublicId peer() {
    return peer;
  }
}
