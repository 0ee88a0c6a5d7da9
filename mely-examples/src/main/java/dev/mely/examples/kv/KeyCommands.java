package dev.mely.examples.kv;

import java.util.ArrayList;
import java.util.List;

/** Commands over keys, whatever they hold. */
final class KeyCommands {
  private static final byte[] DEL = Bytes.of("DEL");
  private static final byte[] PEXPIREAT = Bytes.of("PEXPIREAT");

  private KeyCommands() {}

  static void addTo(CommandTable table) {
    table.add("del", -2, Command.WRITES_KEYS, KeyCommands::del);
    table.add("unlink", -2, Command.WRITES_KEYS, KeyCommands::del);
    table.add("exists", -2, Command.READS_KEYS, KeyCommands::exists);
    table.add("touch", -2, Command.READS_KEYS, KeyCommands::exists);
    table.add("type", 2, Command.READS_KEY, KeyCommands::type);
    table.add("expire", -3, Command.WRITES_KEY, call -> expire(call, 1000, call.now()));
    table.add("pexpire", -3, Command.WRITES_KEY, call -> expire(call, 1, call.now()));
    table.add("expireat", -3, Command.WRITES_KEY, call -> expire(call, 1000, 0));
    table.add("pexpireat", -3, Command.WRITES_KEY, call -> expire(call, 1, 0));
    table.add("persist", 2, Command.WRITES_KEY, KeyCommands::persist);
    table.add("ttl", 2, Command.READS_KEY, call -> ttl(call, 1000));
    table.add("pttl", 2, Command.READS_KEY, call -> ttl(call, 1));
    table.add("flushall", -1, Command.WRITES_ALL, KeyCommands::flush);
    table.add("flushdb", -1, Command.WRITES_ALL, KeyCommands::flush);
  }

  private static void del(Call call) {
    List<byte[]> gone = new ArrayList<>(List.of(DEL));
    for (int i = 1; i < call.size(); i++) {
      Entry entry = call.find(call.word(i));
      if (entry != null) {
        call.remove(entry);
        gone.add(call.word(i));
      }
    }
    if (gone.size() > 1) {
      call.changedAs(gone.toArray(byte[][]::new));
    }
    call.reply.integer(gone.size() - 1L);
  }

  private static void exists(Call call) {
    int found = 0;
    for (int i = 1; i < call.size(); i++) {
      found += call.look(call.word(i)) != null ? 1 : 0;
    }
    call.reply.integer(found);
  }

  private static void type(Call call) {
    Entry entry = call.look(call.word(1));
    call.reply.simple(entry == null ? "none" : entry.type());
  }

  // ---- The end of keys

  private static void expire(Call call, int unit, long base) throws CommandFailure {
    Condition condition = Condition.of(call);
    long at = call.integer(2);
    if (at > Long.MAX_VALUE / unit || at < Long.MIN_VALUE / unit) {
      throw CommandFailure.expireTime(call.name());
    }
    at *= unit;
    if (base > 0 && at > Long.MAX_VALUE - base) {
      throw CommandFailure.expireTime(call.name());
    }
    at += Math.max(0, base);
    byte[] key = call.word(1);
    Entry entry = call.find(key);
    if (entry == null || !condition.holds(entry.expireAt, at)) {
      call.reply.integer(0);
      return;
    }
    if (at <= call.now() || at <= 0) {
      call.remove(entry);
      call.changedAs(DEL, key);
    } else {
      call.expire(entry, at);
      call.changed(entry);
      call.changedAs(PEXPIREAT, key, Numbers.text(at));
    }
    call.reply.integer(1);
  }

  /** When an end may be given. */
  private record Condition(boolean nx, boolean xx, boolean gt, boolean lt) {
    static Condition of(Call call) throws CommandFailure {
      boolean nx = false;
      boolean xx = false;
      boolean gt = false;
      boolean lt = false;
      for (int i = 3; i < call.size(); i++) {
        switch (call.option(i)) {
          case "NX" -> nx = true;
          case "XX" -> xx = true;
          case "GT" -> gt = true;
          case "LT" -> lt = true;
          default -> throw new CommandFailure("ERR Unsupported option " + new Bytes(call.word(i)));
        }
      }
      if (nx && (xx || gt || lt)) {
        throw new CommandFailure(
            "ERR NX and XX, GT or LT options at the same time are not compatible");
      }
      if (gt && lt) {
        throw new CommandFailure("ERR GT and LT options at the same time are not compatible");
      }
      return new Condition(nx, xx, gt, lt);
    }

    boolean holds(long old, long at) {
      boolean has = old != 0;
      return !(nx && has)
          && !(xx && !has)
          && !(gt && (!has || at <= old))
          && !(lt && has && at >= old);
    }
  }

  private static void persist(Call call) {
    Entry entry = call.find(call.word(1));
    boolean ends = entry != null && entry.expireAt != 0;
    if (entry != null && ends) {
      call.expire(entry, 0);
      call.changed(entry);
    }
    call.reply.integer(ends ? 1 : 0);
  }

  private static void ttl(Call call, int unit) {
    Entry entry = call.look(call.word(1));
    if (entry == null) {
      call.reply.integer(-2);
    } else if (entry.expireAt == 0) {
      call.reply.integer(-1);
    } else {
      long left = Math.max(0, entry.expireAt - call.now());
      call.reply.integer(unit == 1 ? left : (left + 500) / unit);
    }
  }

  private static void flush(Call call) throws CommandFailure {
    if (call.size() > 2
        || (call.size() == 2 && !List.of("ASYNC", "SYNC").contains(call.option(1)))) {
      throw new CommandFailure(CommandFailure.SYNTAX);
    }
    for (int i = 0; i < call.store.partitions(); i++) {
      call.store.partition(i).clear();
    }
    call.changed();
    call.reply.ok();
  }
}
