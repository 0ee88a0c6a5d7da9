package dev.mely.nio;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Set;

/** A connection for Lincheck: bytes that can be counted, and a network that is told what to do. */
class MonitorChannel extends SocketChannel {
  private final MonitorSelector selector;
  private int bytes;
  private boolean connected;

  MonitorChannel(MonitorSelector selector) throws IOException {
    super(null);
    this.selector = selector;
    configureBlocking(false);
  }

  // ---- The other end

  synchronized void arrive() {
    bytes++;
    selector.ready(SelectionKey.OP_READ, true);
  }

  synchronized void accepted() {
    connected = true;
    selector.ready(SelectionKey.OP_CONNECT, true);
  }

  // ---- This end

  /** Takes one byte, if there is one. */
  synchronized boolean take() {
    if (bytes == 0) {
      return false;
    }
    bytes--;
    selector.ready(SelectionKey.OP_READ, bytes > 0);
    return true;
  }

  @Override
  public boolean connect(SocketAddress remote) throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    return false;
  }

  @Override
  public synchronized boolean finishConnect() throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    return connected;
  }

  @Override
  protected void implCloseSelectableChannel() {}

  @Override
  protected void implConfigureBlocking(boolean block) {}

  // ---- Not used

  @Override
  public boolean isConnected() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isConnectionPending() {
    throw new UnsupportedOperationException();
  }

  @Override
  public SocketChannel bind(SocketAddress local) {
    throw new UnsupportedOperationException();
  }

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) {
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
  public SocketChannel shutdownInput() {
    throw new UnsupportedOperationException();
  }

  @Override
  public SocketChannel shutdownOutput() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket socket() {
    throw new UnsupportedOperationException();
  }

  @Override
  public SocketAddress getRemoteAddress() {
    throw new UnsupportedOperationException();
  }

  @Override
  public SocketAddress getLocalAddress() {
    throw new UnsupportedOperationException();
  }

  @Override
  public int read(ByteBuffer target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int write(ByteBuffer source) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) {
    throw new UnsupportedOperationException();
  }
}
