package dev.mely.examples.kv;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Commands over sets. */
final class SetCommands {
  private SetCommands() {}

  static void addTo(CommandTable table) {
    table.add("sadd", -3, Command.WRITES_KEY, SetCommands::sadd);
    table.add("srem", -3, Command.WRITES_KEY, SetCommands::srem);
    table.add("scard", 2, Command.READS_KEY, call -> call.reply.integer(members(call).size()));
    table.add("sismember", 3, Command.READS_KEY, SetCommands::sismember);
    table.add("smismember", -3, Command.READS_KEY, SetCommands::smismember);
    table.add("smembers", 2, Command.READS_LONG, SetCommands::smembers);
  }

  private static Set<Bytes> members(Call call) throws CommandFailure {
    Entry entry = call.look(call.word(1));
    return entry == null ? Set.of() : entry.members();
  }

  /** Makes sure that what is there is a set. */
  private static @Nullable Entry find(Call call) throws CommandFailure {
    Entry entry = call.find(call.word(1));
    if (entry != null) {
      entry.members();
    }
    return entry;
  }

  private static void sadd(Call call) throws CommandFailure {
    Entry entry = find(call);
    if (entry == null) {
      entry = call.add(call.word(1), new LinkedHashSet<Bytes>(4));
    }
    int added = 0;
    for (int i = 2; i < call.size(); i++) {
      added += entry.members().add(new Bytes(call.word(i))) ? 1 : 0;
    }
    if (added > 0) {
      call.changed(entry);
    }
    call.reply.integer(added);
  }

  private static void srem(Call call) throws CommandFailure {
    Entry entry = find(call);
    int removed = 0;
    if (entry != null) {
      for (int i = 2; i < call.size(); i++) {
        removed += entry.members().remove(new Bytes(call.word(i))) ? 1 : 0;
      }
      if (removed > 0) {
        call.changed(entry);
        if (entry.members().isEmpty()) {
          call.remove(entry);
        }
      }
    }
    call.reply.integer(removed);
  }

  private static void sismember(Call call) throws CommandFailure {
    call.reply.integer(members(call).contains(new Bytes(call.word(2))) ? 1 : 0);
  }

  private static void smismember(Call call) throws CommandFailure {
    Set<Bytes> members = members(call);
    call.reply.array(call.size() - 2);
    for (int i = 2; i < call.size(); i++) {
      call.reply.integer(members.contains(new Bytes(call.word(i))) ? 1 : 0);
    }
  }

  private static void smembers(Call call) throws CommandFailure {
    Set<Bytes> members = members(call);
    call.reply.set(members.size());
    members.forEach(member -> call.reply.bulk(member.bytes));
  }
}
