package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import dev.mely.netty.MelyEventLoopGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Armeria as docs/netty.md says: on the transport that it chooses itself. */
@Timeout(300)
class ArmeriaGuideTest {
  @Test
  void asInTheGuide() {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().transport("auto").build();
    ServerBuilder server = Server.builder().workerGroup(group, true);
    ClientFactory clients = ClientFactory.builder().workerGroup(group, false).build();
    Server running = server.service("/", (context, request) -> HttpResponse.of("guide")).build();
    running.start().join();
    WebClient client =
        WebClient.builder("http://127.0.0.1:" + running.activeLocalPort()).factory(clients).build();
    assertEquals("guide", client.get("/").aggregate().join().contentUtf8());
    clients.close();
    running.stop().join();
    assertTrue(group.isShuttingDown());
    TestGroup.await().until(group::isTerminated);
  }
}
