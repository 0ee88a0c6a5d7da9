package dev.mely.examples.sfs;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.nio.Nio;
import dev.mely.nio.Operation;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a server. Methods that return a future may be called from anywhere; the others
 * wait for the answer and must not be called by a handler. Thread-safe: everything happens in a
 * color of this client, and its cryptography in another.
 */
final class SfsClient implements ConnectionUser, Closeable {
  private static final Duration CLOSE_TIME = Duration.ofSeconds(2);

  private final Nio nio;
  private final RemotePath server;
  private final Identity self;
  private final RekeyRule rule;
  private final Duration patience;
  private final Color color;
  private final CompletableFuture<Boolean> welcome = new CompletableFuture<>();
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();

  // ---- The client's color

  private final Map<Integer, CompletableFuture<Fields>> pending = new HashMap<>();
  private final LeaseCache cache = new LeaseCache();
  private @Nullable SecureConnection connection;
  private @Nullable IOException failure;
  private boolean over;
  private int next = 1;

  private SfsClient(Nio nio, RemotePath server, Identity self, RekeyRule rule, Duration patience) {
    this.nio = nio;
    this.server = server;
    this.self = self;
    this.rule = rule;
    this.patience = patience;
    this.color = nio.mely().newColor();
  }

  /**
   * Connects, and waits until each side knows the other.
   *
   * @param patience how long to wait for this and any other answer
   * @throws IOException if the server is not there, is not the one that the path names, or does not
   *     know this client
   */
  static SfsClient connect(
      Nio nio, RemotePath server, Identity self, RekeyRule rule, Duration patience)
      throws IOException {
    SfsClient client = new SfsClient(nio, server, self, rule, patience);
    boolean welcome = false;
    try {
      nio.lookup(server.host(), client.color, Handler.of(client::found));
      client.await(client.welcome);
      welcome = true;
      return client;
    } finally {
      if (!welcome) {
        client.abort();
      }
    }
  }

  private void found(Operation<List<InetAddress>> lookup) {
    try {
      InetSocketAddress address = new InetSocketAddress(lookup.get().get(0), server.port());
      nio.connect(address, color, Handler.of(this::connected));
    } catch (Throwable t) {
      ended(new IOException("no such host: " + server.host(), t));
    }
  }

  private void connected(Operation<SocketChannel> connect) {
    SocketChannel channel = null;
    try {
      channel = connect.get();
      if (!over) {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        Handshake handshake = new ClientHandshake(self, server.server(), rule);
        SecureConnection fresh = new SecureConnection(nio, channel, color, handshake, this);
        connection = fresh;
        channel = null; // the connection's
        fresh.start();
      }
    } catch (Throwable t) {
      String where = server.host() + ":" + server.port();
      IOException why = new IOException("cannot connect to " + where + ": " + t.getMessage(), t);
      if (connection == null) {
        ended(why);
      } else {
        connection.end(why);
      }
    } finally {
      if (channel != null) {
        close(channel);
      }
    }
  }

  private void close(SocketChannel channel) {
    try {
      nio.close(channel);
    } catch (IOException e) {
      // It is given up in any case.
    }
  }

  // ---- What the connection tells: the client's color

  @Override
  public void established(PublicId peer) {
    // The server has yet to say that it knows us.
  }

  @Override
  public void message(byte[] message) {
    try {
      take(message);
    } catch (IOException e) {
      if (connection != null) {
        connection.end(e);
      }
    }
  }

  private void take(byte[] message) throws IOException {
    Fields fields = new Fields(message, Message.FIELDS);
    int number = Message.number(message);
    int code = Message.code(message);
    if (number == Message.NO_REQUEST) {
      switch (code) {
        case Message.WELCOME -> welcome.complete((fields.u8() & Message.MAY_WRITE) != 0);
        case Message.REFUSED -> throw new SfsException(Status.DENIED, fields.text());
        case Message.BROKEN -> cache.broken(fields.u64());
        default -> {} // of a later version: what is not understood may be left out
      }
      return;
    }
    CompletableFuture<Fields> answer = pending.get(number);
    Status status = Status.of(code);
    if (answer == null || status == null) {
      throw new ProtocolViolation("an answer to nothing");
    }
    SfsException refusal = status == Status.OK ? null : new SfsException(status, fields.text());
    pending.remove(number); // not before: if the message makes no sense, it is told of the end
    if (refusal == null) {
      answer.complete(fields);
    } else {
      answer.completeExceptionally(refusal);
    }
  }

  @Override
  public void drained() {}

  @Override
  public void peerClosed() {
    failure = new IOException("the server has ended the connection");
    if (connection != null) {
      connection.close();
    }
  }

  @Override
  public void ended(@Nullable Throwable why) {
    over = true;
    IOException told = failure;
    if (why instanceof IOException e) {
      told = e;
    } else if (why != null || told == null) {
      told = new IOException(why == null ? "the connection is closed" : "" + why, why);
    }
    failure = told;
    while (!pending.isEmpty()) {
      CompletableFuture<Fields> answer = pending.remove(pending.keySet().iterator().next());
      if (answer != null) {
        answer.completeExceptionally(told);
      }
    }
    welcome.completeExceptionally(told);
    end.complete(true);
  }

  // ---- Requests

  private CompletableFuture<Fields> request(Message message) {
    CompletableFuture<Fields> answer = new CompletableFuture<>();
    byte[] bytes = message.bytes();
    nio.mely().execute(color, () -> send(bytes, answer));
    return answer;
  }

