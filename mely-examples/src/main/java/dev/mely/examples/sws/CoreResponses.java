package dev.mely.examples.sws;

import dev.mely.Mely;
import dev.mely.examples.service.PlannedBuffer;
import dev.mely.nio.Output;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The output of one connection of {@link SwsCoreServer}: keeps the responses' memory and file until
 * all is sent.
 */
final class CoreResponses extends Responses {
  /** Name of responses in stages and plans. */
  static final String OBJECT = "response";

  private static final int MAX_PENDING = 64 * 1024;

  private final Mely mely;
  private final Output out;

  /** Buffers of answers that are not completely sent. */
  private final Queue<PlannedBuffer> answers = new ArrayDeque<>(2);

  /** The file that is being sent. */
  private Found.@Nullable File file;

  private long written;

  CoreResponses(Mely mely, Output out) {
    this.mely = mely;
    this.out = out;
  }

  // ---- Writing

  @Override
  void pieces(byte[][] pieces, int length) {
    PlannedBuffer copy = PlannedBuffer.take(mely, OBJECT, length, answers.size() + 1);
    answers.add(copy);
    for (byte[] piece : pieces) {
      copy.memory().put(piece);
    }
    shared(copy.memory().flip());
  }

  @Override
  void made(ByteBuffer bytes) {
    answers.add(PlannedBuffer.of(OBJECT, bytes, answers.size() + 1));
    shared(bytes);
  }

  @Override
  void shared(ByteBuffer bytes) {
    written += bytes.remaining();
    out.write(bytes);
  }

  @Override
  void file(Found.File found, long first, long length) {
    file = found;
    written += length;
    out.write(found.open().channel(), first, length);
  }

  // ---- Sending

  /**
   * Sends as much as the socket accepts.
   *
   * @return whether all is sent
   * @throws IOException if the connection is broken
   */
  boolean flush() throws IOException {
    boolean all = out.flush();
    if (all) {
      forgetAnswers();
    }
    return all;
  }

  /** How many bytes are written but not sent. */
  long pending() {
    return out.pending();
  }

  /** Whether so much is written but not sent that no further request is taken. */
  boolean isFull() {
    return out.pending() > MAX_PENDING;
  }

  /** How many bytes have been sent. */
  long sent() {
    return written - out.pending();
  }

  /** Whether a file is open: being sent, or sent and not closed yet. */
  boolean hasFile() {
    return file != null;
  }

  /** Closes the file, which has been sent, or never will be. */
  void closeFile() {
    Found.File sent = file;
    file = null;
    if (sent != null) {
      sent.discard();
    }
  }

  /** Frees everything: no more is sent. */
  void discard() {
    closeFile();
    forgetAnswers();
  }

  private void forgetAnswers() {
    for (PlannedBuffer sent = answers.poll(); sent != null; sent = answers.poll()) {
      sent.free();
    }
  }
}
