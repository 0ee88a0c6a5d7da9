package dev.mely.examples.kv;

import org.jspecify.annotations.Nullable;

/** Commands over strings. */
final class StringCommands {
  private static final byte[] SET = Bytes.of("SET");
  private static final byte[] PXAT = Bytes.of("PXAT");
  private static final byte[] KEEPTTL = Bytes.of("KEEPTTL");

  private StringCommands() {}

  static void addTo(CommandTable table) {
    table.add("get", 2, Command.READS_KEY, call -> call.reply.bulkOrNull(string(call, 1)));
    table.add("mget", -2, Command.READS_KEYS, StringCommands::mget);
    table.add("strlen", 2, Command.READS_KEY, StringCommands::strlen);
    table.add("set", -3, Command.WRITES_KEY, StringCommands::set);
    table.add("setnx", 3, Command.WRITES_KEY, StringCommands::setnx);
    table.add("setex", 4, Command.WRITES_KEY, call -> setex(call, 1000));
    table.add("psetex", 4, Command.WRITES_KEY, call -> setex(call, 1));
    table.add("getset", 3, Command.WRITES_KEY, StringCommands::getset);
    table.add("getdel", 2, Command.WRITES_KEY, StringCommands::getdel);
    table.add("mset", -3, Command.WRITES_PAIRS, StringCommands::mset);
    table.add("msetnx", -3, Command.WRITES_PAIRS, StringCommands::msetnx);
    table.add("incr", 2, Command.WRITES_KEY, call -> add(call, 1));
    table.add("decr", 2, Command.WRITES_KEY, call -> add(call, -1));
    table.add("incrby", 3, Command.WRITES_KEY, call -> add(call, call.integer(2)));
    table.add("decrby", 3, Command.WRITES_KEY, StringCommands::decrby);
    table.add("append", 3, Command.WRITES_KEY, StringCommands::append);
  }

  private static byte @Nullable [] string(Call call, int word) throws CommandFailure {
    Entry entry = call.look(call.word(word));
    return entry == null ? null : entry.string();
  }

  private static void mget(Call call) {
    call.reply.array(call.size() - 1);
    for (int i = 1; i < call.size(); i++) {
      Entry entry = call.look(call.word(i));
      byte[] value = null;
      try {
        value = entry == null ? null : entry.string();
      } catch (CommandFailure noString) {
        // counts as absent
      }
      call.reply.bulkOrNull(value);
    }
  }

  private static void strlen(Call call) throws CommandFailure {
    Entry entry = call.look(call.word(1));
    call.reply.integer(entry == null ? 0 : entry.length());
  }

  // ---- SET

  private static void set(Call call) throws CommandFailure {
    boolean nx = false;
    boolean xx = false;
    boolean get = false;
    boolean keep = false;
    String unit = "";
    byte[] time = null;
    for (int i = 3; i < call.size(); i++) {
      String option = call.option(i);
      switch (option) {
        case "NX" -> nx = true;
        case "XX" -> xx = true;
        case "GET" -> get = true;
        case "KEEPTTL" -> keep = true;
        case "EX", "PX", "EXAT", "PXAT" -> {
          if (time != null || i + 1 == call.size()) {
            throw new CommandFailure(CommandFailure.SYNTAX);
          }
          unit = option;
          time = call.word(++i);
        }
        default -> throw new CommandFailure(CommandFailure.SYNTAX);
      }
    }
    if ((nx && xx) || (keep && time != null)) {
      throw new CommandFailure(CommandFailure.SYNTAX);
    }
    byte[] key = call.word(1);
    byte[] value = call.word(2);
    long at = time == null ? 0 : end(call, unit, time);
    Entry entry = call.find(key);
    byte[] old = get && entry != null ? entry.string() : null;
    boolean done = nx ? entry == null : !xx || entry != null;
    if (done) {
      long kept = keep && entry != null ? entry.expireAt : 0;
      call.put(key, entry, value, Math.max(kept, at)); // one of them is 0
      if (at != 0) {
        call.changedAs(SET, key, value, PXAT, Numbers.text(at));
      } else if (kept != 0) {
        call.changedAs(SET, key, value, KEEPTTL);
      } else {
        call.changedAs(SET, key, value);
      }
    }
    if (get) {
      call.reply.bulkOrNull(old);
    } else if (done) {
      call.reply.ok();
    } else {
      call.reply.nothing();
    }
  }

