package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The back-pressure of {@link RequestDecoder}, without a socket. */
class RequestDecoderTest {
  private static final String REQUEST = "GET /%d HTTP/1.1\r\nHost: x\r\n\r\n";

  private final List<Object> events = new ArrayList<>();
  private final RequestDecoder decoder = new RequestDecoder();

  /** Holds the decoder at each request, as the file handler does for a file. */
  private final ChannelInboundHandlerAdapter holder =
      new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
          if (message instanceof Request request) {
            events.add(request.target());
            decoder.hold();
          }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
          events.add(event);
        }
      };

  private int reads;

  /** Counts how often input is asked for. */
  private final ChannelOutboundHandlerAdapter readCounter =
      new ChannelOutboundHandlerAdapter() {
        @Override
        public void read(ChannelHandlerContext ctx) {
          reads++;
          ctx.read();
        }
      };

  private final EmbeddedChannel channel = new EmbeddedChannel(readCounter, decoder, holder);

  @AfterEach
  void finish() {
    channel.finishAndReleaseAll();
  }

  private void receive(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
  }

  private void release() {
    decoder.release();
    channel.runPendingTasks();
  }

  @Test
  void oneRequestAtATimeWhileHeld() {
    receive(REQUEST.formatted(1) + REQUEST.formatted(2) + REQUEST.formatted(3) + "GET /4");
    assertEquals(List.of("/1"), events);
    release();
    assertEquals(List.of("/1", "/2"), events);
    release();
    release();
    release();
    assertEquals(List.of("/1", "/2", "/3"), events);
    receive(" HTTP/1.1\r\nHost: x\r\n\r\n");
    assertEquals(List.of("/1", "/2", "/3", "/4"), events);
  }

  @Test
  void nothingIsDecodedForAClientThatDoesNotRead() {
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    receive(REQUEST.formatted(1));
    assertEquals(List.of(), events);
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
    channel.runPendingTasks();
    assertEquals(List.of("/1"), events);
  }

  @Test
  void theSocketIsLeftAloneWhenTooMuchWaits() {
    receive(REQUEST.formatted(0));
    int sent = 0;
    while (channel.config().isAutoRead()) {
      sent++;
      receive(REQUEST.formatted(sent));
      assertTrue(sent < 10_000, "reads without end");
    }
    assertEquals(List.of("/0"), events);
    for (int i = 1; i <= sent; i++) {
      release();
    }
    assertEquals(sent + 1, events.size());
    assertEquals("/" + sent, events.get(sent));
    release();
    assertTrue(channel.config().isAutoRead());
  }

  @Test
  void noInputIsAskedForWhileHeld() {
    channel.config().setAutoRead(false);
    receive(REQUEST.formatted(1));
    int before = reads;
    receive(REQUEST.formatted(2));
    receive(REQUEST.formatted(3));
    assertEquals(before, reads);
    assertEquals(List.of("/1"), events);
  }

  @Test
  void theEndOfInputDoesNotOvertakeRequests() {
    receive(REQUEST.formatted(1) + REQUEST.formatted(2));
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    assertEquals(List.of("/1"), events);
    release();
    assertEquals(List.of("/1", "/2"), events);
    release();
    assertEquals(List.of("/1", "/2", ChannelInputShutdownEvent.INSTANCE), events);
  }

  /** A full socket holds requests back, and a flush lets them go on, while one is decoded. */
  @Test
  void theEndOfInputDoesNotOvertakeRequestsThatAFlushLetsGoOn() {
    ChannelInboundHandlerAdapter flooder =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof Request request) {
              events.add(request.target());
              ctx.channel().unsafe().outboundBuffer().setUserDefinedWritability(1, false);
            }
          }

          @Override
          public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.channel().unsafe().outboundBuffer().setUserDefinedWritability(1, true);
          }

          @Override
          public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            events.add(event);
          }
        };
    EmbeddedChannel flooded = new EmbeddedChannel(new RequestDecoder(), flooder);
    flooded.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    String requests = REQUEST.formatted(1) + REQUEST.formatted(2) + REQUEST.formatted(3);
    flooded.writeOneInbound(Unpooled.copiedBuffer(requests, StandardCharsets.US_ASCII));
    flooded.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    assertEquals(List.of(), events);
    flooded.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
    flooded.runPendingTasks();
    assertEquals(List.of("/1", "/2", "/3", ChannelInputShutdownEvent.INSTANCE), events);
    flooded.finishAndReleaseAll();
  }

  @Test
  void stoppedMeansStopped() {
    receive(REQUEST.formatted(1) + REQUEST.formatted(2));
    decoder.stop();
    release();
    receive(REQUEST.formatted(3));
    assertEquals(List.of("/1"), events);
  }

  @Test
  void knowsOfUnfinishedRequests() {
    assertFalse(decoder.hasUnread());
    receive("GET / HTTP/1.1\r\n");
    assertTrue(decoder.hasUnread(), "a whole line, but not a whole request");
    receive("Host: x\r\n\r\n");
    assertFalse(decoder.hasUnread());
    receive("G");
    assertTrue(decoder.hasUnread());
  }
}
