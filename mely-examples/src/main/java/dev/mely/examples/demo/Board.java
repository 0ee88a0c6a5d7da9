package dev.mely.examples.demo;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What pages have set, and what they are told. Thread-safe. */
final class Board {
  /** How many pages may be open at once. The web server's thread alone adds pages. */
  static final int MOST_PAGES = 8;

  private static final Gson GSON = new GsonBuilder().serializeNulls().create();

  private final int mostCores;

  // Guarded by this.
  private final Set<Consumer<String>> pages = new LinkedHashSet<>();
  private final Map<Side, History> histories = new EnumMap<>(Side.class);
  private Settings settings;
  private boolean closed;
  private @Nullable Side turn;
  private @Nullable String progress = "starting";

  /**
   * @param mostCores that pages may set
   * @param first the settings until then
   */
  Board(int mostCores, Settings first) {
    this.mostCores = mostCores;
    this.settings = first;
    for (Side side : Side.values()) {
      histories.put(side, new History());
    }
  }

  // ---- Pages

  /**
   * Adds a page, which is told at once how things are.
   *
   * @param page is told a message as JSON; must not block
   */
  synchronized void add(Consumer<String> page) {
    pages.add(page);
    page.accept(message());
    notifyAll();
  }

  /** How many are open. */
  synchronized int pages() {
    return pages.size();
  }

  synchronized void remove(Consumer<String> page) {
    pages.remove(page);
  }

  /**
   * Takes what a page has sent.
   *
   * @throws IllegalArgumentException if it is wrong
   */
  synchronized void set(String json) {
    Settings next = Settings.parse(json, mostCores);
    if (!next.withPaused(false).equals(settings.withPaused(false))) {
      forget(); // else a pause is over
    }
    settings = next;
    tell();
    notifyAll();
  }

  // ---- Turns

  /** Waits until a page is open and the load is not paused, or until {@link #close}. */
  synchronized Settings awaitPages() throws InterruptedException {
    while ((pages.isEmpty() || settings.paused()) && !closed) {
      wait();
    }
    return settings;
  }

  /** Nobody waits any more. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /** The processes are new: what the last ones did is forgotten. */
  synchronized void restarted() {
    forget();
    tell();
  }

  private void forget() {
    histories.values().forEach(History::clear);
    turn = null;
  }

  synchronized Settings settings() {
    return settings;
  }

  /** Says what is done; null: turns are measured. */
  synchronized void progress(@Nullable String what) {
    if (!Objects.equals(progress, what)) {
      progress = what;
      tell();
    }
  }

  /** Shows a turn, unless it was of settings that have changed meanwhile. */
  synchronized void measured(Settings of, Side side, Children.Turn measured) {
    if (of.withPaused(false).equals(settings.withPaused(false))) {
      history(side).add(measured);
      turn = side;
      tell();
    }
  }

  private void tell() {
    String message = message();
    pages.forEach(page -> page.accept(message));
  }

  private String message() {
    Message.Figures netty = Message.Figures.of(Side.NETTY, history(Side.NETTY));
    Message.Figures mely = Message.Figures.of(Side.MELY, history(Side.MELY));
    return GSON.toJson(
        new Message(
            settings,
            new Message.Limits(mostCores, Placement.CONNECTIONS),
            turn == null ? null : turn.id(),
            progress,
            List.of(netty, mely),
            isFresh() ? Message.Ratio.UNKNOWN : Message.Ratio.of(netty.minute(), mely.minute())));
  }

  private boolean isFresh() {
    return histories.values().stream().anyMatch(History::isFresh);
  }

  private History history(Side side) {
    History history = histories.get(side);
    if (history == null) {
      throw new AssertionError(side);
    }
    return history;
  }
}
