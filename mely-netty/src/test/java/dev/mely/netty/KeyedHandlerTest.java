package dev.mely.netty;

import static dev.mely.netty.OffloadBed.inLoop;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.OffloadBed.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages are handled in the color of their key. */
@Timeout(300)
class KeyedHandlerTest {
  private static final int NUMBERS = 2_000;
  private static final int BURST = 4;

  private static KeyedHandler keyed(OffloadBed bed, KeyedHandler handler) {
    return bed.kind == Kind.STOCK ? handler.on(bed.mely) : handler;
  }

  private static void pass(CountDownLatch entered, CountDownLatch open) throws Exception {
    entered.countDown();
    assertTrue(open.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertTrue(latch.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  /** What is known of a key. Its fields are plain: its messages exclude each other. */
  private static final class Account {
    final AtomicInteger inside = new AtomicInteger();
    int count;
    final int[] next = new int[4];
  }

  @ParameterizedTest
  @EnumSource
  void messagesOfAKeyKeepTheirOrderAndExcludeEachOtherOverChannels(Kind kind) throws Exception {
    int keys = 5;
    int channels = 3;
    int messages = 2_000;
    Account[] accounts = new Account[keys];
    for (int i = 0; i < keys; i++) {
      accounts[i] = new Account();
    }
    Queue<String> faults = new ConcurrentLinkedQueue<>();
    AtomicInteger handled = new AtomicInteger();
    AtomicInteger numbers = new AtomicInteger();
    record Order(int key, int number) {}
    try (OffloadBed bed = new OffloadBed(kind, 3, 11)) {
      bed.serve(
          channel -> {
            int self = numbers.getAndIncrement();
            channel
                .pipeline()
                .addLast(
                    keyed(
                        bed,
                        new KeyedHandler(
                            message -> "account" + ((Order) message).key(),
                            (ctx, message) -> {
                              Order order = (Order) message;
                              Account account = accounts[order.key()];
                              if (account.inside.getAndIncrement() != 0) {
                                faults.add("two at once in " + order.key());
                              }
                              if (order.number() < account.next[self]) {
                                faults.add(order + " comes late");
                              }
                              account.next[self] = order.number() + 1;
                              account.count++;
                              account.inside.getAndDecrement();
                              handled.getAndIncrement();
                            })));
          });
      List<Channel> all = new ArrayList<>();
      for (int i = 0; i < channels; i++) {
        all.add(bed.connect().peer);
      }
      for (int sent = 0; sent < messages; sent += 100) {
        int from = sent;
        for (Channel channel : all) {
          inLoop(
              channel,
              pipeline -> {
                for (int i = from; i < from + 100; i++) {
                  pipeline.fireChannelRead(new Order(i % keys, i));
                }
                pipeline.fireChannelReadComplete();
              });
        }
      }
      Harness.await().until(() -> handled.get() == channels * messages);
      assertEquals(List.of(), List.copyOf(faults));
      for (Account account : accounts) {
        assertEquals(channels * messages / keys, account.count);
      }
      bed.assertNoErrors();
    }
  }

  /** Other events of {@code mely.color(key)} exclude it. */
  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "STOCK"})
  void theColorIsThatOfTheKeyForTheWholeProcess(Kind kind) throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    List<String> seen = new ArrayList<>(); // plain: all in one color
    CountDownLatch over = new CountDownLatch(2);
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      keyed(
                          bed,
                          new KeyedHandler(
                              message -> "4711",
                              (ctx, message) -> {
                                seen.add("message");
                                over.countDown();
                              }))));
      Channel channel = bed.connect().peer;
      bed.mely.execute(
          bed.mely.color((Object) "4711"),
          () -> {
            try {
              pass(entered, open);
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
            seen.add("event");
            over.countDown();
          });
      await(entered);
      inLoop(channel, pipeline -> pipeline.fireChannelRead("m"));
      inLoop(channel, pipeline -> {});
      open.countDown();
      await(over);
      assertEquals(List.of("event", "message"), seen);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "STOCK"})
  void messagesOfTwoKeysOfOneChannelMeet(Kind kind) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(2);
    CountDownLatch met = new CountDownLatch(2);
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      keyed(
                          bed,
                          new KeyedHandler(
                              message -> message,
                              (ctx, message) -> {
                                barrier.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
                                met.countDown();
                              }))));
      inLoop(bed.connect().peer, p -> p.fireChannelRead("a").fireChannelRead("b"));
      await(met);
    }
  }

  /** All that has no key is in one color, which is the channel's alone. */
  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "LOCAL", "STOCK"})
  void messagesWithoutAKeyAreSerial(Kind kind) throws Exception {
    List<Object> seen = new ArrayList<>(); // plain: all in one color
    CountDownLatch all = new CountDownLatch(NUMBERS);
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      keyed(
                          bed,
                          new KeyedHandler(
                              message -> null,
                              (ctx, message) -> {
                                seen.add(message);
                                all.countDown();
                              }))));
      List<Object> expected = new ArrayList<>();
      Channel channel = bed.connect().peer;
      for (int i = 0; i < NUMBERS; i++) {
        expected.add(i);
      }
      inLoop(channel, pipeline -> expected.forEach(pipeline::fireChannelRead));
      await(all);
      assertEquals(expected, seen);
    }
  }

  // ---- Barriers

  @ParameterizedTest
  @EnumSource
  void whatElseIsToldWaitsForTheMessagesBeforeIt(Kind kind) throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      keyed(
                          bed,
                          new KeyedHandler(
                              message -> message,
                              (ctx, message) -> {
                                if (message.equals("slow")) {
                                  pass(entered, open);
                                }
                                seen.add("message " + message);
                              })),
                      new ChannelInboundHandlerAdapter() {
                        @Override
                        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                          boolean inside = ctx.channel().eventLoop().inEventLoop();
                          seen.add("event " + event + (inside ? "" : " outside"));
                        }

                        @Override
                        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                          boolean inside = ctx.channel().eventLoop().inEventLoop();
                          seen.add("caught " + cause.getMessage() + (inside ? "" : " outside"));
                        }
                      }));
      Channel channel = bed.connect().peer;
      inLoop(
          channel,
          pipeline -> {
            pipeline.fireChannelRead("slow").fireUserEventTriggered("e").fireChannelRead("a");
            pipeline.fireExceptionCaught(new Exception("x")).fireChannelRead("b");
            pipeline.fireUserEventTriggered("end");
          });
      await(entered);
      if (kind != Kind.LOCAL) { // its event loop may be at the core that is blocked
        inLoop(channel, pipeline -> {});
      }
      assertEquals(List.of(), List.copyOf(seen));
      open.countDown();
      Harness.await().until(() -> seen.contains("event end"));
      assertEquals(
          List.of("message slow", "event e", "message a", "caught x", "message b", "event end"),
          List.copyOf(seen));
      bed.assertNoErrors();
    }
  }

  /** Whatever waits: the end is the last that is told, and all messages are handled. */
  @ParameterizedTest
  @EnumSource
  void whatHasArrivedBeforeTheCloseIsHandled(Kind kind) throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    AtomicInteger handled = new AtomicInteger();
    ByteBuf[] messages = new ByteBuf[100];
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      keyed(
                          bed,
                          new KeyedHandler(
                              message -> ((ByteBuf) message).getInt(0) % 7,
                              (ctx, message) -> {
                                pass(entered, open);
                                handled.getAndIncrement();
                              }))));
      Channel channel = bed.connect().peer;
      inLoop(
          channel,
          pipeline -> {
            for (int i = 0; i < messages.length; i++) {
              messages[i] = Unpooled.buffer(4).writeInt(i);
              pipeline.fireChannelRead(messages[i]);
              if (i % 10 == 0) {
                pipeline.fireUserEventTriggered("barrier");
              }
            }
            pipeline.close();
          });
      channel.closeFuture().sync();
      await(entered);
      open.countDown();
      Harness.await().until(() -> handled.get() == messages.length);
      for (ByteBuf message : messages) {
        Harness.await().until(() -> message.refCnt() == 0);
      }
      bed.assertNoErrors();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatAHandlerOrAKeyThrowsIsCaughtBehind(Kind kind) throws Exception {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    List<ByteBuf> messages = new ArrayList<>();
    for (String text : List.of("a", "key", "checked", "error", "b")) {
      messages.add(OffloadBed.bytes(text));
    }
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      keyed(
                          bed,
                          new KeyedHandler(
                              message -> {
                                String text = OffloadWitness.text(message);
                                if (text.equals("key")) {
                                  throw new IllegalStateException("no key");
                                }
                                return text;
                              },
                              (ctx, message) -> {
                                switch (OffloadWitness.text(message)) {
                                  case "checked" -> throw new Exception("checked");
                                  case "error" -> throw new AssertionError("error");
                                  default -> seen.add(OffloadWitness.text(message));
                                }
                              })),
                      new ChannelInboundHandlerAdapter() {
                        @Override
                        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                          seen.add("caught " + cause.getMessage());
                        }
                      }));
      inLoop(bed.connect().peer, pipeline -> messages.forEach(pipeline::fireChannelRead));
      Harness.await().until(() -> seen.size() == messages.size());
      assertEquals(
          List.of("a", "b", "caught checked", "caught error", "caught no key"),
          seen.stream().sorted().toList());
      for (ByteBuf message : messages) {
        Harness.await().until(() -> message.refCnt() == 0);
      }
      bed.assertNoErrors();
    }
  }

  // ---- Reads

  private static OffloadBed bed(Kind kind) {
    return new OffloadBed(kind)
        .option(
            ChannelOption.RECVBUF_ALLOCATOR,
            new FixedRecvByteBufAllocator(4).maxMessagesPerRead(BURST));
  }

  private static void sendNumbers(Channel client) {
    for (int sent = 0; sent < NUMBERS; sent += 100) {
      ByteBuf some = Unpooled.buffer(400);
      for (int i = sent; i < sent + 100; i++) {
        some.writeInt(i);
      }
      client.writeAndFlush(some);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "BOUNDED", "STOCK"})
  void readsAreHeldBackBeyondTheBound(Kind kind) throws Exception {
    heldBack(kind, false, 10, 1 << 20, 10);
    heldBack(kind, false, 1 << 20, 40, 10);
    heldBack(kind, false, 1, 1, 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "BOUNDED", "STOCK"})
  void messagesBehindABarrierCountForTheBound(Kind kind) throws Exception {
    heldBack(kind, true, 10, 1 << 20, 10);
  }

  private static void heldBack(Kind kind, boolean barrier, int maxMessages, int maxBytes, int bound)
      throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    AtomicInteger arrived = new AtomicInteger();
    AtomicInteger handled = new AtomicInteger();
    try (OffloadBed bed = bed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      new FixedLengthFrameDecoder(4),
                      new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext ctx, Object message) {
                          ctx.fireChannelRead(message);
                          if (arrived.getAndIncrement() == 0 && barrier) {
                            ctx.fireUserEventTriggered("barrier");
                          }
                        }
                      },
                      keyed(
                          bed,
                          new KeyedHandler(
                                  message -> "one", // or all cores would be blocked
                                  (ctx, message) -> {
                                    pass(entered, open);
                                    handled.getAndIncrement();
                                  })
                              .maxPending(maxMessages, maxBytes))));
      Harness.Client client = bed.connect();
      sendNumbers(client.channel);
      await(entered);
      Harness.await().until(() -> arrived.get() >= bound);
      for (int i = 0; i < 50; i++) {
        inLoop(client.peer, pipeline -> {});
        int now = arrived.get();
        assertTrue(now <= bound + BURST, () -> now + " have arrived");
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
      open.countDown();
      Harness.await().until(() -> handled.get() == NUMBERS);
      bed.assertNoErrors();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatWaitsWhenTheGroupEndsIsReleased(Kind kind) throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    ByteBuf[] messages = new ByteBuf[40];
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      keyed(
                          bed,
                          new KeyedHandler(
                              message -> ((ByteBuf) message).getInt(0) % 3,
                              (ctx, message) -> entered.countDown()))));
      Channel channel = bed.connect().peer;
      inLoop(
          channel,
          pipeline -> {
            for (int i = 0; i < messages.length; i++) {
              messages[i] = Unpooled.buffer(4).writeInt(i);
              pipeline.fireChannelRead(messages[i]).fireUserEventTriggered("barrier");
            }
          });
      await(entered);
      bed.shutDown();
      for (int i = 0; i < messages.length; i++) {
        assertEquals(0, messages[i].refCnt(), "message " + i);
      }
    }
  }

  @Test
  void wrongSettingsAreRefused() {
    assertThrows(NullPointerException.class, () -> new KeyedHandler(null, (ctx, message) -> {}));
    assertThrows(NullPointerException.class, () -> new KeyedHandler(message -> message, null));
    KeyedHandler handler = new KeyedHandler(message -> message, (ctx, message) -> {});
    assertThrows(NullPointerException.class, () -> handler.on(null));
    for (int wrong : new int[] {0, -1}) {
      assertThrows(IllegalArgumentException.class, () -> handler.maxPending(wrong, 1));
      assertThrows(IllegalArgumentException.class, () -> handler.maxPending(1, wrong));
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
