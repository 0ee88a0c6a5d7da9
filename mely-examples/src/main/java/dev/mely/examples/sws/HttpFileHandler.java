package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests with files: looks the target up in memory, then on disk (the paper's
 * CheckInCache), and weighs conditions and ranges.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class HttpFileHandler extends SimpleChannelInboundHandler<Request> {
  /** Sent through the pipeline when the server stops: answer what was asked, then close. */
  enum Drain {
    EVENT
  }

  private static final Logger LOG = LoggerFactory.getLogger(HttpFileHandler.class);

  private final FileStore store;
  private final Disk disk;
  private final RequestDecoder decoder;

  private @Nullable ResponseWriter writer;

  /** Whether the disk is being asked for this connection; its next request waits for that. */
  private boolean looking;

  /**
   * Makes the last handler of one connection.
   *
   * @param store where files are found
   * @param disk looks for those that are not in memory
   * @param decoder the first handler of the same connection
   */
  HttpFileHandler(FileStore store, Disk disk, RequestDecoder decoder) {
    this.store = store;
    this.disk = disk;
    this.decoder = decoder;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    ChannelHandlerContext raw = Objects.requireNonNull(ctx.pipeline().context(decoder));
    writer = new ResponseWriter(raw, ctx, decoder);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, Request request) {
    HttpClock now = HttpClock.now();
    try {
      serve(ctx, request, now);
    } catch (Refusal refusal) {
      writer().refuse(request, refusal, now);
    }
  }

  private void serve(ChannelHandlerContext ctx, Request request, HttpClock now) throws Refusal {
    Refusal refusal = request.refusal();
    if (refusal != null) {
      throw refusal;
    }
    Found found = store.find(request.target(), now);
    if (found instanceof PrebuiltResponse hit) {
      prebuilt(request, hit, now);
    } else if (found instanceof Found.OnDisk wanted) {
      DiskLookup.start(
          store,
          disk,
          ctx.executor(),
          () -> ctx.channel().isActive(),
          request,
          wanted,
          answer -> answer(ctx, request, answer));
      decoder.hold();
      looking = true;
    }
  }

  /** Takes what the disk has given, on the loop. Whatever fails here ends the connection. */
  private void answer(ChannelHandlerContext ctx, Request request, Found found) {
    boolean done = false;
    try {
      answerNow(ctx, request, found);
      done = true;
    } finally {
      if (!done) {
        ctx.close();
        found.discard();
      }
    }
  }

  private void answerNow(ChannelHandlerContext ctx, Request request, Found found) {
    looking = false;
    if (ctx.isRemoved() || !ctx.channel().isActive()) {
      found.discard();
      return;
    }
    HttpClock now = HttpClock.now();
    // Before the response, which holds the decoder again while a file is being sent.
    decoder.release(Objects.requireNonNull(ctx.pipeline().context(decoder)));
    try {
      if (found instanceof Found.File file) {
        file(request, file, now);
      } else if (found instanceof Found.Redirect redirect) {
        writer().made(request, Answer.of(request, redirect, writer().isOpen(request), now));
      } else if (found instanceof Found.Page page) {
        writer().made(request, Answer.of(request, page, writer().isOpen(request), now));
      } else if (found instanceof Found.Nothing nothing) {
        throw nothing.refusal();
      }
    } catch (Refusal refusal) {
      writer().refuse(request, refusal, now);
    } catch (IOException e) {
      writer().refuse(request, Refusal.of(e), now);
    }
    ctx.flush();
  }

  private void prebuilt(Request request, PrebuiltResponse hit, HttpClock now) throws Refusal {
    Selection selection = Selection.of(request, hit.file(), now);
    if (selection.kind() == Selection.Kind.WHOLE) {
      writer().prebuilt(request, hit, now);
    } else {
      writer().selected(request, hit, selection, now);
    }
  }

  private void file(Request request, Found.File found, HttpClock now) throws Refusal, IOException {
    ServedFolder.OpenFile open = found.open();
    boolean handedOn = false;
    try {
      Selection selection = Selection.of(request, found.file(), now);
      writer().file(request, found.file(), open.channel(), selection, now);
      handedOn = true;
    } finally {
      if (!handedOn) {
        open.close();
      }
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
        writer().lastIsNext();
      } else {
        writer().finish();
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // first: there may be no memory to say why
    if (cause instanceof IOException || cause instanceof DecoderException) {
      LOG.debug("a connection broke", cause);
    } else {
      LOG.error("closing a connection after an unexpected failure", cause);
    }
  }

  private ResponseWriter writer() {
    return Objects.requireNonNull(writer);
  }
}
