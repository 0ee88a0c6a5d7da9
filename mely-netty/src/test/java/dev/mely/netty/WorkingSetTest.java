package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import dev.mely.netty.memory.ReadQueues;
import dev.mely.netty.memory.WorkingSet;
import dev.mely.report.Statistics;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** D3: reads wait while a core has too many live buffers, and nothing else does. */
@Timeout(300)
class WorkingSetTest {
  private static final int PATIENCE_MILLIS = (int) (Harness.PATIENCE_SECONDS * 1000);

  private @Nullable MelyEventLoopGroup group;
  private final BlockingQueue<Channel> accepted = new LinkedTransferQueue<>();
  private final List<Socket> clients = new ArrayList<>();

  /** What handlers hold: it counts as live. */
  private final Queue<ByteBuf> held = new ConcurrentLinkedQueue<>();

  private final AtomicBoolean holds = new AtomicBoolean();

  @AfterEach
  void end() throws Exception {
    for (Socket client : clients) {
      client.close();
    }
    if (group != null) {
      StingyAllocator allocator = group.allocator();
      group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
      held.forEach(ByteBuf::release);
      assertEquals(0, allocator.liveBytes());
    }
    LeakCounter.assertNoLeaks();
  }

  private WorkingSet set() {
    return group.groupState().workingSet();
  }

  private int waiting() {
    return ReadQueues.waiting(set());
  }

  private long forcedReads() {
    return ReadQueues.forcedReads(set());
  }

