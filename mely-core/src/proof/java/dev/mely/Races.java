package dev.mely;

import dev.mely.spi.Poller;

/** What the races start from: single pieces of the runtime, without any thread of its own. */
final class Races {
  private static final Poller NO_POLLER =
      new Poller() {
        @Override
        public void poll(long maxWaitNanos) {}

        @Override
        public void wakeup() {
          // nobody waits
        }
      };

  private static final Handler<Object> HANDLER =
      new Handler<>(Work.MEASURED.penalty(1)) {
        @Override
        public void handle(Object event) {
          // never called
        }
      };

  private static final Host HOST = new MonitorHost(1, 0);

  private static final Settings SETTINGS = small().build();

  private static final Settings ONE_EVENT = oneEvent();

  private Races() {}

  /** There will be many cores. */
  private static SettingsBuilder small() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.stealingCapacity = 2;
    settings.queueCapacity = 4;
    return settings;
  }

  private static Settings oneEvent() {
    SettingsBuilder settings = small();
    settings.maxPending = 1;
    settings.overflow = MelyBuilder.Overflow.BLOCK;
    return settings.build();
  }

  /** A color of core 0, QUEUED there, with an empty mailbox. */
  @SuppressWarnings("NullAway") // no race asks a color for its runtime
  static Color queued() {
    Color color = new Color(null, 0, false);
    post(color, new Numbered(0));
    color.queue(0);
    color.claim(0, 0);
    color.take();
    color.queue(0);
    return color;
  }

  /** A color that core 0 is running, with an empty mailbox. */
  static Color running() {
    Color color = queued();
    color.claim(0, 0);
    return color;
  }

  /** A color that is held for one event, with an empty mailbox. */
  static Color held() {
    Color color = running();
    color.hold();
    return color;
  }

  /** A color that one event reads, with an empty mailbox. */
  static Color shared() {
    Color color = held();
    color.admit();
    color.enterReader();
    color.share();
    return color;
  }

  static Core core() {
    return new Core(0, NO_POLLER, SETTINGS, (color, why) -> {}, () -> {});
  }

  /** A runtime with room for one event, whose producers wait. */
  static Scheduler fullScheduler() {
    return new Scheduler(HOST, ONE_EVENT, core -> NO_POLLER);
  }

  /** An event that is about to be let in. */
  static Event pending() {
    Event event = new Numbered(1);
    event.attach(HANDLER);
    return event;
  }

  static TimerEvent timer() {
    return new TimerEvent(queued(), HANDLER, "due", 1, 0);
  }

  /** As a registration does. True: the color was idle. */
  static boolean post(Color color, Event event) {
    if (color.enterIdle(event)) {
      return true;
    }
    Object previous = color.swap(event);
    color.link(previous, event);
    return previous == null;
  }

  /** Takes what can be taken: the events' numbers, digit by digit. */
  static int takeAll(Color color) {
    int taken = 0;
    for (Event event = color.take(); event != null; event = color.take()) {
      int number = ((Numbered) event).number;
      taken = taken * 10 + (number == 0 ? 9 : number);
    }
    return taken;
  }

  /** An event with a plain field that its producer writes. */
  static final class Numbered extends Event {
    int number;

    Numbered(int number) {
      this.number = number;
    }
  }
}
