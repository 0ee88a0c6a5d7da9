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
 * Looks up a host and connects to the first of its addresses that answers, and that {@link
 * AddressRules} permit, within a time. Both are events of the color to which all this belongs.
 */
final class Dial {
  private static final Logger LOG = LoggerFactory.getLogger(Dial.class);

  /** Told how it ends: one of the two, once, unless it is cancelled. */
  interface Listener {
    /** There is a connection, in non-blocking mode. */
    void connected(SocketChannel channel);

    /** There will be none. */
    void failed(Failure failure);
  }

  private static final Handler<Found> FOUND =
      Handler.of((Found f) -> f.dial.connection.guarded(() -> f.dial.found(f.answer)))
          .named("LookedUp");

  /** How long a lookup may take for a client of whom nobody knows whether it is still there. */
  private static final Duration FOR_WHO_MAY_HAVE_LEFT = Duration.ofSeconds(1);

  private record Found(Dial dial, Lookups.Answer answer) {}

  private final ProxyServer server;
  private final ProxyConnection connection;
  private final Target target;
  private final Listener listener;
  private final Patience patience;
  private final Patience brief;
  private final Queue<InetAddress> addresses = new ArrayDeque<>();

  /** What is waited for, one of the two; both null: nothing yet, or nothing any more. */
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

  /** The client has ended its output: either it is gone, or that was all that it had to say. */
  void inputOver() {
    if (lookup != null) {
      brief.start(FOR_WHO_MAY_HAVE_LEFT);
    }
  }

  /** Gives up: the listener is not told. */
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
      fail(new Failure(502, "There is no host " + target.host() + ", as far as is known here."));
    } else {
      LOG.warn("{} could not be looked up", target.host(), failure);
      fail(new Failure(503, "The host could not be looked up."));
    }
  }

  /** What is checked here is what is connected to: between the two, no name is looked up. */
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
    } catch (Throwable t) { // a version of addresses that there is not here, for example
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
      LOG.warn("a connection to {} could not be begun", target.hostField(), why);
      fail(new Failure(503, "The connection could not be begun."));
    }
  }

  private void tooLate() {
    fail(new Failure(504, "No connection to " + target.hostField() + " came about in time."));
  }

  private void fail(Failure failure) {
    cancel();
    listener.failed(failure);
  }
}
