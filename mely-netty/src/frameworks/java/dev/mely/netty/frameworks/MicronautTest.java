package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.LeakCounter;
import dev.mely.netty.MelyEventLoopGroup;
import io.micronaut.context.ApplicationContext;
import io.micronaut.http.client.HttpClient;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.micronaut.runtime.server.EmbeddedServer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Micronaut with mely-netty on the class path: the guide's controller, and a client. */
@Timeout(300)
class MicronautTest {
  private static final Duration PATIENCE = Duration.ofSeconds(TestGroup.PATIENCE_SECONDS);
  private static final String DEFAULT = "micronaut.netty.event-loops.default.";
  private static final String ACCEPTORS = "micronaut.netty.event-loops.parent.";
  private static final String OTHER = "micronaut.netty.event-loops.other.";

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theServerAndItsClientRunOnTheWorkers(boolean epoll) {
    String transport = epoll ? "epoll" : "nio";
    try (ApplicationContext context =
        start(DEFAULT + "transport", transport, ACCEPTORS + "transport", transport)) {
      MelyEventLoopGroup group = assertInstanceOf(MelyEventLoopGroup.class, group(context));
      assertTrue(group.isIoType(epoll ? EpollIoHandler.class : NioIoHandler.class));
      Set<String> workers =
          Workers.of(group).stream().map(Thread::getName).collect(Collectors.toSet());
      Set<String> served = Set.copyOf(answers(context, 200));
      assertTrue(workers.containsAll(served), () -> served + " of " + workers);
    }
  }

  @Test
  void theClientRunsOnTheWorkers() {
    try (ApplicationContext context = start()) {
      MelyEventLoopGroup group = assertInstanceOf(MelyEventLoopGroup.class, group(context));
      Thread thread;
      do { // The caller runs the callback itself if the answer is there when it subscribes.
        thread =
            Flux.from(client(context).retrieve("/"))
                .map(answer -> Thread.currentThread())
                .blockFirst(PATIENCE);
      } while (thread == Thread.currentThread());
      assertTrue(Workers.of(group).contains(thread), thread.getName());
    }
  }

  @Test
  void aPropertySwitchesItOff() {
    try (ApplicationContext context = start("mely.enabled", false)) {
      assertSame(MultiThreadIoEventLoopGroup.class, group(context).getClass());
      assertEquals(1, answers(context, 1).size());
    }
  }

  @Test
  void oneWorkerPerCpuUnlessTheConfigurationSetsTheirNumber() {
    try (TestGroup byDefault = new TestGroup(Setting.NIO);
        ApplicationContext context = start(OTHER + "num-threads", 3)) {
      assertEquals(byDefault.group.executorCount(), cores(group(context)));
      assertEquals(3, cores(context.getBean(EventLoopGroup.class, Qualifiers.byName("other"))));
    }
    try (ApplicationContext context = start(DEFAULT + "thread-core-ratio", 3)) {
      assertEquals(3 * Runtime.getRuntime().availableProcessors(), cores(group(context)));
    }
  }

  @ParameterizedTest
  @CsvSource({"parent, num-threads, 1", "other, executor, io"})
  void acceptorsAndLoopsOnAnExecutorStayNettys(String name, String property, String value) {
    ApplicationContext context =
        start("micronaut.netty.event-loops." + name + "." + property, value);
    EventLoopGroup group = context.getBean(EventLoopGroup.class, Qualifiers.byName(name));
    assertSame(MultiThreadIoEventLoopGroup.class, group.getClass());
    context.close();
    assertTrue(group.isShuttingDown());
  }

  @Test
  void theGroupEndsWithTheApplication() {
    ApplicationContext context =
        start(DEFAULT + "shutdown-quiet-period", "0s", OTHER + "shutdown-quiet-period", "0s");
    EventLoopGroup group = group(context);
    EventLoopGroup other = context.getBean(EventLoopGroup.class, Qualifiers.byName("other"));
    Set<Thread> workers = Workers.of((MelyEventLoopGroup) group);
    answers(context, 1);
    context.close();
    TestGroup.await().until(() -> group.isTerminated() && other.isTerminated());
    TestGroup.await().until(() -> workers.stream().noneMatch(Thread::isAlive));
  }

  @Test
  void theQuietPeriodIsThatOfTheConfiguration() throws Exception {
    ApplicationContext context = start(DEFAULT + "shutdown-quiet-period", QuietPeriod.LENGTH);
    QuietPeriod.assertKept(assertInstanceOf(MelyEventLoopGroup.class, group(context)), context);
  }

  /** An application without Micronaut's Netty starts as it would. */
  @Test
  void itDoesWithoutWhatIsMissing() throws Exception {
    List<URL> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!entry.matches(".*micronaut-(buffer|http|http-server)-netty-.*")) {
        path.add(Path.of(entry).toUri().toURL());
      }
    }
    Thread self = Thread.currentThread();
    ClassLoader before = self.getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      self.setContextClassLoader(loader);
      assertEquals(true, loader.loadClass(Bare.class.getName()).getMethod("runs").invoke(null));
    } finally {
      self.setContextClassLoader(before);
    }
  }

  /** Runs with another class loader, which sees less. */
  public static final class Bare {
    private Bare() {}

    /** Starts an application without a server. */
    public static boolean runs() {
      try (ApplicationContext context = ApplicationContext.run()) {
        return context.isRunning() && context.getBeanDefinitions(EventLoopGroup.class).isEmpty();
      }
    }
  }

  private static ApplicationContext start(Object... properties) {
    Map<String, Object> all = new HashMap<>();
    for (int i = 0; i < properties.length; i += 2) {
      all.put((String) properties[i], properties[i + 1]);
    }
    all.put("micronaut.server.port", -1);
    all.put("micronaut.server.host", "127.0.0.1");
    // By default 10 s, too little for what starts cold on a busy machine.
    all.put("micronaut.http.client.read-timeout", PATIENCE);
    return ApplicationContext.run(EmbeddedServer.class, all).getApplicationContext();
  }

  private static EventLoopGroup group(ApplicationContext context) {
    return context.getBean(EventLoopGroup.class);
  }

  private static int cores(EventLoopGroup group) {
    return assertInstanceOf(MelyEventLoopGroup.class, group).executorCount();
  }

  private static HttpClient client(ApplicationContext context) {
    return context.createBean(HttpClient.class, context.getBean(EmbeddedServer.class).getURL());
  }

  /** The names of threads, which served that many requests. */
  private static List<String> answers(ApplicationContext context, int requests) {
    HttpClient client = client(context);
    return Flux.range(0, requests)
        .flatMap(i -> client.retrieve("/"), 16)
        .map(answer -> answer.replace("served by ", ""))
        .collectList()
        .block(PATIENCE);
  }
}
