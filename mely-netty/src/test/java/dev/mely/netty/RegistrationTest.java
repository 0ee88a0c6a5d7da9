package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.StealPolicy;
import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoOps;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The registration between a handle and the I/O handler, without a channel around it. */
@Timeout(300)
class RegistrationTest {
  private MelyEventLoopGroup group;

  private ColorEventLoop start(Io io, int cores) {
    group = io.builder().cores(cores).build();
    return (ColorEventLoop) group.next();
  }

  @AfterEach
  void end() throws Exception {
    // Nothing is left registered: the end does not wait for anything.
    assertTrue(group.shutdownGracefully(0, 60, TimeUnit.SECONDS).await(120, TimeUnit.SECONDS));
  }

  private static Registration register(ColorEventLoop loop, PipeHandle handle) throws Exception {
    return (Registration) loop.register(handle).get();
  }

  /** An event that runs a check as it is asked what is ready. */
  private static IoEvent event(Io io, Runnable asked) {
    Supplier<NioIoOps> nio =
        () -> {
          asked.run();
          return NioIoOps.READ;
        };
    Supplier<EpollIoOps> epoll =
        () -> {
          asked.run();
          return EpollIoOps.EPOLLIN;
        };
    return io == Io.NIO ? (NioIoEvent) nio::get : (EpollIoEvent) epoll::get;
  }

  /** From then on another core may be in the middle of it. */
  @ParameterizedTest
  @EnumSource
  void isPostedWhenItsReadyOperationsHaveBeenWritten(Io io) throws Exception {
    ColorEventLoop loop = start(io, 1);
    List<String> seen = new CopyOnWriteArrayList<>();
    PipeHandle handle = PipeHandle.open(io, (h, event) -> seen.add(ops(event)));
    Registration registration = register(loop, handle);
    loop.submit(() -> registration.submit(handle.interest())).sync();
    CountDownLatch release = Harness.block(loop);
    int before = loop.color().pending();
    registration
        .poller()
        .section()
        .call(
            () -> {
              registration.handle(
                  null, event(io, () -> seen.add("posted: " + (loop.color().pending() - before))));
              return null;
            });
    release.countDown();
    Harness.await().until(() -> seen.size() == 2);
    String ready = io == Io.NIO ? NioIoOps.READ.toString() : EpollIoOps.EPOLLIN.toString();
    assertEquals(List.of("posted: 0", ready), seen);
    assertTrue(registration.cancel());
    handle.close();
  }

  private static String ops(IoEvent event) {
    return event instanceof NioIoEvent nio
        ? nio.ops().toString()
        : ((EpollIoEvent) event).ops().toString();
  }

  @ParameterizedTest
  @EnumSource
  void isNotInFlightAnyMoreWhenTheHandleHasThrown(Io io) throws Exception {
    ColorEventLoop loop = start(io, 2);
    AtomicInteger times = new AtomicInteger();
    PipeHandle handle =
        PipeHandle.open(
            io,
            (h, event) -> {
              h.read();
              switch (times.getAndIncrement()) {
                case 0 -> throw new IllegalStateException("planted");
                case 1 -> throw new StackOverflowError("planted");
                default -> {}
              }
            });
    Registration registration = register(loop, handle);
    loop.submit(() -> registration.submit(handle.interest())).sync();
    for (int i = 1; i <= 3; i++) {
      int n = i;
      handle.write();
      Harness.await().until(() -> times.get() == n);
      loop.submit(() -> {}).sync();
      assertFalse(registration.readiness.isInFlight());
    }
    assertTrue(registration.cancel());
    handle.close();
  }

  /** A loop keeps its registrations without a lock. */
  @ParameterizedTest
  @EnumSource
  void cancelledFromOutsideItLeavesTheColorInTheColor(Io io) throws Exception {
    ColorEventLoop loop = start(io, 2);
    AtomicInteger times = new AtomicInteger();
    PipeHandle handle = PipeHandle.open(io, (h, event) -> times.getAndIncrement());
    Registration registration = register(loop, handle);
    loop.submit(() -> registration.submit(handle.interest())).sync();
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    var sizes =
        loop.submit(
            () -> {
              int before = loop.loopRegistrations().size();
              entered.countDown();
              cancelled.await();
              return List.of(before, loop.loopRegistrations().size());
            });
    entered.await();
    assertTrue(registration.cancel());
    assertFalse(registration.cancel());
    assertFalse(registration.isValid());
    assertEquals(0, loop.registeredChannels());
    cancelled.countDown();
    assertEquals(List.of(1, 1), sizes.get(), "nobody else touches it while the color runs");
    assertEquals(0, loop.submit(() -> loop.loopRegistrations().size()).get());
    handle.write();
    loop.submit(() -> {}).sync();
    assertEquals(1, handle.unregistered.get());
    assertEquals(0, group.registeredChannels());
    assertEquals(0, times.get(), "it hears of nothing any more");
    handle.close();
  }

