package dev.mely.examples.sws;

import dev.mely.Mely;
import dev.mely.examples.http.HttpClock;
import dev.mely.examples.service.PlannedBuffer;
import dev.mely.nio.Output;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The responses of one connection of {@link SwsCoreServer} on their way to the client: written in
 * the order in which they are added, and their memory and their file kept until all has been sent.
 * Belongs to the connection's color.
 */
final class CoreResponses {
  /** What stages, and plans, know responses by. */
  static final String OBJECT = "response";

  private static final int MAX_PENDING = 64 * 1024;

  private static final byte[] CONTINUE =
      "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final Logger LOG = LoggerFactory.getLogger(CoreResponses.class);

  private final Mely mely;
  private final Output out;

  /** What was made for answers and has not all been sent. */
  private final Queue<PlannedBuffer> answers = new ArrayDeque<>(2);

  /** The file that is being sent. */
  private ServedFolder.@Nullable OpenFile file;

  private long written;

  CoreResponses(Mely mely, Output out) {
    this.mely = mely;
    this.out = out;
  }

  // ---- Writing

  /**
   * Writes the response to a request. Does not flush, so that pipelined responses leave together.
   *
   * @throws Refusal if there is to be an error in its place; nothing has been written then
   */
  void add(Request asked, Found what, HttpClock now) throws Refusal {
    boolean open = asked.keepAlive();
    if (what instanceof PrebuiltResponse hit) {
      fromMemory(asked, hit, now);
    } else if (what instanceof Found.File onDisk) {
      fromDisk(asked, onDisk, now);
    } else if (what instanceof Found.Redirect redirect) {
      add(Answer.of(asked, redirect, open, now));
    } else if (what instanceof Found.Page page) {
      add(Answer.of(asked, page, open, now));
    } else if (what instanceof Found.Nothing nothing) {
      throw nothing.refusal();
    }
  }

  /** Writes what was made for this one response. */
  void add(Answer answer) {
    ByteBuffer bytes = answer.bytes();
    answers.add(PlannedBuffer.of(OBJECT, bytes, answers.size() + 1));
    write(bytes);
  }

  /** Tells the client that it may send its body. */
  void addContinue() {
    write(ByteBuffer.wrap(CONTINUE));
  }

  /** Writes what needs no memory of its own. */
  private void write(ByteBuffer bytes) {
    written += bytes.remaining();
    out.write(bytes);
  }

  private void fromMemory(Request asked, PrebuiltResponse hit, HttpClock now) throws Refusal {
    Selection selection = Selection.of(asked, hit.file(), now);
    RangeHeader range = selection.range();
    if (selection.kind() == Selection.Kind.WHOLE) {
      int length = hit.length(asked, now);
      PlannedBuffer head = PlannedBuffer.take(mely, OBJECT, length, answers.size() + 1);
      answers.add(head);
      hit.write(asked, now, head.memory()::put);
      write(head.memory().flip());
      if (hit.hasContentBehind(asked)) {
        write(hit.content());
      }
    } else {
      add(Answer.of(asked, hit.file(), selection, asked.keepAlive(), now));
      if (range != null) {
        write(hit.content(range));
      }
    }
  }

  private void fromDisk(Request asked, Found.File found, HttpClock now) throws Refusal {
    ServedFolder.OpenFile open = found.open();
    Representation info = found.file();
    file = open;
    boolean sent = false;
    try {
      Selection selection = Selection.of(asked, info, now);
      RangeHeader range = selection.range();
      add(Answer.of(asked, info, selection, asked.keepAlive(), now));
      boolean whole = selection.kind() == Selection.Kind.WHOLE;
      if (!asked.head() && (whole || range != null)) {
        long first = range == null ? 0 : range.first();
        long length = range == null ? info.size() : range.length();
        written += length;
        out.write(open.channel(), first, length);
        sent = true;
      }
    } finally {
      if (!sent) {
        closeFile();
      }
    }
  }

  // ---- Sending

  /**
   * Sends what the connection takes.
   *
   * @return whether nothing is left
   * @throws IOException if the connection is broken
   */
  boolean flush() throws IOException {
    boolean all = out.flush();
    if (all) {
      forgetAnswers();
    }
    return all;
  }

  /** How many bytes have been written, but not sent. */
  long pending() {
    return out.pending();
  }

  /** Whether so much has been written, but not sent, that no further request is taken. */
  boolean isFull() {
    return out.pending() > MAX_PENDING;
  }

  /** How many bytes have been sent. */
  long sent() {
    return written - out.pending();
  }

  /** Whether a file is being sent, or has been and is open still. */
  boolean hasFile() {
    return file != null;
  }

  /** The file has been sent, or never will be. */
  void closeFile() {
    ServedFolder.OpenFile open = file;
    file = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        LOG.debug("a file was not closed well", e);
      }
    }
  }

  /** Nothing will be sent any more. */
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
