package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchedFactoryTest {
  private final List<String> calls = new ArrayList<>();

  /** Of neither NIO nor epoll. */
  private final class OtherHandler implements IoHandler {
    @Override
    public int run(IoHandlerContext context) {
      return 0;
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void wakeup() {}

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return false;
    }

    @Override
    public void prepareToDestroy() {
      calls.add("prepareToDestroy");
      throw new IllegalStateException("planned");
    }

    @Override
    public void destroy() {
      calls.add("destroy");
    }
  }

  /** It may hold a selector, or memory. */
  @Test
  void aHandlerThatCannotBeWatchedIsDestroyed() {
    WatchedFactory factory =
        new WatchedFactory(loop -> new OtherHandler(), new StockGroup("other"));
    ThreadAwareExecutor loop =
        (ThreadAwareExecutor)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ThreadAwareExecutor.class},
                (proxy, method, args) -> null);
    Exception refused =
        assertThrows(IllegalArgumentException.class, () -> factory.newHandler(loop));
    assertEquals("planned", refused.getSuppressed()[0].getMessage());
    assertEquals(List.of("prepareToDestroy", "destroy"), calls);
  }
}
