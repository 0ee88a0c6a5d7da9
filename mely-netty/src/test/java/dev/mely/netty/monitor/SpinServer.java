package dev.mely.netty.monitor;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A server whose handler is busy for a millisecond with each byte, or waits until it is released;
 * and its clients, each of which sends a byte when the last one has come back.
 */
final class SpinServer implements Closeable {
  private static final long BUSY_NANOS = 1_000_000;
  private static final byte WAIT = 1;

  private final Channel server;
  private final Map<Integer, EventLoop> loops = new ConcurrentHashMap<>();
  private final List<Socket> clients = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch released = new CountDownLatch(1);

  SpinServer(EventLoopGroup group, Class<? extends ServerChannel> type) {
    server =
        new ServerBootstrap()
            .group(group)
            .channel(type)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    int port = ((InetSocketAddress) channel.remoteAddress()).getPort();
                    loops.put(port, channel.eventLoop());
                    channel.pipeline().addLast(new SpinHandler());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
  }

  private final class SpinHandler extends SimpleChannelInboundHandler<ByteBuf> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) throws Exception {
      if (message.getByte(message.readerIndex()) == WAIT) {
        waitHere();
      }
      long until = System.nanoTime() + BUSY_NANOS;
      while (System.nanoTime() < until) {
        Thread.onSpinWait();
      }
      ctx.writeAndFlush(message.retain())
          .addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
    }
  }

  /** To be found in a stack. */
  private void waitHere() throws InterruptedException {
    released.await();
  }

  /** Connects until there are so many connections to one loop, and loads these. */
  void loadOneLoop(int connections) throws IOException {
    Map<EventLoop, List<Socket>> byLoop = new ConcurrentHashMap<>();
    while (true) {
      Socket client = connect();
      EventLoop loop = loops.get(client.getLocalPort());
      List<Socket> same = byLoop.computeIfAbsent(loop, key -> new ArrayList<>());
      same.add(client);
      if (same.size() == connections) {
        same.forEach(this::load);
        return;
      }
    }
  }

  /** Loads so many connections, whatever loop has them. */
  void load(int connections) throws IOException {
    List<Socket> all = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      all.add(connect());
    }
    all.forEach(this::load);
  }

  /** A connection whose first byte has come back. */
  private Socket connect() throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), address().getPort());
    client.setTcpNoDelay(true);
    clients.add(client);
    client.getOutputStream().write(0);
    if (client.getInputStream().read() != 0) {
      throw new IOException("no answer");
    }
    return client;
  }

  private void load(Socket client) {
    Thread thread =
        new Thread(
            () -> {
              try {
                do {
                  client.getOutputStream().write(0);
                } while (client.getInputStream().read() == 0);
              } catch (IOException e) {
                // It was closed.
              }
            });
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  /** Has a handler wait until the server is closed. */
  void block() throws IOException {
    connect().getOutputStream().write(WAIT);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) server.localAddress();
  }

  @Override
  public void close() throws IOException {
    released.countDown();
    for (Socket client : clients) {
      client.close();
    }
    server.close().syncUninterruptibly();
  }
}
