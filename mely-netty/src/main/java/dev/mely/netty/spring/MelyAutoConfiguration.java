package dev.mely.netty.spring;

import dev.mely.Mely;
import dev.mely.netty.MelyEventLoopGroup;
import java.time.Duration;
import java.util.Objects;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.reactor.netty.autoconfigure.ReactorNettyProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

/**
 * Gives a Spring Boot application a group, and reactor-netty's server and clients of that
 * application the group's loops: all that ask for Boot's {@link ReactorResourceFactory}. An
 * application that has a group of its own as a bean runs on that one; one with a resource factory
 * of its own is left alone.
 */
@AutoConfiguration(
    beforeName = {
      // These import Boot's resource factory.
      "org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration",
      "org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration"
    })
@ConditionalOnClass({
  ReactorNettyProperties.class,
  LoopResources.class,
  Mely.class // not on the class path where this jar is a Java agent
})
@ConditionalOnBooleanProperty(name = "mely.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(ReactorResourceFactory.class)
@EnableConfigurationProperties({MelyProperties.class, ReactorNettyProperties.class})
class MelyAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(MelyEventLoopGroup.class)
  GroupFactory melyEventLoopGroup(MelyProperties properties, ReactorNettyProperties reactor) {
    return new GroupFactory(
        properties,
        Objects.requireNonNullElse(
            reactor.getShutdownQuietPeriod(),
            Duration.ofSeconds(LoopResources.DEFAULT_SHUTDOWN_QUIET_PERIOD)));
  }

  /** A program with several groups has to choose: it stays on reactor-netty's own loops. */
  @Bean
  @ConditionalOnSingleCandidate(MelyEventLoopGroup.class)
  ReactorResourceFactory reactorResourceFactory(MelyEventLoopGroup group) {
    ReactorResourceFactory resources = new ReactorResourceFactory();
    resources.setUseGlobalResources(false); // they would outlive the application's group
    resources.setLoopResources(useNative -> group);
    return resources;
  }
}
