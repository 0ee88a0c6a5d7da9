package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The life of a group in which memory runs out once: a server, connections, tasks, timers, the end.
 * What fails says so, by an exception, a future, or a connection that ends, and works when it is
 * tried again; nothing hangs. Loaded by a {@code FaultLoader}.
 */
final class StarvedGroup {
  /** Memory runs out once, but one call may be refused for what an earlier one has broken. */
  private static final int TRIES = 3;

  private final int patienceSeconds;
  private final MelyEventLoopGroup group;
  private @Nullable Channel server;
  private String wrong = "";

  private StarvedGroup(int patienceSeconds) throws Exception {
    this.patienceSeconds = patienceSeconds;
    this.group = tried(() -> new MelyEventLoopGroup(2, NioIoHandler.newFactory()));
  }

  /**
   * Lets a group live.
   *
   * @param patienceSeconds what takes longer hangs
   * @return empty if all was as it should be, else what was not
   */
  static String run(int patienceSeconds) throws Exception {
    StarvedGroup starved = new StarvedGroup(patienceSeconds);
    try {
      starved.live();
    } finally {
      starved.end();
    }
    return starved.wrong;
  }

  private void live() throws Exception {
    for (int i = 0; i < 2; i++) {
      exchange();
      connect();
      for (EventLoop loop : new EventLoop[] {group.next(), group.next(), server().eventLoop()}) {
        tasks(loop);
      }
    }
    exchange();
    Channel last = server();
    tried(() -> done("a close", last.close()));
  }

  private void end() throws Exception {
    tried(() -> group.shutdownGracefully(0, patienceSeconds, TimeUnit.SECONDS));
    if (!group.terminationFuture().await(2 * patienceSeconds, TimeUnit.SECONDS)) {
      fail("the group does not end");
    } else if (group.registeredChannels() != 0) {
      fail(group.registeredChannels() + " channels are registered at the end");
    }
  }

  // ---- Connections

  private Channel server() throws Exception {
    Channel open = server;
    if (open == null || !open.isOpen()) {
      open = tried(this::bind);
      server = open;
    }
    return open;
  }

  private Channel bind() throws Exception {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(group)
            .channel(group.serverSocketChannelType())
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Harness.Echo());
                  }
                })
            .bind(new InetSocketAddress("127.0.0.1", 0));
    done("a bind", bound);
    return bound.channel();
  }

  /** A client from outside gets an answer, or is told that there will be none. */
  private void exchange() throws Exception {
    for (int i = 0; i < TRIES; i++) {
      SocketAddress address = server().localAddress();
      try (Socket client = new Socket()) {
        client.setSoTimeout(patienceSeconds * 1_000);
        client.connect(address, patienceSeconds * 1_000);
        client.getOutputStream().write('x');
        if (client.getInputStream().read() == 'x') {
          return;
        }
      } catch (SocketTimeoutException e) {
        fail("a connection hangs");
        return;
      } catch (IOException e) {
        // It has ended.
      }
    }
    fail("no connection works");
  }

  /** A client of the group connects, and closes. */
  private void connect() throws Exception {
    Channel client =
        tried(
            () -> {
              SocketAddress address = server().localAddress(); // each time: it may be another one
              ChannelFuture connected =
                  new Bootstrap()
                      .group(group)
                      .channel(group.socketChannelType())
                      .handler(new ChannelInboundHandlerAdapter())
                      .connect(address);
              done("a connect", connected);
              return connected.channel();
            });
    tried(() -> done("a close", client.close()));
  }

  // ---- Tasks

  private void tasks(EventLoop loop) throws Exception {
    tried(
        () -> {
          CountDownLatch ran = new CountDownLatch(1);
          loop.execute(ran::countDown);
          if (!ran.await(patienceSeconds, TimeUnit.SECONDS)) {
            fail("a task is lost");
          }
          return ran;
        });
    tried(() -> done("a task", loop.submit(() -> 1)));
    tried(() -> done("a timer", loop.schedule(() -> 1, 1, TimeUnit.MICROSECONDS)));
    CountDownLatch twice = new CountDownLatch(2);
    tried(
        () -> {
          Future<?> periodic =
              loop.scheduleAtFixedRate(twice::countDown, 1, 1, TimeUnit.MICROSECONDS);
          long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(patienceSeconds);
          while (!periodic.isDone() && !twice.await(1, TimeUnit.MILLISECONDS)) {
            if (System.nanoTime() - end > 0) {
              fail("a periodic task has stopped, and its future says nothing");
              break;
            }
          }
          periodic.cancel(false);
          return periodic;
        });
  }

  // ---- What fails

  /** Waits for a future, and fails if it does. */
  private <T> Future<T> done(String what, Future<T> future) throws Exception {
    if (!future.await(patienceSeconds, TimeUnit.SECONDS)) {
      fail(what + " is never done");
    } else if (!future.isSuccess()) {
      throw new IOException(what + " has failed", future.cause());
    }
    return future;
  }

  private <T> T tried(Callable<T> call) throws Exception {
    for (int i = 1; ; i++) {
      try {
        return call.call();
      } catch (Exception | OutOfMemoryError e) {
        if (i == TRIES) {
          fail("nothing helps: " + e + ", " + e.getCause());
          throw e;
        }
      }
    }
  }

  private void fail(String what) {
    wrong += wrong.isEmpty() ? what : "; " + what;
  }
}
