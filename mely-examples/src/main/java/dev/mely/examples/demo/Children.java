package dev.mely.examples.demo;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The two servers and the load, each a process. One thread uses them; any may close them. */
final class Children implements AutoCloseable {
  private static final int MONITOR_PATIENCE_MILLIS = 20_000;

  private final int cores;
  private final Map<Side, ServerMain.Ports> ports = new EnumMap<>(Side.class);

  /** Guarded by this. */
  private final List<Child> started = new ArrayList<>();

  private final Child load;

  /** What the load has to know to be served. */
  private final String key = UUID.randomUUID().toString();

  /**
   * Starts them.
   *
   * @param cores event loops of each server
   * @param perMicro speed of the servers' {@link CpuWork}, the same for both
   */
  Children(int cores, double perMicro) throws IOException, InterruptedException {
    this.cores = cores;
    try {
      Map<Side, Child> servers = new EnumMap<>(Side.class);
      for (Side side : Side.values()) {
        servers.put(
            side,
            start(
                "the server of " + side.title(),
                ServerMain.class,
                side.name(),
                Integer.toString(cores),
                Double.toString(perMicro),
                key));
      }
      load = start("the load", LoadMain.class);
      for (Map.Entry<Side, Child> server : servers.entrySet()) {
        ports.put(server.getKey(), server.getValue().answer(ServerMain.Ports.class));
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private Child start(String name, Class<?> main, String... args) throws IOException {
    Child child = new Child(name, main, args);
    synchronized (this) {
      started.add(child);
    }
    return child;
  }

  int cores() {
    return cores;
  }

  /**
   * What is known of a turn.
   *
   * @param group the monitor's figures of the event loops, in that second
   * @param cpus that the server's process used on average; null: not known
   */
  record Turn(Result result, JsonElement group, @Nullable Double cpus) {}

  /** Loads a server for a turn. */
  Turn turn(Side side, Settings settings) throws IOException, InterruptedException {
    ServerMain.Ports server = ports.get(side);
    if (server == null) {
      throw new IllegalStateException(side + " has no server");
    }
    load.ask(new LoadMain.Order(side, server, key, settings));
    load.answer(LoadMain.Begun.class);
    TimeUnit.NANOSECONDS.sleep(Load.BEFORE_NANOS);
    JsonObject figures = figures(server.monitor());
    Result result = load.answer(Result.class);
    JsonElement cpus = figures.get("processCpus");
    JsonArray groups = figures.getAsJsonArray("groups");
    if (groups.isEmpty()) {
      throw new IOException("the monitor of " + side.title() + " has told nothing");
    }
    return new Turn(result, groups.get(0), cpus.isJsonNull() ? null : cpus.getAsDouble());
  }

  /** The monitor's figures of the next second. */
  private static JsonObject figures(int port) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create("http://localhost:" + port + "/state.json")
                .toURL()
                .openConnection(Proxy.NO_PROXY);
    connection.setConnectTimeout(MONITOR_PATIENCE_MILLIS);
    connection.setReadTimeout(MONITOR_PATIENCE_MILLIS);
    try (InputStream answer = connection.getInputStream();
        Reader text = new InputStreamReader(answer, StandardCharsets.UTF_8)) {
      return JsonParser.parseReader(text).getAsJsonObject();
    } catch (JsonParseException | IllegalStateException e) { // the server has ended meanwhile
      throw new IOException("the monitor's answer is not whole", e);
    }
  }

  /** Why a turn has failed: that a process has ended, or else what is known. */
  synchronized IOException why(IOException known) {
    for (Child child : started) {
      if (child.hasEnded()) {
        return child.end();
      }
    }
    return known;
  }

  /** Ends all processes: the last one, which uses the others, first. */
  @Override
  public synchronized void close() {
    for (int i = started.size() - 1; i >= 0; i--) {
      started.get(i).close();
    }
  }
}
