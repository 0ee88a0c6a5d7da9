package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.netty.ChildJvm;
import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.OffloadHandler;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is current where a task is submitted is current in the task, as docs/netty.md says. */
@Timeout(300)
@SuppressWarnings("try") // a scope is only closed
class TraceContextTest {
  private static final ContextKey<String> TRACE = ContextKey.named("trace");
  private static final ThreadLocal<String> LOCAL = new ThreadLocal<>();

  private TestGroup loops;
  private Mely mely;
  private Color color;

  @BeforeEach
  void start() {
    loops = new TestGroup(Setting.NIO);
    mely = loops.group.mely();
    color = mely.newColor();
  }

  @AfterEach
  void end() {
    loops.close();
  }

  @Test
  void openTelemetry() throws Exception {
    String id = "7";
    CompletableFuture<String> executed = new CompletableFuture<>();
    CompletableFuture<String> submitted;
    try (Scope scope = Context.current().with(TRACE, "one").makeCurrent()) {
      Executor account = Context.taskWrapping(mely.executor(color));
      submitted = mely.submit(color, Context.current().wrap(() -> load(id)));
      account.execute(() -> executed.complete(load(id)));
    }
    assertEquals("7 in one", get(executed));
    assertEquals("7 in one", get(submitted));
    assertEquals("7 in null", get(mely.submit(color, () -> load("7"))));
  }

  @Test
  void micrometer() throws Exception {
    ContextRegistry.getInstance().registerThreadLocalAccessor("trace", LOCAL);
    CompletableFuture<String> seen = new CompletableFuture<>();
    Runnable task = () -> seen.complete(LOCAL.get());
    LOCAL.set("one");
    ContextSnapshotFactory contexts = ContextSnapshotFactory.builder().build();
    mely.execute(color, contexts.captureAll().wrap(task));
    LOCAL.remove();
    assertEquals("one", get(seen));
    ContextRegistry.getInstance().removeThreadLocalAccessor("trace");
  }

  @Test
  void anOffloadedHandlerGetsItWithTheMessage() throws Exception {
    Channel server =
        new ServerBootstrap()
            .group(loops.group)
            .channel(loops.group.serverSocketChannelType())
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    ChannelPipeline pipeline = channel.pipeline();
                    pipeline.addLast(new LineBasedFrameDecoder(80));
                    pipeline.addLast(new StringDecoder(), new StringEncoder(), new Traced());
                    pipeline.addLast(
                        OffloadHandler.of(
                            (ctx, work) -> ctx.writeAndFlush(((Callable<?>) work).call())));
                  }
                })
            .bind("127.0.0.1", 0)
            .sync()
            .channel();
    try (Socket client = new Socket()) {
      client.connect(server.localAddress());
      client.setSoTimeout(TestGroup.PATIENCE_MILLIS);
      client.getOutputStream().write("a\nb\n".getBytes());
      BufferedReader answers = new BufferedReader(new InputStreamReader(client.getInputStream()));
      assertEquals("a in trace of a", answers.readLine());
      assertEquals("b in trace of b", answers.readLine());
    }
    server.close().sync();
  }

  /** Makes a trace for each message current, as a tracer does on the event loop. */
  private static final class Traced extends SimpleChannelInboundHandler<String> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, String page) {
      try (Scope scope = Context.current().with(TRACE, "trace of " + page).makeCurrent()) {
        ctx.fireChannelRead(Context.current().wrap(() -> load(page) + "\n"));
      }
    }
  }

  /** With an option or without, it knows Netty's executors; with it, all. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theAgent(boolean all) throws Exception {
    String said =
        ChildJvm.run(
            System.getProperty("java.class.path"),
            List.of(
                "-javaagent:" + Path.of("target", "opentelemetry", "opentelemetry-javaagent.jar"),
                "-Dotel.traces.exporter=none",
                "-Dotel.metrics.exporter=none",
                "-Dotel.logs.exporter=none",
                "-Dotel.instrumentation.executors.include-all=" + all),
            Main.class);
    assertEquals(
        List.of(
            "trace true",
            "group.executor true",
            "event loop true",
            "mely.executor(color) " + all,
            "mely.executor() " + all,
            "mely.submit false",
            "mely.submit with a wrapper true"),
        said.lines().filter(line -> line.matches(".* (true|false)")).toList(),
        said);
  }

  /** Says which tasks see the trace of the thread that submits them. */
  public static final class Main {
    private Main() {}

    /** Runs with the agent. */
    public static void main(String[] arguments) throws Exception {
      MelyEventLoopGroup group = MelyEventLoopGroup.builder().build();
      Mely mely = group.mely();
      Color color = mely.newColor();
      Span span = GlobalOpenTelemetry.getTracer("test").spanBuilder("span").startSpan();
      try (Scope scope = span.makeCurrent()) {
        String own = trace();
        say("trace", own, span.getSpanContext().isValid() ? own : "none");
        say("group.executor", own, group.executor("color").submit(Main::trace).get());
        say("event loop", own, group.next().submit(Main::trace).get());
        say("mely.executor(color)", own, in(mely.executor(color)));
        say("mely.executor()", own, in(mely.executor()));
        say("mely.submit", own, mely.submit(color, Main::trace).get());
        say(
            "mely.submit with a wrapper",
            own,
            mely.submit(color, Context.current().wrap(Main::trace)).get());
      }
      group.shutdownGracefully(0, 9, TimeUnit.SECONDS).sync();
    }

    private static String in(Executor executor) throws Exception {
      CompletableFuture<String> seen = new CompletableFuture<>();
      executor.execute(() -> seen.complete(trace()));
      return seen.get();
    }

    private static String trace() {
      return Span.current().getSpanContext().getTraceId();
    }

    private static void say(String way, String own, String seen) {
      System.out.println(way + " " + own.equals(seen));
    }
  }

  private static String load(String id) {
    return id + " in " + Context.current().get(TRACE);
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
