package dev.mely.netty;

import dev.mely.netty.OffloadProgram.Action;
import dev.mely.netty.OffloadProgram.Item;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One run of an {@link OffloadProgram} on a channel whose transport reads nothing: a handler in
 * front tells what the program says, one burst for each read.
 */
final class OffloadRun {
  /** Not part of a program: see {@link Source#mark}. */
  private static final String MARK = "mark";

  /** What handlers throw. */
  private static final class Planted extends Exception {
    private static final long serialVersionUID = 1;

    Planted(String message) {
      super(message, null, false, false);
    }
  }

  final OffloadProgram program;
  private final UnaryOperator<OffloadHandler> here;
  private final boolean offloaded;

  /** What each handler has seen, in its order. */
  private final Map<String, Queue<String>> seen = new ConcurrentHashMap<>();

  /** The writes that have passed each handler, by the handler that has made them. */
  private final Map<String, Queue<Integer>> passed = new ConcurrentHashMap<>();

  /** The writes of each handler that were told to be successful. */
  private final Map<Integer, Queue<Integer>> succeeded = new ConcurrentHashMap<>();

  private final Queue<String> faults = new ConcurrentLinkedQueue<>();
  private final AtomicInteger promises = new AtomicInteger();
  private final AtomicInteger told = new AtomicInteger();
  private final AtomicInteger added = new AtomicInteger();
  private final AtomicInteger removed = new AtomicInteger();

  /** Messages that have entered the first handler. */
  private final AtomicInteger entered = new AtomicInteger();

  private final Source source = new Source();

  /** All has been told, and what was written since has come through. */
  private final CountDownLatch quiet = new CountDownLatch(1);

  /** What was told before the close has come through, the last {@code complete} too. */
  private final CountDownLatch through = new CountDownLatch(1);

  /** Tasks that have not run. */
  private final AtomicInteger tasks = new AtomicInteger();

  private volatile boolean closedByHandler;
  private volatile @Nullable Channel real;

  /**
   * @param here sets a handler up for the channel's group; null: nothing is off-loaded
   */
  OffloadRun(OffloadProgram program, @Nullable UnaryOperator<OffloadHandler> here) {
    this.program = program;
    this.offloaded = here != null;
    this.here = here == null ? handler -> handler : here;
  }

