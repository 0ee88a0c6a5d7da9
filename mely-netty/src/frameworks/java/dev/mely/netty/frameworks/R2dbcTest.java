package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.netty.MelyEventLoopGroup;
import io.r2dbc.postgresql.PostgresqlConnectionConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;

/**
 * R2DBC's driver for PostgreSQL, which stands on reactor-netty. No database: what it says first
 * comes from a connection of the group.
 */
@Timeout(300)
class R2dbcTest {
  @Test
  void connectsOnTheGroup() throws Exception {
    try (TestGroup loops = new TestGroup(Setting.NIO);
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      MelyEventLoopGroup group = loops.group;
      PostgresqlConnectionConfiguration configuration =
          PostgresqlConnectionConfiguration.builder()
              .host("127.0.0.1")
              .port(server.getLocalPort())
              .username("ada")
              .loopResources(useNative -> group)
              .build();
      Disposable connecting =
          new PostgresqlConnectionFactory(configuration)
              .create()
              .subscribe(connection -> {}, failure -> {});
      server.setSoTimeout(TestGroup.PATIENCE_MILLIS);
      try (Socket database = server.accept()) {
        database.setSoTimeout(TestGroup.PATIENCE_MILLIS);
        byte[] first = database.getInputStream().readNBytes(8);
        assertEquals(3, first[5]); // version 3.0 of the protocol, after the length
        assertEquals(1, group.registeredChannels());
      } finally {
        connecting.dispose();
      }
    }
  }
}
