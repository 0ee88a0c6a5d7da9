package dev.mely.examples.kv;

import java.util.List;

/** What a client has asked for, when, and what it was told; over the three keys of a group. */
record Operation(
    int client,
    Kind kind,
    String first,
    String second,
    String output,
    long invoked,
    long returned) {
  /** What may be asked for. */
  enum Kind {
    /** Reads a, or b. */
    GET_A,
    GET_B,
    /** Writes first to a, or to b. */
    SET_A,
    SET_B,
    /** Adds one to n. */
    INCR,
    /** Writes first to a and second to b. */
    MSET,
    /** The same if neither is there. */
    MSETNX,
    /** Reads a and b. */
    MGET,
    /** Takes a and b away. */
    DEL,
    /** Reads a, writes first to b, and reads b, at once. */
    EXEC,
    /** Writes second to a if a, which has been watched, still has what was read: first. */
    COMPARE_AND_SET
  }

  /**
   * What the group holds after it.
   *
   * @param state what a, b and n hold; "nil": nothing
   * @return null: it cannot have had this output
   */
  List<String> apply(List<String> state) {
    String a = state.get(0);
    String b = state.get(1);
    String n = state.get(2);
    return switch (kind) {
      case GET_A -> expect(a) ? state : null;
      case GET_B -> expect(b) ? state : null;
      case SET_A -> expect("+OK") ? List.of(quoted(first), b, n) : null;
      case SET_B -> expect("+OK") ? List.of(a, quoted(first), n) : null;
      case INCR -> {
        int next = n.equals("nil") ? 1 : Integer.parseInt(n) + 1;
        yield expect(":" + next) ? List.of(a, b, "" + next) : null;
      }
      case MSET -> expect("+OK") ? List.of(quoted(first), quoted(second), n) : null;
      case MSETNX -> {
        boolean free = a.equals("nil") && b.equals("nil");
        if (!expect(free ? ":1" : ":0")) {
          yield null;
        }
        yield free ? List.of(quoted(first), quoted(second), n) : state;
      }
      case MGET -> expect("[" + a + ", " + b + "]") ? state : null;
      case DEL -> {
        int gone = (a.equals("nil") ? 0 : 1) + (b.equals("nil") ? 0 : 1);
        yield expect(":" + gone) ? List.of("nil", "nil", n) : null;
      }
      case EXEC -> {
        String next = quoted(first);
        yield expect("[" + a + ", +OK, " + next + "]") ? List.of(a, next, n) : null;
      }
      case COMPARE_AND_SET -> {
        if (output.equals("nil")) {
          yield state; // somebody has changed it: nothing is done
        }
        yield expect("[+OK]") && a.equals(first) ? List.of(quoted(second), b, n) : null;
      }
    };
  }

  private boolean expect(String answer) {
    return output.equals(answer);
  }

  static String quoted(String value) {
    return '"' + value + '"';
  }
}
