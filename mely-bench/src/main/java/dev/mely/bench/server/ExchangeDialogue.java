package dev.mely.bench.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Messages whose lengths are fixed. */
record ExchangeDialogue(Exchange exchange) implements Dialogue {
  @Override
  public void install(Channel channel) {
    channel.pipeline().addLast(new FixedLengthFrameDecoder(exchange.replyBytes()));
  }

  @Override
  public Object ask(ByteBufAllocator allocator) {
    ByteBuffer request = ByteBuffer.allocate(exchange.requestBytes());
    exchange.ask(request);
    request.flip();
    return allocator.directBuffer(exchange.requestBytes()).writeBytes(request);
  }

  @Override
  public boolean ends(Object part) throws IOException {
    exchange.check(((ByteBuf) part).nioBuffer());
    return true;
  }
}
