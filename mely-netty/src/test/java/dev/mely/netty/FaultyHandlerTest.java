package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An I/O handler that throws: the channel concerned may be lost, the others go on, and what the
 * group counts is right, so that its end does not wait for anything.
 */
@Timeout(300)
class FaultyHandlerTest {
  /** Where a fault may strike. */
  enum Call {
    REGISTER,
    RUN,
    WAKEUP,
    SUBMIT,
    CANCEL,
    REGISTERED
  }

  private final Set<Call> failing = EnumSet.noneOf(Call.class);
  private final AtomicInteger thrown = new AtomicInteger();
  private boolean errors;
  private MelyEventLoopGroup group;

  private void start(boolean withErrors) {
    errors = withErrors;
    group = new MelyEventLoopGroup(1, new Factory());
  }

  @AfterEach
  void end() throws Exception {
    failing.clear();
    assertTrue(group.shutdownGracefully(0, 60, TimeUnit.SECONDS).await(120, TimeUnit.SECONDS));
    assertEquals(0, group.registeredChannels());
    assertTrue(thrown.get() > 0, "nothing was planted");
  }

  /** Throws if it is this call's turn. */
  private void fault(Call call) {
    if (failing.contains(call)) {
      failing.remove(call); // once
      thrown.getAndIncrement();
      if (errors) {
        throw new StackOverflowError("planted at " + call);
      }
      throw new IllegalStateException("planted at " + call);
    }
  }

  private PipeHandle open(AtomicInteger times) throws Exception {
    return PipeHandle.open(
        Io.NIO,
        (handle, event) -> {
          handle.read();
          times.getAndIncrement();
        });
  }

  private Registration register(EventLoop loop, IoHandle handle) throws Exception {
    return (Registration) ((ColorEventLoop) loop).register(handle).get();
  }

  /** A handle hears of what is to be read. */
  private void assertWorks() throws Exception {
    AtomicInteger times = new AtomicInteger();
    try (PipeHandle handle = open(times)) {
      EventLoop loop = group.next();
      Registration registration = register(loop, handle);
      loop.submit(() -> registration.submit(handle.interest())).sync();
      handle.write();
      Harness.await().until(() -> times.get() == 1);
      assertTrue(registration.cancel());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void atRegister(boolean withErrors) throws Exception {
    start(withErrors);
    failing.add(Call.REGISTER);
    Channel channel = group.socketChannelType().getConstructor().newInstance();
    assertFalse(group.register(channel).await().isSuccess());
    assertFalse(channel.isOpen());
    assertEquals(0, group.registeredChannels());
    Harness.await().until(() -> group.engine().pendingRegistrations().size() == 0);
    assertWorks();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whenTheHandleIsToldThatItIsRegistered(boolean withErrors) throws Exception {
    start(withErrors);
    failing.add(Call.REGISTERED);
    try (PipeHandle handle = open(new AtomicInteger())) {
      handle.onRegistered = () -> fault(Call.REGISTERED);
      assertFalse(((ColorEventLoop) group.next()).register(handle).await().isSuccess());
    }
    assertEquals(0, group.registeredChannels());
    assertWorks();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void atRun(boolean withErrors) throws Exception {
    start(withErrors);
    for (int i = 0; i < 10; i++) {
      int before = thrown.get();
      failing.add(Call.RUN);
      group.iterator().next().execute(() -> {}); // or the poll that waits goes on
      Harness.await().until(() -> thrown.get() > before);
      assertWorks();
    }
  }

  /** Netty's own channels hear of it where they submit; here it is where one is armed again. */
  @Test
  void atSubmitWhenArmed() throws Exception {
    start(false);
    AtomicInteger closed = new AtomicInteger();
    EventLoop loop = group.next();
    PipeHandle handle = open(new AtomicInteger());
    handle.onClose = closed::getAndIncrement;
    Registration registration = register(loop, handle);
    loop.submit(() -> registration.submit(handle.interest())).sync();
    loop.submit(
            () -> {
              // With one core nobody polls while the color runs.
              assertTrue(registration.readiness.claim());
              registration.readiness.mask();
              failing.add(Call.SUBMIT);
              registration.readyHandler().rejected(registration);
            })
        .await();
    Harness.await().until(() -> closed.get() == 1);
    assertTrue(registration.cancel());
    assertWorks();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void atSubmitWhenMasked(boolean withErrors) throws Exception {
    start(withErrors);
    AtomicInteger times = new AtomicInteger();
    EventLoop loop = group.next();
    try (PipeHandle handle = open(times)) {
      Registration registration = register(loop, handle);
      loop.submit(() -> registration.submit(handle.interest())).sync();
      loop.submit(
              () -> {
                assertTrue(registration.readiness.claim());
                failing.add(Call.SUBMIT);
                try {
                  registration.readiness.mask();
                } finally {
                  registration.readiness.handled(); // as the color does that runs elsewhere
                }
              })
          .await();
      handle.write();
      Harness.await().until(() -> times.get() == 1);
      assertTrue(registration.cancel());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void atCancel(boolean withErrors) throws Exception {
    start(withErrors);
    EventLoop loop = group.next();
    try (PipeHandle handle = open(new AtomicInteger())) {
      Registration registration = register(loop, handle);
      failing.add(Call.CANCEL);
      assertFalse(loop.submit(() -> registration.cancel()).await().isSuccess());
      assertEquals(0, group.registeredChannels());
      assertEquals(1, handle.unregistered.get());
      assertEquals(0, loop.submit(() -> ((ColorEventLoop) loop).served().size()).get());
    }
    assertWorks();
  }

  @Test
  void atWakeup() throws Exception {
    start(false);
    while (thrown.get() == 0) { // until there is a poll to be woken from
      failing.add(Call.WAKEUP);
      try {
        group.cores().poller(0).section().execute(() -> {});
      } catch (IllegalStateException e) {
        // The producer of a task gets the exception; the task runs with the next poll.
      }
      Thread.sleep(1);
    }
    failing.clear();
    assertWorks();
  }

  /** Selectors, and the calls around them. */
  private final class Factory implements IoHandlerFactory {
    private final IoHandlerFactory nio = NioIoHandler.newFactory();

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
      return new Faulty(nio.newHandler(executor));
    }

    @Override
    public boolean isChangingThreadSupported() {
      return true;
    }
  }

  private final class Faulty implements IoHandler {
    private final IoHandler io;

    Faulty(IoHandler io) {
      this.io = io;
    }

    @Override
    public int run(IoHandlerContext context) {
      fault(Call.RUN);
      return io.run(context);
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      fault(Call.REGISTER);
      return new FaultyRegistration(io.register(handle));
    }

    @Override
    public void wakeup() {
      io.wakeup(); // or the test would wait for ever as well
      fault(Call.WAKEUP);
    }

    @Override
    public void initialize() {
      io.initialize();
    }

    @Override
    public void prepareToDestroy() {
      io.prepareToDestroy();
    }

    @Override
    public void destroy() {
      io.destroy();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return NioIoHandle.class.isAssignableFrom(handleType);
    }
  }

  private final class FaultyRegistration implements IoRegistration {
    private final IoRegistration registration;

    FaultyRegistration(IoRegistration registration) {
      this.registration = registration;
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals")
    public <T> T attachment() {
      return registration.attachment();
    }

    @Override
    public long submit(IoOps ops) {
      fault(Call.SUBMIT);
      return registration.submit(ops);
    }

    @Override
    public boolean isValid() {
      return registration.isValid();
    }

    @Override
    public boolean cancel() {
      registration.cancel();
      fault(Call.CANCEL);
      return true;
    }
  }
}