  private void send(byte[] bytes, CompletableFuture<Fields> answer) {
    if (connection == null || over) {
      IOException why = failure == null ? new IOException("not connected") : failure;
      answer.completeExceptionally(why);
      return;
    }
    int number = next++;
    if (next == Message.NO_REQUEST) {
      next = 1;
    }
    Message.number(bytes, number);
    try {
      pending.put(number, answer);
      connection.send(bytes);
    } catch (Throwable t) {
      answer.completeExceptionally(t);
      connection.end(t);
    }
  }

  /** Waits for an answer. */
  <T> T await(CompletableFuture<T> answer) throws IOException {
    return await(answer, patience);
  }

  static <T> T await(CompletableFuture<T> answer, Duration patience) throws IOException {
    try {
      return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SfsException refused) {
        throw new SfsException(refused.status(), String.valueOf(refused.getMessage()));
      }
      Throwable why = e.getCause() == null ? e : e.getCause();
      throw new IOException(String.valueOf(why.getMessage()), why);
    } catch (TimeoutException e) {
      throw new IOException("the server does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Whether the server lets this client write. */
  boolean mayWrite() throws IOException {
    return await(welcome);
  }

  void ping() throws IOException {
    await(request(Message.request(Op.PING))).end();
  }

  /**
   * A name in a directory.
   *
   * @param name without any path
   * @param attributes of what it names, links not followed
   */
  record Entry(String name, Attributes attributes) {}

  /** All that a directory has, in the order of the names. */
  List<Entry> list(String path) throws IOException {
    List<Entry> entries = new ArrayList<>();
    Message next = Message.request(Op.LIST).text(path);
    int listing;
    do {
      Fields page = await(request(next));
      page.u64();
      page.u32();
      listing = page.u32();
      int count = page.u16();
      for (int i = 0; i < count; i++) {
        entries.add(new Entry(page.text(), page.attributes()));
      }
      page.end();
      next = Message.request(Op.MORE).u32(listing);
    } while (listing != 0);
    entries.sort(Comparator.comparing(Entry::name));
    return entries;
  }

  /** What is known of a file or directory; asks the server if there is no lease on it. */
  Attributes stat(String path) throws IOException {
    CompletableFuture<Attributes> known = new CompletableFuture<>();
    byte[] request = Message.request(Op.STAT).text(path).bytes();
    nio.mely().execute(color, () -> stat(path, request, known));
    return await(known);
  }

  private void stat(String path, byte[] request, CompletableFuture<Attributes> known) {
    long asked = System.nanoTime();
    Attributes cached = cache.get(path, asked);
    if (cached != null) {
      known.complete(cached);
      return;
    }
    CompletableFuture<Fields> answer = new CompletableFuture<>();
    send(request, answer);
    // Completed in this color, so that no callback comes in between.
    CompletableFuture<?> unused =
        answer.whenComplete(
            (fields, why) -> {
              if (why != null) {
                known.completeExceptionally(why);
                return;
              }
              try {
                long lease = fields.u64();
                long millis = Integer.toUnsignedLong(fields.u32());
                Attributes attributes = fields.attributes();
                fields.end();
                cache.put(path, attributes, lease, millis, asked);
                known.complete(attributes);
              } catch (Throwable t) {
                known.completeExceptionally(t);
              }
            });
  }

  /** The same, asked of the server in any case. */
  Attributes statNow(String path) throws IOException {
    forget();
    return stat(path);
  }

  private void forget() {
    nio.mely().execute(color, cache::clear);
  }

  /** Opens a file; the flags are those of {@link Message}. */
  RemoteFile open(String path, int flags) throws IOException {
    if (flags != Message.READ) {
      forget();
    }
    Fields fields = await(request(Message.request(Op.OPEN).text(path).u8(flags)));
    fields.u64();
    fields.u32();
    RemoteFile file = new RemoteFile(fields.u32(), fields.attributes());
    fields.end();
    return file;
  }

  /** A file on the server that this client has opened. */
  final class RemoteFile {
    private final int handle;
    private final Attributes attributes;

    private RemoteFile(int handle, Attributes attributes) {
      this.handle = handle;
      this.attributes = attributes;
    }

    /** What it was when it was opened. */
    Attributes attributes() {
      return attributes;
    }

    /** Reads; fewer bytes than asked for mean that the file ends there. */
    CompletableFuture<ByteBuffer> read(long offset, int length) {
      return request(Message.request(Op.READ).u32(handle).u64(offset).u32(length))
          .thenApply(Fields::data);
    }

    /** Writes; requests are worked off in their order. */
    CompletableFuture<Fields> write(long offset, byte[] data, int length) {
      forget();
      return request(Message.request(Op.WRITE).u32(handle).u64(offset).data(data, 0, length));
    }

    /** Closes it; with {@link Message#SYNC} what was written is on the disk then. */
    void close(int flags) throws IOException {
      await(request(Message.request(Op.CLOSE).u32(handle).u8(flags))).end();
    }
  }

  void rename(String from, String to) throws IOException {
    forget();
    await(request(Message.request(Op.RENAME).text(from).text(to))).end();
  }

  void remove(String path) throws IOException {
    forget();
    await(request(Message.request(Op.REMOVE).text(path))).end();
  }

  // ---- The end

  /** Says goodbye, and waits a moment for the server to do so. */
  @Override
  public void close() {
    nio.mely()
        .execute(
            color,
            () -> {
              if (connection != null) {
                connection.close();
              }
            });
    try {
      end.get(CLOSE_TIME.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      abort();
    } catch (InterruptedException e) {
      abort();
      Thread.currentThread().interrupt();
    }
  }

  private void abort() {
    nio.mely()
        .execute(
            color,
            () -> {
              over = true;
              if (connection != null) {
                connection.end(new IOException("given up"));
              }
            });
  }
}
