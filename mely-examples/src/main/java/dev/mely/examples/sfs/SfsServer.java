package dev.mely.examples.sfs;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.ShutdownReport;
import dev.mely.Statistics;
import dev.mely.examples.service.CoreListener;
import dev.mely.examples.service.Running;
import dev.mely.examples.sws.ServedFolder;
import dev.mely.nio.Nio;
import dev.mely.nio.Source;
import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secure file server. Who is connected, what is open and what is leased belong to the default
 * color, as in an uncolored program; see {@link SecureConnection} for what does not.
 */
final class SfsServer implements Running {
  private static final Logger LOG = LoggerFactory.getLogger(SfsServer.class);
  private static final Duration TICK = Duration.ofMillis(250);
  private static final Duration CLOSE_TIME = Duration.ofSeconds(5);

  private final SfsConfig config;
  private final Nio nio;
  private final Volume volume;
  private final ServerSocketChannel socket;
  private final InetSocketAddress address;
  private final Source accepting;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CountDownLatch closing = new CountDownLatch(1);

  // ---- Default color

  private final Leases leases;
  private final Set<Session> sessions = new LinkedHashSet<>();

  /** Those who have not said who they are: the first to go when there is no room. */
  private final Set<Session> strangers = new LinkedHashSet<>();

  private final Map<PublicId, Line> lines = new HashMap<>();

  private boolean draining;
  private final CountDownLatch drained = new CountDownLatch(1);

  // Counted in the default color, read by whoever prints them.
  private final AtomicLong served = new AtomicLong();
  private final AtomicLong turnedAway = new AtomicLong();
  private final AtomicLong answers = new AtomicLong();
  private final AtomicLong failures;

  private SfsServer(
      SfsConfig config, Nio nio, Volume volume, ServerSocketChannel socket, AtomicLong failures)
      throws IOException {
    this.failures = failures;
    this.config = config;
    this.nio = nio;
    this.volume = volume;
    this.socket = socket;
    this.address = (InetSocketAddress) socket.getLocalAddress();
    this.leases = new Leases(config.lease(), System::nanoTime);
    this.accepting = nio.accept(socket, color(), Handler.named("Accept", this::accepted));
  }

  /**
   * Starts a server.
   *
   * @throws IOException if the folder cannot be opened, or the port is taken
   */
  static SfsServer start(SfsConfig config) throws IOException {
    return start(config, Mely.builder().pinned(true));
  }

  /**
   * Starts a server on a runtime with settings of one's own.
   *
   * @param runtime its cores, policy and error handler are replaced
   * @throws IOException if the folder cannot be opened, or the port is taken
   */
  static SfsServer start(SfsConfig config, MelyBuilder runtime) throws IOException {
    config.check();
    return start(config, runtime, ServedFolder.open(config.root()));
  }

  /** Takes the folder, which tests have made fail; it is the server's until it is closed. */
  static SfsServer start(SfsConfig config, MelyBuilder runtime, ServedFolder folder)
      throws IOException {
    Volume volume = new Volume(folder);
    AtomicLong failures = new AtomicLong();
    ServerSocketChannel socket = null;
    Nio nio = null;
    boolean started = false;
    try {
      socket = CoreListener.listen(config.address());
      nio =
          Nio.start(
              runtime
                  .cores(config.runtime().cores())
                  .policy(config.runtime().policy())
                  .errorHandler((color, event, error) -> failed(failures, event, error)));
      SfsServer server = new SfsServer(config, nio, volume, socket, failures);
      nio.mely()
          .scheduleWithFixedDelay(
              server.color(), Handler.named("Tick", SfsServer::tick), server, TICK, TICK);
      server.accepting.resume();
      started = true;
      return server;
    } finally {
      if (!started) {
        if (nio != null) {
          nio.close();
        }
        if (socket != null) {
          socket.close();
        }
        volume.close();
      }
    }
  }

  private static void failed(AtomicLong failures, Object event, Throwable error) {
    failures.incrementAndGet();
    LOG.warn("an event has failed: " + event, error);
  }

  // ---- For sessions

  Nio nio() {
    return nio;
  }

  /** The color of everything but cryptography. */
  Color color() {
    return nio.mely().defaultColor();
  }

  SfsConfig config() {
    return config;
  }

  Volume volume() {
    return volume;
  }

