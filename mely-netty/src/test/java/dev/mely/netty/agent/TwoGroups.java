package dev.mely.netty.agent;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A program that makes its two groups itself, of classes that Netty 4.1 has as well. Of its four
 * connections, the first and the third send a byte: it says whether their handlers ran at the same
 * time. On Netty's two loops, which take turns, these two share one.
 */
@SuppressWarnings("deprecation") // so do the programs
public final class TwoGroups {
  private TwoGroups() {}

  public static void main(String[] arguments) throws Exception {
    NioEventLoopGroup acceptor = new NioEventLoopGroup(1);
    NioEventLoopGroup workers = new NioEventLoopGroup(2, new DefaultThreadFactory("two"));
    Meeting meeting = new Meeting(arguments.length > 0);
    Channel server =
        new ServerBootstrap()
            .group(acceptor, workers)
            .channel(NioServerSocketChannel.class)
            .childHandler(meeting)
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
    InetSocketAddress address = (InetSocketAddress) server.localAddress();
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Socket socket = new Socket(address.getAddress(), address.getPort());
      sockets.add(socket);
      socket.getOutputStream().write('a');
      socket.getInputStream().read(); // it has its loop
    }
    sockets.get(0).getOutputStream().write('m');
    sockets.get(2).getOutputStream().write('m');
    int first = sockets.get(0).getInputStream().read();
    int third = sockets.get(2).getInputStream().read();
    System.out.println("at once: " + (first == 'y' && third == 'y'));
    System.out.println("on Mely: " + meeting.onMely + " in " + meeting.threads);
    for (Socket socket : sockets) {
      socket.close();
    }
    end(acceptor);
    end(workers);
    System.out.println("ended: " + (acceptor.isTerminated() && workers.isTerminated()));
  }

  private static void end(EventLoopGroup group) throws InterruptedException {
    group.shutdownGracefully(0, 30, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS);
  }

  /** Answers an {@code m} with {@code y} if two of them were there at once. */
  @ChannelHandler.Sharable
  private static final class Meeting extends ChannelInboundHandlerAdapter {
    private final CountDownLatch both = new CountDownLatch(2);
    private final boolean mayMeet;
    private volatile boolean onMely = true;
    private volatile String threads = "";

    Meeting(boolean mayMeet) {
      this.mayMeet = mayMeet;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
      ByteBuf bytes = (ByteBuf) message;
      if (bytes.getByte(bytes.readerIndex()) == 'm') {
        both.countDown();
        boolean met = both.await(mayMeet ? 60 : 1, TimeUnit.SECONDS);
        bytes.setByte(bytes.readerIndex(), met ? 'y' : 'n');
      }
      onMely &= OnMely.isCurrentThread();
      threads = Thread.currentThread().getName().replaceFirst("-.*", "");
      context.writeAndFlush(bytes);
    }
  }
}
