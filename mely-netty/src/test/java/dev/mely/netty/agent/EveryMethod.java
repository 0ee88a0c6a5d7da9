package dev.mely.netty.agent;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.local.LocalIoHandle;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A program that calls every public method of its groups, and throws if one does not do what the
 * Mely group behind does, or if there is a method that it does not know.
 */
@SuppressWarnings("deprecation") // so do the programs
final class EveryMethod {
  private interface Check {
    boolean passes(Subject subject) throws Exception;
  }

  /** By the method's name and the simple names of its parameters' types. */
  private static final Map<String, Check> CHECKS = new TreeMap<>();

  /** In the order in which they are called: they end the group. */
  private static final List<String> LAST =
      List.of(
          "close()",
          "shutdown()",
          "shutdownNow()",
          "shutdownGracefully()",
          "shutdownGracefully(long,long,TimeUnit)",
          "isShuttingDown()",
          "isShutdown()",
          "isTerminated()",
          "terminationFuture()",
          "awaitTermination(long,TimeUnit)");

  static {
    tasks();
    loops();
    end();
  }

  private EveryMethod() {}

  private static void check(String method, Check check) {
    CHECKS.put(method, check);
  }

  private static void tasks() {
    check("execute(Runnable)", s -> onMely(task -> s.group.execute(task)));
    check("submit(Runnable)", s -> onMely(task -> s.group.submit(task)));
    check("submit(Runnable,Object)", s -> onMely(task -> s.group.submit(task, 1)));
    check("submit(Callable)", s -> s.group.submit(OnMely::isCurrentThread).get());
    check(
        "schedule(Runnable,long,TimeUnit)",
        s -> onMely(task -> s.group.schedule(task, 1, TimeUnit.MILLISECONDS)));
    check(
        "schedule(Callable,long,TimeUnit)",
        s -> s.group.schedule(OnMely::isCurrentThread, 1, TimeUnit.MILLISECONDS).get());
    check(
        "scheduleAtFixedRate(Runnable,long,long,TimeUnit)",
        s -> onMely(task -> s.group.scheduleAtFixedRate(task, 0, 9, TimeUnit.DAYS)));
    check(
        "scheduleWithFixedDelay(Runnable,long,long,TimeUnit)",
        s -> onMely(task -> s.group.scheduleWithFixedDelay(task, 0, 9, TimeUnit.DAYS)));
    List<Callable<Boolean>> calls = List.of(OnMely::isCurrentThread);
    check("invokeAll(Collection)", s -> s.group.invokeAll(calls).get(0).get());
    check(
        "invokeAll(Collection,long,TimeUnit)",
        s -> s.group.invokeAll(calls, 1, TimeUnit.HOURS).get(0).get());
    check("invokeAny(Collection)", s -> s.group.invokeAny(calls));
    check("invokeAny(Collection,long,TimeUnit)", s -> s.group.invokeAny(calls, 1, TimeUnit.HOURS));
  }

  private interface Start {
    void task(Runnable task);
  }

  private static boolean onMely(Start start) throws Exception {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    start.task(() -> answer.complete(OnMely.isCurrentThread()));
    return answer.get(60, TimeUnit.SECONDS);
  }

  private static void loops() {
    // 16 for each core, as the Mely group has them.
    check("next()", s -> s.turn(s.group).equals(s.turn(s.mely)) && s.turn(s.mely).size() > 16);
    check("register(Channel)", s -> s.hasLoopOfItsOwn(s.group::register));
    check(
        "register(ChannelPromise)",
        s -> s.hasLoopOfItsOwn(channel -> s.group.register(channel.newPromise())));
    check(
        "register(Channel,ChannelPromise)",
        s -> s.hasLoopOfItsOwn(channel -> s.group.register(channel, channel.newPromise())));
    check(
        "register(IoHandle)",
        s -> failure(() -> s.group.register(new NoHandle()).get()).contains("NoHandle"));
    check("iterator()", s -> list(s.group).equals(list(s.mely)) && list(s.group).size() == 2);
    check(
        "forEach(Consumer)",
        s -> {
          List<EventExecutor> seen = new ArrayList<>();
          s.group.forEach(seen::add);
          return seen.equals(list(s.mely));
        });
    check("spliterator()", s -> s.group.spliterator().getExactSizeIfKnown() < 3);
    check("executorCount()", s -> s.group.executorCount() == s.mely.executorCount());
    check(
        "activeExecutorCount()",
        s -> s.group.activeExecutorCount() == s.mely.activeExecutorCount());
    check(
        "executorUtilizations()",
        s -> s.group.executorUtilizations().equals(s.mely.executorUtilizations()));
    check(
        "isCompatible(Class)",
        s ->
            s.group.isCompatible(NioIoHandle.class) == s.mely.isCompatible(NioIoHandle.class)
                && !s.group.isCompatible(LocalIoHandle.class));
    check(
        "isIoType(Class)",
        s ->
            s.group.isIoType(NioIoHandler.class) == s.mely.isIoType(NioIoHandler.class)
                && !s.group.isIoType(LocalIoHandler.class));
    check("ticker()", s -> s.group.ticker() == s.mely.ticker());
    // These have no effect on Netty's own either, and must not fail.
    check("setIoRatio(int)", s -> s.call("setIoRatio", 50));
    check("rebuildSelectors()", s -> s.call("rebuildSelectors"));
  }

