package dev.mely.netty.spring;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.metrics.MelyMetrics;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters and health of an application's group, if it has one. */
@AutoConfiguration(after = MelyAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "mely.enabled", matchIfMissing = true)
@ConditionalOnSingleCandidate(MelyEventLoopGroup.class)
class MelyActuatorAutoConfiguration {
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterBinder.class)
  static class MetricsConfiguration {
    /** Boot binds it to the application's registry, if there is one. */
    @Bean
    @ConditionalOnMissingBean
    MelyMetrics melyMetrics(MelyEventLoopGroup group) {
      return new MelyMetrics(group, Tags.empty());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
  @ConditionalOnEnabledHealthIndicator("mely")
  static class HealthConfiguration {
    @Bean
    @ConditionalOnMissingBean(name = "melyHealthIndicator")
    HealthIndicator melyHealthIndicator(MelyEventLoopGroup group) {
      return () ->
          (group.isShuttingDown() ? Health.down() : Health.up())
              .withDetail("cores", group.executorCount())
              .withDetail("channels", group.registeredChannels())
              .build();
    }
  }
}
