package dev.mely.examples.sws;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

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

  private static final Logger LOG = System.getLogger(HttpFileHandler.class.getName());

  private final FileStore store;
  private final Executor background;
  private final RequestDecoder decoder;

  private @Nullable ResponseWriter writer;

  /** Whether a directory is being read for this connection. */
  private boolean listing;

  /**
   * Makes the last handler of one connection.
   *
   * @param store where files are found
   * @param background runs what would block the loop
   * @param decoder the first handler of the same connection
   */
  HttpFileHandler(FileStore store, Executor background, RequestDecoder decoder) {
    this.store = store;
    this.background = background;
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
    } catch (IOException e) {
      writer().refuse(request, Refusal.of(e), now);
    }
  }

  private void serve(ChannelHandlerContext ctx, Request request, HttpClock now)
      throws Refusal, IOException {
    Refusal refusal = request.refusal();
    if (refusal != null) {
      throw refusal;
    }
    Found found = store.find(request.target(), now);
    if (found instanceof PrebuiltResponse hit) {
      prebuilt(request, hit, now);
    } else if (found instanceof FileInfo file) {
      file(request, file, now);
    } else if (found instanceof Found.Redirect redirect) {
      writer().redirect(request, redirect.location(), now);
    } else if (found instanceof Found.Directory directory) {
      list(ctx, request, directory);
    }
  }

  private void prebuilt(Request request, PrebuiltResponse hit, HttpClock now) throws Refusal {
    RangeHeader range = null;
    if (request.isConditional()) {
      if (isSettled(request, hit.file(), now)) {
        return;
      }
      try {
        range = range(request, hit.file(), now);
      } catch (RangeHeader.Unsatisfiable e) {
        writer().unsatisfiable(request, hit.file().size(), now);
        return;
      }
    }
    if (range == null) {
      writer().prebuilt(request, hit, now);
    } else {
      writer().part(request, hit, range, now);
    }
  }

  private void file(Request request, FileInfo found, HttpClock now) throws Refusal, IOException {
    if (request.isConditional() && isSettled(request, found, now)) {
      return;
    }
    FileChannel channel = FileStore.open(found);
    boolean handedOn = false;
    try {
      FileInfo file = found.withSize(channel.size());
      try {
        RangeHeader range = range(request, file, now);
        writer().file(request, file, channel, range, now);
        handedOn = true;
      } catch (RangeHeader.Unsatisfiable e) {
        writer().unsatisfiable(request, file.size(), now);
      }
    } finally {
      if (!handedOn) {
        channel.close();
      }
    }
  }

  /** Answers a request whose conditions need no file; false: it needs one. */
  private boolean isSettled(Request request, FileInfo file, HttpClock now) throws Refusal {
    switch (Validators.evaluate(request.headers(), file)) {
      case NOT_MODIFIED -> {
        writer().notModified(request, file, now);
        return true;
      }
      case FAILED ->
          throw Refusal.of(
              HttpResponseStatus.PRECONDITION_FAILED, "The file is not the version asked for.");
      case PROCEED -> {
        return false;
      }
    }
    return false;
  }

  private static @Nullable RangeHeader range(Request request, FileInfo file, HttpClock now)
      throws RangeHeader.Unsatisfiable {
    String range = request.headers().get(HttpHeaderNames.RANGE);
    if (range == null
        || request.head()
        || !Validators.rangeApplies(request.headers(), file, now.second())) {
      return null;
    }
    return RangeHeader.parse(range, file.size());
  }

  /** Reads a directory in the background; the connection's next request waits for it. */
  private void list(ChannelHandlerContext ctx, Request request, Found.Directory directory)
      throws Refusal {
    decoder.hold();
    listing = true;
    try {
      background.execute(() -> renderInBackground(ctx, request, directory));
    } catch (RejectedExecutionException stopping) {
      listing = false;
      throw Refusal.closing(HttpResponseStatus.SERVICE_UNAVAILABLE, "The server is stopping.");
    }
  }

  private void renderInBackground(
      ChannelHandlerContext ctx, Request request, Found.Directory directory) {
    String page = null;
    Refusal refusal = null;
    try {
      page = DirectoryListing.render(directory);
    } catch (IOException e) {
      refusal = Refusal.of(e);
    }
    String html = page;
    Refusal failed = refusal;
    try {
      ctx.executor().execute(() -> listed(ctx, request, html, failed));
    } catch (RejectedExecutionException stopped) {
      LOG.log(Level.DEBUG, "stopped before a directory was listed", stopped);
    }
  }

  private void listed(
      ChannelHandlerContext ctx,
      Request request,
      @Nullable String html,
      @Nullable Refusal refusal) {
    listing = false;
    HttpClock now = HttpClock.now();
    if (html != null) {
      writer().page(request, html, now);
    } else {
      writer().refuse(request, refusal != null ? refusal : Refusal.notFound(), now);
    }
    ctx.flush();
    decoder.release(Objects.requireNonNull(ctx.pipeline().context(decoder)));
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.flush();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Drain || event instanceof ChannelInputShutdownEvent) {
      if (listing) {
        writer().lastIsNext();
      } else {
        writer().finish();
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException || cause instanceof DecoderException) {
      LOG.log(Level.DEBUG, "a connection broke", cause);
    } else {
      LOG.log(Level.ERROR, "closing a connection after an unexpected failure", cause);
    }
    ctx.close();
  }

  private ResponseWriter writer() {
    return Objects.requireNonNull(writer);
  }
}