  /** When something ends that is given so much time. */
  private static long end(Call call, String unit, byte[] time) throws CommandFailure {
    long number = Numbers.integer(time);
    boolean seconds = unit.startsWith("EX");
    if (number <= 0 || (seconds && number > Long.MAX_VALUE / 1000)) {
      throw CommandFailure.expireTime(call.name());
    }
    long millis = seconds ? number * 1000 : number;
    if (unit.endsWith("AT")) {
      return millis;
    }
    if (millis > Long.MAX_VALUE - call.now()) {
      throw CommandFailure.expireTime(call.name());
    }
    return millis + call.now();
  }

  private static void setex(Call call, int unit) throws CommandFailure {
    long at = end(call, unit == 1 ? "PX" : "EX", call.word(2));
    byte[] key = call.word(1);
    call.put(key, call.find(key), call.word(3), at);
    call.changedAs(SET, key, call.word(3), PXAT, Numbers.text(at));
    call.reply.ok();
  }

  private static void setnx(Call call) {
    byte[] key = call.word(1);
    Entry entry = call.find(key);
    if (entry == null) {
      call.put(key, null, call.word(2), 0);
    }
    call.reply.integer(entry == null ? 1 : 0);
  }

  private static void getset(Call call) throws CommandFailure {
    byte[] key = call.word(1);
    Entry entry = call.find(key);
    byte[] old = entry == null ? null : entry.string();
    call.put(key, entry, call.word(2), 0);
    call.changedAs(SET, key, call.word(2));
    call.reply.bulkOrNull(old);
  }

  private static void getdel(Call call) throws CommandFailure {
    Entry entry = call.find(call.word(1));
    byte[] old = entry == null ? null : entry.string();
    if (entry != null) {
      call.remove(entry);
    }
    call.reply.bulkOrNull(old);
  }

  // ---- Several

  private static void mset(Call call) throws CommandFailure {
    checkPairs(call);
    putPairs(call);
    call.reply.ok();
  }

  private static void msetnx(Call call) throws CommandFailure {
    checkPairs(call);
    for (int i = 1; i < call.size(); i += 2) {
      if (call.find(call.word(i)) != null) {
        call.reply.integer(0);
        return;
      }
    }
    putPairs(call);
    call.reply.integer(1);
  }

  private static void checkPairs(Call call) throws CommandFailure {
    if (call.size() % 2 == 0) {
      throw call.wrongArguments();
    }
  }

  private static void putPairs(Call call) {
    for (int i = 1; i < call.size(); i += 2) {
      call.put(call.word(i), call.word(i + 1));
    }
  }

  // ---- Changes in place

  private static void decrby(Call call) throws CommandFailure {
    long by = call.integer(2);
    if (by == Long.MIN_VALUE) {
      throw new CommandFailure("ERR decrement would overflow");
    }
    add(call, -by);
  }

  private static void add(Call call, long by) throws CommandFailure {
    byte[] key = call.word(1);
    Entry entry = call.find(key);
    long old = entry == null ? 0 : Numbers.integer(entry.string());
    long sum = old + by;
    if (((old ^ sum) & (by ^ sum)) < 0) {
      throw new CommandFailure(CommandFailure.OVERFLOW);
    }
    call.put(key, entry, Numbers.text(sum), entry == null ? 0 : entry.expireAt);
    call.reply.integer(sum);
  }

  private static void append(Call call) throws CommandFailure {
    byte[] key = call.word(1);
    byte[] more = call.word(2);
    Entry entry = call.find(key);
    int length;
    if (entry == null) {
      call.put(key, null, more, 0);
      length = more.length;
    } else {
      if ((long) entry.length() + more.length > call.store.longestString()) {
        throw new CommandFailure("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
      }
      length = entry.append(more);
      call.changed(entry);
    }
    call.reply.integer(length);
  }
}
