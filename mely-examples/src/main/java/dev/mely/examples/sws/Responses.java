package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import java.nio.ByteBuffer;

/**
 * Writes the responses of one connection in the order in which it is called: the paper's
 * WriteResponse, for both builds. Does not flush, so that pipelined responses leave together.
 * Belongs to the connection's color.
 */
abstract class Responses {
  /** Writes the response to a request; takes ownership of what was found. */
  final void add(Request asked, Found what, HttpClock now) {
    boolean handedOn = false;
    try {
      handedOn = write(asked, what, now);
    } catch (Refusal refusal) {
      made(Answer.of(asked, refusal, now));
    } finally {
      if (!handedOn) {
        what.discard();
      }
    }
  }

  /** Returns whether a file is on its way to the client; throws before anything is written. */
  private boolean write(Request asked, Found what, HttpClock now) throws Refusal {
    if (what instanceof PrebuiltResponse hit) {
      Selection selection = Selection.of(asked, hit.file(), now);
      if (selection.kind() == Selection.Kind.WHOLE) {
        pieces(hit.pieces(asked, now));
        if (hit.hasContentBehind(asked)) {
          shared(hit.content(0, selection.length()));
        }
      } else {
        made(Answer.of(asked, hit.file(), selection, now));
        if (selection.length() > 0) {
          shared(hit.content(selection.first(), selection.length()));
        }
      }
    } else if (what instanceof Found.File found) {
      Selection selection = Selection.of(asked, found.file(), now);
      made(Answer.of(asked, found.file(), selection, now));
      if (!asked.head() && selection.length() > 0) {
        file(found, selection.first(), selection.length());
        return true;
      }
    } else if (what instanceof Found.Redirect redirect) {
      made(Answer.of(asked, redirect, now));
    } else if (what instanceof Found.Page page) {
      made(Answer.of(asked, page, now));
    } else if (what instanceof Found.Nothing nothing) {
      throw nothing.refusal();
    }
    return false;
  }

  private void pieces(byte[][] pieces) {
    int length = 0;
    for (byte[] piece : pieces) {
      length += piece.length;
    }
    pieces(pieces, length);
  }

  /**
   * Copies, and writes.
   *
   * @param length sum of the pieces' lengths
   */
  abstract void pieces(byte[][] pieces, int length);

  /** Writes a buffer made for this one response. */
  abstract void made(ByteBuffer bytes);

  /** Writes a buffer that is shared, and stays in memory. */
  abstract void shared(ByteBuffer bytes);

  /** Sends a part of a file without a copy, then closes the file, also after a failure. */
  abstract void file(Found.File found, long first, long length);
}
