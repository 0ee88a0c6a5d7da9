package dev.mely.examples.sfs;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a file operation: made by a helper thread, passed to the default color, and closed
 * if it cannot be passed.
 *
 * @param reply the message, without its number, its lease and the handle of an opened file
 * @param leased key of the file that the reply describes, which the client will cache; or null
 * @param changed keys of the files that have changed
 * @param opened an {@link OpenFile} or {@link Listing} for which the client gets a handle; or null
 */
@SuppressWarnings("ArrayRecordComponent") // answers are not compared
record Answer(
    byte[] reply, @Nullable Object leased, List<Object> changed, @Nullable Closeable opened)
    implements Closeable {

  static Answer of(byte[] reply) {
    return new Answer(reply, null, List.of(), null);
  }

  static Answer of(Status status, String reason) {
    return of(Message.reply(status).text(reason).bytes());
  }

  static Answer changed(List<Object> keys) {
    return new Answer(Message.reply(Status.OK).bytes(), null, keys, null);
  }

  static Answer leased(Message reply, Object key) {
    return new Answer(reply.bytes(), key, List.of(), null);
  }

  /**
   * A file that a client has opened.
   *
   * @param channel reads and writes it
   * @param key identifies the file, independent of its name
   * @param writable whether it was opened for writing
   */
  record OpenFile(FileChannel channel, Object key, boolean writable) implements Closeable {
    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  @Override
  public void close() throws IOException {
    if (opened != null) {
      opened.close();
    }
  }
}
