package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.report.ShutdownReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;

/**
 * A runtime whose idle workers wait in selectors, and what the outside world brings to it as
 * colored events: connections, readiness of channels, signals, and the results of name lookups and
 * file reads. (Timers belong to {@link Mely} itself.)
 *
 * <pre>{@code
 * try (Nio nio = Nio.start(Mely.builder())) {
 *   ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(7));
 *   server.configureBlocking(false);
 *   Color accepting = nio.mely().newColor();
 *   nio.accept(server, accepting, Handler.of(client -> new Echo(nio, client))).resume();
 *   ...
 * }
 *
 * final class Echo {
 *   static final Handler<Echo> READ = Handler.of(Echo::read); // one for all: its cost is measured
 *
 *   Echo(Nio nio, SocketChannel client) throws IOException {
 *     in = nio.readable(client, nio.mely().newColor(), READ, this);
 *     in.resume();
 *   }
 *   void read() throws IOException { ... } // in the connection's color: no locks
 * }
 * }</pre>
 *
 * <h2>Channels</h2>
 *
 * <p>Any {@link SelectableChannel} will do, in non-blocking mode. It is registered with the
 * selector of the core where the color of its first source is at that moment, and stays there until
 * it is closed; only the execution of its events moves when the color is stolen. It may have one
 * source of each kind, in one color or in two.
 *
 * <p>A channel belongs to its user, who closes it; registered, it stays in non-blocking mode until
 * then. A handler may close the channel it was called for by {@code channel.close()}. From anywhere
 * else {@link #close(SelectableChannel)} is better: the JDK gives up the descriptor of a registered
 * channel only with the next select, and the worker that does it may be asleep.
 *
 * <h2>Failures</h2>
 *
 * <p>What a handler throws goes to the runtime's {@linkplain MelyBuilder#errorHandler error
 * handler}, with the {@link Source} or {@link Operation} as the event. Wrong arguments are refused
 * at once, by an exception; what the world does wrong (no such host, connection refused) is the
 * {@linkplain Operation#get result} of the operation. Colors of another runtime are refused by the
 * first event, not earlier. Where pending events are {@linkplain MelyBuilder#maxPending bounded}, a
 * source that finds no room leaves its input where it is and tries again a millisecond later;
 * results of operations are let in.
 *
 * <p>Thread-safe. Source: libasync-smp, sections 2 and 3; Eve, section 6 (one selector per core).
 */
public final class Nio implements AutoCloseable {
  private final Selectors selectors;
  private final Mely mely;
  private final Operations operations;
  private final SignalSources signals;

  private Nio(Selectors selectors, Helpers lookups, Helpers calls, Mely mely) {
    this.selectors = selectors;
    this.mely = mely;
    this.operations = new Operations(mely, selectors, lookups, calls);
    this.signals = new SignalSources(mely);
  }

  /**
   * Builds and starts a runtime whose workers wait in selectors, one per core.
   *
   * @param builder the runtime's settings, without its {@linkplain MelyBuilder#pollers pollers}; it
   *     is not changed
   * @return the running runtime
   * @throws IOException if a selector cannot be opened
   */
  public static Nio start(MelyBuilder builder) throws IOException {
    Objects.requireNonNull(builder, "builder");
    Selectors selectors = new Selectors();
    Helpers lookups = new Helpers("mely-lookup");
    Helpers calls = new Helpers("mely-call");
    boolean started = false;
    try {
      lookups.start();
      calls.start();
      Mely mely = builder.copy().pollers(selectors).build();
      started = true;
      return new Nio(selectors, lookups, calls, mely);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } finally {
      if (!started) {
        selectors.close();
        lookups.close();
        calls.close();
      }
    }
  }

  /**
   * Returns the runtime itself: colors, events, timers, statistics.
   *
   * @return the runtime; it is shut down by closing this object
   */
  public Mely mely() {
    return mely;
  }

  // ---- Channels