  private static void end() {
    check("close()", s -> s.ends(() -> s.call("close")));
    check("shutdown()", s -> s.ends(() -> s.group.shutdown()));
    check("shutdownNow()", s -> s.ends(() -> s.group.shutdownNow()));
    check("shutdownGracefully()", s -> s.ends(() -> s.group.shutdownGracefully()));
    check(
        "shutdownGracefully(long,long,TimeUnit)",
        s -> s.ends(() -> s.group.shutdownGracefully(0, 30, TimeUnit.SECONDS)));
    check("isShuttingDown()", s -> s.group.isShuttingDown() == s.mely.isShuttingDown());
    check("isShutdown()", s -> s.group.isShutdown() == s.mely.isShutdown());
    check("isTerminated()", s -> s.group.isTerminated() == s.mely.isTerminated());
    check("terminationFuture()", s -> s.group.terminationFuture().await(60, TimeUnit.SECONDS));
    check("awaitTermination(long,TimeUnit)", s -> s.group.awaitTermination(60, TimeUnit.SECONDS));
  }

  private static List<EventExecutor> list(Iterable<EventExecutor> group) {
    List<EventExecutor> executors = new ArrayList<>();
    group.forEach(executors::add);
    return executors;
  }

  private static String failure(Callable<?> call) throws Exception {
    try {
      return "no failure: " + call.call();
    } catch (IllegalArgumentException | java.util.concurrent.ExecutionException e) {
      return String.valueOf(e.getMessage());
    }
  }

  public static void main(String[] arguments) throws Exception {
    int status = 1; // the groups' threads would keep a failed program alive
    try {
      check(() -> new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory()), false);
      check(() -> new NioEventLoopGroup(8), false); // there are two CPUs
      if (Epoll.isAvailable()) {
        check(() -> new EpollEventLoopGroup(2), true);
      }
      System.out.println("all are Mely's");
      status = 0;
    } catch (Throwable t) {
      t.printStackTrace();
    } finally {
      System.exit(status);
    }
  }

  private static void check(Callable<MultiThreadIoEventLoopGroup> make, boolean epoll)
      throws Exception {
    Subject subject = new Subject(make, epoll);
    Set<String> methods = new TreeSet<>();
    for (Method method : subject.group.getClass().getMethods()) {
      if (method.getDeclaringClass() != Object.class && !Modifier.isStatic(method.getModifiers())) {
        methods.add(signature(method));
      }
    }
    List<String> ordered = new ArrayList<>(methods);
    ordered.sort((one, other) -> LAST.indexOf(one) - LAST.indexOf(other));
    for (String method : ordered) {
      Check check = CHECKS.get(method);
      if (check == null || !check.passes(subject)) {
        throw new IllegalStateException(
            (check == null ? "unknown: " : "not as Mely's: ") + subject.group + method);
      }
    }
  }

  private static String signature(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(Collectors.joining(",", method.getName() + "(", ")"));
  }

  /** A program's group, and the Mely group behind it. */
  private static final class Subject {
    private static final Set<Class<?>> MELY = new HashSet<>();

    private final Callable<MultiThreadIoEventLoopGroup> make;
    private final boolean epoll;
    private MultiThreadIoEventLoopGroup group;
    private MultiThreadIoEventLoopGroup mely;

    Subject(Callable<MultiThreadIoEventLoopGroup> make, boolean epoll) throws Exception {
      this.make = make;
      this.epoll = epoll;
      renew();
    }

    private void renew() throws Exception {
      group = make.call();
      mely = (MultiThreadIoEventLoopGroup) group.iterator().next().parent();
      if (!mely.getClass().getSimpleName().equals("MelyEventLoopGroup")) {
        throw new IllegalStateException("not replaced: " + group);
      }
      MELY.add(mely.getClass());
      if (MELY.size() > 1) {
        throw new IllegalStateException("loaded more than once: " + MELY);
      }
    }

    /** All event loops that take turns. */
    Set<IoEventLoop> turn(IoEventLoopGroup of) {
      Set<IoEventLoop> loops = Collections.newSetFromMap(new IdentityHashMap<>());
      IoEventLoop loop = of.next();
      while (loops.add(loop)) {
        loop = of.next();
      }
      return new HashSet<>(loops);
    }

    private interface Registration {
      ChannelFuture of(Channel channel);
    }

    /** As the Mely group gives a server's channel, which none of those is that take turns. */
    boolean hasLoopOfItsOwn(Registration registration) throws Exception {
      Channel channel = epoll ? new EpollServerSocketChannel() : new NioServerSocketChannel();
      boolean registered = registration.of(channel).await(60, TimeUnit.SECONDS);
      EventLoop loop = channel.eventLoop();
      boolean own = loop.parent() == mely && !turn(mely).contains(loop);
      channel.close().await(60, TimeUnit.SECONDS);
      return registered && own;
    }

    boolean call(String name, Object... arguments) throws Exception {
      for (Method method : group.getClass().getMethods()) {
        if (method.getName().equals(name)) {
          method.invoke(group, arguments);
        }
      }
      return true;
    }

    private interface Ending {
      void end() throws Exception;
    }

    /** Whether both end; the next check gets others, but for those of the end. */
    boolean ends(Ending ending) throws Exception {
      if (group.isShuttingDown()) {
        renew();
      }
      if (group.isTerminated() || mely.isShutdown()) {
        return false;
      }
      ending.end();
      return mely.isShuttingDown()
          && group.isShuttingDown()
          && group.terminationFuture().await(60, TimeUnit.SECONDS)
          && mely.isTerminated()
          && group.isTerminated();
    }
  }
}
