package dev.mely.examples.sfs;

import dev.mely.Color;
import dev.mely.nio.Nio;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
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
 * A connection to a server. Methods that return a future may be called by any thread; the others
 * block until the answer and must not be called by a handler. Thread-safe: all state belongs to a
 * color of this client, and its cryptography to another one.
 */
final class SfsClient implements ConnectionUser, Closeable {
  private static final Duration CLOSE_TIME = Duration.ofSeconds(2);

  private final Nio nio;
  private final Duration patience;
  private final Color color;
  private final SecureConnection connection;
  private final CompletableFuture<Boolean> welcome = new CompletableFuture<>();
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();

  // ---- The client's color

  private final Map<Integer, CompletableFuture<Fields>> pending = new HashMap<>();
  private IOException failure = new IOException("the connection is closed");
  private boolean over;
  private int next = 1;

  private SfsClient(Nio nio, SocketChannel channel, Handshake handshake, Duration patience)
      throws IOException {
    this.nio = nio;
    this.patience = patience;
    this.color = nio.mely().newColor();
    this.connection = new SecureConnection(nio, channel, color, handshake, this);
  }

  /**
   * Connects, and waits for the handshake.
   *
   * @param patience timeout of this and of any answer
   * @throws IOException if the server cannot be reached, has another key than the path, or does not
   *     know this client
   */
  static SfsClient connect(
      Nio nio, RemotePath server, Identity self, RekeyRule rule, Duration patience)
      throws IOException {
    SocketChannel channel = SocketChannel.open();
    boolean welcome = false;
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      dial(channel, server, patience);
      Handshake handshake = new ClientHandshake(self, server.server(), rule);
      SfsClient client = new SfsClient(nio, channel, handshake, patience);
      client.execute(client.connection::start);
      client.await(client.welcome);
      welcome = true;
      return client;
    } finally {
      if (!welcome) {
        nio.close(channel);
      }
    }
  }

  private static void dial(SocketChannel channel, RemotePath server, Duration patience)
      throws IOException {
    String host = server.host();
    int port = server.port();
    try {
      int millis = (int) Math.max(1, Math.min(patience.toMillis(), Integer.MAX_VALUE));
      // On another thread, so that the timeout also covers the name lookup.
      var address =
          await(CompletableFuture.supplyAsync(() -> new InetSocketAddress(host, port)), patience);
      channel.socket().connect(address, millis);
      channel.configureBlocking(false);
    } catch (IOException e) {
      String why = e instanceof UnknownHostException ? "no such host" : e.getMessage();
      throw new IOException("cannot connect to " + host + ":" + port + ": " + why, e);
    }
  }

  /** Runs a step in the client's color; a failure ends the connection. */
  private void execute(Runnable step) {
    nio.mely()
        .execute(
            color,
            () -> {
              try {
                step.run();
              } catch (Throwable t) {
                connection.end(t);
              }
            });
  }

  // ---- Called by the connection: the client's color

  @Override
  public void message(byte[] message) {
    try {
      take(message);
    } catch (IOException e) {
      connection.end(e);
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
        default -> {} // callbacks of leases, as nothing is cached; or messages of a later version
      }
      return;
    }
    CompletableFuture<Fields> answer = pending.get(number);
    Status status = Status.of(code);
    if (answer == null || status == null) {
      throw new ProtocolViolation("an answer without a request");
    }
    SfsException refusal = status == Status.OK ? null : new SfsException(status, fields.text());
    pending.remove(number); // only now: after a malformed message, it must still be told of the end
    if (refusal == null) {
      answer.complete(fields);
    } else {
      answer.completeExceptionally(refusal);
    }
  }

  @Override
  public void peerClosed() {
    failure = new IOException("the server has ended the connection");
    connection.close();
  }

  @Override
  public void ended(@Nullable Throwable why) {
    over = true;
    if (why != null) {
      failure = why instanceof IOException told ? told : new IOException("" + why, why);
    }
    pending.values().forEach(answer -> answer.completeExceptionally(failure));
    pending.clear();
    welcome.completeExceptionally(failure);
    end.complete(true);
  }

  // ---- Requests

  private CompletableFuture<Fields> request(Message message) {
    CompletableFuture<Fields> answer = new CompletableFuture<>();
    byte[] bytes = message.bytes();
    execute(
        () -> {
          if (over) {
            answer.completeExceptionally(failure);
            return;
          }
          pending.put(next, answer);
          Message.number(bytes, next);
          next = next == -1 ? 1 : next + 1; // skips 0
          connection.send(bytes);
        });
    return answer;
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

  /** All entries of a directory, sorted by name. */
  List<Entry> list(String path) throws IOException {
    List<Entry> entries = new ArrayList<>();
    Message next = Message.request(Op.LIST).text(path);
    int listing;
    do {
      Fields page = leased(next);
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

  /** The attributes of a file or directory. */
  Attributes stat(String path) throws IOException {
    Fields fields = leased(Message.request(Op.STAT).text(path));
    Attributes attributes = fields.attributes();
    fields.end();
    return attributes;
  }

  /** Opens a file; the flags are those of {@link Message}. */
  RemoteFile open(String path, int flags) throws IOException {
    Fields fields = leased(Message.request(Op.OPEN).text(path).u8(flags));
    RemoteFile file = new RemoteFile(this, fields.u32(), fields.attributes());
    fields.end();
    return file;
  }

  /** Waits for an answer that starts with a lease, which this client ignores. */
  private Fields leased(Message request) throws IOException {
    Fields fields = await(request(request));
    fields.u64();
    fields.u32();
    return fields;
  }

  /**
   * A file on the server that a client has opened.
   *
   * @param client its client
   * @param handle its number on the server
   * @param attributes at the time of the open
   */
  record RemoteFile(SfsClient client, int handle, Attributes attributes) {
    /** Reads; fewer than {@code length} bytes mean the end of the file. */
    CompletableFuture<ByteBuffer> read(long offset, int length) {
      return client
          .request(Message.request(Op.READ).u32(handle).u64(offset).u32(length))
          .thenApply(Fields::data);
    }

    /** Writes; requests are handled in order. */
    CompletableFuture<Fields> write(long offset, byte[] data, int length) {
      return client.request(
          Message.request(Op.WRITE).u32(handle).u64(offset).data(data, 0, length));
    }

    /** Closes the file; with {@link Message#SYNC}, syncs it to disk first. */
    void close(int flags) throws IOException {
      client.await(client.request(Message.request(Op.CLOSE).u32(handle).u8(flags))).end();
    }
  }

  void rename(String from, String to) throws IOException {
    await(request(Message.request(Op.RENAME).text(from).text(to))).end();
  }

  void remove(String path) throws IOException {
    await(request(Message.request(Op.REMOVE).text(path))).end();
  }

  // ---- The end

  /** Closes the connection, and waits a moment for the server's close. */
  @Override
  public void close() {
    execute(connection::close);
    try {
      await(end, CLOSE_TIME);
    } catch (IOException e) {
      execute(() -> connection.end(e));
    }
  }
}
