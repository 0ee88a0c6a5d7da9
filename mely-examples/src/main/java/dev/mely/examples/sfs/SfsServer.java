package dev.mely.examples.sfs;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.MelyBuilder;
import dev.mely.examples.service.CoreListener;
import dev.mely.examples.sws.ServedFolder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secure file server. Its connections, open files and leases belong to the default color, as in
 * an uncolored program; only cryptography does not, see {@link SecureConnection}.
 */
final class SfsServer extends CoreListener {
  private static final Logger LOG = LoggerFactory.getLogger(SfsServer.class);
  private static final Duration TICK = Duration.ofMillis(250);

  private final SfsConfig config;
  private final Volume volume;
  private final Handler<SocketChannel> admit = Handler.of(this::admit).named("Admit");

  // ---- Default color

  private final Leases leases;
  private final Set<Session> sessions = new LinkedHashSet<>();

  /** Sessions without a complete handshake: the first to be closed when there is no room. */
  private final Set<Session> strangers = new LinkedHashSet<>();

  private final Map<PublicId, ClientQueue> queues = new HashMap<>();

  // ---- Counted in the default color, read by any thread

  final LongAdder served = new LongAdder();
  final LongAdder turnedAway = new LongAdder();
  final LongAdder answers = new LongAdder();

  private SfsServer(SfsConfig config, MelyBuilder runtime, Volume volume) throws IOException {
    // The limit is enforced in the default color, where strangers make room. As many again may
    // wait for that.
    super(config, runtime, 2 * config.maxClients());
    this.config = config;
    this.volume = volume;
    this.leases = new Leases(config.lease(), System::nanoTime);
  }

  /**
   * Starts a server on a runtime with other settings.
   *
   * @param runtime its cores, policy and error handler are replaced
   * @throws IOException if the folder cannot be opened, or the port is taken
   */
  static SfsServer start(SfsConfig config, MelyBuilder runtime) throws IOException {
    config.check();
    return start(config, runtime, ServedFolder.open(config.root()));
  }

  /** Takes ownership of a folder, which tests make fail. */
  static SfsServer start(SfsConfig config, MelyBuilder runtime, ServedFolder folder)
      throws IOException {
    try {
      SfsServer server = new SfsServer(config, runtime, new Volume(folder));
      server.begin();
      return server;
    } catch (Throwable t) {
      folder.close();
      throw t;
    }
  }

  @Override
  protected Opener opener() {
    Handler<SfsServer> tick = Handler.of(SfsServer::tick).named("Tick");
    nio().mely().scheduleWithFixedDelay(color(), tick, this, TICK, TICK);
    return channel -> nio().mely().register(color(), admit, channel);
  }

  // ---- For sessions

  /** The color of everything except cryptography. */
  Color color() {
    return nio().mely().color(0);
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

  /** The queue of a client's file operations. There is at most one per known client. */
  ClientQueue queue(PublicId client) {
    return queues.computeIfAbsent(client, c -> new ClientQueue(nio(), color()));
  }

  // ---- Default color

  private void admit(SocketChannel channel) throws IOException {
    boolean begun = false;
    try {
      if (sessions.size() >= config.maxClients() && !strangers.isEmpty()) {
        strangers.iterator().next().end(new IOException("replaced by another client"));
      }
      if (sessions.size() >= config.maxClients()) {
        turnedAway.increment();
        return;
      }
      Session session = new Session(this, channel);
      sessions.add(session);
      strangers.add(session);
      clients().add(session, session::start);
      begun = true;
    } finally {
      if (!begun) {
        clients().abandon();
        nio().close(channel); // it may already be registered with a selector
      }
    }
  }

  /** The handshake is complete, and the client is known. */
  void admitted(Session session) {
    strangers.remove(session);
    served.increment();
  }

  void ended(Session session, @Nullable Throwable why) {
    sessions.remove(session);
    strangers.remove(session);
    clients().leave(session);
    if (why instanceof IOException) {
      LOG.debug("a connection has ended: {}", why.toString());
    } else if (why != null) {
      LOG.warn("a connection was ended: one of its steps has failed", why);
    }
  }

  private void tick() {
    long now = System.nanoTime();
    leases.expire();
    for (Session session : List.copyOf(sessions)) {
      try {
        session.check(now);
      } catch (Throwable t) {
        CoreListener.failed(color(), session, t); // go on with the others
      }
    }
  }

  // ---- Any thread

  /** The path for clients, with the server's key. */
  RemotePath path() {
    InetSocketAddress address = address();
    return new RemotePath(
        config.identity().id(), address.getAddress().getHostAddress(), address.getPort(), "");
  }

  /** Describes the server in one line, printed at start-up. */
  String description() {
    int cores = nio().mely().inspect().cores();
    int known = config.clients().mayWrite().size();
    return String.format(
        Locale.ROOT,
        "serving %s at %s with %d core%s, policy %s; %d client%s known",
        config.root(),
        path(),
        cores,
        cores == 1 ? "" : "s",
        config.policy(),
        known,
        known == 1 ? "" : "s");
  }

  /** Answers open requests within the drain timeout, and stops. */
  @Override
  public void close() {
    try {
      super.close();
    } finally {
      try {
        sessions.forEach(Session::abandon); // no worker runs any more, unless one is stuck
      } finally {
        try {
          volume.close();
        } catch (IOException e) {
          LOG.debug("not closed well", e);
        }
      }
    }
  }
}
