package dev.mely.examples.kv;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Commands about the connection and the server. */
final class ServerCommands {
  /** Which Redis clients are told this is like. */
  static final String REDIS_VERSION = "7.0.15";

  private static final Command.Claim ALL_OF_MINE =
      (claims, words, client) -> {
        TransactionCommands.claimWatches(claims, words, client);
        TopicCommands.claimLeave(claims, words, client);
      };

  /** What is done for a client that has gone. */
  static final Command LEAVE =
      new Command("", 0, Command.Kind.AT_ONCE, ALL_OF_MINE, ServerCommands::leave, null);

  private ServerCommands() {}

  static void addTo(CommandTable table) {
    add(table, "ping", -1, Command.Kind.ALWAYS, ServerCommands::ping);
    add(table, "quit", -1, Command.Kind.AT_ONCE, ServerCommands::quit);
    table.add(
        new Command("reset", 1, Command.Kind.AT_ONCE, ALL_OF_MINE, ServerCommands::reset, null));
    add(table, "echo", 2, call -> call.reply.bulk(call.word(1)));
    add(table, "hello", -1, ServerCommands::hello);
    add(table, "auth", -2, ServerCommands::auth);
    add(table, "select", 2, ServerCommands::select);
    add(table, "client", -2, ServerCommands::client);
    add(table, "command", -1, call -> command(call, table));
    add(table, "config", -2, ServerCommands::config);
    add(table, "info", -1, ServerCommands::info);
    add(table, "bgrewriteaof", 1, ServerCommands::rewrite);
    add(table, "time", 1, ServerCommands::time);
  }

  private static void add(CommandTable table, String name, int arity, Command.Body body) {
    table.add(name, arity, Command.NOTHING, body);
  }

  private static void add(
      CommandTable table, String name, int arity, Command.Kind kind, Command.Body body) {
    table.add(new Command(name, arity, kind, Command.NOTHING, body, null));
  }

  private static CommandFailure unknown(Call call) {
    return new CommandFailure(
        "ERR unknown subcommand '"
            + new Bytes(call.word(1))
            + "'. Try "
            + call.name().toUpperCase(Locale.ROOT)
            + " HELP.");
  }

  // ---- The connection

  private static void ping(Call call) throws CommandFailure {
    if (call.size() > 2) {
      throw call.wrongArguments();
    }
    if (call.client.subscriptions() > 0 && !call.reply.isResp3()) {
      call.reply.array(2);
      call.reply.bulk("pong");
      call.reply.bulk(call.size() == 2 ? call.word(1) : new byte[0]);
    } else if (call.size() == 2) {
      call.reply.bulk(call.word(1));
    } else {
      call.reply.simple("PONG");
    }
  }

  private static void quit(Call call) {
    call.client.quit = true;
    call.reply.ok();
  }

  private static void leave(Call call) {
    TransactionCommands.unwatch(call);
    TopicCommands.leave(call);
  }

  private static void reset(Call call) {
    leave(call);
    call.client.endTransaction();
    call.client.name = "";
    speak(call, false);
    call.reply.simple("RESET");
    call.session().sendFromHere(call.reply);
  }

  private static void speak(Call call, boolean resp3) {
    call.reply.resp3(resp3);
    call.session().resp3(resp3);
  }

  private static void hello(Call call) throws CommandFailure {
    boolean resp3 = call.reply.isResp3();
    int next = 1;
    if (call.size() > 1) {
      long version;
      try {
        version = call.integer(next++);
      } catch (CommandFailure e) {
        throw new CommandFailure("ERR Protocol version is not an integer or out of range");
      }
      if (version < 2 || version > 3) {
        throw new CommandFailure("NOPROTO unsupported protocol version");
      }
      resp3 = version == 3;
    }
    String name = call.client.name;
    while (next < call.size()) {
      String option = call.option(next);
      if (option.equals("AUTH") && next + 2 < call.size()) {
        next += 3; // nobody needs a password
      } else if (option.equals("SETNAME") && next + 1 < call.size()) {
        name = name(call.word(next + 1));
        next += 2;
      } else {
        throw new CommandFailure("ERR Syntax error in HELLO option '" + option + "'");
      }
    }
    call.client.name = name;
    speak(call, resp3);
    call.reply.map(7);
    call.reply.bulk("server");
    call.reply.bulk("redis");
    call.reply.bulk("version");
    call.reply.bulk(REDIS_VERSION);
    call.reply.bulk("proto");
    call.reply.integer(resp3 ? 3 : 2);
    call.reply.bulk("id");
    call.reply.integer(call.client.id);
    call.reply.bulk("mode");
    call.reply.bulk("standalone");
    call.reply.bulk("role");
    call.reply.bulk("master");
    call.reply.bulk("modules");
    call.reply.array(0);
  }

