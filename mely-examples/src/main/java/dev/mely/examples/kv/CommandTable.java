package dev.mely.examples.kv;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All commands by their names. Immutable once it is made. */
final class CommandTable {
  private final Map<String, Command> all = new HashMap<>();

  private final @Nullable Command[] slots = new Command[1024];

  CommandTable() {
    StringCommands.addTo(this);
    KeyCommands.addTo(this);
    HashCommands.addTo(this);
    SetCommands.addTo(this);
    SweepCommands.addTo(this);
    TransactionCommands.addTo(this);
    TopicCommands.addTo(this);
    ServerCommands.addTo(this);
  }

  /** Adds a command of the usual kind. */
  void add(String name, int arity, Command.Claim claim, Command.Body body) {
    add(new Command(name, arity, Command.Kind.USUAL, claim, body, null));
  }

  void add(Command command) {
    all.put(command.name(), command);
    byte[] name = command.name().getBytes(StandardCharsets.US_ASCII);
    int slot = slot(name);
    while (slots[slot] != null) {
      slot = (slot + 1) & (slots.length - 1);
    }
    slots[slot] = command;
  }

  /** Finds a command, in small letters or large; null: there is none. */
  @Nullable Command find(byte[] name) {
    for (int slot = slot(name); ; slot = (slot + 1) & (slots.length - 1)) {
      Command command = slots[slot];
      if (command == null || matches(command.name(), name)) {
        return command;
      }
    }
  }

  Command get(String name) {
    Command command = all.get(name);
    if (command == null) {
      throw new IllegalArgumentException("no such command: " + name);
    }
    return command;
  }

  int size() {
    return all.size();
  }

  private int slot(byte[] name) {
    int hash = name.length;
    for (byte b : name) {
      hash = hash * 31 + (b | 0x20);
    }
    return (hash ^ hash >>> 10) & (slots.length - 1);
  }

  private static boolean matches(String name, byte[] other) {
    if (name.length() != other.length) {
      return false;
    }
    for (int i = 0; i < other.length; i++) {
      int b = other[i] >= 'A' && other[i] <= 'Z' ? other[i] | 0x20 : other[i];
      if (name.charAt(i) != b) {
        return false;
      }
    }
    return true;
  }

  /** A word in capitals. */
  static String upper(byte[] word) {
    return new String(word, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
  }

  /** What is said of a command that is not there. */
  static String unknown(byte[][] words) {
    StringBuilder text = new StringBuilder("ERR unknown command '");
    text.append(shown(words[0], 128)).append("', with args beginning with: ");
    int begin = text.length();
    for (int i = 1; i < words.length && text.length() - begin < 128; i++) {
      text.append('\'').append(shown(words[i], 128 - (text.length() - begin))).append("' ");
    }
    return text.toString();
  }

  /** A word as C shows it: to its first zero. */
  private static String shown(byte[] word, int most) {
    int length = 0;
    while (length < Math.min(word.length, most) && word[length] != 0) {
      length++;
    }
    return new String(word, 0, length, StandardCharsets.ISO_8859_1);
  }
}
