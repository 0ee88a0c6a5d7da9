package dev.mely.examples.kv;

import org.jspecify.annotations.Nullable;

/**
 * A command that clients may send.
 *
 * @param name in small letters
 * @param arity how many words it has, its name included; negative: at least so many
 * @param kind when it is allowed
 * @param claim what it asks for
 * @param body what it does; null: see {@code sweep}
 * @param sweep for one that goes from partition to partition; null: it does not
 */
record Command(
    String name, int arity, Kind kind, Claim claim, @Nullable Body body, @Nullable Sweeper sweep) {

  /** When a command is allowed. */
  enum Kind {
    /** Between MULTI and EXEC it is queued. */
    USUAL,
    /** Between MULTI and EXEC it is done at once. */
    CONTROL,
    /** Also for one who has subscribed to something; not between MULTI and EXEC. */
    SUBSCRIPTION,
    /** Also for one who has subscribed to something; between MULTI and EXEC it is queued. */
    ALWAYS,
    /** At any time, and at once. */
    AT_ONCE
  }

  /** Says what a command asks for. */
  @FunctionalInterface
  interface Claim {
    /** Adds it to the claims; the words are as many as the arity allows. */
    void add(Claims claims, byte[][] words, Client client);
  }

  /** Does a command, where it has what it asked for. */
  @FunctionalInterface
  interface Body {
    /**
     * Does it.
     *
     * @throws CommandFailure if it cannot be done; then nothing has been changed
     */
    void run(Call call) throws CommandFailure;
  }

  /** Begins a {@link Sweep}. */
  @FunctionalInterface
  interface Sweeper {
    /** Reads the words. */
    Sweep begin(Call call) throws CommandFailure;
  }

  boolean accepts(byte[][] words) {
    return arity >= 0 ? words.length == arity : words.length >= -arity;
  }

  boolean is(String other) {
    return name.equals(other);
  }

  // ---- What commands ask for

  /** Nothing. */
  static final Claim NOTHING = (claims, words, client) -> {};

  /** To read the key behind the name. */
  static final Claim READS_KEY = (claims, words, client) -> claims.read(words[1]);

  /** The same, and it may take long. */
  static final Claim READS_LONG =
      (claims, words, client) -> {
        claims.read(words[1]);
        claims.lasting();
      };

  /** To read all words behind the name. */
  static final Claim READS_KEYS =
      (claims, words, client) -> {
        for (int i = 1; i < words.length; i++) {
          claims.read(words[i]);
        }
      };

  /** To write the key behind the name. */
  static final Claim WRITES_KEY = (claims, words, client) -> claims.write(words[1]);

  /** To write all words behind the name. */
  static final Claim WRITES_KEYS =
      (claims, words, client) -> {
        for (int i = 1; i < words.length; i++) {
          claims.write(words[i]);
        }
      };

  /** To write each other word behind the name. */
  static final Claim WRITES_PAIRS =
      (claims, words, client) -> {
        for (int i = 1; i < words.length; i += 2) {
          claims.write(words[i]);
        }
      };

  /** To write all there is. */
  static final Claim WRITES_ALL = (claims, words, client) -> claims.writeAll();
}
