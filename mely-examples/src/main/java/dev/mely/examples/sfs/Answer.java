package dev.mely.examples.sfs;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a file operation has brought: made by a helper thread, taken by the default color. It is
 * closed if nobody takes it.
 *
 * @param reply the message, but for its number, its lease, and the handle of an opened file
 * @param leased the key of what the reply describes, which the client will cache; null: nothing
 * @param changed the keys of what is no longer as others have cached it
 * @param opened what the client gets a handle of, an {@link OpenFile} or a {@link Listing}
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares answers
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
   * @param key tells it from all others, whatever its name
   * @param writable whether the client has asked to write
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
