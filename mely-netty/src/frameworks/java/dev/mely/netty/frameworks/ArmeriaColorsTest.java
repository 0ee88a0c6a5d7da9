package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.Flags;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.TransportType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.annotation.Blocking;
import com.linecorp.armeria.server.annotation.Get;
import dev.mely.Mely;
import dev.mely.netty.LeakCounter;
import dev.mely.netty.MelyEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Armeria's requests as colors: HTTP/2, one connection. */
@Timeout(300)
class ArmeriaColorsTest {
  private static final int CORES = 3;

  static List<Setting> settings() {
    return Setting.on(Flags.transportType() == TransportType.EPOLL);
  }

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void requestsOfOneConnectionRunAtOnce(Setting setting) throws Exception {
    Meeting meeting = new Meeting();
    Set<Object> connections = ConcurrentHashMap.newKeySet();
    try (TestGroup loops = newGroup(setting)) {
      Mely mely = loops.group.mely();
      HttpService service =
          (context, request) -> {
            connections.add(context.remoteAddress());
            return HttpResponse.of(
                () -> HttpResponse.of(meeting.join()),
                context.makeContextAware(mely.executor(mely.newColor())));
          };
      assertEquals(
          List.of("met", "met"), getTwice(loops.group, Server.builder().service("/", service)));
      assertEquals(1, connections.size());
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void blockingServicesRunInSharedColors(Setting setting) throws Exception {
    Meeting meeting = new Meeting();
    try (TestGroup loops = newGroup(setting)) {
      MelyEventLoopGroup group = loops.group;
      ServerBuilder server = Server.builder();
      server.blockingTaskExecutor(group, false);
      server.annotatedService(
          new Object() {
            @Get("/")
            @Blocking
            public HttpResponse join() {
              return HttpResponse.of(meeting.join() + loops.isWorker(Thread.currentThread()));
            }
          });
      assertEquals(List.of("mettrue", "mettrue"), getTwice(group, server));
    }
  }

  /** docs/netty.md. */
  @ParameterizedTest
  @MethodSource("settings")
  void asInTheGuide(Setting setting) throws Exception {
    try (TestGroup loops = newGroup(setting)) {
      MelyEventLoopGroup group = loops.group;
      Mely mely = group.mely();
      ServerBuilder server = Server.builder();
      server.service(
          "/",
          (context, request) ->
              HttpResponse.of(
                  () -> HttpResponse.of(book(context.path())),
                  context.makeContextAware(mely.executor(mely.color(context.path())))));
      assertEquals(List.of("booked /", "booked /"), getTwice(group, server));
    }
  }

  private static String book(String order) {
    return "booked " + order;
  }

  private static TestGroup newGroup(Setting setting) {
    return new TestGroup(setting, CORES);
  }

  /**
   * Two answers, to requests in one connection that are on their way at the same time. The client
   * has Armeria's own group: in the server's its connection would stay on one core, and a service
   * that waits there for the second request would keep the client from sending it.
   */
  private static List<String> getTwice(MelyEventLoopGroup group, ServerBuilder builder)
      throws Exception {
    Server server = builder.workerGroup(group, false).build();
    server.start().join();
    ClientFactory clients = ClientFactory.builder().build();
    WebClient client =
        WebClient.builder("h2c://127.0.0.1:" + server.activeLocalPort()).factory(clients).build();
    List<CompletableFuture<AggregatedHttpResponse>> calls = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      calls.add(client.get("/").aggregate());
    }
    List<String> answers = new ArrayList<>();
    for (CompletableFuture<AggregatedHttpResponse> call : calls) {
      answers.add(call.get(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS).contentUtf8());
    }
    clients.close();
    server.stop().join();
    return answers;
  }
}