  /** What has been posted before comes too late. */
  @ParameterizedTest
  @EnumSource
  void cancelledInFlightItIsNotServed(Io io) throws Exception {
    ColorEventLoop loop = start(io, 1);
    AtomicInteger times = new AtomicInteger();
    PipeHandle handle = PipeHandle.open(io, (h, event) -> times.getAndIncrement());
    Registration registration = register(loop, handle);
    CountDownLatch release = Harness.block(loop);
    registration
        .poller()
        .section()
        .call(
            () -> {
              registration.handle(null, event(io, () -> {}));
              return null;
            });
    assertTrue(registration.readiness.isInFlight());
    assertTrue(registration.cancel());
    release.countDown();
    loop.submit(() -> {}).sync();
    assertEquals(0, times.get());
    assertFalse(registration.readiness.isInFlight());
    handle.close();
  }

  @ParameterizedTest
  @EnumSource
  void masksOnlyWhatIsInFlightAndIsArmedAgain(Io io) throws Exception {
    ColorEventLoop loop = start(io, 1);
    AtomicInteger times = new AtomicInteger();
    PipeHandle handle =
        PipeHandle.open(
            io,
            (h, event) -> {
              h.read();
              times.getAndIncrement();
            });
    Registration registration = register(loop, handle);
    loop.submit(() -> registration.submit(handle.interest())).sync();
    registration.readiness.mask();
    assertFalse(registration.readiness.isMasked(), "it is idle");
    CountDownLatch release = Harness.block(loop);
    handle.write();
    handle.write();
    registration
        .poller()
        .section()
        .call(
            () -> {
              registration.handle(null, event(io, () -> {}));
              registration.readiness.mask();
              return null;
            });
    assertTrue(registration.readiness.isMasked());
    release.countDown();
    Harness.await().until(() -> times.get() == 2);
    assertFalse(registration.readiness.isMasked());
    assertTrue(registration.cancel());
    handle.close();
  }

  /** A stolen color runs all its events on the thief's core; its next event starts at home. */
  @ParameterizedTest
  @EnumSource
  void aColorIsBroughtHomeByTheWorkerAlone(Io io) throws Exception {
    group = io.builder().cores(2).policy(StealPolicy.OFF).build();
    ColorEventLoop loop = group.cores().newLoop(0);
    AtomicInteger times = new AtomicInteger();
    PipeHandle handle =
        PipeHandle.open(
            io,
            (h, event) -> {
              h.read();
              times.getAndIncrement();
            });
    Registration registration = register(loop, handle);
    loop.submit(() -> registration.submit(handle.interest())).sync();
    CountDownLatch home = Harness.block(group.cores().loop(0));
    CountDownLatch elsewhere = Harness.block(group.cores().loop(1));
    Harness.await().until(() -> loop.color().moveTo(1)); // as if it had been stolen
    handle.write();
    // As a thief does for a core that is stuck.
    Harness.await()
        .until(
            () -> {
              group.cores().poller(0).poll(0);
              return registration.readiness.isInFlight();
            });
    assertEquals(1, loop.color().core(), "not to the core that is stuck");
    elsewhere.countDown();
    Harness.await().until(() -> times.get() == 1);
    home.countDown();
    handle.write();
    Harness.await().until(() -> times.get() == 2);
    assertEquals(0, loop.color().core(), "the worker has brought it home");
    assertTrue(registration.cancel());
    handle.close();
  }

  /** A change of interest while it is masked is kept for later. */
  @ParameterizedTest
  @EnumSource
  void aWishWhileMaskedIsSubmittedWhenItIsArmed(Io io) throws Exception {
    ColorEventLoop loop = start(io, 1);
    AtomicInteger times = new AtomicInteger();
    PipeHandle handle =
        PipeHandle.open(
            io,
            (h, event) -> {
              h.read();
              times.incrementAndGet();
            });
    Registration registration = register(loop, handle);
    loop.submit(() -> registration.submit(handle.interest())).sync();
    loop.submit(
            () -> {
              registration
                  .poller()
                  .section()
                  .call(
                      () -> {
                        registration.handle(null, event(io, () -> {}));
                        registration.readiness.mask();
                        return null;
                      });
              assertTrue(registration.readiness.isMasked());
              registration.submit(none(io));
              assertTrue(registration.readiness.isMasked(), "not armed by a wish");
              return null;
            })
        .get();
    handle.write();
    loop.submit(() -> {}).sync(); // behind what was posted
    assertFalse(registration.readiness.isMasked());
    assertEquals(0, times.get(), "it does not want to hear of anything");
    loop.submit(() -> registration.submit(handle.interest())).sync();
    Harness.await().until(() -> times.get() == 1);
    assertTrue(registration.cancel());
    handle.close();
  }

  /** Netty's epoll deletes the descriptor on NONE, and takes no interest afterwards. */
  private static IoOps none(Io io) {
    return io == Io.NIO ? NioIoOps.NONE : EpollIoOps.EPOLLET;
  }
}
