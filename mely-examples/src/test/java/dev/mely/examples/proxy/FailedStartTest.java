package dev.mely.examples.proxy;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.Mely;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.AbstractList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** A proxy that fails after it has bound its port and started its runtime gives both back. */
class FailedStartTest {
  /** A list of denied addresses that is valid when it is checked, and not when it is used. */
  private static final class Changing extends AbstractList<String> {
    private int uses;

    @Override
    public String get(int index) {
      return uses++ == 0 ? "10.0.0.0/8" : "nonsense";
    }

    @Override
    public int size() {
      return 1;
    }
  }

  @Test
  void portAndThreadsAreReleased() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    assertThrows(
        IllegalArgumentException.class,
        () ->
            ProxyServer.start(
                Proxies.patient().port(port).rules(List.of(), new Changing()),
                Mely.builder()
                    .threadFactory(
                        task -> {
                          Thread thread = new Thread(task, "failed-start");
                          threads.add(thread);
                          return thread;
                        })));
    try (ServerSocket again = new ServerSocket()) {
      again.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }
    assertFalse(threads.isEmpty());
    await().until(() -> threads.stream().noneMatch(Thread::isAlive));
  }
}
