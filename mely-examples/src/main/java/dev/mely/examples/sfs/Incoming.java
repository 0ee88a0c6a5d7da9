package dev.mely.examples.sfs;

import dev.mely.stage.Stages;
import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What comes from the socket: steps of the handshake, and then records, which it decrypts. Belongs
 * to the color of its connection.
 */
final class Incoming {
  private final Handshake handshake;
  private final FrameBuffer frames = new FrameBuffer();

  /** Whether the other side was named. */
  private boolean told;

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
    int n = frames.readFrom(channel);
    while (frames.hasRecord()) {
      Opener opener = handshake.opener();
      if (opener == null) {
        steps.addAll(shake());
      } else {
        decrypt(opener, messages);
      }
    }
    return n < 0;
  }

  private List<byte[]> shake() throws ProtocolViolation {
    int at = frames.offset();
    byte[] body = Arrays.copyOfRange(frames.array(), at, at + frames.length());
    frames.skip();
    List<byte[]> steps = handshake.take(body);
    if (handshake.isComplete()) {
      frames.allowLong();
    }
    return steps;
  }

  private void decrypt(Opener opener, List<byte[]> messages) throws ProtocolViolation {
    byte[] message = opener.open(frames.array(), frames.offset(), frames.length());
    frames.skip();
    if (message != null) {
      if (message[0] != Records.DATA) {
        throw new ProtocolViolation("a step of a handshake that is over");
      }
      messages.add(message);
      Stages.allocated("request", message.length);
    }
  }

  /** Who the other side is, once, when it has proved it; else null. */
  @Nullable PublicId newPeer() {
    if (told || !handshake.isComplete()) {
      return null;
    }
    told = true;
    return handshake.peer();
  }

  /** Whether the other side has said that nothing more will come. */
  boolean isClosed() {
    Opener opener = handshake.opener();
    return opener != null && opener.isClosed();
  }

  /** Whether some, but not all, of a record has come. */
  boolean isCut() {
    return frames.isCut();
  }
}
