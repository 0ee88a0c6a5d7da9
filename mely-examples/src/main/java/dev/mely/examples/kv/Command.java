package dev.mely.examples.kv;

import dev.mely.Permissions;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The commands: number of words, which words are keys, whether it reads or writes them, and the
 * action.
 */
enum Command {
  GET(2, Access.READ, 1),
  MGET(-2, Access.READ, 1),
  SET(3, Access.WRITE, 2),
  MSET(-3, Access.WRITE, 2),
  DEL(-2, Access.WRITE, 1),
  INCR(2, Access.WRITE, 1),
  MULTI(1),
  EXEC(1), // needs the permissions of all its transaction's commands
  DISCARD(1),
  QUIT(1),
  PING(-1),
  ECHO(2),
  COMMAND(-1), // redis-cli requests the list of commands; an empty one will do
  CONFIG(3); // redis-benchmark requests the configuration

  private enum Access {
    READ,
    WRITE
  }

  private static final Map<String, Command> BY_NAME =
      Arrays.stream(values()).collect(Collectors.toMap(Command::name, Function.identity()));

  private final int arity;
  private final Access access;
  private final int step;

  /** A command without keys. */
  Command(int arity) {
    this(arity, Access.READ, 0);
  }

  /**
   * A command with keys.
   *
   * @param arity number of words, its name included; negative: the minimum
   * @param step the words after its name are in groups of this size, each of which starts with a
   *     key
   */
  Command(int arity, Access access, int step) {
    this.arity = arity;
    this.access = access;
    this.step = step;
  }

  /** Finds a command by its name, case-insensitively; null if there is none. */
  static @Nullable Command find(String name) {
    return BY_NAME.get(name.toUpperCase(Locale.ROOT));
  }

  /** Whether it may have this number of words. */
  boolean accepts(int words) {
    boolean enough = arity >= 0 ? words == arity : words >= -arity;
    return enough && (step == 0 || (words - 1) % step == 0);
  }

  /** Whether it runs at once in a transaction, in which others wait for EXEC. */
  boolean isAtOnce() {
    return this == MULTI || this == EXEC || this == DISCARD || this == QUIT;
  }

  /** Returns permissions extended by those of this command. */
  Permissions ask(Permissions asked, Store store, List<String> words) {
    Permissions all = asked;
    for (int i = 1; step > 0 && i < words.size(); i += step) {
      String key = words.get(i);
      all = access == Access.READ ? store.askToRead(all, key) : store.askToWrite(all, key);
    }
    return all;
  }

  /** Runs the command and answers, in an event that has its {@linkplain #ask permissions}. */
  void run(Client client, List<String> words) {
    Store store = client.store;
    Reply reply = client.reply;
    switch (this) {
      case GET -> reply.bulk(store.get(words.get(1)));
      case MGET -> {
        reply.array(words.size() - 1);
        words.subList(1, words.size()).forEach(key -> reply.bulk(store.get(key)));
      }
      case SET, MSET -> {
        for (int i = 1; i < words.size(); i += 2) {
          store.put(words.get(i), words.get(i + 1));
        }
        reply.simple("OK");
      }
      case DEL -> reply.integer(words.stream().skip(1).filter(store::remove).count());
      case INCR -> increment(store, reply, words.get(1));
      case MULTI -> client.multi();
      case EXEC -> client.exec();
      case DISCARD -> client.discard();
      case QUIT -> {
        client.over = true;
        reply.simple("OK");
      }
      case PING -> {
        if (words.size() == 1) {
          reply.simple("PONG");
        } else {
          reply.bulk(words.get(1));
        }
      }
      case ECHO -> reply.bulk(words.get(1));
      case COMMAND -> reply.array(0);
      case CONFIG -> {
        reply.array(2);
        reply.bulk(words.get(2));
        reply.bulk("");
      }
    }
  }

  private static void increment(Store store, Reply reply, String key) {
    try {
      String old = store.get(key);
      long value = Math.incrementExact(old == null ? 0 : RequestReader.number(old));
      store.put(key, Long.toString(value));
      reply.integer(value);
    } catch (NumberFormatException e) {
      reply.error("ERR value is not an integer or out of range");
    } catch (ArithmeticException e) {
      reply.error("ERR increment or decrement would overflow");
    }
  }
}