  /** A server whose kernel buffers are small. */
  private Channel serve(MelyEventLoopGroupBuilder builder, Supplier<ChannelHandler> handler)
      throws Exception {
    group = builder.build();
    return new ServerBootstrap()
        .group(group)
        .channel(group.serverSocketChannelType())
        .option(ChannelOption.SO_BACKLOG, 1024)
        .childOption(ChannelOption.SO_SNDBUF, 16 * 1024)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handler.get());
                accepted.add(channel);
              }
            })
        .bind(new InetSocketAddress("127.0.0.1", 0))
        .sync()
        .channel();
  }

  private Socket connect(Channel server) throws IOException {
    Socket client = new Socket();
    client.setReceiveBufferSize(16 * 1024);
    client.setSoTimeout(PATIENCE_MILLIS);
    client.setTcpNoDelay(true);
    client.connect(server.localAddress());
    clients.add(client);
    return client;
  }

  private Channel peer() throws InterruptedException {
    Channel peer = accepted.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertTrue(peer != null, "no connection was accepted");
    return peer;
  }

  private static byte[] read(Socket client, int length) throws IOException {
    byte[] bytes = new byte[length];
    new DataInputStream(client.getInputStream()).readFully(bytes);
    return bytes;
  }

  /** Answers each byte with a large response, whose bytes are that byte. */
  private static final class Large extends ChannelInboundHandlerAdapter {
    private final int size;
    private final AtomicInteger requests;

    Large(int size, AtomicInteger requests) {
      this.size = size;
      this.requests = requests;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf request = (ByteBuf) message;
      while (request.isReadable()) {
        byte value = request.readByte();
        ByteBuf response = ctx.alloc().directBuffer(size);
        for (int i = 0; i < size; i++) {
          response.writeByte(value);
        }
        ctx.write(response);
        requests.incrementAndGet();
      }
      request.release();
      ctx.flush();
    }
  }

  /** Asks once, and reads the response when it is told to. */
  private static final class SlowReader extends ChannelInboundHandlerAdapter {
    final CompletableFuture<String> outcome = new CompletableFuture<>();
    private final byte value;
    private int left;
    private volatile @Nullable Channel channel;

    SlowReader(byte value, int size) {
      this.value = value;
      this.left = size;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      channel = ctx.channel();
      ctx.writeAndFlush(Unpooled.buffer(1).writeByte(value));
    }

    void start() {
      Harness.await().until(() -> channel != null);
      channel.config().setAutoRead(true);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf part = (ByteBuf) message;
      left -= part.readableBytes();
      if (part.forEachByte(next -> next == value) != -1) {
        outcome.complete("somebody else's");
      }
      part.release();
      if (left == 0) {
        outcome.complete("all");
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      outcome.complete("closed");
    }
  }

  /** Holds what it reads until a whole message of its size is there; then echoes that. */
  private static class Collector extends ChannelInboundHandlerAdapter {
    private final int size;
    private final List<ByteBuf> parts = new ArrayList<>();
    private int length;

    Collector(int size) {
      this.size = size;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf part = (ByteBuf) message;
      parts.add(part);
      length += part.readableBytes();
      if (length >= size) {
        parts.forEach(ctx::write);
        ctx.flush();
        parts.clear();
        length = 0;
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      parts.forEach(ByteBuf::release);
      parts.clear();
    }
  }

  /** The first message of all is held; all others are echoed. */
  private ChannelHandler holder() {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (holds.compareAndSet(false, true)) {
          held.add((ByteBuf) message);
        } else {
          ctx.writeAndFlush(message);
        }
      }
    };
  }

  /** A server that holds one message, so that all later reads wait until that is released. */
  private Channel serveAndHold(Io io, int cores) throws Exception {
    Channel server = serve(io.builder().cores(cores).workingSet(1), this::holder);
    ReadQueues.patience(set(), 3_600_000);
    connect(server).getOutputStream().write(1);
    Harness.await().until(() -> !held.isEmpty());
    peer();
    return server;
  }

  private void release() {
    for (ByteBuf buffer = held.poll(); buffer != null; buffer = held.poll()) {
      buffer.release();
    }
  }

  @ParameterizedTest
  @EnumSource
  void slowReadersOfLargeResponsesStayWithinTheBound(Io io) throws Exception {
    int connections = 200;
    int size = 128 * 1024;
    int bound = 2 * 1024 * 1024;
    AtomicInteger requests = new AtomicInteger();
    Channel server =
        serve(io.builder().cores(2).workingSet(bound), () -> new Large(size, requests));
    MultiThreadIoEventLoopGroup readers =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    List<SlowReader> slow = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      slow.add(new SlowReader((byte) i, size));
      new Bootstrap()
          .group(readers)
          .channel(NioSocketChannel.class)
          .option(ChannelOption.AUTO_READ, false)
          .option(ChannelOption.SO_RCVBUF, 16 * 1024)
          .handler(slow.get(i))
          .connect(server.localAddress())
          .sync();
    }
    Harness.await().until(() -> requests.get() + waiting() >= connections && waiting() > 0);
    slow.forEach(SlowReader::start);
    for (SlowReader reader : slow) {
      assertEquals("all", reader.outcome.get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
    readers.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
    assertEquals(connections, requests.get());
    for (StingyAllocator.Core core : group.allocator().cores()) {
      // One event's response and its read buffer; and those that have waited too long.
      long allowed = bound + (1 + forcedReads()) * (size + 64 * 1024);
      assertTrue(core.peakLiveBytes() <= allowed, () -> core + ", forcedReads " + forcedReads());
    }
    assertEquals(0, waiting());
  }

  @ParameterizedTest
  @EnumSource
  void aChannelThatAloneExceedsTheBoundGoesOn(Io io) throws Exception {
    int size = 1024 * 1024;
    Channel server = serve(io.builder().cores(1).workingSet(16 * 1024), () -> new Collector(size));
    Socket client = connect(server);
    byte[] sent = new byte[size];
    new Random(1).nextBytes(sent);
    client.getOutputStream().write(sent);
    assertArrayEquals(sent, read(client, size));
    assertTrue(forcedReads() > 0, "it was never put off");
  }

  /** Each holds a part of a message and waits for the rest, and there is room for none of them. */
  @ParameterizedTest
  @EnumSource
  void nobodyStarvesWhereAllWaitForEachOther(Io io) throws Exception {
    AtomicInteger reads = new AtomicInteger();
    Channel server =
        serve(
            io.builder().cores(1).workingSet(1),
            () ->
                new Collector(20) {
                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object message) {
                    super.channelRead(ctx, message);
                    reads.incrementAndGet();
                  }
                });
    for (int i = 0; i < 3; i++) {
      connect(server).getOutputStream().write(new byte[10]);
    }
    Harness.await().until(() -> reads.get() == 3);
    assertTrue(forcedReads() >= 2, "the others had to wait for the first");
    for (Socket client : clients) {
      client.getOutputStream().write(new byte[10]);
    }
    for (Socket client : clients) {
      read(client, 20);
    }
  }

  /** What a channel writes goes on while its reads wait, and so does what others write. */
  @ParameterizedTest
  @EnumSource
  void writesTasksAndAcceptsGoOn(Io io) throws Exception {
    Channel server = serveAndHold(io, 1);
    Socket waits = connect(server);
    waits.getOutputStream().write(2);
    Harness.await().until(() -> waiting() > 0);
    Channel peer = peer();
    peer.eventLoop().submit(() -> {}).sync();
    peer.writeAndFlush(peer.alloc().directBuffer(1).writeByte(7)).sync();
    assertEquals(7, waits.getInputStream().read());
    byte[] large = new byte[500_000];
    peer.writeAndFlush(Unpooled.wrappedBuffer(large));
    read(waits, large.length); // in several rounds: its writability is reported
    release();
    assertEquals(2, waits.getInputStream().read());
  }

  /** What is ready and waits is not reported: a core would look for nothing else. */
  @ParameterizedTest
  @EnumSource
  void aCoreWhoseReadsWaitIsAsleep(Io io) throws Exception {
    Channel server = serveAndHold(io, 1);
    for (int i = 0; i < 10; i++) {
      connect(server).getOutputStream().write(2);
    }
    Harness.await().until(() -> waiting() == 10);
    Statistics before = group.statistics();
    Thread.sleep(300);
    Statistics after = group.statistics();
    // A core that spins polls some hundred thousand times, and runs an event for each report.
    assertTrue(polls(after) - polls(before) < 5000, () -> after + " after " + before);
    assertTrue(events(after) - events(before) < 500, () -> after + " after " + before);
    assertEquals(10, waiting());
    for (Socket client : clients) {
      assertEquals(0, client.getInputStream().available(), "something was read");
    }
    release();
    for (Socket client : clients.subList(1, clients.size())) {
      assertEquals(2, client.getInputStream().read());
    }
  }

  private static long polls(Statistics statistics) {
    return statistics.cores().stream().mapToLong(Statistics.PerCore::polls).sum();
  }

  private static long events(Statistics statistics) {
    return statistics.cores().stream().mapToLong(Statistics.PerCore::events).sum();
  }

  @ParameterizedTest
  @EnumSource
  void autoReadIsTurnedOffAndOnWhileReadsWait(Io io) throws Exception {
    Channel server = serveAndHold(io, 1);
    Socket client = connect(server);
    Channel peer = peer();
    client.getOutputStream().write(2);
    Harness.await().until(() -> waiting() > 0);
    // From outside it would only be the end of reading once what is pending has been read.
    peer.eventLoop().submit(() -> peer.config().setAutoRead(false)).sync();
    release();
    Harness.await().until(() -> waiting() == 0);
    assertEquals(0, client.getInputStream().available());
    peer.config().setAutoRead(true);
    assertEquals(2, client.getInputStream().read());
  }

  /** Reads that are asked for one by one. */
  @ParameterizedTest
  @EnumSource
  void singleReadsArrive(Io io) throws Exception {
    Channel server =
        serve(
            io.builder().cores(2).workingSet(1),
            () ->
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void channelActive(ChannelHandlerContext ctx) {
                    ctx.channel().config().setAutoRead(false);
                    ctx.read();
                  }

                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ctx.writeAndFlush(message).addListener(done -> ctx.read());
                  }
                });
    for (int i = 0; i < 4; i++) {
      connect(server);
    }
    for (int i = 0; i < 50; i++) {
      for (Socket client : clients) {
        client.getOutputStream().write(i);
      }
      for (Socket client : clients) {
        assertEquals(i, client.getInputStream().read());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aChannelIsClosedWhileItsReadsWait(Io io) throws Exception {
    Channel server = serveAndHold(io, 1);
    Socket closedHere = connect(server);
    Channel first = peer();
    Socket closedThere = connect(server);
    Channel second = peer();
    closedHere.getOutputStream().write(2);
    closedThere.getOutputStream().write(3);
    Harness.await().until(() -> waiting() == 2);
    first.close().sync();
    closedThere.close();
    assertEquals(-1, eof(closedHere));
    release();
    assertTrue(second.closeFuture().await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
    Harness.await().until(() -> waiting() == 0);
    Harness.await().until(() -> group.registeredChannels() == 2); // the server's, and the first
  }

  private static int eof(Socket client) throws IOException {
    InputStream in = client.getInputStream();
    try {
      return in.read();
    } catch (java.net.SocketException e) {
      return -1; // reset, as something was left unread
    }
  }

  @ParameterizedTest
  @EnumSource
  void theGroupEndsWhileReadsWait(Io io) throws Exception {
    Channel server = serveAndHold(io, 1);
    for (int i = 0; i < 20; i++) {
      connect(server).getOutputStream().write(2);
    }
    Harness.await().until(() -> waiting() == 20);
    assertTrue(
        group
            .shutdownGracefully(0, 60, TimeUnit.SECONDS)
            .await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
    assertEquals(0, group.groupState().registrations());
  }

  /** The owner of what is read changes all the time; all bytes arrive. */
  @ParameterizedTest
  @EnumSource
  void channelsMoveWhileTheirReadsWait(Io io) throws Exception {
    int size = 20_000;
    Channel server =
        serve(
            io.builder().cores(3).workingSet(8 * 1024).runtime(Migrating.by(5)),
            () -> new Collector(size));
    for (int i = 0; i < 8; i++) {
      connect(server);
    }
    for (int round = 0; round < 2; round++) {
      byte[] sent = new byte[size];
      new Random(round).nextBytes(sent);
      for (Socket client : clients) {
        client.getOutputStream().write(sent, 0, size / 2);
      }
      // 3 cores have room for 24 KB: of 8 channels with half a message, some wait or have waited.
      int before = round;
      Harness.await().until(() -> before > 0 || waiting() + forcedReads() > 0);
      for (Socket client : clients) {
        client.getOutputStream().write(sent, size / 2, size / 2);
      }
      for (Socket client : clients) {
        assertArrayEquals(sent, read(client, size));
      }
    }
  }

  // ---- The allocator

  @Test
  void channelsGetTheAllocatorUnlessTheyHaveOne() throws Exception {
    Channel server = serve(MelyEventLoopGroup.builder().workingSet(1 << 20), this::holder);
    connect(server);
    StingyAllocator own = group.allocator();
    assertSame(own, peer().alloc());
    assertSame(own, server.alloc());
    Channel direct = new NioSocketChannel();
    group.register(direct).sync();
    assertSame(own, direct.alloc());
    Channel chosen = new NioServerSocketChannel();
    chosen.config().setAllocator(PooledByteBufAllocator.DEFAULT);
    group.register(chosen).sync();
    assertSame(PooledByteBufAllocator.DEFAULT, chosen.alloc());
    assertTrue(own.metric().usedDirectMemory() <= 2L * StingyAllocator.defaultWorkingSet());
  }

  @Test
  void withoutABoundNothingIsDifferent() throws Exception {
    MelyEventLoopGroup plain = MelyEventLoopGroup.builder().workingSet(0).build();
    try {
      assertNull(plain.groupState().workingSet());
      Channel channel = new NioSocketChannel();
      plain.register(channel).sync();
      assertSame(ByteBufAllocator.DEFAULT, channel.alloc());
    } finally {
      plain.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void badBoundsAreRefused() {
    Throwable refused =
        assertThrows(
            IllegalArgumentException.class, () -> MelyEventLoopGroup.builder().workingSet(-5));
    assertEquals("workingSet must be 0 or more bytes, but is -5", refused.getMessage());
  }
}
