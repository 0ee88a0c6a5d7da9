package dev.mely.examples.demo;

import com.google.gson.Gson;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The load process: loads a server for a turn whenever it is told to, and says what it has
 * measured. It keeps the connections to both servers as long as the settings are the same. Ends
 * with its standard input.
 */
final class LoadMain {
  /** Ctrl-C ends the servers and this process at once: then there is nothing to say. */
  private static final long SIGNAL_MILLIS = 300;

  private LoadMain() {}

  /**
   * Reads orders, a line each; says when each turn begins, and a {@link Result} at its end.
   *
   * @param args none
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    // Timers of epoll are exact to some microseconds, those of NIO to a millisecond.
    IoHandlerFactory io =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    EventLoop loop = new MultiThreadIoEventLoopGroup(1, io).next();
    Map<Side, Load> loads = new EnumMap<>(Side.class);
    Gson gson = new Gson();
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line;
    try {
      while ((line = orders.readLine()) != null) {
        Order order = gson.fromJson(line, Order.class);
        @Nullable Load load = loads.get(order.side);
        if (load == null || !load.order().equals(order)) {
          if (load != null) {
            load.close();
          }
          load = new Load(loop, order);
          loads.put(order.side, load);
        }
        Child.say(new Begun());
        Child.say(load.run());
      }
    } catch (IOException e) {
      TimeUnit.MILLISECONDS.sleep(SIGNAL_MILLIS);
      System.err.println("demo: the load cannot go on: " + e.getMessage());
      System.exit(1);
    }
    System.exit(0);
  }

  /**
   * To load a server for a turn.
   *
   * @param ports of that server
   * @param key see {@link WorkHandler}
   */
  record Order(Side side, ServerMain.Ports ports, String key, Settings settings) {}

  /** The connections are open, and the turn begins. */
  record Begun() {}
}
