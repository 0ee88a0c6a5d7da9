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
 * A server channel that traces the buffer accesses of its connections into cache models. Input is
 * written by the kernel and read by a handler; output is written by a handler and read by the
 * kernel, piece by piece, as the client receives it.
 */
public final class TracedChannel extends NioServerSocketChannel {
  // Static, since Netty makes the channels; there is one server at a time. Guarded by the class.
  private static List<SetCache> caches = List.of();
  private static long bytes;

  /** For Netty, by reflection. */
  public TracedChannel() {}

  /** Sets the caches to trace into. */
  static synchronized void trace(List<SetCache> all) {
    caches = List.copyOf(all);
    bytes = 0;
  }

  private static synchronized void touch(long address, long length) {
    bytes += length;
    caches.forEach(cache -> cache.touch(address, length));
  }

  /** Bytes touched so far, followed by the misses of each cache. */
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

  /** The unsent part of a message; empty for one without an address. */
  private record Part(Object message, long address, int bytes) {
    static Part of(Object message) {
      return message instanceof ByteBuf buffer && buffer.hasMemoryAddress()
          ? new Part(message, buffer.memoryAddress() + buffer.readerIndex(), buffer.readableBytes())
          : new Part(message, 0, 0);
    }
  }

  private static final class Connection extends NioSocketChannel {
    /** How many of the pending messages were already there the last time. */
    private int seen;

    Connection(Channel parent, SocketChannel channel) {
      super(parent, channel);
    }

    @Override
    protected int doReadBytes(ByteBuf buffer) throws Exception {
      int start = buffer.writerIndex();
      int count = super.doReadBytes(buffer);
      for (int i = 0; i < 2 && count > 0; i++) { // by the kernel, and by a handler
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
