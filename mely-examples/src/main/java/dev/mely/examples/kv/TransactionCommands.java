package dev.mely.examples.kv;

import java.util.List;

/** MULTI and EXEC, and WATCH. */
final class TransactionCommands {
  /** How many keys a client may watch. */
  private static final int MOST_WATCHED = 10_000;

  private TransactionCommands() {}

  static void addTo(CommandTable table) {
    control(table, "multi", 1, Command.NOTHING, TransactionCommands::multi);
    control(table, "exec", 1, TransactionCommands::claimQueue, TransactionCommands::exec);
    control(table, "discard", 1, TransactionCommands::claimWatches, TransactionCommands::discard);
    control(table, "watch", -2, TransactionCommands::claimWatch, TransactionCommands::watch);
    table.add(
        "unwatch",
        1,
        TransactionCommands::claimWatches,
        call -> {
          unwatch(call);
          call.reply.ok();
        });
  }

  private static void control(
      CommandTable table, String name, int arity, Command.Claim claim, Command.Body body) {
    table.add(new Command(name, arity, Command.Kind.CONTROL, claim, body, null));
  }

  private static void multi(Call call) throws CommandFailure {
    if (call.client.inTransaction()) {
      throw new CommandFailure("ERR MULTI calls can not be nested");
    }
    call.client.multi();
    call.reply.ok();
  }

  private static void discard(Call call) throws CommandFailure {
    if (!call.client.inTransaction()) {
      throw new CommandFailure("ERR DISCARD without MULTI");
    }
    call.client.endTransaction();
    unwatch(call);
    call.reply.ok();
  }

  // ---- WATCH

  private static void claimWatch(Claims claims, byte[][] words, Client client) {
    if (!client.inTransaction()) {
      Command.WRITES_KEYS.add(claims, words, client);
    }
  }

  private static void watch(Call call) throws CommandFailure {
    Client client = call.client;
    if (client.inTransaction()) {
      throw new CommandFailure("ERR WATCH inside MULTI is not allowed");
    }
    if (client.watches.size() + call.size() > MOST_WATCHED) {
      throw new CommandFailure("ERR a client may watch " + MOST_WATCHED + " keys");
    }
    for (int i = 1; i < call.size(); i++) {
      byte[] key = call.word(i);
      client.watches.computeIfAbsent(new Bytes(key), k -> call.watch(key));
    }
    call.reply.ok();
  }

  static void claimWatches(Claims claims, byte[][] words, Client client) {
    for (Watch watch : client.watches.values()) {
      claims.write(watch.key().bytes);
    }
  }

  static void unwatch(Call call) {
    for (Watch watch : call.client.watches.values()) {
      call.store.of(watch.hash()).unwatch(watch);
    }
    call.client.watches.clear();
    call.client.touched = false;
  }

  // ---- EXEC

  private static void claimQueue(Claims claims, byte[][] words, Client client) {
    claimWatches(claims, words, client);
    List<Client.Queued> queue = client.queue;
    if (queue != null && !client.refused) {
      for (Client.Queued queued : queue) {
        queued.command.claim().add(claims, queued.words, client);
      }
    }
  }

  private static void exec(Call call) throws CommandFailure {
    Client client = call.client;
    List<Client.Queued> queue = client.queue;
    if (queue == null) {
      throw new CommandFailure("ERR EXEC without MULTI");
    }
    boolean refused = client.refused;
    boolean touched = client.touched || anyOver(call);
    client.endTransaction();
    unwatch(call);
    if (refused) {
      throw new CommandFailure("EXECABORT Transaction discarded because of previous errors.");
    }
    if (touched) {
      call.reply.noArray();
      return;
    }
    call.reply.array(queue.size());
    for (Client.Queued queued : queue) {
      call.run(queued.command, queued.words);
    }
    call.nothingChanged(); // each of them has left its own words for the log
  }

  /** Whether a key that was there when it was first watched has expired meanwhile. */
  private static boolean anyOver(Call call) {
    for (Watch watch : call.client.watches.values()) {
      if (watch.present() && call.look(watch.key().bytes) == null) {
        return true;
      }
    }
    return false;
  }
}
