package dev.mely.netty.spring;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.MelyEventLoopGroupBuilder;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import reactor.netty.resources.LoopResources;

/**
 * Starts the application's group, and ends it. Spring ends it after the beans that use it and after
 * the phases in which servers stop.
 */
final class GroupFactory implements FactoryBean<MelyEventLoopGroup>, DisposableBean {
  private static final System.Logger LOGGER = System.getLogger("dev.mely.netty");

  private final MelyEventLoopGroup group;
  private final Duration quietPeriod;

  /**
   * Starts the group.
   *
   * @throws InvalidConfigurationPropertyValueException if the builder refuses a property
   */
  GroupFactory(MelyProperties properties, Duration quietPeriod) {
    MelyEventLoopGroupBuilder builder =
        MelyEventLoopGroup.builder().threadFactory(new LoopThreads());
    set("cores", properties.cores(), builder::cores);
    set("transport", properties.transport(), builder::transport);
    set("working-set", properties.workingSet().toBytes(), builder::workingSet);
    this.group = builder.build();
    this.quietPeriod = quietPeriod;
    LOGGER.log(
        System.Logger.Level.INFO,
        "Mely serves reactor-netty with "
            + group.executorCount()
            + " threads; mely.enabled=false leaves it to Netty");
  }

  private static <T> void set(String name, T value, Consumer<T> setting) {
    try {
      setting.accept(value);
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigurationPropertyValueException("mely." + name, value, e.getMessage());
    }
  }

  @Override
  public MelyEventLoopGroup getObject() {
    return group;
  }

  @Override
  public Class<?> getObjectType() {
    return MelyEventLoopGroup.class;
  }

  /** Waits for the end, as the resource factory of Spring waits for reactor-netty's own loops. */
  @Override
  public void destroy() {
    long quiet = quietPeriod.toMillis();
    long timeout =
        Math.max(quiet, TimeUnit.SECONDS.toMillis(LoopResources.DEFAULT_SHUTDOWN_TIMEOUT));
    group.shutdownGracefully(quiet, timeout, TimeUnit.MILLISECONDS).awaitUninterruptibly(timeout);
  }
}
