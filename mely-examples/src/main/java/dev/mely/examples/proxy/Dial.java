package dev.mely.examples.proxy;

import dev.mely.Handler;
import dev.mely.examples.service.CoreConnection;
import dev.mely.nio.Operation;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up a host and connects to the first of its addresses that accepts and that {@link
 * AddressRules} permit, within a timeout. Both results are events of the color to which this
 * belongs.
 */
final class Dial {
  private static final Logger LOG = LoggerFactory.getLogger(Dial.class);

  /** Gets the result: one of two calls, once, unless the dial is cancelled. */
  interface Listener {
    /** Connected; the channel is in non-blocking mode. */
    void connected(SocketChannel channel);

    /** The lookup or the connect failed. */
    void failed(Failure failure);
  }

  private static final Handler<Found> FOUND =
      Handler.of((Found f) -> f.dial.connection.guarded(() -> f.dial.found(f.answer)))
          .named("LookedUp");

  /** How long a lookup may take once the client has ended its output, and may be gone. */
  private static final Duration FOR_WHO_MAY_HAVE_LEFT = Duration.ofSeconds(1);

  private record Found(Dial dial, Lookups.Answer answer) {}

  private final ProxyServer server;
  private final ProxyConnection connection;
  private final Target target;
  private final Listener listener;
  private final Patience patience;
  private final Patience brief;
  private final Queue<InetAddress> addresses = new ArrayDeque<>();

  /** At most one of the two is set: the step in progress. */
  private Lookups.@Nullable Question lookup;

  private @Nullable Operation<SocketChannel> connect;

  Dial(ProxyServer server, ProxyConnection connection, Target target, Listener listener) {
    this.server = server;
    this.connection = connection;
    this.target = target;
    this.listener = listener;
    patience = new Patience(connection, this::tooLate);
    brief = new Patience(connection, this::tooLate);
  }

  void start() {
    patience.start(server.config.connectTimeout);
    InetAddress address = target.address();
    if (address != null) {
      connectToOneOf(List.of(address));
    } else {
      lookup = server.lookups.ask(target.host(), connection.client(), this::answered);
      connection.dials(this);
    }
  }

  /** The client has ended its output: it may have left, or still wait for the answer. */
  void inputOver() {
    if (lookup != null) {
      brief.start(FOR_WHO_MAY_HAVE_LEFT);
    }
  }

  /** Cancels the dial; the listener is not called. */
  void cancel() {
    patience.stop();
    brief.stop();
    Lookups.Question question = lookup;
    Operation<SocketChannel> operation = connect;
    lookup = null;
    connect = null;
    if (question != null) {
      server.lookups.forget(question);
    }
    if (operation != null) {
      operation.cancel();
    }
  }

  /** Any thread. */
  private void answered(Lookups.Answer answer) {
    connection.nio().mely().register(connection.color(), FOUND, new Found(this, answer));
  }

  private void found(Lookups.Answer answer) {
    if (lookup == null) {
      return;
    }
    lookup = null;
    brief.stop();
    Throwable failure = answer.failure();
    if (failure == null) {
      connectToOneOf(answer.addresses());
    } else if (failure instanceof UnknownHostException) {
      fail(new Failure(502, "There is no host " + target.host() + ", or it is unknown here."));
    } else {
      LOG.warn("{} could not be looked up", target.host(), failure);
      fail(new Failure(503, "The host could not be looked up."));
    }
  }

  /** Connects to the addresses that were checked, without another lookup (DNS rebinding). */
  private void connectToOneOf(List<InetAddress> found) {
    found.stream().filter(server.addresses::permit).forEach(addresses::add);
    if (addresses.isEmpty()) {
      fail(
          new Failure(
              403,
              "This proxy does not connect to the address of "
                  + target.host()
                  + ": it is denied, or not allowed."));
    } else {
      connectToNext();
    }
  }

  private void connectToNext() {
    SocketChannel channel;
    try {
      channel = SocketChannel.open();
    } catch (IOException e) {
      LOG.debug("there is no socket for a connection", e);
      fail(new Failure(503, "The proxy has too many connections open."));
      return;
    }
    InetSocketAddress address = new InetSocketAddress(addresses.remove(), target.port());
    try {
      channel.configureBlocking(false);
      connect =
          connection
              .nio()
              .connect(
                  channel,
                  address,
                  connection.color(),
                  Handler.of((Operation<SocketChannel> c) -> connection.guarded(() -> connected(c)))
                      .named("Connected"));
    } catch (Throwable t) { // for example, IPv6 is not available here
      CoreConnection.close(connection.nio(), channel, false);
      failed(t);
    }
  }

  private void connected(Operation<SocketChannel> ended) {
    if (connect == null) {
      return;
    }
    SocketChannel channel;
    try {
      channel = ended.get();
    } catch (Throwable t) {
      failed(t);
      return;
    }
    connect = null;
    patience.stop();
    listener.connected(channel);
  }

  private void failed(Throwable why) {
    connect = null;
    LOG.debug("no connection to {}", target, why);
    if (!addresses.isEmpty()) {
      connectToNext();
    } else if (why instanceof IOException) {
      String where = target.hostField();
      fail(
          new Failure(
              502,
              why instanceof ConnectException
                  ? where + " has refused the connection."
                  : where + " cannot be reached."));
    } else {
      LOG.warn("a connection to {} could not be started", target.hostField(), why);
      fail(new Failure(503, "The connection could not be started."));
    }
  }

  private void tooLate() {
    fail(new Failure(504, "No connection to " + target.hostField() + " was established in time."));
  }

  private void fail(Failure failure) {
    cancel();
    listener.failed(failure);
  }
}
