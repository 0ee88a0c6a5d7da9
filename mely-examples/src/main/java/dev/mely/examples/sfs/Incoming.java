package dev.mely.examples.sfs;

import dev.mely.stage.Stages;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the socket: steps of the handshake, then records, which it decrypts. Belongs to the
 * color of its connection.
 */
final class Incoming {
  private static final int SMALL = 2 * (Records.HEADER + Records.MAX_HANDSHAKE);
  private static final int LARGE = 2 * (Records.HEADER + Records.MAX_RECORD);

  private final Handshake handshake;

  /** Small until a long record arrives, which is refused before the handshake is complete. */
  private ByteBuffer bytes = ByteBuffer.allocate(SMALL);

  Incoming(Handshake handshake) {
    this.handshake = handshake;
  }

  /**
   * Reads once.
   *
   * @param steps gets records of the handshake
   * @param messages gets decrypted messages
   * @return whether the other side has ended the stream
   * @throws ProtocolViolation if the input is invalid; nothing can be read after that
   */
  boolean readFrom(ReadableByteChannel channel, List<byte[]> steps, List<byte[]> messages)
      throws IOException {
    int n = channel.read(bytes);
    bytes.flip();
    while (hasRecord()) {
      int length = bytes.getInt();
      int at = bytes.position();
      bytes.position(at + length);
      Opener opener = handshake.opener();
      if (opener == null) {
        steps.addAll(handshake.take(Arrays.copyOfRange(bytes.array(), at, at + length)));
      } else {
        keep(opener.open(bytes.array(), at, length), messages);
      }
    }
    bytes.compact();
    return n < 0;
  }

  private boolean hasRecord() throws ProtocolViolation {
    if (bytes.remaining() < Records.HEADER) {
      return false;
    }
    int length = bytes.getInt(bytes.position());
    int most = handshake.isComplete() ? Records.MAX_RECORD : Records.MAX_HANDSHAKE;
    if (length < 1 || length > most) {
      throw new ProtocolViolation("a record of " + Integer.toUnsignedString(length) + " bytes");
    }
    if (Records.HEADER + length > bytes.capacity()) {
      bytes = ByteBuffer.allocate(LARGE).put(bytes).flip();
    }
    return bytes.remaining() >= Records.HEADER + length;
  }

  private static void keep(byte @Nullable [] message, List<byte[]> messages)
      throws ProtocolViolation {
    if (message == null) {
      return; // a record of this layer, without a message
    }
    if (message[0] != Records.DATA) {
      throw new ProtocolViolation("a handshake record after the handshake");
    }
    messages.add(message);
    Stages.allocated("request", message.length);
  }

  /** Whether the other side has announced that it sends no more. */
  boolean isClosed() {
    Opener opener = handshake.opener();
    return opener != null && opener.isClosed();
  }

  /** Whether a record is incomplete. */
  boolean isCut() {
    return bytes.position() > 0;
  }
}
