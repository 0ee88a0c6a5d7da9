package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests with files, from memory or from disk: the paper's CheckInCache.
 *
 * <p>Closes idle connections ({@link IdleDetector}): of clients that never finish a request (408),
 * never read a response, or have disappeared. Between two checks that costs one increment per
 * request, and no clock is read.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class HttpFileHandler extends SimpleChannelInboundHandler<Request> {
  /** Sent through the pipeline when the server stops: answer pending requests, then close. */
  enum Drain {
    EVENT
  }

  private static final Logger LOG = LoggerFactory.getLogger(HttpFileHandler.class);

  private final FileStore store;
  private final long lookMillis;
  private final RequestDecoder decoder;

  @SuppressWarnings("NullAway.Init") // set by the first call, handlerAdded
  private ResponseWriter writer;

  @SuppressWarnings("NullAway.Init") // set by channelActive
  private Future<?> looks;

  private final IdleDetector idle = new IdleDetector(3);
  private long requests;

  /** Whether a disk lookup of this connection runs; its next request waits. */
  private boolean looking;

  /** Whether the answer from disk is the last one. */
  private boolean last;

  /**
   * Makes the last handler of a connection's pipeline.
   *
   * @param store where files are found
   * @param idleTimeout after about which time an idle connection is closed
   * @param decoder the first handler of the same connection
   */
  HttpFileHandler(FileStore store, Duration idleTimeout, RequestDecoder decoder) {
    this.store = store;
    lookMillis = Math.max(1, idleTimeout.toMillis() / 2);
    this.decoder = decoder;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    writer = new ResponseWriter(ctx, decoder);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    looks =
        ctx.executor()
            .scheduleWithFixedDelay(() -> look(ctx), lookMillis, lookMillis, TimeUnit.MILLISECONDS);
    ctx.channel().closeFuture().addListener(closed -> looks.cancel(false));
  }

  private void look(ChannelHandlerContext ctx) {
    boolean done = false;
    try {
      ChannelOutboundBuffer output = ctx.channel().unsafe().outboundBuffer();
      if (output == null) {
        looks.cancel(false); // it is closed
      } else if (idle.isOver(
          looking, requests, output.totalPendingWriteBytes(), output.currentProgress())) {
        looks.cancel(false);
        if (output.isEmpty() && decoder.hasUnread()) {
          Refusal tooLate = RequestRules.tooLate();
          respond(Request.none(tooLate), new Found.Nothing(tooLate));
          ctx.flush();
        } else {
          ctx.close();
        }
      }
      done = true;
    } finally {
      if (!done) {
        ctx.close(); // this check was the timer's last one
      }
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, Request request) {
    requests++;
    Found found = store.find(request, HttpClock.now());
    if (found instanceof Found.OnDisk place) {
      Found refused =
          new DiskLookup(
                  store,
                  place,
                  ctx.executor(),
                  () -> ctx.channel().isActive(),
                  answer -> answer(ctx, request, answer))
              .start();
      if (refused == null) {
        decoder.hold();
        looking = true;
        return;
      }
      found = refused;
    }
    respond(request, found);
  }

  /** Takes the result of a disk lookup, on the loop. A failure here closes the connection. */
  private void answer(ChannelHandlerContext ctx, Request request, Found found) {
    looking = false;
    boolean answered = false;
    try {
      if (!ctx.isRemoved() && ctx.channel().isActive()) {
        decoder.release(); // first: sending a file holds it again
        respond(last ? request.asLast() : request, found);
        ctx.flush();
        answered = true;
      }
    } finally {
      if (!answered) {
        ctx.close();
        found.discard();
      }
    }
  }

  private void respond(Request request, Found found) {
    writer.add(request, found, HttpClock.now());
    if (!request.keepAlive()) {
      writer.end(request.isClosing());
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.flush();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Drain || event instanceof ChannelInputShutdownEvent) {
      if (looking) {
        last = true;
      } else {
        writer.end(false);
        ctx.flush();
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // first: logging could fail for lack of memory
    if (cause instanceof IOException) {
      LOG.debug("a connection broke", cause);
    } else {
      LOG.error("closing a connection after an unexpected failure", cause);
    }
  }
}