  Leases leases() {
    return leases;
  }

  /** The file operations of a client. There are no more of them than clients that are known. */
  Line line(PublicId client) {
    return lines.computeIfAbsent(client, c -> new Line(nio, color()));
  }

  // ---- Default color

  private void accepted(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    if (sessions.size() >= config.maxClients()) {
      if (strangers.isEmpty()) {
        turnedAway.incrementAndGet();
        channel.close();
        return;
      }
      strangers.iterator().next().end(new IOException("another client needs the place"));
    }
    Session session = new Session(this, channel);
    boolean started = false;
    try {
      sessions.add(session);
      strangers.add(session);
      session.start();
      started = true;
    } finally {
      if (!started) {
        session.end(new IOException("it could not be begun"));
      }
    }
  }

  /** A client has said who it is, and is known. */
  void admitted(Session session) {
    strangers.remove(session);
    served.incrementAndGet();
  }

  /** A client is not known. */
  void refused() {
    turnedAway.incrementAndGet();
  }

  void answered() {
    answers.incrementAndGet();
  }

  void ended(Session session, @Nullable Throwable why) {
    sessions.remove(session);
    strangers.remove(session);
    if (draining && sessions.isEmpty()) {
      drained.countDown();
    }
    if (why instanceof IOException) {
      LOG.debug("a connection has ended: {}", why.toString());
    } else if (why != null) {
      LOG.warn("a connection was ended: a step of it has failed", why);
    }
  }

  private void tick() {
    long now = System.nanoTime();
    leases.expire();
    for (Session session : new ArrayList<>(sessions)) {
      try {
        session.check(now);
      } catch (Throwable t) {
        failed(failures, session, t); // the others have their turn
      }
    }
  }

  private void drain() {
    draining = true;
    accepting.cancel();
    for (Session session : new ArrayList<>(sessions)) {
      try {
        if (session.isAdmitted()) {
          session.finish();
        } else {
          session.end(new IOException("the server stops"));
        }
      } catch (Throwable t) {
        session.end(t); // the others have their turn
      }
    }
    if (sessions.isEmpty()) {
      drained.countDown();
    }
  }

  // ---- Any thread

  @Override
  public InetSocketAddress address() {
    return address;
  }

  /** Where clients find it; names the server's key. */
  RemotePath path() {
    return new RemotePath(
        config.identity().id(), address.getAddress().getHostAddress(), address.getPort(), "");
  }

  /** Everything that a person wants to know at start-up, in one line. */
  String description() {
    int cores = nio.mely().cores();
    return String.format(
        Locale.ROOT,
        "serving %s at %s with %d core%s, policy %s; %d client%s known",
        config.root(),
        path(),
        cores,
        cores == 1 ? "" : "s",
        config.runtime().policy(),
        config.clients().size(),
        config.clients().size() == 1 ? "" : "s");
  }

  long served() {
    return served.get();
  }

  long turnedAway() {
    return turnedAway.get();
  }

  long answers() {
    return answers.get();
  }

  /** How many events have failed, accepting without descriptors among them: others are bugs. */
  long failures() {
    return failures.get();
  }

  /** What each core has done so far. */
  Statistics statistics() {
    return nio.mely().statistics();
  }

  @Override
  public Duration longestClose() {
    return config.runtime().drainTimeout().plus(CLOSE_TIME);
  }

  @Override
  public StageGraph stages() {
    return nio.mely().stages();
  }

  @Override
  public void awaitClose() throws InterruptedException {
    closing.await();
  }

  /** Answers what was asked, for as long as the configuration allows, and stops. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    boolean interrupted = false;
    try {
      nio.mely().execute(color(), this::drain);
      drained.await(config.runtime().drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      stop();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whatever goes wrong in a step of it, the others are made. */
  private void stop() {
    try {
      ShutdownReport report = nio.shutdown(CLOSE_TIME);
      if (!report.drained()) {
        LOG.warn("{} events were left", report.eventsLeft());
      }
    } finally {
      try {
        sessions.forEach(Session::abandon); // no worker is left to see them
      } finally {
        release();
      }
    }
  }

  private void release() {
    try {
      try {
        socket.close();
      } finally {
        volume.close();
      }
    } catch (IOException e) {
      LOG.debug("not closed well", e);
    } finally {
      closing.countDown();
    }
  }
}