  /**
   * Makes a source of events "the channel can be read": input has come, or its end, or an error.
   *
   * @param channel anything that can be read, in non-blocking mode
   * @param color the color of the events
   * @param handler called for each event
   * @param event what it is given
   * @return the source, paused
   * @throws ClosedChannelException if the channel is closed
   * @throws IllegalArgumentException if it cannot be read, or is in blocking mode
   * @throws IllegalStateException if it has such a source already
   * @throws RejectedExecutionException after shutdown began
   */
  public <E> Source readable(
      SelectableChannel channel, Color color, Handler<? super E> handler, E event)
      throws ClosedChannelException {
    return readiness(channel, SelectionKey.OP_READ, "readable", color, handler, event);
  }

  /**
   * Makes a source of events "the channel can be written". It nearly always can, so resume the
   * source when a write has come out short, and pause it when all has been written.
   *
   * @param channel anything that can be written, in non-blocking mode
   * @param color the color of the events
   * @param handler called for each event
   * @param event what it is given
   * @return the source, paused
   * @throws ClosedChannelException if the channel is closed
   * @throws IllegalArgumentException if it cannot be written, or is in blocking mode
   * @throws IllegalStateException if it has such a source already
   * @throws RejectedExecutionException after shutdown began
   */
  public <E> Source writable(
      SelectableChannel channel, Color color, Handler<? super E> handler, E event)
      throws ClosedChannelException {
    return readiness(channel, SelectionKey.OP_WRITE, "writable", color, handler, event);
  }

  /**
   * Makes the output of a stream channel: a queue of bytes that are sent when the channel takes
   * them. It takes the place of a {@linkplain #writable source} of "the channel can be written".
   *
   * @param channel a connection or the writable end of a pipe, in non-blocking mode
   * @param color to which the output belongs, and the color of its events
   * @param handler called when an output that had to wait has sent all it had, or has failed, which
   *     {@link Output#flush} throws
   * @param event what it is given
   * @return the output, empty
   * @throws ClosedChannelException if the channel is closed
   * @throws IllegalArgumentException if it is in blocking mode
   * @throws IllegalStateException if it has an output, or such a source, already
   * @throws RejectedExecutionException after shutdown began
   */
  public <C extends SelectableChannel & GatheringByteChannel, E> Output output(
      C channel, Color color, Handler<? super E> handler, E event) throws ClosedChannelException {
    Objects.requireNonNull(handler, "handler");
    Objects.requireNonNull(event, "event");
    Objects.requireNonNull(channel, "channel");
    Output output = new Output(channel, () -> handler.handle(event));
    output.bind(writable(channel, color, Output.handler(), output));
    return output;
  }

  private <E> Source readiness(
      SelectableChannel channel,
      int op,
      String what,
      Color color,
      Handler<? super E> handler,
      E event)
      throws ClosedChannelException {
    check(color, handler);
    Objects.requireNonNull(event, "event");
    if ((Objects.requireNonNull(channel, "channel").validOps() & op) == 0) {
      throw new IllegalArgumentException("never " + what + ": " + channel);
    }
    ChannelKey key = selectors.register(channel, color);
    Readiness<E> source = new Readiness<>(mely, key, op, color, handler, event);
    key.add(source);
    return source;
  }

  /**
   * Makes a source of connections. Each is put in non-blocking mode and given to the handler, which
   * owns it from then on; if the handler throws, the connection is closed.
   *
   * <p>When accepting fails, because the process has no file descriptors left, the source backs off
   * (5 ms, doubled each time up to a second) and goes on by itself when it can. The failure goes to
   * the error handler once, not each time.
   *
   * @param server a bound server, in non-blocking mode
   * @param color the color in which connections are accepted
   * @param handler given each connection, in that color
   * @return the source, paused
   * @throws NotYetBoundException if the server is not bound
   * @throws ClosedChannelException if it is closed
   * @throws IOException if its state cannot be read
   * @throws IllegalArgumentException if it is in blocking mode
   * @throws IllegalStateException if it has such a source already
   * @throws RejectedExecutionException after shutdown began
   */
  public Source accept(
      ServerSocketChannel server, Color color, Handler<? super SocketChannel> handler)
      throws IOException {
    check(color, handler);
    if (Objects.requireNonNull(server, "server").getLocalAddress() == null) {
      throw new NotYetBoundException();
    }
    ChannelKey key = selectors.register(server, color);
    Acceptor source = new Acceptor(mely, selectors, key, server, color, handler);
    key.add(source);
    return source;
  }

