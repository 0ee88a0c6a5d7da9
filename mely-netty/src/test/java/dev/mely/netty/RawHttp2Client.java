package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/2 client that writes its frames byte by byte and counts what comes back. It keeps no rule
 * that a test does not ask it to keep; it says what the windows allow. One test thread writes.
 */
final class RawHttp2Client implements AutoCloseable {
  static final int DEFAULT_WINDOW = 65_535;
  static final int NO_ERROR = 0;
  static final int REFUSED_STREAM = 7;
  static final int CANCEL = 8;
  static final int ENHANCE_YOUR_CALM = 11;

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int PRIORITY = 2;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;

  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int PADDED = 8;
  private static final int INITIAL_WINDOW_SIZE = 4;

  private final Socket socket;
  private final DataOutputStream out;
  private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();

  /** What is below belongs to this lock; the reader changes it. */
  private final Object lock = new Object();

  private final Map<Integer, Stream> streams = new HashMap<>();
  private long room = DEFAULT_WINDOW;
  private long credited;
  private int creditFrames;
  private int streamWindow = DEFAULT_WINDOW;
  private int pings;
  private boolean settled;
  private boolean goneAway;
  private boolean ended;

  /** One stream, as the client sees it. */
  private static final class Stream {
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private long sent;
    private long credited;
    private boolean ended;
    private @Nullable Long reset;
  }

  /**
   * Connects, and waits for the server's settings.
   *
   * @param receiveWindow what the server may send on each stream, in bytes
   */
  RawHttp2Client(Channel server, int receiveWindow) throws Exception {
    InetSocketAddress address = (InetSocketAddress) server.localAddress();
    socket = new Socket(address.getAddress(), address.getPort());
    socket.setTcpNoDelay(true);
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
    out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    head(6, SETTINGS, 0, 0);
    out.writeShort(INITIAL_WINDOW_SIZE);
    out.writeInt(receiveWindow);
    out.flush();
    Thread reader = new Thread(this::read, "raw client");
    reader.setDaemon(true);
    reader.start();
    await("the server's settings", () -> settled);
    ping();
  }

  RawHttp2Client(Channel server) throws Exception {
    this(server, DEFAULT_WINDOW);
  }

  // What it writes.

  static Http2Headers post() {
    return new DefaultHttp2Headers().method("POST").path("/").scheme("http").authority("test");
  }

  RawHttp2Client headers(int stream, boolean end) throws Exception {
    return headers(stream, end, post());
  }

  RawHttp2Client headers(int stream, boolean end, Http2Headers headers) throws Exception {
    ByteBuf block = Unpooled.buffer();
    encoder.encodeHeaders(stream, headers, block);
    head(block.readableBytes(), HEADERS, END_HEADERS | (end ? END_STREAM : 0), stream);
    out.write(ByteBufUtil.getBytes(block));
    return this;
  }

  RawHttp2Client data(int stream, byte[] bytes, boolean end) throws IOException {
    spend(stream, bytes.length);
    head(bytes.length, DATA, end ? END_STREAM : 0, stream);
    out.write(bytes);
    return this;
  }

  RawHttp2Client data(int stream, int length, boolean end) throws IOException {
    return data(stream, new byte[length], end);
  }

  /** Data with padding, which counts for the windows, too. */
  RawHttp2Client paddedData(int stream, int length, int padding) throws IOException {
    spend(stream, length + padding + 1);
    head(length + padding + 1, DATA, PADDED, stream);
    out.writeByte(padding);
    out.write(new byte[length + padding]);
    return this;
  }

  RawHttp2Client reset(int stream) throws IOException {
    head(4, RST_STREAM, 0, stream);
    out.writeInt(CANCEL);
    return this;
  }

  /** A frame of a type that the server does not know: no window counts it. */
  RawHttp2Client unknown(int stream, int length) throws IOException {
    head(length, 0x2A, 0, stream);
    out.write(new byte[length]);
    return this;
  }

  RawHttp2Client priority(int stream) throws IOException {
    head(5, PRIORITY, 0, stream);
    out.writeInt(0);
    out.writeByte(15);
    return this;
  }

  /** Says that it handles no stream of the server beyond the first ones (there are none). */
  RawHttp2Client goAway() throws IOException {
    head(8, GOAWAY, 0, 0);
    out.writeInt(0);
    out.writeInt(NO_ERROR);
    return this;
  }

  RawHttp2Client credit(int stream, int bytes) throws IOException {
    head(4, WINDOW_UPDATE, 0, stream);
    out.writeInt(bytes);
    return this;
  }

  RawHttp2Client flush() throws IOException {
    out.flush();
    return this;
  }

  /** Flushes, and waits until the server has read it all. */
  void ping() throws IOException {
    int before = of(() -> pings);
    head(8, PING, 0, 0);
    out.writeLong(1);
    out.flush();
    await("the answer to a ping", () -> pings > before);
  }

