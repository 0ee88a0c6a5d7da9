package dev.mely.netty;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * A small random program for the handlers of one channel: what the channel tells them, in bursts,
 * and what each of them does about it.
 *
 * @param seed which made it
 * @param autoRead whether the channel reads by itself; if not, {@code reader} does
 * @param eager whether the transport, with auto-read, goes on reading without being asked, as
 *     sockets do
 * @param reader the number of the handler that reads
 * @param outbound whether the handlers handle outbound operations, too
 * @param maxMessages that may be pending
 * @param maxBytes that may be pending
 * @param bursts what the channel tells, each burst followed by {@code channelReadComplete}
 * @param abruptEnd after how many items the other end closes; -1: when all is done
 * @param reactions of each handler to each item; the last handler is the one behind
 */
record OffloadProgram(
    long seed,
    boolean autoRead,
    boolean eager,
    int reader,
    boolean outbound,
    int maxMessages,
    int maxBytes,
    List<List<Item>> bursts,
    int abruptEnd,
    List<List<List<Action>>> reactions) {

  enum Kind {
    MESSAGE,
    EVENT,
    EXCEPTION
  }

  /** What the channel tells. */
  record Item(int number, Kind kind) {
    @Override
    public String toString() {
      return kind.name().toLowerCase(Locale.ROOT) + number;
    }
  }

  enum Action {
    WRITE(6),
    FLUSH(4),
    /** Makes a message of its own for the next handler. */
    MESSAGE(2),
    EVENT(2),
    /** The item goes no further. */
    CONSUME(2),
    THROW(1),
    THROW_ERROR(1),
    /** Submits a task to its executor, which writes. */
    TASK(2),
    /** Switches auto-read off; a task switches it on again. */
    AUTO_READ_OFF(2),
    /** Adds a handler behind itself. */
    ADD(1),
    REMOVE_SELF(1),
    /** Closes the channel; drawn apart. */
    CLOSE(0);

    private final int weight;

    Action(int weight) {
      this.weight = weight;
    }
  }

  /** How many handlers are off-loaded. */
  int handlers() {
    return reactions.size() - 1;
  }

  boolean contains(Action action) {
    return reactions.stream().flatMap(List::stream).anyMatch(actions -> actions.contains(action));
  }

  /** Whether no task and no handler behind has a part in what is flushed before a close. */
  boolean flushesInOrder() {
    return !contains(Action.TASK)
        && reactions.get(handlers()).stream().noneMatch(actions -> actions.contains(Action.FLUSH));
  }

  List<Action> reaction(int handler, int item) {
    return reactions.get(handler).get(item);
  }

  /** The program of a seed: always the same. */
  static OffloadProgram random(long seed) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    List<List<Item>> bursts = new ArrayList<>();
    List<Item> all = new ArrayList<>();
    for (int b = random.nextInt(6); b >= 0; b--) {
      List<Item> burst = new ArrayList<>();
      for (int i = 1 + random.nextInt(5); i > 0; i--) {
        Item item = new Item(all.size(), kind(random));
        burst.add(item);
        all.add(item);
      }
      bursts.add(burst);
    }
    boolean autoRead = random.nextInt(4) != 0;
    int handlers = 1 + random.nextInt(3);
    int reader = random.nextInt(handlers + 1);
    List<List<List<Action>>> reactions = new ArrayList<>();
    for (int h = 0; h <= handlers; h++) {
      List<List<Action>> ofHandler = new ArrayList<>();
      for (Item item : all) {
        boolean stays = h == handlers || (!autoRead && h == reader);
        ofHandler.add(actions(random, item.kind(), autoRead, h == handlers, stays));
      }
      reactions.add(ofHandler);
    }
    int end = random.nextInt(5);
    if (end == 0) {
      reactions
          .get(random.nextInt(handlers + 1))
          .get(random.nextInt(all.size()))
          .add(0, Action.CLOSE);
    }
    return new OffloadProgram(
        seed,
        autoRead,
        random.nextBoolean(),
        reader,
        random.nextBoolean(),
        1 + random.nextInt(8),
        random.nextInt(3) == 0 ? 1 + random.nextInt(40) : 1 << 16,
        bursts,
        end == 1 ? 1 + random.nextInt(all.size()) : -1,
        reactions);
  }

  private static Kind kind(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> Kind.EVENT;
      case 1 -> Kind.EXCEPTION;
      default -> Kind.MESSAGE;
    };
  }

  private static List<Action> actions(
      Random random, Kind kind, boolean autoRead, boolean behind, boolean stays) {
    List<Action> actions = new ArrayList<>();
    if (random.nextInt(3) != 0) {
      return actions;
    }
    for (int i = random.nextInt(3); i >= 0; i--) {
      Action action = action(random);
      boolean fits =
          switch (action) {
            // What exceptionCaught throws is only logged.
            case THROW, THROW_ERROR -> kind != Kind.EXCEPTION && !behind;
            case ADD -> !behind;
            case REMOVE_SELF -> !stays;
            case AUTO_READ_OFF -> autoRead;
            default -> true;
          };
      if (fits && !actions.contains(action)) {
        actions.add(action);
      }
    }
    actions.sort((a, b) -> Boolean.compare(ends(a), ends(b)));
    return actions;
  }

  private static boolean ends(Action action) {
    return action == Action.THROW || action == Action.THROW_ERROR;
  }

  private static Action action(Random random) {
    int total = 0;
    for (Action action : Action.values()) {
      total += action.weight;
    }
    int drawn = random.nextInt(total);
    for (Action action : Action.values()) {
      drawn -= action.weight;
      if (drawn < 0) {
        return action;
      }
    }
    throw new AssertionError();
  }
}
