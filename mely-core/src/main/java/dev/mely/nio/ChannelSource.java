package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.nio.channels.SelectionKey;

/** One kind of readiness of one channel. */
abstract class ChannelSource extends EventSource {
  private final ChannelKey key;
  private final int op;

  /**
   * @param key the channel's registration
   * @param op one of the operations of {@link SelectionKey}
   */
  ChannelSource(Mely mely, ChannelKey key, int op, Color color, Handler<?> user) {
    super(mely, color, user);
    this.key = key;
    this.op = op;
  }

  final int op() {
    return op;
  }

  @Override
  final void arm() {
    key.arm(op);
  }

  @Override
  final void disconnect() {
    key.remove(this);
  }

  @Override
  final boolean isOpen() {
    return key.channel().isOpen();
  }

  @Override
  final void aboutToPost() {
    key.bringHome(color());
  }

  @Override
  final void afterHandled() {
    key.releaseIfClosed();
  }

  @Override
  public String toString() {
    String name =
        switch (op) {
          case SelectionKey.OP_READ -> "readable";
          case SelectionKey.OP_WRITE -> "writable";
          case SelectionKey.OP_ACCEPT -> "acceptable";
          default -> "connectable";
        };
    return name + " " + key.channel();
  }
}
