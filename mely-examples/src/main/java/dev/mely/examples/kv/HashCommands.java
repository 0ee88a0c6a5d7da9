package dev.mely.examples.kv;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Commands over hashes: maps of fields, in the order in which these came. */
final class HashCommands {
  private HashCommands() {}

  static void addTo(CommandTable table) {
    table.add("hset", -4, Command.WRITES_KEY, HashCommands::hset);
    table.add("hmset", -4, Command.WRITES_KEY, HashCommands::hset);
    table.add("hsetnx", 4, Command.WRITES_KEY, HashCommands::hsetnx);
    table.add("hdel", -3, Command.WRITES_KEY, HashCommands::hdel);
    table.add("hincrby", 4, Command.WRITES_KEY, HashCommands::hincrby);
    table.add("hget", 3, Command.READS_KEY, HashCommands::hget);
    table.add("hmget", -3, Command.READS_KEY, HashCommands::hmget);
    table.add("hlen", 2, Command.READS_KEY, HashCommands::hlen);
    table.add("hexists", 3, Command.READS_KEY, HashCommands::hexists);
    table.add("hstrlen", 3, Command.READS_KEY, HashCommands::hstrlen);
    table.add("hgetall", 2, Command.READS_LONG, HashCommands::hgetall);
    table.add("hkeys", 2, Command.READS_LONG, HashCommands::hkeys);
    table.add("hvals", 2, Command.READS_LONG, HashCommands::hvals);
  }

  private static Map<Bytes, byte[]> fields(Call call) throws CommandFailure {
    Entry entry = call.look(call.word(1));
    return entry == null ? Map.of() : entry.fields();
  }

  private static byte @Nullable [] field(Call call, int word) throws CommandFailure {
    return fields(call).get(new Bytes(call.word(word)));
  }

  /** A hash that is there, or a new one. */
  private static Entry made(Call call, @Nullable Entry entry) {
    return entry != null ? entry : call.add(call.word(1), new LinkedHashMap<Bytes, byte[]>(4));
  }

  /** Makes sure that what is there is a hash. */
  private static @Nullable Entry find(Call call) throws CommandFailure {
    Entry entry = call.find(call.word(1));
    if (entry != null) {
      entry.fields();
    }
    return entry;
  }

  private static void hset(Call call) throws CommandFailure {
    if (call.size() % 2 != 0) {
      throw call.wrongArguments();
    }
    Entry entry = made(call, find(call));
    int added = 0;
    for (int i = 2; i < call.size(); i += 2) {
      added += entry.fields().put(new Bytes(call.word(i)), call.word(i + 1)) == null ? 1 : 0;
    }
    call.changed(entry);
    if (call.name().equals("hset")) {
      call.reply.integer(added);
    } else {
      call.reply.ok();
    }
  }

  private static void hsetnx(Call call) throws CommandFailure {
    Entry entry = find(call);
    Bytes field = new Bytes(call.word(2));
    if (entry != null && entry.fields().containsKey(field)) {
      call.reply.integer(0);
      return;
    }
    Entry hash = made(call, entry);
    hash.fields().put(field, call.word(3));
    call.changed(hash);
    call.reply.integer(1);
  }

  private static void hdel(Call call) throws CommandFailure {
    Entry entry = find(call);
    int removed = 0;
    if (entry != null) {
      for (int i = 2; i < call.size(); i++) {
        removed += entry.fields().remove(new Bytes(call.word(i))) != null ? 1 : 0;
      }
      if (removed > 0) {
        call.changed(entry);
        if (entry.fields().isEmpty()) {
          call.remove(entry);
        }
      }
    }
    call.reply.integer(removed);
  }

  private static void hincrby(Call call) throws CommandFailure {
    long by = call.integer(3);
    Entry entry = find(call);
    Bytes field = new Bytes(call.word(2));
    byte[] text = entry == null ? null : entry.fields().get(field);
    long old = text == null ? 0 : integer(text);
    long sum = old + by;
    if (((old ^ sum) & (by ^ sum)) < 0) {
      throw new CommandFailure(CommandFailure.OVERFLOW);
    }
    Entry hash = made(call, entry);
    hash.fields().put(field, Numbers.text(sum));
    call.changed(hash);
    call.reply.integer(sum);
  }

  private static long integer(byte[] text) throws CommandFailure {
    try {
      return Numbers.integer(text);
    } catch (CommandFailure e) {
      throw new CommandFailure("ERR hash value is not an integer");
    }
  }

  // ---- Reading

  private static void hget(Call call) throws CommandFailure {
    call.reply.bulkOrNull(field(call, 2));
  }

  private static void hmget(Call call) throws CommandFailure {
    Map<Bytes, byte[]> fields = fields(call);
    call.reply.array(call.size() - 2);
    for (int i = 2; i < call.size(); i++) {
      call.reply.bulkOrNull(fields.get(new Bytes(call.word(i))));
    }
  }

  private static void hlen(Call call) throws CommandFailure {
    call.reply.integer(fields(call).size());
  }

  private static void hexists(Call call) throws CommandFailure {
    call.reply.integer(field(call, 2) != null ? 1 : 0);
  }

  private static void hstrlen(Call call) throws CommandFailure {
    byte[] value = field(call, 2);
    call.reply.integer(value == null ? 0 : value.length);
  }

  private static void hgetall(Call call) throws CommandFailure {
    Map<Bytes, byte[]> fields = fields(call);
    call.reply.map(fields.size());
    fields.forEach(
        (field, value) -> {
          call.reply.bulk(field.bytes);
          call.reply.bulk(value);
        });
  }

  private static void hkeys(Call call) throws CommandFailure {
    Map<Bytes, byte[]> fields = fields(call);
    call.reply.array(fields.size());
    fields.keySet().forEach(field -> call.reply.bulk(field.bytes));
  }

  private static void hvals(Call call) throws CommandFailure {
    Map<Bytes, byte[]> fields = fields(call);
    call.reply.array(fields.size());
    fields.values().forEach(call.reply::bulk);
  }
}
