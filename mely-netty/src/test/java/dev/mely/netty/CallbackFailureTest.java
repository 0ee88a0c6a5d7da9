package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** User callbacks that throw exceptions or errors: no thread waits forever. */
@Timeout(300)
class CallbackFailureTest {
  private static void end(MelyEventLoopGroup group) throws InterruptedException {
    var termination = group.shutdownGracefully(0, 10, TimeUnit.MINUTES);
    assertTrue(termination.await(120, TimeUnit.SECONDS), "the end waits for its time-out");
    assertTrue(group.isTerminated());
  }

  /** A class that the loader of {@link Model} does not have. */
  static final class Missing {}

  private static ChannelHandler unreadable() throws Exception {
    ClassLoader parent = CallbackFailureTest.class.getClassLoader();
    ClassLoader loader =
        new ClassLoader(parent) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(Missing.class.getName())) {
              throw new ClassNotFoundException(name);
            }
            return name.equals(Model.class.getName())
                ? define(name)
                : super.loadClass(name, resolve);
          }

          private Class<?> define(String name) throws ClassNotFoundException {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
              return known;
            }
            String file = name.replace('.', '/') + ".class";
            try (InputStream bytes = parent.getResourceAsStream(file)) {
              byte[] code = bytes.readAllBytes();
              return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
              throw new ClassNotFoundException(name, e);
            }
          }
        };
    Class<?> type = loader.loadClass(Model.class.getName());
    assertThrows(NoClassDefFoundError.class, type::getDeclaredMethods);
    return (ChannelHandler) type.getConstructor().newInstance();
  }

  /** Its methods cannot be looked at. Public, to be made from outside of its loader. */
  @ChannelHandler.Sharable
  public static class Model extends ChannelInboundHandlerAdapter {
    public Model() {}

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.writeAndFlush(message);
    }

    void unused(Missing missing) {}
  }

  @ParameterizedTest
  @EnumSource
  void aHandlerOfAClassThatCannotBeReadIsServed(Io io) throws Exception {
    ChannelHandler handler = unreadable();
    try (Harness harness = new Harness(io.builder().cores(1).build(), () -> handler)) {
      Harness.Client client = harness.connect();
      for (int i = 0; i < 5; i++) {
        client.send("x");
        assertEquals("x", client.await(1));
      }
    }
  }

  static List<Wire> wires() {
    return Wire.available();
  }

  /** A task that can neither run nor be printed. */
  private record Hostile(CountDownLatch ran) implements Runnable {
    @Override
    public void run() {
      ran.countDown();
      throw new StackOverflowError("planted");
    }

    @Override
    public String toString() {
      throw new OutOfMemoryError("planted");
    }

    @Override
    public boolean equals(Object other) {
      throw new IllegalStateException("planted");
    }

    @Override
    public int hashCode() {
      throw new IllegalStateException("planted");
    }
  }

  @ParameterizedTest
  @MethodSource("wires")
  void tasksThatCannotEvenBePrinted(Wire wire) throws Exception {
    MelyEventLoopGroup group = wire.builder().cores(1).build();
    EventLoop loop = group.next();
    CountDownLatch ran = new CountDownLatch(4);
    loop.execute(new Hostile(ran));
    ((SingleThreadEventLoop) loop).executeAfterEventLoopIteration(new Hostile(ran));
    ((SingleThreadEventLoop) loop).executeAfterEventLoopIteration(new Hostile(ran));
    loop.schedule(new Hostile(ran), 1, TimeUnit.MICROSECONDS);
    assertTrue(ran.await(120, TimeUnit.SECONDS), () -> ran.getCount() + " have not run");
    CountDownLatch told = new CountDownLatch(2);
    loop.submit(() -> {})
        .addListener(
            future -> {
              told.countDown();
              throw new StackOverflowError("planted");
            })
        .addListener(future -> told.countDown());
    assertTrue(told.await(120, TimeUnit.SECONDS));
    AtomicBoolean hook = new AtomicBoolean();
    ColorEventLoop color = (ColorEventLoop) loop;
    color.addShutdownHook(
        () -> {
          throw new OutOfMemoryError("planted");
        });
    color.addShutdownHook(() -> hook.set(true));
    group.terminationFuture().addListener(future -> new Hostile(ran).toString());
    end(group);
    assertTrue(hook.get());
  }

  /** Where an I/O handler may fail as its group ends. */
  enum Call {
    WAKEUP,
    PREPARE,
    DESTROY
  }

  @ParameterizedTest
  @EnumSource
  void aGroupEndsWhateverItsIoHandlersThrow(Call call) throws Exception {
    AtomicInteger thrown = new AtomicInteger();
    AtomicBoolean failing = new AtomicBoolean();
    MelyEventLoopGroup group = new MelyEventLoopGroup(2, new Failing(call, failing, thrown));
    Channel channel = Wire.NIO.newChannel();
    group.register(channel).sync();
    failing.set(true);
    if (call == Call.PREPARE) { // which was to close it
      channel.close();
    }
    end(group);
    if (call != Call.WAKEUP) { // perhaps nobody waited
      assertTrue(thrown.get() > 0, "nothing was planted");
    }
    assertEquals(0, group.registeredChannels());
  }

  private record Failing(Call call, AtomicBoolean failing, AtomicInteger thrown)
      implements IoHandlerFactory {
    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
      IoHandler io = NioIoHandler.newFactory().newHandler(executor);
      return new IoHandler() {
        private void fault(Call here) {
          if (here == call && failing.get()) {
            thrown.getAndIncrement();
            throw new StackOverflowError("planted at " + here);
          }
        }

        @Override
        public int run(IoHandlerContext context) {
          return io.run(context);
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
          return io.register(handle);
        }

        @Override
        public void wakeup() {
          io.wakeup(); // or the wait would go on
          fault(Call.WAKEUP);
        }

        @Override
        public void initialize() {
          io.initialize();
        }

        @Override
        public void prepareToDestroy() {
          fault(Call.PREPARE);
          io.prepareToDestroy();
        }

        @Override
        public void destroy() {
          io.destroy();
          fault(Call.DESTROY);
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
          return NioIoHandle.class.isAssignableFrom(handleType);
        }
      };
    }

    @Override
    public boolean isChangingThreadSupported() {
      return true;
    }
  }

  /** The key of a color, which a map asks. */
  @Test
  void aKeyThatFailsFailsTheRegistration() throws Exception {
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .cores(1)
            .colorAssigner(channel -> new Hostile(new CountDownLatch(0)))
            .build();
    Channel channel = Wire.NIO.newChannel();
    assertThrows(IllegalStateException.class, () -> group.register(channel));
    assertTrue(!channel.isOpen());
    assertEquals(0, group.pool().keys());
    end(group);
  }
}
