package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.vertx.VertxSupport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.impl.transports.IoUringTransport;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.internal.VertxInternal;
import java.io.BufferedReader;
import java.io.File;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Vert.x with this module on its path: its event loops are Mely's, unless it says otherwise. */
@Timeout(300)
class VertxSupportTest {
  private static final String PROPERTY = "dev.mely.vertx";
  private static final String MODULES =
      "/(vertx|netty|jackson)-(?!transport-native-(epoll|io_uring))[^/]*\\.jar";
  private static final String EXPORTS = "io.vertx.core/io.vertx.core.impl.transports=ALL-UNNAMED";

  /** What another virtual machine runs: names its group, and the answer of a server on it. */
  public static final class Main {
    public static void main(String[] arguments) {
      try {
        run(arguments[0]);
      } catch (Throwable t) {
        t.printStackTrace();
        System.exit(1); // threads of Vert.x may be left
      }
    }

    private static void run(String transport) throws Exception {
      Vertx vertx =
          Vertx.vertx(new VertxOptions().setPreferNativeTransport(transport.equals("native")));
      System.out.println(
          group(vertx).getClass().getSimpleName()
              + " native "
              + vertx.isNativeTransportEnabled()
              + " "
              + answer(vertx));
      System.out.println("on Vert.x " + Vertx.class.getPackage().getImplementationVersion());
      get(vertx.close());
    }
  }

  /** docs/netty.md. */
  static class Hello {
    public static void main(String[] arguments) {
      Vertx.vertx()
          .createHttpServer()
          .requestHandler(request -> request.response().end("Hello"))
          .listen(0)
          .onSuccess(server -> System.out.println("port " + server.actualPort()));
    }
  }

  @AfterEach
  void isSwitchedOn() {
    System.clearProperty(PROPERTY);
  }

  @Test
  void aVertxAsItIsRunsOnMely() throws Exception {
    Vertx vertx = Vertx.vertx();
    MelyEventLoopGroup group = assertInstanceOf(MelyEventLoopGroup.class, group(vertx));
    assertTrue(group.isIoType(NioIoHandler.class));
    assertFalse(vertx.isNativeTransportEnabled());
    assertSame(
        MultiThreadIoEventLoopGroup.class,
        ((VertxInternal) vertx).acceptorEventLoopGroup().getClass());
    assertEquals("served", answer(vertx));
    get(vertx.close());
    assertTrue(group.isTerminated());
  }

