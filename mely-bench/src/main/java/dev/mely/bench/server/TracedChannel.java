package dev.mely.bench.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Listens, and lets caches see what is touched of the buffers of its connections. What comes is
 * written by the system, and then read by a handler; what goes was written by a handler, and is
 * read by the system, piece by piece, as the client takes it.
 */
public final class TracedChannel extends NioServerSocketChannel {
  // Of the one server that there is in this process at a time, whose channels Netty makes.
  // Guarded by the class.
  private static List<SetCache> caches = List.of();
  private static long bytes;

  /** For Netty, by reflection. */
  public TracedChannel() {}

  /** From now on these caches see everything. */
  static synchronized void trace(List<SetCache> all) {
    caches = List.copyOf(all);
    bytes = 0;
  }

  private static synchronized void touch(long address, long length) {
    bytes += length;
    caches.forEach(cache -> cache.touch(address, length));
  }

  /** Bytes touched so far, and behind them the misses of each cache. */
  static synchronized long[] counts() {
    return LongStream.concat(LongStream.of(bytes), caches.stream().mapToLong(SetCache::misses))
        .toArray();
  }

  @Override
  protected int doReadMessages(List<Object> accepted) throws Exception {
    SocketChannel channel = javaChannel().accept();
    if (channel == null) {
      return 0;
    }
    accepted.add(new Connection(this, channel));
    return 1;
  }

  /** Whether buffers have addresses here. */
  static boolean canTrace() {
    ByteBuf probe = Unpooled.directBuffer(1);
    try {
      return probe.hasMemoryAddress();
    } finally {
      probe.release();
    }
  }

  /** What is left to be sent of a message; nothing of one that has no address. */
  private record Part(Object message, long address, int bytes) {
    static Part of(Object message) {
      return message instanceof ByteBuf buffer && buffer.hasMemoryAddress()
          ? new Part(message, buffer.memoryAddress() + buffer.readerIndex(), buffer.readableBytes())
          : new Part(message, 0, 0);
    }
  }

  private static final class Connection extends NioSocketChannel {
    /** How many of the messages that are to be sent were there the last time. */
    private int seen;

    Connection(Channel parent, SocketChannel channel) {
      super(parent, channel);
    }

    @Override
    protected int doReadBytes(ByteBuf buffer) throws Exception {
      int start = buffer.writerIndex();
      int count = super.doReadBytes(buffer);
      for (int i = 0; i < 2 && count > 0; i++) { // by the system, and by a handler
        touch(buffer.memoryAddress() + start, count);
      }
      return count;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) throws Exception {
      List<Part> parts = new ArrayList<>();
      out.forEachFlushedMessage(message -> parts.add(Part.of(message)));
      parts.stream().skip(seen).forEach(part -> touch(part.address, part.bytes));
      super.doWrite(out);
      Object next = out.current();
      int sent = 0;
      while (sent < parts.size() && parts.get(sent).message != next) {
        touch(parts.get(sent).address, parts.get(sent).bytes);
        sent++;
      }
      seen = parts.size() - sent;
      if (seen > 0) {
        Part begun = parts.get(sent);
        touch(begun.address, begun.bytes - Part.of(begun.message).bytes);
      }
    }
  }
}