  /**
   * Opens a channel and connects it.
   *
   * @param remote where to; the name of a host must have been {@linkplain #lookup looked up}
   * @param color the color of the event
   * @param handler given the result: a connected channel in non-blocking mode
   * @return the operation; cancel it to give up
   * @throws java.nio.channels.UnresolvedAddressException if the address is not resolved
   * @throws java.nio.channels.UnsupportedAddressTypeException if it is of an unknown kind
   * @throws RejectedExecutionException after shutdown began
   */
  public Operation<SocketChannel> connect(
      SocketAddress remote, Color color, Handler<? super Operation<SocketChannel>> handler) {
    check(color, handler);
    return operations.connect(Objects.requireNonNull(remote, "remote"), color, handler);
  }

  /**
   * Connects a channel that the caller has opened, to set options or a local address. If that
   * fails, or is cancelled, the channel is closed. To give up, cancel the operation or {@linkplain
   * #close(SelectableChannel) close the channel here}, which fails it: if its owner closes the
   * channel itself, the selector does not report it, and the handler is not called.
   *
   * @param channel not connected, in non-blocking mode
   * @param remote where to; the name of a host must have been {@linkplain #lookup looked up}
   * @param color the color of the event
   * @param handler given the result: the channel
   * @return the operation; cancel it to give up
   * @throws ClosedChannelException if the channel is closed
   * @throws IllegalArgumentException if it is in blocking mode, or the address is wrong
   * @throws IllegalStateException if it is connected, or being connected
   * @throws RejectedExecutionException after shutdown began
   */
  public Operation<SocketChannel> connect(
      SocketChannel channel,
      SocketAddress remote,
      Color color,
      Handler<? super Operation<SocketChannel>> handler)
      throws ClosedChannelException {
    check(color, handler);
    Objects.requireNonNull(channel, "channel");
    return operations.connect(channel, Objects.requireNonNull(remote, "remote"), color, handler);
  }

  /**
   * Closes a channel and wakes its selector, so that the descriptor is freed at once. No event of
   * the channel runs any more, except one that is running.
   *
   * @param channel any channel, registered or not, closed or not
   * @throws IOException if closing fails
   */
  public void close(SelectableChannel channel) throws IOException {
    selectors.close(Objects.requireNonNull(channel, "channel"));
  }

  // ---- What blocks elsewhere

  /**
   * Looks up the addresses of a host. The JDK's call blocks, so one of four helper threads makes
   * it; the JDK caches the result.
   *
   * @param host a name, or an address as text
   * @param color the color of the event
   * @param handler given the result: one address or more, or an {@link
   *     java.net.UnknownHostException}; an {@link IOException} if 1,024 lookups are waiting already
   * @return the operation
   * @throws RejectedExecutionException after shutdown began
   */
  public Operation<List<InetAddress>> lookup(
      String host, Color color, Handler<? super Operation<List<InetAddress>>> handler) {
    Objects.requireNonNull(host, "host");
    check(color, handler);
    return operations.lookup(() -> List.of(InetAddress.getAllByName(host)), color, handler);
  }

