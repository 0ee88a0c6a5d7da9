package dev.mely.netty.micronaut;

import dev.mely.Mely;
import dev.mely.netty.MelyEventLoopGroup;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.LifeCycle;
import io.micronaut.context.RuntimeBeanDefinition;
import io.micronaut.http.netty.channel.DefaultEventLoopGroupConfiguration;
import io.micronaut.http.netty.channel.DefaultEventLoopGroupRegistry;
import io.micronaut.http.netty.channel.EventLoopGroupConfiguration;
import io.micronaut.http.netty.channel.EventLoopGroupFactory;
import io.micronaut.http.netty.channel.loom.LoomCarrierGroup;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Makes the event loops that an application's configuration asks for, and ends them. A subclass of
 * Micronaut's own registry, because the beans of the groups are made by methods of that class.
 *
 * <p>Thread-safe.
 */
final class MelyLoops extends DefaultEventLoopGroupRegistry implements LifeCycle<MelyLoops> {
  /** The name in Micronaut's HTTP server, on which this does not depend. */
  private static final String ACCEPTORS = "parent";

  private final ApplicationContext context;
  private final EventLoopGroupFactory transports;
  private final Map<EventLoopGroup, EventLoopGroupConfiguration> groups = new ConcurrentHashMap<>();

  private MelyLoops(ApplicationContext context, EventLoopGroupFactory transports) {
    super(transports, context, context.getProvider(LoomCarrierGroup.Factory.class), List.of());
    this.context = context;
    this.transports = transports;
  }

  /**
   * Takes the place of Micronaut's own registry.
   *
   * @throws NoClassDefFoundError if mely-core is missing
   */
  static void register(ApplicationContext context) {
    Objects.requireNonNull(
        Mely.class); // if it is missing, the error comes here, before a bean is defined
    context.registerBeanDefinition(
        RuntimeBeanDefinition.builder(
                DefaultEventLoopGroupRegistry.class,
                () -> new MelyLoops(context, context.getBean(EventLoopGroupFactory.class)))
            .singleton(true)
            .replaces(DefaultEventLoopGroupRegistry.class)
            .build());
  }

  @Override
  protected EventLoopGroup defaultEventLoopGroup(ThreadFactory threads) {
    return start(new DefaultEventLoopGroupConfiguration(), threads);
  }

  /**
   * Loops that accept connections have nothing to steal; those on an executor of the program, or
   * that carry virtual threads, are bound to their threads. They stay Netty's.
   */
  @Override
  protected EventLoopGroup eventLoopGroup(EventLoopGroupConfiguration configuration) {
    String name = configuration.getName();
    if (name.equals(ACCEPTORS)
        || configuration.getExecutorName().isPresent()
        || configuration.isLoomCarrier()) {
      EventLoopGroup group = super.eventLoopGroup(configuration);
      groups.put(group, configuration);
      return group;
    }
    return start(
        configuration,
        context
            .findBean(ThreadFactory.class, Qualifiers.byName(name))
            .orElseGet(() -> new DefaultThreadFactory(name + "-eventLoopGroup")));
  }

  private EventLoopGroup start(EventLoopGroupConfiguration configuration, ThreadFactory threads) {
    MelyEventLoopGroup group =
        new MelyEventLoopGroup(
            cores(configuration), threads, transports.createIoHandlerFactory(configuration));
    groups.put(group, configuration);
    return group;
  }

  /** What is not configured is left to Mely: one worker for each CPU. */
  private static int cores(EventLoopGroupConfiguration configuration) {
    boolean configured =
        configuration.getNumThreads() != 0
            || configuration.getThreadCoreRatio()
                != EventLoopGroupConfiguration.DEFAULT_THREAD_CORE_RATIO;
    return configured ? numThreads(configuration) : 0;
  }

  @Override
  public boolean isRunning() {
    return true;
  }

  /** Micronaut calls it when the context ends: the servers have stopped. */
  @Override
  public MelyLoops stop() {
    for (Map.Entry<EventLoopGroup, EventLoopGroupConfiguration> entry : groups.entrySet()) {
      long quiet = entry.getValue().getShutdownQuietPeriod().toMillis();
      long timeout = entry.getValue().getShutdownTimeout().toMillis();
      Future<?> unused = entry.getKey().shutdownGracefully(quiet, timeout, TimeUnit.MILLISECONDS);
    }
    groups.clear();
    return this;
  }
}