  private void head(int length, int type, int flags, int stream) throws IOException {
    out.writeInt(length << 8 | type);
    out.writeByte(flags);
    out.writeInt(stream);
  }

  private void spend(int stream, int bytes) {
    synchronized (lock) {
      room -= bytes;
      stream(stream).sent += bytes;
    }
  }

  // What it has read.

  /** How many bytes of data the windows of the stream and of the connection allow now. */
  int room(int id) {
    return of(
        () -> {
          Stream stream = stream(id);
          return (int) Math.min(room, streamWindow + stream.credited - stream.sent);
        });
  }

  /** How many bytes of data the connection's window allows now. */
  int room() {
    return of(() -> (int) room);
  }

  /** The bytes with which the server has enlarged the connection's window. */
  long credited() {
    return of(() -> credited);
  }

  /** The number of WINDOW_UPDATE frames, those of streams included. */
  int creditFrames() {
    return of(() -> creditFrames);
  }

  byte[] received(int stream) {
    return of(() -> stream(stream).data.toByteArray());
  }

  int receivedBytes(int stream) {
    return of(() -> stream(stream).data.size());
  }

  /** The code with which the server has reset the stream. */
  @Nullable Long resetCode(int stream) {
    synchronized (lock) {
      return stream(stream).reset;
    }
  }

  void awaitRoom(int stream, int bytes) {
    await(bytes + " bytes of room on stream " + stream, () -> room(stream) >= bytes);
  }

  void awaitEnd(int stream) {
    await("the end of stream " + stream, () -> stream(stream).ended);
  }

  void awaitReset(int stream) {
    await("a reset of stream " + stream, () -> stream(stream).reset != null);
  }

  void awaitReceived(int stream, int bytes) {
    await(bytes + " bytes on stream " + stream, () -> stream(stream).data.size() >= bytes);
  }

  void awaitGoAway() {
    await("a GOAWAY", () -> goneAway);
  }

  /** Waits; the condition is looked at under the lock, after each frame. */
  private void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Harness.PATIENCE_SECONDS);
    synchronized (lock) {
      while (!condition.getAsBoolean()) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        assertTrue(left > 0, what + " has not come");
        assertTrue(!ended, what + ": the server has closed the connection");
        try {
          lock.wait(left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException(what + " has not come", e);
        }
      }
    }
  }

  private <T> T of(Supplier<T> value) {
    synchronized (lock) {
      return value.get();
    }
  }

  private Stream stream(int id) {
    return streams.computeIfAbsent(id, key -> new Stream());
  }

  private void read() {
    try (DataInputStream in = new DataInputStream(socket.getInputStream())) {
      while (true) {
        int lengthAndType = in.readInt();
        int flags = in.readUnsignedByte();
        int id = in.readInt() & Integer.MAX_VALUE;
        byte[] payload = in.readNBytes(lengthAndType >>> 8);
        boolean acknowledge = false;
        synchronized (lock) {
          switch (lengthAndType & 0xFF) {
            case DATA -> {
              if (stream(id).reset == null) { // else it comes too late
                stream(id).data.write(payload);
              }
              stream(id).ended |= (flags & END_STREAM) != 0;
            }
            case HEADERS -> stream(id).ended |= (flags & END_STREAM) != 0;
            case RST_STREAM -> stream(id).reset = Unpooled.wrappedBuffer(payload).readUnsignedInt();
            case SETTINGS -> {
              settled = true;
              acknowledge = (flags & ACK) == 0;
              ByteBuf settings = Unpooled.wrappedBuffer(payload);
              while (settings.isReadable()) {
                int name = settings.readUnsignedShort();
                int value = settings.readInt();
                if (name == INITIAL_WINDOW_SIZE) {
                  streamWindow = value;
                }
              }
            }
            case PING -> pings++;
            case GOAWAY -> goneAway = true;
            case WINDOW_UPDATE -> {
              int bytes = Unpooled.wrappedBuffer(payload).readInt();
              creditFrames++;
              if (id == 0) {
                room += bytes;
                credited += bytes;
              } else {
                stream(id).credited += bytes;
              }
            }
            default -> {}
          }
          lock.notifyAll();
        }
        if (acknowledge) {
          // The test's thread has its own stream, which nothing of this size can split.
          socket.getOutputStream().write(new byte[] {0, 0, 0, SETTINGS, ACK, 0, 0, 0, 0});
        }
      }
    } catch (IOException e) {
      synchronized (lock) {
        ended = true;
        lock.notifyAll();
      }
    }
  }

  /** Closes the connection as a client does that has died: with what it has not read. */
  void die() throws IOException {
    socket.close();
  }

  @Override
  public void close() throws IOException {
    die();
    encoder.close();
  }
}