  /**
   * Reads from a file, as {@link FileChannel#read(ByteBuffer, long)} does, on one of four helper
   * threads. The buffer must be left alone until the handler is called, also if the operation is
   * cancelled.
   *
   * @param file open for reading
   * @param target where to put what is read, from its position on
   * @param position in the file, from 0
   * @param color the color of the event
   * @param handler given the result: number of bytes, -1 at the end of the file; an {@link
   *     IOException} if 1,024 calls are waiting already
   * @return the operation
   * @throws ClosedChannelException if the file is closed
   * @throws IllegalArgumentException if the position is negative or the buffer read-only
   * @throws RejectedExecutionException after shutdown began
   */
  public Operation<Integer> read(
      FileChannel file,
      ByteBuffer target,
      long position,
      Color color,
      Handler<? super Operation<Integer>> handler)
      throws ClosedChannelException {
    check(color, handler);
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(target, "target");
    return operations.read(file, target, position, color, handler);
  }

  /**
   * Makes a call that blocks, on one of four helper threads: opening a file, listing a directory. A
   * call must not wait for another one, nor for an event. One that never returns, as the opening of
   * a FIFO without a writer, keeps its thread for good, also when it is cancelled: four of them,
   * and later calls wait in the queue. It blocks no core, and holds up neither shutdown nor the end
   * of the process.
   *
   * @param call what to do
   * @param color the color of the event
   * @param handler given the result, or what the call has thrown; an {@link IOException} if 1,024
   *     calls are waiting already
   * @return the operation
   * @throws RejectedExecutionException after shutdown began
   */
  public <T> Operation<T> call(
      Callable<? extends T> call, Color color, Handler<? super Operation<T>> handler) {
    Objects.requireNonNull(call, "call");
    check(color, handler);
    return operations.call(call, color, handler);
  }

  // ---- Signals

  /**
   * Makes a source of events "the signal has come". Signals that come before the handler runs are
   * merged into one event. While there is a source, active or paused, of any runtime in this
   * process, the signal does nothing else: SIGTERM does not end the process. When the last one has
   * been cancelled, the signal does again what it did before. HUP, INT and TERM never come where
   * the process ignores them already, as one does that {@code nohup} has started; that is logged.
   *
   * @param name as the operating system has it, without "SIG": HUP, USR2, TERM
   * @param color the color of the events
   * @param handler called for each event
   * @param event what it is given
   * @return the source, paused
   * @throws IllegalArgumentException if there is no such signal, or the JVM or the system keeps it
   *     for itself
   * @throws UnsupportedOperationException if the run-time image lacks the module {@code
   *     jdk.unsupported}, the JDK's only way to signals
   * @throws RejectedExecutionException after shutdown began
   */
  public <E> Source signal(String name, Color color, Handler<? super E> handler, E event) {
    check(color, handler);
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(event, "event");
    return signals.add(name, color, handler, event);
  }

  // ---- The end

  /**
   * Ends the runtime as {@link Mely#shutdown} does, and all that this object has made. From the
   * beginning on, sources bring no more events and operations no more results; handlers that are
   * pending still run and may still use their channels. Then all channels that are registered are
   * closed, server channels included, also under a handler that is stuck; signals do what they did
   * before. A helper thread ends after the call that it is in; calls and lookups that have not
   * begun are dropped, which is logged.
   *
   * @param deadline how long to wait for pending events; zero: reject them at once
   * @return what was left
   * @throws IllegalStateException if called from a handler, which would wait for itself
   */
  public ShutdownReport shutdown(Duration deadline) {
    ShutdownReport report = mely.shutdown(deadline);
    release();
    return report;
  }

  /**
   * {@linkplain #shutdown Shuts down} and waits for pending events, for as long as {@link
   * MelyBuilder#closeTimeout} says: ten seconds by default. What is left then does not run, and is
   * logged.
   */
  @Override
  public void close() {
    mely.close();
    release();
  }

  private void release() {
    selectors.close(); // all but those of stuck workers are closed already
    operations.close();
    signals.close();
  }

  private void check(Color color, Handler<?> handler) {
    Objects.requireNonNull(color, "color");
    Objects.requireNonNull(handler, "handler");
    if (mely.isShutdown()) {
      throw new RejectedExecutionException("the runtime has been shut down");
    }
  }
}
