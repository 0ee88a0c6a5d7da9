package dev.mely.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.mely.kafka.KafkaColors;
import dev.mely.kafka.KafkaColorsMetrics;
import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.metrics.MelyMetrics;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The dashboard asks for what the meters are called once Prometheus has them. */
@Timeout(300)
class GrafanaTest {
  private static final Pattern METRIC = Pattern.compile("\\bmely_\\w+");
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(mely_\\w+)\\{([^}]*)\\}");
  private static final Pattern LABEL = Pattern.compile("\\{\\{(\\w+)\\}\\}");

  /** Prometheus adds them. */
  private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

  private final JsonObject dashboard = read();

  private static JsonObject read() {
    try {
      String text = Files.readString(Path.of("..", "docs", "grafana.json"));
      return JsonParser.parseString(text).getAsJsonObject();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** None is misspelled, and none is forgotten. */
  @Test
  void itsMetricsAreThoseOfTheMeters() throws Exception {
    Set<String> asked = new TreeSet<>();
    for (JsonObject target : targets()) {
      METRIC.matcher(target.get("expr").getAsString()).results().forEach(m -> asked.add(m.group()));
    }
    assertEquals(exported().keySet(), asked);
  }

  @Test
  void itsLegendsNameLabelsThatThereAre() throws Exception {
    Map<String, String> exported = exported();
    for (JsonObject target : targets()) {
      Matcher metric = METRIC.matcher(target.get("expr").getAsString());
      assertTrue(metric.find(), target::toString);
      String labels = exported.get(metric.group());
      String legend = target.get("legendFormat").getAsString();
      LABEL
          .matcher(legend)
          .results()
          .map(label -> label.group(1))
          .filter(label -> !OF_PROMETHEUS.contains(label))
          .forEach(label -> assertTrue(labels.contains(label + "="), legend + " of " + labels));
      for (String telling : List.of("core", "group", "topic")) {
        assertEquals(
            labels.contains(telling + "="), legend.contains("{{" + telling + "}}"), legend);
      }
    }
  }

  @Test
  void itsPanelsAreExplainedAndDoNotOverlap() {
    Set<Integer> ids = new HashSet<>();
    Set<List<Integer>> cells = new HashSet<>();
    for (JsonObject panel : panels()) {
      assertTrue(ids.add(panel.get("id").getAsInt()), panel::toString);
      JsonObject at = panel.getAsJsonObject("gridPos");
      int right = at.get("x").getAsInt() + at.get("w").getAsInt();
      assertTrue(right <= 24, panel::toString);
      for (int x = at.get("x").getAsInt(); x < right; x++) {
        for (int row = 0; row < at.get("h").getAsInt(); row++) {
          assertTrue(cells.add(List.of(x, at.get("y").getAsInt() + row)), panel::toString);
        }
      }
      assertTrue(
          panel.get("type").getAsString().equals("row") || panel.has("description"),
          panel::toString);
    }
  }

  /** The labels of each metric. */
  private static Map<String, String> exported() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    try (MelyMetrics metrics = new MelyMetrics(group, Tags.of("group", "http"));
        KafkaColors consumer = consumer(group);
        KafkaColorsMetrics kafka = new KafkaColorsMetrics(consumer, Tags.of("topic", "orders"))) {
      metrics.bindTo(registry);
      kafka.bindTo(registry);
      return SAMPLE
          .matcher(registry.scrape())
          .results()
          .collect(Collectors.toMap(m -> m.group(1), m -> m.group(2), (a, b) -> a, TreeMap::new));
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  /** It finds no broker, and need not. */
  private static KafkaColors consumer(MelyEventLoopGroup group) {
    String strings = "org.apache.kafka.common.serialization.StringDeserializer";
    return KafkaColors.<String, String>builder(
            group.mely(),
            Map.of(
                "bootstrap.servers",
                "127.0.0.1:1",
                "group.id",
                "grafana",
                "key.deserializer",
                strings,
                "value.deserializer",
                strings))
        .topics("orders")
        .handler(record -> {})
        .drain(Duration.ofMillis(100))
        .start();
  }

  private List<JsonObject> panels() {
    List<JsonObject> panels = new ArrayList<>();
    for (JsonElement panel : dashboard.getAsJsonArray("panels")) {
      panels.add(panel.getAsJsonObject());
    }
    return panels;
  }

  private List<JsonObject> targets() {
    List<JsonObject> targets = new ArrayList<>();
    for (JsonObject panel : panels()) {
      JsonArray all = panel.getAsJsonArray("targets");
      if (all != null) {
        all.forEach(target -> targets.add(target.getAsJsonObject()));
      }
    }
    return targets;
  }
}
