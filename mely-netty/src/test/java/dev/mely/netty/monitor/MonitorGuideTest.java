package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.MelyEventLoopGroup;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The snippets of {@code docs/netty.md} on the monitor. */
@Timeout(300)
class MonitorGuideTest {
  private static void assertAnswers(int port) throws Exception {
    String page = Reader.get(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), "/");
    assertTrue(page.startsWith("HTTP/1.1 200 "), page);
  }

  @Test
  void oneLine() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    try {
      new MelyMonitor().add("http", group).listen(7070); // http://localhost:7070/
      assertAnswers(7070);
    } catch (UncheckedIOException e) {
      assertTaken(e, 7070);
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void nettysOwnGroup() throws Exception {
    try {
      MelyMonitor monitor = new MelyMonitor();
      EventLoopGroup own =
          new MultiThreadIoEventLoopGroup(monitor.watch("own", NioIoHandler.newFactory()));
      monitor.listen(7071);
      assertAnswers(7071);
      monitor.close();
      own.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    } catch (UncheckedIOException e) {
      assertTaken(e, 7071);
    }
  }

  /** Another program on this machine may have the port: the message names it then. */
  private static void assertTaken(UncheckedIOException refused, int port) {
    assertTrue(
        refused.getMessage().matches("the monitor cannot listen at .*:" + port),
        refused::getMessage);
  }
}
