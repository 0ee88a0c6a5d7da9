package dev.mely.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A server that runs out of file descriptors. Argument: the transport. Run with a low limit; says
 * "accept failed", how many polls there were a second afterwards, and "recovered".
 */
public final class FewDescriptors {
  private FewDescriptors() {}

  public static void main(String[] args) {
    try {
      run(Io.valueOf(args[0]).builder().cores(2).build());
    } catch (Throwable t) {
      t.printStackTrace(System.out);
      System.exit(1); // the group's threads are still there
    }
  }

  private static void run(MelyEventLoopGroup group) throws Exception {
    loadClasses();
    CountDownLatch failed = new CountDownLatch(1);
    Channel server =
        new ServerBootstrap()
            .group(group)
            .channel(group.serverSocketChannelType())
            .handler(
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                    failed.countDown();
                    ctx.fireExceptionCaught(cause);
                  }
                })
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Harness.Echo());
                  }
                })
            .bind(new InetSocketAddress("127.0.0.1", 0))
            .sync()
            .channel();
    InetSocketAddress address = (InetSocketAddress) server.localAddress();
    long open = Descriptors.open();
    try (Socket first = new Socket(address.getAddress(), address.getPort())) {
      echo(first);
    }
    server.eventLoop().schedule(() -> {}, 1, TimeUnit.MILLISECONDS).sync(); // as backing off does
    // The server's end of the first connection is given up a moment later. Not for ever: virtual
    // machines open some more for themselves, and keep them.
    for (int i = 0; i < 500 && (group.registeredChannels() > 1 || Descriptors.open() > open); i++) {
      for (int core = 0; core < group.cores().size(); core++) {
        group.cores().loop(core).execute(() -> {}); // it looks at its channels afterwards
      }
      Thread.sleep(10);
    }
    Deque<FileInputStream> hoard = new ArrayDeque<>();
    // Twice: the virtual machine may have one for a moment.
    takeAll(hoard);
    Thread.sleep(200);
    takeAll(hoard);
    hoard.pop().close(); // for the client; none is left for the server
    try (Socket second = new Socket(address.getAddress(), address.getPort())) {
      if (!failed.await(120, TimeUnit.SECONDS)) {
        throw new AssertionError("nothing has failed");
      }
      long start = System.nanoTime();
      long before = group.statistics().total().polls();
      Thread.sleep(1_000);
      double polls = group.statistics().total().polls() - before;
      double seconds = (System.nanoTime() - start) / 1e9; // more where other things run
      for (FileInputStream taken : hoard) {
        taken.close();
      }
      echo(second); // it has waited in the backlog
      System.out.println("accept failed");
      System.out.println("polls " + Math.round(polls / seconds));
    }
    try (Socket third = new Socket(address.getAddress(), address.getPort())) {
      echo(third);
      System.out.println("recovered");
    }
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
  }

  /**
   * To load a class from a folder takes a descriptor: loads the classes that may be needed later.
   */
  private static void loadClasses() throws IOException {
    ClassLoader.getSystemResource("in/no/jar"); // opens them all
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path folder = Path.of(entry);
      if (Files.isDirectory(folder)) {
        try (Stream<Path> files = Files.walk(folder)) {
          files
              .map(file -> folder.relativize(file).toString())
              .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
              .forEach(name -> load(name.substring(0, name.length() - 6).replace('/', '.')));
        }
      }
    }
  }

  private static void load(String name) {
    try {
      Class.forName(name, false, FewDescriptors.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      // It is for a library that is not on this class path.
    }
  }

  private static void echo(Socket socket) throws IOException {
    socket.setSoTimeout(120_000);
    socket.getOutputStream().write('e');
    if (socket.getInputStream().read() != 'e') {
      throw new AssertionError("no echo");
    }
  }

  private static void takeAll(Deque<FileInputStream> hoard) {
    try {
      while (true) {
        hoard.push(new FileInputStream("/dev/null"));
      }
    } catch (IOException e) {
      // All taken.
    }
  }
}