  void init(Channel channel) {
    real = channel;
    channel.config().setAutoRead(program.autoRead());
    channel.pipeline().addLast("source", source);
    ChannelHandler[] inside = new ChannelHandler[program.handlers() + 1];
    inside[0] =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object message) {
            entered.getAndIncrement();
            ctx.fireChannelRead(message);
          }
        };
    for (int i = 0; i < program.handlers(); i++) {
      Node node = new Node(i, String.valueOf(i));
      inside[i + 1] = program.outbound() ? node : new Inbound(node);
    }
    if (offloaded) {
      OffloadHandler handler = here.apply(OffloadHandler.of(inside));
      if (program.contains(Action.AUTO_READ_OFF)) { // by the program alone
        handler.maxPending(Integer.MAX_VALUE, Integer.MAX_VALUE);
      } else {
        handler.maxPending(program.maxMessages(), program.maxBytes());
      }
      channel.pipeline().addLast("offload", handler);
    } else {
      channel.pipeline().addLast(inside);
    }
    channel.pipeline().addLast("behind", new Node(program.handlers(), "behind"));
  }

  // ---- The end

  /**
   * Lets the program come to its end, flushes what it has written, and closes.
   *
   * @param patience seconds, for each step
   */
  void finish(int patience) {
    await(patience, () -> isClosed() || (quiet.getCount() == 0 && tasks.get() == 0));
    channel().flush();
    await(patience, () -> isClosed() || told.get() == promises.get());
    source.mark();
    await(patience, () -> isClosed() || through.getCount() == 0);
    source.closeByPeer();
    await(patience, this::isOver);
  }

  private static void await(int patience, Callable<Boolean> condition) {
    Harness.await().atMost(patience, TimeUnit.SECONDS).until(condition);
  }

  private boolean isClosed() {
    return !channel().isOpen();
  }

  private boolean isOver() {
    return isClosed()
        && added.get() == removed.get()
        && added.get() > program.handlers()
        && tasks.get() == 0
        && told.get() == promises.get();
  }

  Channel channel() {
    Channel channel = real;
    if (channel == null) {
      throw new IllegalStateException("not yet accepted");
    }
    return channel;
  }

  @Override
  public String toString() {
    return (offloaded ? "off-loaded" : "plain")
        + ": seen "
        + seen
        + "\n  passed "
        + passed
        + "\n  succeeded "
        + succeeded
        + ", promises "
        + told
        + " of "
        + promises
        + ", handlers removed "
        + removed
        + " of "
        + added;
  }

  /**
   * What differs from the run in the plain pipeline, where that one's order is determined. When a
   * handler closes, what has arrived before the close takes effect is still handled.
   *
   * @param received what the client has received
   */
  List<String> differences(OffloadRun plain, List<Integer> received) {
    List<String> all = new ArrayList<>(faults);
    boolean cut = plain.closedByHandler || program.abruptEnd() >= 0;
    for (String name : plain.seen.keySet()) {
      List<String> expected = plain.seenBy(name);
      List<String> found = seenBy(name);
      boolean same = expected.equals(found);
      if (name.equals("behind")) {
        // Netty removes it when the channel closes, and it sees nothing more.
        expected = withoutEnd(expected);
        found = withoutEnd(found);
        same =
            cut
                ? startsWith(expected, found) || startsWith(found, expected)
                : expected.equals(found);
      } else if (plain.closedByHandler) {
        same =
            startsWith(withoutEnd(found), withoutEnd(expected))
                && (end(expected).equals(end(found)) || hasLeft(found));
      }
      if (!same) {
        all.add("handler " + name + " has seen " + found + ", not " + expected);
      }
    }
    for (int origin = 0; origin <= program.handlers(); origin++) {
      writes(plain, origin, cut, received, all);
    }
    return all;
  }

  private void writes(
      OffloadRun plain, int origin, boolean cut, List<Integer> received, List<String> all) {
    List<Integer> mine = succeededOf(origin);
    List<Integer> theirs = plain.succeededOf(origin);
    boolean behind = origin == program.handlers();
    // When a handler closes, what it and others inside have flushed before is not lost.
    boolean sure = program.abruptEnd() < 0 && !behind && program.flushesInOrder();
    boolean same = cut ? !sure || startsWith(mine, theirs) : mine.equals(theirs);
    if (!same) {
      all.add("writes of handler " + origin + ": " + mine + " succeed, not " + theirs);
    }
    List<Integer> come = received.stream().filter(number -> number >> 16 == origin).toList();
    if (!come.equals(mine)) {
      all.add("of handler " + origin + " the client has received " + come + ", not " + mine);
    }
    for (String name : plain.passed.keySet()) {
      List<Integer> expected = plain.passedBy(name, origin);
      List<Integer> found = passedBy(name, origin);
      if (cut || !stays(plain.seenBy(name)) ? !isAscending(found) : !expected.equals(found)) {
        all.add(name + " has passed " + found + " of handler " + origin + ", not " + expected);
      }
    }
  }

  /** Whether a handler was there from the beginning to the end. */
  private static boolean stays(List<String> events) {
    return events.contains("registered") && events.contains("unregistered");
  }

  private List<Integer> succeededOf(int origin) {
    return List.copyOf(succeeded.getOrDefault(origin, new ConcurrentLinkedQueue<>()));
  }

  private List<String> seenBy(String name) {
    return List.copyOf(seen.getOrDefault(name, new ConcurrentLinkedQueue<>()));
  }

  private List<Integer> passedBy(String name, int origin) {
    return passed.getOrDefault(name, new ConcurrentLinkedQueue<>()).stream()
        .filter(number -> number >> 16 == origin)
        .toList();
  }

  private static boolean isAscending(List<Integer> numbers) {
    return numbers.equals(numbers.stream().sorted().toList());
  }

  private static <T> boolean startsWith(List<T> all, List<T> start) {
    return all.size() >= start.size() && all.subList(0, start.size()).equals(start);
  }

  private static List<String> withoutEnd(List<String> events) {
    return events.subList(0, events.size() - end(events).size());
  }

  /** Whether the handler has removed itself, perhaps at an item behind the close. */
  private static boolean hasLeft(List<String> events) {
    return end(events).equals(List.of("removed"));
  }

  /** The events of the end of the channel. */
  private static List<String> end(List<String> events) {
    int at = events.size();
    while (at > 0 && List.of("inactive", "unregistered", "removed").contains(events.get(at - 1))) {
      at--;
    }
    return events.subList(at, events.size());
  }

  // ---- In front: the channel

  private final class Source extends ChannelDuplexHandler {
    private volatile @Nullable ChannelHandlerContext ctx;
    private int burst;
    private int items;
    private int messages;
    private boolean wanted;
    private boolean delivering;

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      ctx = context;
    }

    /** Not passed on: the transport reads nothing. */
    @Override
    public void read(ChannelHandlerContext context) {
      wanted = true;
      goOn(context);
    }

    private void goOn(ChannelHandlerContext context) {
      if (wanted && !delivering && burst < program.bursts().size() && context.channel().isOpen()) {
        delivering = true;
        context.executor().execute(() -> deliver(context));
      }
    }

    private void deliver(ChannelHandlerContext context) {
      int pending = messages - entered.get();
      wanted = false; // as a transport's: until now a second read() asks for nothing more
      boolean bounded = program.autoRead() && !program.contains(Action.AUTO_READ_OFF);
      if (offloaded && bounded && pending >= program.maxMessages()) {
        faults.add("a read while " + pending + " messages are pending");
      }
      Channel channel = context.channel();
      for (Item item : program.bursts().get(burst++)) {
        if (!channel.isOpen() || items == program.abruptEnd()) {
          break;
        }
        tell(context, item);
        items++;
      }
      boolean last = burst == program.bursts().size();
      if (channel.isOpen()) {
        if (last) {
          context.fireUserEventTriggered("end");
        }
        context.fireChannelReadComplete();
      }
      delivering = false;
      if (items == program.abruptEnd()) {
        context.close();
      } else {
        if (channel.config().isAutoRead()) {
          channel.read(); // as the head of a pipeline does
          wanted |= program.eager() && channel.config().isAutoRead();
        }
        goOn(context);
      }
    }

    private void tell(ChannelHandlerContext context, Item item) {
      switch (item.kind()) {
        case MESSAGE -> {
          messages++;
          context.fireChannelRead(context.alloc().buffer(4).writeInt(item.number()));
        }
        case EVENT -> context.fireUserEventTriggered(item);
        case EXCEPTION -> context.fireExceptionCaught(new Planted(item.toString()));
      }
    }

    /** Sends something behind all that was told: a close would overtake it. */
    void mark() {
      ChannelHandlerContext context = ctx;
      if (context != null) {
        context.fireUserEventTriggered(MARK);
      }
    }

    void closeByPeer() {
      ChannelHandlerContext context = ctx;
      if (context != null) {
        context.close();
      }
    }
  }

  // ---- The handlers of the program

  /** Its methods are those of an inbound handler, too: see {@link Inbound}. */
  private final class Node extends ChannelDuplexHandler {
    private final int number;
    private final String name;
    private final boolean reacts;
    private int writes;
    private int grown;
    private boolean gone;

    Node(int number, String name) {
      this(number, name, true);
    }

    private Node(int number, String name, boolean reacts) {
      this.number = number;
      this.name = name;
      this.reacts = reacts;
    }

    private boolean isBehind() {
      return number == program.handlers();
    }

    private void note(ChannelHandlerContext ctx, String event) {
      check(ctx);
      seen.computeIfAbsent(name, unused -> new ConcurrentLinkedQueue<>()).add(event);
    }

    private void check(ChannelHandlerContext ctx) {
      boolean inside = ctx.executor().inEventLoop() && ctx.channel().eventLoop().inEventLoop();
      boolean outside = channel().eventLoop().inEventLoop();
      if (!inside || outside != (!offloaded || isBehind())) {
        faults.add("handler " + name + " runs elsewhere");
      }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      note(ctx, "added");
      added.getAndIncrement();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      note(ctx, "removed");
      removed.getAndIncrement();
    }

    @Override
    public void channelRegistered(ChannelHandlerContext ctx) {
      note(ctx, "registered");
      ctx.fireChannelRegistered();
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {
      note(ctx, "unregistered");
      ctx.fireChannelUnregistered();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      note(ctx, "active");
      readIfReader(ctx);
      ctx.fireChannelActive();
    }

    private void readIfReader(ChannelHandlerContext ctx) {
      if (!program.autoRead() && reacts && number == program.reader()) {
        ctx.read();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      note(ctx, "inactive");
      ctx.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      int item = ((ByteBuf) message).getInt(0);
      note(ctx, "message" + item);
      if (react(ctx, item, message) && !isBehind()) {
        ctx.fireChannelRead(message);
      } else {
        ((ByteBuf) message).release();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      note(ctx, "complete");
      readIfReader(ctx);
      ctx.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
      if (event.equals(MARK)) { // not part of the program
        if (isBehind()) {
          through.countDown();
        } else {
          ctx.fireUserEventTriggered(event);
        }
        return;
      }
      note(ctx, event.toString());
      if (event.equals("end") && isBehind()) {
        write(ctx).addListener(done -> quiet.countDown());
        ctx.flush();
      }
      boolean goesOn = !(event instanceof Item item) || react(ctx, item.number(), null);
      if (goesOn && !isBehind()) {
        ctx.fireUserEventTriggered(event);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) throws Exception {
      note(ctx, "caught " + cause.getMessage());
      String text = String.valueOf(cause.getMessage());
      boolean told = text.startsWith("exception");
      boolean goesOn =
          !told || react(ctx, Integer.parseInt(text.substring("exception".length())), null);
      if (goesOn && !isBehind()) {
        ctx.fireExceptionCaught(cause);
      }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      check(ctx);
      int number = ((ByteBuf) message).getInt(0);
      passed.computeIfAbsent(name, unused -> new ConcurrentLinkedQueue<>()).add(number);
      ctx.write(message, promise);
    }

    /** Whether the item goes on to the next handler. */
    private boolean react(ChannelHandlerContext ctx, int item, @Nullable Object message)
        throws Exception {
      boolean goesOn = true;
      if (!reacts || item < 0) {
        return goesOn;
      }
      for (Action action : program.reaction(number, item)) {
        switch (action) {
          case WRITE -> write(ctx);
          case FLUSH -> ctx.flush();
          case MESSAGE -> {
            if (!isBehind()) {
              ctx.fireChannelRead(ctx.alloc().buffer(4).writeInt(-1 - item));
            }
          }
          case EVENT -> {
            if (!isBehind()) {
              ctx.fireUserEventTriggered("event of " + name + " at " + item);
            }
          }
          case CONSUME -> goesOn = false;
          case THROW, THROW_ERROR -> {
            if (message != null) {
              ((ByteBuf) message).release();
            }
            if (action == Action.THROW) {
              throw new Planted("thrown by " + name + " at " + item);
            }
            throw new AssertionError("error of " + name + " at " + item);
          }
          case TASK -> task(ctx, () -> write(ctx));
          case AUTO_READ_OFF -> {
            ctx.channel().config().setAutoRead(false);
            task(ctx, () -> ctx.channel().config().setAutoRead(true));
          }
          case ADD -> {
            if (!gone) {
              String child = name + "." + grown++;
              ctx.pipeline().addAfter(ctx.name(), child, new Node(number, child, false));
            }
          }
          case REMOVE_SELF -> {
            gone = true;
            ctx.pipeline().remove(ctx.name());
          }
          case CLOSE -> {
            closedByHandler = true;
            ctx.close();
          }
        }
      }
      return goesOn;
    }

    private void task(ChannelHandlerContext ctx, Runnable task) {
      tasks.getAndIncrement();
      ctx.executor()
          .execute(
              () -> {
                check(ctx);
                task.run();
                tasks.getAndDecrement();
              });
    }

    /**
     * Adds the listener before the write: the event loop may have written before the color goes on,
     * and a listener that is added to a complete future is called at once, ahead of the listeners
     * of earlier writes, which wait until the color has ended its event.
     */
    private ChannelFuture write(ChannelHandlerContext ctx) {
      int message = number << 16 | writes++;
      promises.getAndIncrement();
      ChannelPromise promise = ctx.newPromise();
      promise.addListener(
          done -> {
            check(ctx);
            if (done.isSuccess()) {
              succeeded
                  .computeIfAbsent(number, unused -> new ConcurrentLinkedQueue<>())
                  .add(message);
            }
            told.getAndIncrement();
          });
      return ctx.write(ctx.alloc().buffer(4).writeInt(message), promise);
    }
  }

  /** The same without outbound operations. */
  private static final class Inbound extends ChannelInboundHandlerAdapter {
    private final Node node;

    Inbound(Node node) {
      this.node = node;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      node.handlerAdded(ctx);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      node.handlerRemoved(ctx);
    }

    @Override
    public void channelRegistered(ChannelHandlerContext ctx) {
      node.channelRegistered(ctx);
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {
      node.channelUnregistered(ctx);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      node.channelActive(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      node.channelInactive(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      node.channelRead(ctx, message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      node.channelReadComplete(ctx);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
      node.userEventTriggered(ctx, event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) throws Exception {
      node.exceptionCaught(ctx, cause);
    }
  }
}