  @Test
  void nativeTransportMeansEpoll() throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    MelyEventLoopGroup group = assertInstanceOf(MelyEventLoopGroup.class, group(vertx));
    assertTrue(group.isIoType(EpollIoHandler.class));
    assertTrue(vertx.isNativeTransportEnabled());
    assertEquals("served", answer(vertx));
    get(vertx.close());
    assertTrue(group.isTerminated());
  }

  @Test
  void oneThreadPerCpuUnlessTheProgramSetsTheirNumber() throws Exception {
    MelyEventLoopGroup byDefault = new MelyEventLoopGroup();
    Vertx vertx = Vertx.vertx();
    assertEquals(byDefault.executorCount(), threads(vertx));
    get(vertx.close());
    int other = VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE + 1;
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(other));
    assertEquals(other, threads(vertx));
    get(vertx.close());
    byDefault.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @Test
  void eachVertxHasAGroupOfItsOwn() throws Exception {
    Vertx first = Vertx.vertx();
    Vertx second = Vertx.vertx();
    assertNotSame(group(first), group(second));
    get(first.close());
    assertEquals("served", answer(second));
    get(second.close());
    Vertx third = Vertx.vertx();
    assertEquals("served", answer(third));
    get(third.close());
  }

  @Test
  void aTransportOfTheProgramStays() throws Exception {
    class Own extends NioTransport {}

    Own own = new Own();
    Vertx vertx = VertxBootstrap.create().transport(own).init().vertx();
    assertSame(own, ((VertxInternal) vertx).transport());
    assertSame(MultiThreadIoEventLoopGroup.class, group(vertx).getClass());
    get(vertx.close());
  }

  /** Its channels stay on one thread with Mely, too. */
  @Test
  void ioUringStays() {
    IoUringTransport ring = new IoUringTransport();
    VertxBootstrap bootstrap = VertxBootstrap.create().transport(ring);
    new VertxSupport().init(bootstrap);
    assertSame(ring, bootstrap.transport());
  }

  @ParameterizedTest
  @ValueSource(strings = {"false", " FALSE "})
  void thePropertySwitchesItOff(String off) throws Exception {
    System.setProperty(PROPERTY, off);
    Vertx vertx = Vertx.vertx();
    assertSame(MultiThreadIoEventLoopGroup.class, group(vertx).getClass());
    assertEquals(VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE, threads(vertx));
    get(vertx.close());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no"})
  void anyOtherValueIsRefused(String value) {
    System.setProperty(PROPERTY, value);
    assertEquals(
        "system property dev.mely.vertx must be true or false, but is '" + value + "'",
        assertThrows(IllegalArgumentException.class, Vertx::vertx).getMessage());
  }

  @Test
  void oneLineOfTheLogSaysSo() throws Exception {
    assertServes("MelyEventLoopGroup native false", "(NIO);", run("none", "nio"));
    assertServes("MelyEventLoopGroup native true", "(epoll);", run("none", "native"));
    String off = run("none", "native", "-D" + PROPERTY + "=false");
    assertTrue(off.contains("MultiThreadIoEventLoopGroup native true served\n"), off);
    assertFalse(off.contains("Mely serves"), off);
  }

  @Test
  void theProgramInTheGuideServes() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Hello.class.getName())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader output = process.inputReader()) {
      List<String> lines = new ArrayList<>();
      while (lines.isEmpty() || !lines.get(lines.size() - 1).startsWith("port ")) {
        lines.add(Objects.requireNonNull(output.readLine(), lines::toString));
      }
      assertTrue(lines.stream().anyMatch(line -> line.contains("Mely serves")), lines::toString);
      URI hello = URI.create("http://127.0.0.1:" + lines.get(lines.size() - 1).substring(5) + "/");
      assertEquals("Hello", new String(hello.toURL().openStream().readAllBytes()));
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void nioServesWhereNothingNativeIsThere() throws Exception {
    String nio = "MelyEventLoopGroup native false";
    assertServes(nio, "(NIO);", run("epoll|io_uring", "native"));
    assertServes(
        nio, "(NIO, because epoll is not available: ", run("native-epoll|io_uring", "native"));
  }

  /** Vert.x as modules, Mely on the class path: it needs an option, and says which. */
  @Test
  void vertxAsModules() throws Exception {
    String all = System.getProperty("java.class.path");
    Pattern module = Pattern.compile(MODULES);
    String modules = entries(all, entry -> module.matcher(entry).find());
    String others = entries(all, entry -> !module.matcher(entry).find());
    List<String> options = List.of("--module-path", modules, "--add-modules", "io.vertx.core");
    String without = ChildJvm.run(others, options, Main.class, "nio");
    assertTrue(without.contains("MultiThreadIoEventLoopGroup native false served\n"), without);
    assertTrue(without.contains("--add-exports " + EXPORTS), without);
    List<String> exported =
        Stream.concat(options.stream(), Stream.of("--add-exports", EXPORTS)).toList();
    assertServes(
        "MelyEventLoopGroup native false",
        "(NIO);",
        ChildJvm.run(others, exported, Main.class, "nio"));
  }

  /** Before 5.0.11 the method that sets the transport had another type. */
  @Test
  void anOlderVertxKeepsItsLoops() {
    VertxBootstrap older =
        (VertxBootstrap)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {VertxBootstrap.class},
                (proxy, method, arguments) -> {
                  throw new NoSuchMethodError("planted: " + method.getName());
                });
    assertDoesNotThrow(() -> new VertxSupport().init(older));
  }

  private static void assertServes(String group, String transport, String output) {
    assertTrue(output.contains(group + " served\n"), output);
    List<String> lines = output.lines().filter(line -> line.contains("Mely serves")).toList();
    assertEquals(1, lines.size(), output);
    assertTrue(lines.get(0).contains(transport), output);
    assertTrue(lines.get(0).contains("-Ddev.mely.vertx=false"), output);
  }

  private static String run(String missing, String transport, String... options) throws Exception {
    String path =
        entries(
            System.getProperty("java.class.path"),
            entry -> !entry.matches(".*netty-transport-[^/]*(" + missing + ")[^/]*"));
    return ChildJvm.run(path, List.of(options), Main.class, transport);
  }

  private static String entries(String path, Predicate<String> wanted) {
    return Stream.of(path.split(File.pathSeparator))
        .filter(wanted)
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static EventLoopGroup group(Vertx vertx) {
    return ((VertxInternal) vertx).nettyEventLoopGroup();
  }

  private static int threads(Vertx vertx) {
    return ((MultiThreadIoEventLoopGroup) group(vertx)).executorCount();
  }

  /** Of a server, to a client of the same Vert.x. */
  private static String answer(Vertx vertx) throws Exception {
    int port =
        get(vertx
                .createHttpServer()
                .requestHandler(request -> request.response().end("served"))
                .listen(0, "127.0.0.1"))
            .actualPort();
    HttpClient client = vertx.createHttpClient(); // one that nobody holds is closed by Vert.x
    String answer =
        get(
            client
                .request(HttpMethod.GET, port, "127.0.0.1", "/")
                .compose(request -> request.send().compose(response -> response.body()))
                .map(Object::toString));
    get(client.close());
    return answer;
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(120, TimeUnit.SECONDS);
  }
}
