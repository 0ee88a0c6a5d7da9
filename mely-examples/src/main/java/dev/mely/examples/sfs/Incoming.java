package dev.mely.examples.sfs;

import dev.mely.stage.Stages;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What comes from the socket: steps of the handshake, and then records, which it decrypts. Belongs
 * to the color of its connection.
 */
final class Incoming {
  private static final int SMALL = 2 * (Records.HEADER + Records.MAX_HANDSHAKE);
  private static final int LARGE = 2 * (Records.HEADER + Records.MAX_RECORD);

  private final Handshake handshake;

  /** Small until a long record comes, which is not before the other side is known. */
  private ByteBuffer bytes = ByteBuffer.allocate(SMALL);

  Incoming(Handshake handshake) {
    this.handshake = handshake;
  }

  /**
   * Reads once.
   *
   * @param steps gets the records with which the handshake goes on
   * @param messages gets what was decrypted
   * @return whether the other side has ended the stream
   * @throws ProtocolViolation if it has sent what makes no sense; nothing can be read after it
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
      return; // was for the layer below alone
    }
    if (message[0] != Records.DATA) {
      throw new ProtocolViolation("a step of a handshake that is over");
    }
    messages.add(message);
    Stages.allocated("request", message.length);
  }

  /** Whether the other side has said that nothing more will come. */
  boolean isClosed() {
    Opener opener = handshake.opener();
    return opener != null && opener.isClosed();
  }

  /** Whether some, but not all, of a record has come. */
  boolean isCut() {
    return bytes.position() > 0;
  }
}
