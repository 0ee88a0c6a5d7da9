package dev.mely.examples.proxy;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.nio.Nio;
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
import java.util.Locale;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Looks up a host and connects to the first of its addresses that answers, within a time. Both are
 * events of the color to which all this belongs.
 */
final class Dial {
  /** Told how it ends: one of the two, once, unless it is cancelled. */
  interface Listener {
    /** There is a connection, in non-blocking mode. */
    void connected(SocketChannel channel);

    /** There will be none. */
    void failed(Failure failure);

    /** Runs a step; if it throws, that is a fault of this program, and ends what it is for. */
    void guarded(Runnable step);
  }

  private final Nio nio;
  private final Color color;
  private final Target target;
  private final Listener listener;
  private final Patience patience;
  private final Queue<InetAddress> addresses = new ArrayDeque<>();

  /** What is waited for; null: nothing any more. */
  private @Nullable Operation<?> pending;

  Dial(Nio nio, Color color, Target target, Duration limit, Listener listener) {
    this.nio = nio;
    this.color = color;
    this.target = target;
    this.listener = listener;
    patience = new Patience(nio.mely(), color, limit, () -> listener.guarded(this::tooLate));
  }

  void start() {
    patience.start();
    pending =
        nio.lookup(
            target.host(),
            color,
            Handler.<Operation<List<InetAddress>>>named(
                "LookedUp", l -> listener.guarded(() -> found(l))));
  }

  /** Gives up: the listener is not told. */
  void cancel() {
    patience.stop();
    Operation<?> operation = pending;
    pending = null;
    if (operation != null) {
      operation.cancel();
    }
  }

  private void found(Operation<List<InetAddress>> lookup) {
    if (pending == null) {
      return;
    }
    try {
      addresses.addAll(lookup.get());
      connectToNext();
    } catch (UnknownHostException e) {
      fail(Failure.badGateway("There is no host " + target.host() + "."));
    } catch (IOException e) {
      fail(Failure.unavailable("The host could not be looked up."));
    }
  }

  private void connectToNext() {
    InetSocketAddress address = new InetSocketAddress(addresses.remove(), target.port());
    pending =
        nio.connect(
            address,
            color,
            Handler.<Operation<SocketChannel>>named(
                "Connected", c -> listener.guarded(() -> connected(c))));
  }

  private void connected(Operation<SocketChannel> connect) {
    if (pending == null) {
      return;
    }
    SocketChannel channel;
    try {
      channel = connect.get();
    } catch (IOException e) {
      if (isShortage(e)) {
        fail(Failure.unavailable("The proxy has too many connections open."));
      } else if (!addresses.isEmpty()) {
        connectToNext();
      } else {
        fail(Failure.badGateway(said(e)));
      }
      return;
    }
    pending = null;
    patience.stop();
    listener.connected(channel);
  }

  private String said(IOException why) {
    String where = target.hostField();
    return why instanceof ConnectException
        ? where + " has refused the connection."
        : where + " cannot be reached.";
  }

  /** Whether it is for lack of descriptors here, and not the other side's fault. */
  private static boolean isShortage(IOException failure) {
    String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
    return message.contains("too many open files");
  }

  private void tooLate() {
    fail(Failure.gatewayTimeout("No connection to " + target.hostField() + " came about in time."));
  }

  private void fail(Failure failure) {
    cancel();
    listener.failed(failure);
  }
}