  private static String name(byte[] text) throws CommandFailure {
    for (byte b : text) {
      if (b < '!' || b > '~') {
        throw new CommandFailure(
            "ERR Client names cannot contain spaces, newlines or special characters.");
      }
    }
    return new Bytes(text).toString();
  }

  private static void auth(Call call) throws CommandFailure {
    if (call.size() > 3) {
      throw new CommandFailure(CommandFailure.SYNTAX);
    }
    if (call.size() == 2) {
      throw new CommandFailure(
          "ERR AUTH <password> called without any password configured for the default user. Are"
              + " you sure your configuration is correct?");
    }
    call.reply.ok();
  }

  private static void select(Call call) throws CommandFailure {
    if (call.integer(1) != 0) {
      throw new CommandFailure("ERR DB index is out of range");
    }
    call.reply.ok();
  }

  private static void client(Call call) throws CommandFailure {
    String what = call.option(1) + "/" + call.size();
    switch (what) {
      case "ID/2" -> call.reply.integer(call.client.id);
      case "GETNAME/2" -> {
        String name = call.client.name;
        call.reply.bulkOrNull(name.isEmpty() ? null : Bytes.of(name));
      }
      case "SETNAME/3" -> {
        call.client.name = name(call.word(2));
        call.reply.ok();
      }
      case "SETINFO/4", "NO-EVICT/3", "NO-TOUCH/3" -> call.reply.ok();
      default -> throw unknown(call);
    }
  }

  // ---- The server

  private static void command(Call call, CommandTable table) {
    if (call.size() == 2 && call.option(1).equals("COUNT")) {
      call.reply.integer(table.size());
    } else if (call.size() > 1 && call.option(1).equals("DOCS")) {
      call.reply.map(0);
    } else {
      call.reply.array(0);
    }
  }

  private static void config(Call call) throws CommandFailure {
    switch (call.option(1)) {
      case "GET" -> {
        if (call.size() < 3) {
          throw CommandFailure.arguments("config|get");
        }
        AppendLog log = call.store.log();
        Map<String, String> all =
            Map.of(
                "save",
                "",
                "appendonly",
                log == null ? "no" : "yes",
                "appendfsync",
                log == null ? "no" : log.fsync().toString(),
                "databases",
                "1",
                "maxmemory",
                "0",
                "proto-max-bulk-len",
                "" + call.store.longestString());
        List<String> names =
            all.keySet().stream()
                .filter(
                    name -> {
                      for (int i = 2; i < call.size(); i++) {
                        String pattern = call.option(i).toLowerCase(Locale.ROOT);
                        if (new Glob(Bytes.of(pattern)).matches(Bytes.of(name))) {
                          return true;
                        }
                      }
                      return false;
                    })
                .sorted()
                .toList();
        call.reply.map(names.size());
        for (String name : names) {
          call.reply.bulk(name);
          call.reply.bulk(all.getOrDefault(name, ""));
        }
      }
      case "RESETSTAT" -> call.reply.ok();
      case "SET" ->
          throw new CommandFailure("ERR CONFIG SET is not supported: options are set at the start");
      default -> throw unknown(call);
    }
  }

  private static void info(Call call) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, List<String>> section : Info.of(call.store).entrySet()) {
      String name = section.getKey();
      boolean wanted = call.size() == 1;
      for (int i = 1; i < call.size(); i++) {
        String asked = call.option(i);
        wanted |=
            asked.equalsIgnoreCase(name) || List.of("ALL", "DEFAULT", "EVERYTHING").contains(asked);
      }
      if (wanted) {
        text.append(text.isEmpty() ? "# " : "\r\n# ").append(name).append("\r\n");
        section.getValue().forEach(line -> text.append(line).append("\r\n"));
      }
    }
    call.reply.verbatim(text.toString());
  }

  private static void rewrite(Call call) throws CommandFailure {
    AppendLog log = call.store.log();
    if (log == null) {
      throw new CommandFailure("ERR there is no append only file: the server has no --dir");
    }
    if (!log.startRewrite()) {
      throw new CommandFailure("ERR Background append only file rewriting already in progress");
    }
    call.reply.simple("Background append only file rewriting started");
  }

  private static void time(Call call) {
    long now = call.now();
    call.reply.array(2);
    call.reply.bulk("" + now / 1000);
    call.reply.bulk("" + now % 1000 * 1000);
  }
}
