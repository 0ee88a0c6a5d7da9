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
final class SfsClient implements SecureConnection.User, Closeable {
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
    } catch (IOException e) {
      ended(new IOException("no such host: " + server.host(), e));
    }
  }

  private void connected(Operation<SocketChannel> connect) {
    try {
      SocketChannel channel = connect.get();
      if (over) {
        nio.close(channel);
        return;
      }
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      Handshake handshake = new ClientHandshake(self, server.server(), rule);
      connection = new SecureConnection(nio, channel, color, handshake, this);
      connection.start();
    } catch (IOException e) {
      String where = server.host() + ":" + server.port();
      ended(new IOException("cannot connect to " + where + ": " + e.getMessage(), e));
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
    CompletableFuture<Fields> answer = pending.remove(number);
    Status status = Status.of(code);
    if (answer == null || status == null) {
      throw new ProtocolViolation("an answer to nothing");
    }
    if (status == Status.OK) {
      answer.complete(fields);
    } else {
      answer.completeExceptionally(new SfsException(status, fields.text()));
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
  public void ended(@Nullable IOException why) {
    over = true;
    IOException reason = why != null ? why : failure;
    IOException told = reason != null ? reason : new IOException("the connection is closed");
    failure = told;
    for (CompletableFuture<Fields> answer : List.copyOf(pending.values())) {
      answer.completeExceptionally(told);
    }
    pending.clear();
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
    pending.put(number, answer);
    connection.send(bytes);
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

  /** All that a directory has. */
  List<Entry> list(String path) throws IOException {
    List<Entry> entries = new ArrayList<>();
    String after = "";
    boolean more = true;
    while (more) {
      Fields page = await(request(Message.request(Op.LIST).text(path).text(after)));
      page.u64();
      page.u32();
      more = page.u8() != 0;
      int count = page.u16();
      if (more && count == 0) {
        throw new ProtocolViolation("a page of nothing");
      }
      for (int i = 0; i < count; i++) {
        after = page.text();
        entries.add(new Entry(after, page.attributes()));
      }
      page.end();
    }
    return entries;
  }

  /** What is known of a file or directory; asks the server if there is no lease on it. */
  Attributes stat(String path) throws IOException {
    CompletableFuture<Attributes> known = new CompletableFuture<>();
    nio.mely().execute(color, () -> stat(path, known));
    return await(known);
  }

  private void stat(String path, CompletableFuture<Attributes> known) {
    long asked = System.nanoTime();
    Attributes cached = cache.get(path, asked);
    if (cached != null) {
      known.complete(cached);
      return;
    }
    CompletableFuture<Fields> answer = new CompletableFuture<>();
    send(Message.request(Op.STAT).text(path).bytes(), answer);
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
              } catch (IOException e) {
                known.completeExceptionally(e);
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
