package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.netty.MelyEventLoopGroup;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.DefaultAsyncHttpClient;
import org.asynchttpclient.Dsl;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;

/**
 * Libraries that look for the classes of Netty 4.1's groups by name, and refuse Mely as they refuse
 * Netty's own group of 4.2. When one of these tests fails, docs/netty.md has one line too many.
 */
@Timeout(300)
class RefusingLibrariesTest {
  static Stream<EventLoopGroup> groups() {
    return Stream.of(
        MelyEventLoopGroup.builder().build(),
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()));
  }

  @ParameterizedTest
  @MethodSource("groups")
  void asyncHttpClientKnowsNoGroupOfNetty42(EventLoopGroup group) throws Exception {
    AsyncHttpClientConfig config = Dsl.config().setEventLoopGroup(group).build();
    assertRefused(group, () -> new DefaultAsyncHttpClient(config).close());
  }

  @ParameterizedTest
  @MethodSource("groups")
  void theAwsSdkKnowsNoGroupOfNetty42(EventLoopGroup group) throws Exception {
    assertRefused(group, () -> SdkEventLoopGroup.create(group));
    // Nor does it help to name the channels: it derives those of datagrams from the group.
    assertRefused(group, () -> SdkEventLoopGroup.create(group, NioSocketChannel::new));
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  private static void assertRefused(EventLoopGroup group, Executable use) {
    String message = assertThrows(IllegalArgumentException.class, use).getMessage();
    assertEquals("Unknown event loop group", message.substring(0, 24), message);
  }
}
