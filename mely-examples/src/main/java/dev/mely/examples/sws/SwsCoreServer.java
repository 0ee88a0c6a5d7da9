package dev.mely.examples.sws;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.examples.service.CoreListener;
import dev.mely.examples.service.CoreTable;
import dev.mely.nio.Nio;
import dev.mely.report.Statistics;
import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SWS on {@code dev.mely.nio}, without Netty: the nine handlers of the Mely paper's Figure 6.
 *
 * <pre>
 *   handler               color                  here
 *   Epoll                 0                      the selectors of dev.mely.nio, in each idle worker
 *   RegisterFdInEpoll     0                      {@link #registerFdInEpoll}
 *   Accept                1                      {@link #accept}
 *   DecClientAccepted     1                      {@link #decClientAccepted}
 *   ReadRequest           the connection's       {@link SwsCoreClient}
 *   ParseRequest          the connection's
 *   CheckInCache          the connection's
 *   WriteResponse         the connection's
 *   Close                 the connection's
 * </pre>
 *
 * <p>In the paper, a connection's color is the number of its file descriptor; here each connection
 * has a new color object, which needs no table. With {@link Coloring#LIBASYNC}, a page cache whose
 * parts have colors of their own replaces CheckInCache.
 *
 * <p>State of color 0 and color 1 is written without locks. Thread-safe.
 */
public final class SwsCoreServer extends WebServer {
  private static final Logger LOG = LoggerFactory.getLogger(SwsCoreServer.class);

  private static final int PARTS = 10;

  /** How long a part of the close may take: every wait has a deadline. */
  private static final Duration RUNTIME_CLOSE = Duration.ofSeconds(5);

  private static final long KILL_MILLIS = 1_000;

  final Nio nio;
  final Coloring coloring;
  volatile FileStore store; // replaced by tests
  private final ServerSocketChannel listener;
  private final InetSocketAddress address;
  private final Color epoll;
  private final Color accepting;
  final PageCache[] pageCaches; // replaced by tests
  private final Handler<SwsCoreClient> register =
      Handler.of(this::registerFdInEpoll).named("RegisterFdInEpoll");
  private final Handler<SwsCoreClient> decrement =
      Handler.of(this::decClientAccepted).named("DecClientAccepted");
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Color 0. */
  private final Set<SwsCoreClient> registered = new HashSet<>();

  /** Color 0. */
  private boolean draining;

  // Written in color 1 only, so that no update is lost; read by any thread.
  private volatile int clients;
  private volatile int told;
  private volatile long served;

  /** Clients that have ended while no event could be registered for that. Any thread. */
  private final AtomicInteger unsaid = new AtomicInteger();

  private final AtomicInteger unsaidTold = new AtomicInteger();
  private volatile long refused;

  private SwsCoreServer(
      SwsConfig config, Coloring coloring, FileStore files, Nio nio, ServerSocketChannel listener)
      throws IOException {
    super(config, files);
    this.coloring = coloring;
    this.nio = nio;
    store = files;
    this.listener = listener;
    address = (InetSocketAddress) listener.getLocalAddress();
    Mely mely = nio.mely();
    epoll = mely.color(0);
    accepting = mely.color(1);
    pageCaches = new PageCache[coloring == Coloring.LIBASYNC ? PARTS : 0];
    for (int part = 0; part < pageCaches.length; part++) {
      pageCaches[part] = new PageCache(mely.newColor(), config.prebuiltBytes() / PARTS);
    }
    nio.accept(listener, accepting, Handler.of(this::accept).named("Accept")).resume();
  }

  /**
   * Starts a server.
   *
   * @param config what to serve, where and how; its transport is ignored
   * @param coloring which events exclude each other
   * @return the server, accepting connections
   * @throws IOException if the port is taken or the folder cannot be read; the message says which
   */
  public static SwsCoreServer start(SwsConfig config, Coloring coloring) throws IOException {
    return start(config, coloring, Mely.builder().pinned(true));
  }

  /**
   * Starts a server on a runtime with other settings.
   *
   * @param config what to serve, where and how; its transport is ignored
   * @param coloring which events exclude each other
   * @param runtime its cores, policy and error handler are replaced; responses use its pools, if it
   *     has a plan
   * @return the server, accepting connections
   * @throws IOException if the port is taken or the folder cannot be read; the message says which
   */
  public static SwsCoreServer start(SwsConfig config, Coloring coloring, MelyBuilder runtime)
      throws IOException {
    FileStore files = FileStore.open(config, coloring == Coloring.LIBASYNC);
    ServerSocketChannel listener = null;
    Nio nio = null;
    boolean started = false;
    try {
      listener = CoreListener.listen(config.address());
      nio =
          Nio.start(
              runtime
                  .cores(config.cores())
                  .policy(config.policy())
                  .errorHandler(CoreListener::failed));
      SwsCoreServer server = new SwsCoreServer(config, coloring, files, nio, listener);
      started = true;
      return server;
    } finally {
      if (!started) {
        if (nio != null) {
          nio.shutdown(Duration.ZERO);
        }
        if (listener != null) {
          listener.close();
        }
        files.close();
      }
    }
  }

  // ---- Handlers of color 1

  /** Accept. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // by this color only
  private void accept(SocketChannel channel) throws IOException {
    clients -= unsaid.getAndSet(0);
    told -= unsaidTold.getAndSet(0);
    boolean admitted = clients < config.maxClients();
    if (!admitted && told >= ClientCap.MAX_TOLD) {
      refused++;
      channel.close();
      return;
    }
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    if (admitted) {
      served++;
      clients++;
    } else {
      refused++;
      told++;
    }
    boolean begun = false;
    try {
      nio.mely().register(epoll, register, new SwsCoreClient(this, channel, admitted));
      begun = true;
    } finally {
      if (!begun) {
        left(admitted); // and Nio closes the channel
      }
    }
  }

  /** DecClientAccepted. */
  private void decClientAccepted(SwsCoreClient client) {
    left(client.isAdmitted());
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // by color 1 only
  private void left(boolean admitted) {
    if (admitted) {
      clients--;
    } else {
      told--;
    }
  }

  // ---- Handlers of color 0

  /** RegisterFdInEpoll. */
  private void registerFdInEpoll(SwsCoreClient client) {
    registered.add(client);
    client.watch();
    if (draining) {
      client.tell(SwsCoreClient.DRAIN);
    }
  }

  // ---- For the connections

  /** Removes a closed connection. The connection's color. */
  void closed(SwsCoreClient client) {
    boolean said = false;
    try {
      nio.mely().register(accepting, decrement, client);
      said = true;
      nio.mely().execute(epoll, () -> registered.remove(client));
    } finally {
      if (!said) {
        // No event can be registered: the next accept reads it here.
        (client.isAdmitted() ? unsaid : unsaidTold).incrementAndGet();
      }
    }
  }

  /** The part of the page cache for a path; hashing the path takes the time. */
  PageCache pageCache(String path) {
    return pageCaches[Math.floorMod(path.hashCode(), PARTS)];
  }

  // ---- WebServer

  @Override
  public InetSocketAddress address() {
    return address;
  }

  @Override
  String runsOn() {
    return runsOn(config, "dev.mely.nio, coloring " + coloring);
  }

  @Override
  public List<CoreTable.Row> cores() {
    return CoreTable.rows(statistics());
  }

  @Override
  public StageGraph stages() {
    return nio.mely().inspect().stages();
  }

  /**
   * Returns what the cores have done so far.
   *
   * @return a snapshot
   */
  public Statistics statistics() {
    return nio.mely().inspect().statistics();
  }

  @Override
  public long served() {
    return served;
  }

  @Override
  public long refused() {
    return refused;
  }

  @Override
  public int clients() {
    return clients - unsaid.get();
  }

  @Override
  public boolean isOpen() {
    return listener.isOpen();
  }

  @Override
  public void awaitClose() throws InterruptedException {
    stopped.await();
  }

  @Override
  public Duration longestClose() {
    return config
        .drainTimeout()
        .plus(RUNTIME_CLOSE)
        .plusMillis(KILL_MILLIS + FileStore.CLOSE_MILLIS);
  }

  @Override
  public void close() {
    try {
      nio.close(listener);
      tellAll(SwsCoreClient.DRAIN, config.drainTimeout().toMillis());
      tellAll(SwsCoreClient.ABORT, KILL_MILLIS);
    } catch (IOException e) {
      LOG.debug("the listener was not closed well", e);
    } finally {
      // Also after an exception or error above.
      try {
        nio.shutdown(RUNTIME_CLOSE);
      } finally {
        try {
          files.close();
        } finally {
          stopped.countDown();
        }
      }
    }
  }

  /** Registers an event for each connection, and waits until no connection is left. */
  private void tellAll(Handler<SwsCoreClient> what, long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    try {
      nio.mely()
          .execute(
              epoll,
              () -> {
                draining = true;
                registered.forEach(client -> client.tell(what));
              });
      while (clients() + told - unsaidTold.get() > 0 && System.nanoTime() - end < 0) {
        Thread.sleep(5);
      }
    } catch (RejectedExecutionException e) {
      LOG.debug("closed twice", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
