package dev.mely.examples.kv;

import org.jspecify.annotations.Nullable;

/** Commands over all keys, which take one partition after the other. */
final class SweepCommands {
  private SweepCommands() {}

  static void addTo(CommandTable table) {
    add(table, "keys", 2, call -> new Keys(call, new Glob(call.word(1))));
    add(table, "dbsize", 1, Size::new);
    add(table, "scan", -2, Scan::of);
  }

  private static void add(CommandTable table, String name, int arity, Command.Sweeper sweeper) {
    Command.Claim all = (claims, words, client) -> claims.readAll(); // in a transaction
    table.add(new Command(name, arity, Command.Kind.USUAL, all, null, sweeper));
  }

  /** From the first to the last. */
  private abstract static class All implements Sweep {
    private final int partitions;
    private int next;

    All(Call call) {
      partitions = call.store.partitions();
    }

    @Override
    public int next() {
      return next < partitions ? next++ : -1;
    }
  }

  private static final class Keys extends All {
    private final Glob glob;
    private final Reply found;
    private int count;

    Keys(Call call, Glob glob) {
      super(call);
      this.glob = glob;
      found = new Reply(call.reply.longest());
    }

    @Override
    public void visit(Partition partition, Call call) {
      long now = call.now();
      partition.forEach(
          entry -> {
            if (!entry.isExpired(now) && glob.matches(entry.key)) {
              found.bulk(entry.key);
              count++;
            }
          });
    }

    @Override
    public void end(Call call) {
      call.reply.array(count);
      call.reply.append(found);
    }
  }

  private static final class Size extends All {
    private long size;

    Size(Call call) {
      super(call);
    }

    @Override
    public void visit(Partition partition, Call call) {
      size += partition.size();
    }

    @Override
    public void end(Call call) {
      call.reply.integer(size);
    }
  }

  /**
   * The cursor has the number of the partition in its lowest bits, and above them where to go on in
   * it.
   */
  private static final class Scan implements Sweep {
    private static final int BITS = Integer.numberOfTrailingZeros(Store.PARTITIONS);
    private static final long USUAL_COUNT = 10;

    /** What a key costs if an empty bucket costs one. */
    private static final long COST = 8;

    private final int partitions;
    private final @Nullable Glob glob;
    private final String type;
    private final Reply found;
    private int count;
    private long left;
    private int partition;
    private long place;

    private Scan(Call call, long cursor, long most, @Nullable Glob glob, String type) {
      this.partitions = call.store.partitions();
      this.partition = (int) cursor & (Store.PARTITIONS - 1);
      this.place = cursor >>> BITS;
      this.left = Math.min(most, Long.MAX_VALUE / COST) * COST;
      this.glob = glob;
      this.type = type;
      found = new Reply(call.reply.longest());
    }

    static Scan of(Call call) throws CommandFailure {
      long cursor;
      try {
        cursor = Long.parseUnsignedLong(new Bytes(call.word(1)).toString());
      } catch (NumberFormatException e) {
        throw new CommandFailure("ERR invalid cursor");
      }
      long most = USUAL_COUNT;
      Glob glob = null;
      String type = "";
      for (int i = 2; i < call.size(); i += 2) {
        String option = call.option(i);
        if (i + 1 == call.size()) {
          throw new CommandFailure(CommandFailure.SYNTAX);
        } else if (option.equals("COUNT")) {
          most = call.integer(i + 1);
          if (most < 1) {
            throw new CommandFailure(CommandFailure.SYNTAX);
          }
        } else if (option.equals("MATCH")) {
          glob = new Glob(call.word(i + 1));
        } else if (option.equals("TYPE")) {
          type = new Bytes(call.word(i + 1)).toString();
        } else {
          throw new CommandFailure(CommandFailure.SYNTAX);
        }
      }
      return new Scan(call, cursor, most, glob, type);
    }

    @Override
    public int next() {
      return left > 0 && partition < partitions ? partition : -1;
    }

    @Override
    public void visit(Partition here, Call call) {
      long now = call.now();
      do {
        left--;
        place =
            here.scan(
                place,
                entry -> {
                  left -= COST;
                  if (!entry.isExpired(now)
                      && (glob == null || glob.matches(entry.key))
                      && (type.isEmpty() || type.equalsIgnoreCase(entry.type()))) {
                    found.bulk(entry.key);
                    count++;
                  }
                });
      } while (place != 0 && left > 0);
      if (place == 0) {
        partition++;
      }
    }

    @Override
    public void end(Call call) {
      long cursor = partition < partitions ? place << BITS | partition : 0;
      call.reply.array(2);
      call.reply.bulk(Long.toUnsignedString(cursor));
      call.reply.array(count);
      call.reply.append(found);
    }
  }
}
