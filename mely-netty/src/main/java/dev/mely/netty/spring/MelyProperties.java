package dev.mely.netty.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What an application sets of the group. {@code META-INF/spring-configuration-metadata.json}
 * describes the properties to editors, with {@code mely.enabled}, a condition of {@link
 * MelyAutoConfiguration}.
 *
 * @param cores number of workers; 0: the builder's default
 * @param transport a name that the builder knows
 * @param workingSet bound on live buffers per core; 0: none
 */
@ConfigurationProperties("mely")
record MelyProperties(
    @DefaultValue("0") int cores,
    @DefaultValue("auto") String transport,
    @DefaultValue("0") DataSize workingSet) {}
