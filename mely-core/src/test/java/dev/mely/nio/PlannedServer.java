package dev.mely.nio;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;

/**
 * A server whose accepts go as planned. It is ready as long as there is something planned, as a
 * server is that has run out of descriptors.
 */
final class PlannedServer extends ServerSocketChannel {
  private static final Object NOBODY = "nobody";

  private final MonitorSelector selector;
  private final Queue<Object> plan = new ArrayDeque<>();

  PlannedServer(MonitorSelector selector) throws IOException {
    super(null);
    this.selector = selector;
    configureBlocking(false);
  }

  // ---- The plan, before it begins

  PlannedServer fails(Throwable planned) {
    plan.add(planned);
    return this;
  }

  PlannedServer connects(int clients) throws IOException {
    for (int i = 0; i < clients; i++) {
      plan.add(new MonitorChannel(selector));
    }
    return this;
  }

  PlannedServer findsNobody() {
    plan.add(NOBODY);
    return this;
  }

  // ---- It runs

  void goesAhead() {
    selector.ready(SelectionKey.OP_ACCEPT, true);
  }

  synchronized boolean isDone() {
    return plan.isEmpty();
  }

  @Override
  public synchronized SocketChannel accept() throws IOException {
    Object next = plan.poll();
    selector.ready(SelectionKey.OP_ACCEPT, !plan.isEmpty());
    if (next instanceof Error error) {
      throw error;
    }
    if (next instanceof IOException failure) {
      throw failure;
    }
    return next instanceof SocketChannel client ? client : null;
  }

  @Override
  protected void implCloseSelectableChannel() {}

  @Override
  protected void implConfigureBlocking(boolean block) {}

  // ---- Not used

  @Override
  public ServerSocketChannel bind(SocketAddress local, int backlog) {
    throw new UnsupportedOperationException();
  }

  @Override
  public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) {
    throw new UnsupportedOperationException();
  }

  @Override
  public <T> T getOption(SocketOption<T> name) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    throw new UnsupportedOperationException();
  }

  @Override
  public ServerSocket socket() {
    throw new UnsupportedOperationException();
  }

  @Override
  public SocketAddress getLocalAddress() {
    throw new UnsupportedOperationException();
  }
}
