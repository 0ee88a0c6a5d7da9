package dev.mely.netty;

import static dev.mely.netty.OffloadBed.bytes;
import static dev.mely.netty.OffloadBed.inLoop;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.OffloadBed.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What off-loaded handlers see, and in what order; what leaves them. */
@Timeout(300)
class OffloadHandlerTest {
  static void fire(Channel channel, String... messages) throws InterruptedException {
    inLoop(
        channel,
        pipeline -> {
          for (String message : messages) {
            pipeline.fireChannelRead(message);
          }
          pipeline.fireChannelReadComplete();
        });
  }

  /** Blocks in its first message, until it is released. */
  private static final class Gate extends ChannelInboundHandlerAdapter {
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch open = new CountDownLatch(1);

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      entered.countDown();
      assertTrue(open.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      ctx.fireChannelRead(message);
    }
  }

  // ---- Order

  @ParameterizedTest
  @EnumSource
  void eachEventIsSeenInsideAndInOrder(Kind kind) throws Exception {
    Queue<OffloadWitness> inside = new ConcurrentLinkedQueue<>();
    Queue<OffloadWitness> behind = new ConcurrentLinkedQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            OffloadWitness first = new OffloadWitness(channel);
            OffloadWitness last = new OffloadWitness(null);
            inside.add(first);
            behind.add(last);
            channel.pipeline().addLast(bed.offload(first), last);
          });
      Harness.Client client = bed.connect();
      inside.element().expect("added", "registered", "active");
      behind.element().skipTo("active");
      inLoop(
          client.peer,
          pipeline -> {
            pipeline.fireChannelRead("a").fireChannelRead("b").fireChannelReadComplete();
            pipeline.fireUserEventTriggered("e").fireExceptionCaught(new Exception("x"));
            pipeline.fireChannelRead("c").fireUserEventTriggered("f").fireChannelReadComplete();
          });
      for (OffloadWitness witness : List.of(inside.element(), behind.element())) {
        witness.expect("read a", "read b", "complete", "event e", "caught x", "read c", "event f");
        assertEquals("complete", witness.next());
      }
      client.channel.close().sync();
      inside.element().expect("inactive", "unregistered", "removed");
      inside.element().expectNoMore();
      behind.element().skipTo("removed");
      behind.element().expectNoMore();
      bed.assertNoErrors();
    }
  }

  /** Netty removes them as soon as the channel is closed; they are told before. */
  @ParameterizedTest
  @EnumSource
  void handlersBehindAreToldOfTheEnd(Kind kind) throws Exception {
    Queue<OffloadWitness> behind = new ConcurrentLinkedQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            behind.add(new OffloadWitness(null));
            channel
                .pipeline()
                .addLast(bed.offload(new ChannelInboundHandlerAdapter()), behind.element());
          });
      Harness.Client client = bed.connect();
      behind.element().skipTo("active");
      client.channel.close().sync();
      behind.element().expect("inactive", "unregistered", "removed");
      behind.element().expectNoMore();
    }
  }

  @ParameterizedTest
  @EnumSource
  void severalHandlersAreCalledInTheirOrder(Kind kind) throws Exception {
    BlockingQueue<String> seen = new LinkedTransferQueue<>();
    OffloadWitness[] first = new OffloadWitness[1];
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            ChannelHandler[] all = new ChannelHandler[3];
            for (int i = 0; i < 3; i++) {
              all[i] = new OffloadWitness(i + " ", channel, seen);
            }
            first[0] = (OffloadWitness) all[0];
            channel.pipeline().addLast(bed.offload(all));
          });
      Harness.Client client = bed.connect();
      first[0].expect("0 added", "1 added", "2 added", "0 registered", "1 registered");
      first[0].expect("2 registered", "0 active", "1 active", "2 active");
      fire(client.peer, "a", "b");
      for (String event : List.of("read a", "read b", "complete")) {
        first[0].expect("0 " + event, "1 " + event, "2 " + event);
      }
      inLoop(client.peer, pipeline -> pipeline.writeAndFlush(bytes("w")));
      assertEquals("w", client.await(1));
      first[0].expect("2 write w", "1 write w", "0 write w", "2 flush", "1 flush", "0 flush");
      client.channel.close().sync();
      first[0].skipTo("2 unregistered");
      first[0].expect("2 removed", "1 removed", "0 removed"); // as Netty: from the tail
    }
  }

  /** As in a pipeline of Netty's: what came before is not told again. */
  @ParameterizedTest
  @EnumSource
  void addedLateItSeesWhatComesFromThenOn(Kind kind) throws Exception {
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(channel -> {});
      Harness.Client client = bed.connect();
      OffloadWitness witness = new OffloadWitness(client.peer);
      boolean[] active = new boolean[2];
      ChannelInboundHandlerAdapter looks =
          new ChannelInboundHandlerAdapter() {
            @Override
            public void handlerAdded(ChannelHandlerContext ctx) {
              active[0] = ctx.channel().isActive();
              active[1] = ctx.channel().isRegistered();
            }
          };
      inLoop(
          client.peer,
          pipeline -> {
            pipeline.fireChannelRead("lost");
            pipeline.addLast(bed.offload(looks, witness));
            pipeline.fireChannelRead("a").fireChannelReadComplete();
          });
      witness.expect("added", "read a", "complete");
      assertTrue(active[0] && active[1]);
      client.channel.close().sync();
      witness.expect("inactive", "unregistered", "removed");
      witness.expectNoMore();
    }
  }

  /** Nothing is lost and nothing changes its place on its way through the color and out again. */
  @ParameterizedTest
  @EnumSource
  void manyMessagesReachTheHandlersBehindInOrder(Kind kind) throws Exception {
    int messages = 5_000;
    List<Object> inside = new ArrayList<>(); // plain: all in one color
    List<Object> behind = new ArrayList<>();
    CountDownLatch all = new CountDownLatch(1);
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      bed.offload(
                          new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext ctx, Object message) {
                              inside.add(message);
                              ctx.fireChannelRead(message);
                            }
                          }),
                      new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext ctx, Object message) {
                          behind.add(message);
                          if (behind.size() == messages) {
                            all.countDown();
                          }
                        }
                      }));
      Harness.Client client = bed.connect();
      List<Object> expected = new ArrayList<>();
      for (int sent = 0; sent < messages; sent += 100) {
        int from = sent;
        for (int i = 0; i < 100; i++) {
          expected.add(from + i);
        }
        inLoop(
            client.peer,
            pipeline -> {
              for (int i = 0; i < 100; i++) {
                pipeline.fireChannelRead(from + i);
              }
            });
      }
      assertTrue(all.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      assertEquals(expected, inside);
      assertEquals(expected, behind);
    }
  }

  // ---- The channel and the pipeline inside

  @ParameterizedTest
  @EnumSource
  void handlersInsideAddAndRemoveOthers(Kind kind) throws Exception {
    Queue<OffloadWitness> added = new ConcurrentLinkedQueue<>();
    Queue<OffloadWitness> behind = new ConcurrentLinkedQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            behind.add(new OffloadWitness(null));
            channel
                .pipeline()
                .addLast(
                    bed.offload(
                        new ChannelInboundHandlerAdapter() {
                          @Override
                          public void channelRead(ChannelHandlerContext ctx, Object message) {
                            if (message.equals("add")) {
                              OffloadWitness witness = new OffloadWitness(channel);
                              added.add(witness);
                              ctx.pipeline().addLast("added", witness);
                            } else if (message.equals("remove")) {
                              ctx.pipeline().remove("added");
                            } else if (message.equals("leave")) {
                              ctx.pipeline().remove(this);
                            }
                            ctx.fireChannelRead(message);
                          }
                        }),
                    behind.element());
          });
      Harness.Client client = bed.connect();
      fire(client.peer, "a", "add", "b", "remove", "c", "leave", "add");
      behind.element().skipTo("active");
      for (String each : List.of("a", "add", "b", "remove", "c", "leave", "add")) {
        behind.element().expect("read " + each);
      }
      assertEquals(1, added.size());
      added.element().expect("added", "read add", "read b", "removed");
      added.element().expectNoMore();
    }
  }

  // ---- A function

  @ParameterizedTest
  @EnumSource
  void aFunctionHasItsMessagesReleasedEvenIfItFails(Kind kind) throws Exception {
    List<String> seen = new ArrayList<>(); // plain: all in one color
    Queue<OffloadWitness> behind = new ConcurrentLinkedQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            behind.add(new OffloadWitness(null));
            channel
                .pipeline()
                .addLast(
                    bed.here(
                        OffloadHandler.of(
                            (ctx, message) -> {
                              String text = OffloadWitness.text(message);
                              seen.add(text);
                              if (text.equals("!")) {
                                throw new Exception("planted");
                              }
                              ctx.writeAndFlush(bytes(text));
                            })),
                    behind.element());
          });
      Harness.Client client = bed.connect();
      List<ByteBuf> messages = List.of(bytes("a"), bytes("!"), bytes("b"));
      inLoop(
          client.peer,
          pipeline -> {
            messages.forEach(pipeline::fireChannelRead);
            pipeline.fireUserEventTriggered("end").fireChannelReadComplete();
          });
      assertEquals("ab", client.await(2));
      behind.element().skipTo("caught planted");
      behind.element().expect("event end");
      assertEquals(List.of("a", "!", "b"), seen);
      for (ByteBuf message : messages) {
        assertEquals(0, message.refCnt());
      }
      bed.assertNoErrors();
    }
  }

  // ---- Failures

  /** Throws what it reads. */
  private static final class Faulty extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      switch (message.toString()) {
        case "exception" -> throw new Exception("checked");
        case "error" -> throw new AssertionError("an error");
        default -> ctx.fireChannelRead(message);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) throws Exception {
      ctx.fireExceptionCaught(new Exception("first " + cause.getMessage()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatAHandlerThrowsIsCaughtInsideThenBehindAndTheColorGoesOn(Kind kind) throws Exception {
    Queue<OffloadWitness> witnesses = new ConcurrentLinkedQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            OffloadWitness inside = new OffloadWitness(channel);
            OffloadWitness behind = new OffloadWitness(null);
            witnesses.addAll(List.of(inside, behind));
            channel.pipeline().addLast(bed.offload(new Faulty(), inside), behind);
          });
      Harness.Client client = bed.connect();
      fire(client.peer, "exception", "a", "error", "b");
      for (OffloadWitness witness : witnesses) {
        witness.skipTo("active");
        witness.expect("caught first checked", "read a", "caught first an error", "read b");
      }
      bed.assertNoErrors();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aHandlerThatCannotBeAddedIsRemovedAndTheOthersStay(Kind kind) throws Exception {
    Queue<OffloadWitness> witnesses = new ConcurrentLinkedQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            OffloadWitness inside = new OffloadWitness(channel);
            witnesses.add(inside);
            channel
                .pipeline()
                .addLast(
                    bed.offload(
                        new ChannelInboundHandlerAdapter() {
                          @Override
                          public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
                            throw new Exception("planted");
                          }
                        },
                        inside));
          });
      Harness.Client client = bed.connect();
      fire(client.peer, "a");
      witnesses.element().skipTo("read a");
      bed.assertNoErrors();
    }
  }

  // ---- Removal

  @ParameterizedTest
  @EnumSource
  void removalInTheMiddleLosesNothing(Kind kind) throws Exception {
    Gate gate = new Gate();
    Queue<OffloadWitness> witnesses = new ConcurrentLinkedQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      OffloadHandler[] offload = new OffloadHandler[1];
      bed.serve(
          channel -> {
            OffloadWitness inside = new OffloadWitness(channel);
            OffloadWitness behind = new OffloadWitness(null);
            witnesses.addAll(List.of(inside, behind));
            offload[0] = bed.offload(gate, inside);
            channel.pipeline().addLast(offload[0], behind);
          });
      Harness.Client client = bed.connect();
      fire(client.peer, "a", "b", "c");
      assertTrue(gate.entered.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      client.peer.pipeline().remove(offload[0]);
      gate.open.countDown();
      for (OffloadWitness witness : witnesses) {
        witness.skipTo("active");
        witness.expect("read a", "read b", "read c");
      }
      OffloadWitness inside = witnesses.remove();
      inside.expect("removed");
      fire(client.peer, "d");
      witnesses.element().expect("read d");
      inside.expectNoMore();
      client.channel.close().sync();
      witnesses.element().expect("inactive");
    }
  }

  // ---- Misuse

  @ParameterizedTest
  @EnumSource
  void aHandlerServesOneChannelOnce(Kind kind) throws Exception {
    try (OffloadBed bed = new OffloadBed(kind)) {
      OffloadHandler offload = bed.offload(new ChannelInboundHandlerAdapter());
      bed.serve(channel -> channel.pipeline().addLast("one", offload));
      Harness.Client client = bed.connect();
      assertThrows(RuntimeException.class, () -> client.peer.pipeline().addFirst("two", offload));
      assertThrows(IllegalStateException.class, () -> offload.maxPending(1, 1));
      assertThrows(IllegalStateException.class, () -> offload.on(bed.mely));
      assertThrows(IllegalStateException.class, () -> offload.in(bed.mely.newColor()));
      inLoop(client.peer, pipeline -> pipeline.remove("one"));
      assertThrows(IllegalStateException.class, () -> offload.maxPending(1, 1));
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
