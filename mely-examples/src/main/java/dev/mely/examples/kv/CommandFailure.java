package dev.mely.examples.kv;

/** A command cannot be done; its message is what the client is told, with the code in front. */
final class CommandFailure extends Exception {
  private static final long serialVersionUID = 1L;

  static final String SYNTAX = "ERR syntax error";
  static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";
  static final String OVERFLOW = "ERR increment or decrement would overflow";
  static final String WRONG_TYPE =
      "WRONGTYPE Operation against a key holding the wrong kind of value";

  CommandFailure(String message) {
    super(message, null, false, false); // an answer, not a fault: no stack
  }

  static CommandFailure arguments(String command) {
    return new CommandFailure("ERR wrong number of arguments for '" + command + "' command");
  }

  static CommandFailure expireTime(String command) {
    return new CommandFailure("ERR invalid expire time in '" + command + "' command");
  }

  /** The message, which is never null here. */
  String text() {
    return String.valueOf(getMessage());
  }
}
