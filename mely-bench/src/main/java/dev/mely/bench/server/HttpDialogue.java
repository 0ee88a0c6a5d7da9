package dev.mely.bench.server;

import com.google.common.collect.Iterators;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.util.Iterator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Requests the paths of a site, one after the other, on persistent connections. */
final class HttpDialogue implements Dialogue {
  /** The next paths, shared by all connections; one thread only. */
  private final Iterator<String> paths;

  private final @Nullable SslContext encryption;

  private HttpDialogue(Iterator<String> paths, @Nullable SslContext encryption) {
    this.paths = paths;
    this.encryption = encryption;
  }

  /** Makes the dialogues of one client. */
  static Supplier<Dialogue> of(Site site) throws IOException {
    SslContext encryption =
        site.scheme().equals("https")
            ? SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .build()
            : null;
    Iterator<String> paths = Iterators.cycle(site.paths());
    return () -> new HttpDialogue(paths, encryption);
  }

  @Override
  public void install(Channel channel) {
    if (encryption != null) {
      channel.pipeline().addLast(encryption.newHandler(channel.alloc()));
    }
    channel.pipeline().addLast(new HttpClientCodec());
  }

  @Override
  public Object ask(ByteBufAllocator allocator) {
    FullHttpRequest request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, HttpMethod.GET, paths.next(), Unpooled.EMPTY_BUFFER);
    request.headers().set(HttpHeaderNames.HOST, "127.0.0.1");
    return request;
  }

  @Override
  public boolean ends(Object part) throws IOException {
    if (part instanceof HttpResponse response && !response.status().equals(HttpResponseStatus.OK)) {
      throw new IOException("the server answers " + response.status());
    }
    return part instanceof LastHttpContent;
  }
}
