package dev.mely;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Two or three actors that meet at one place of the runtime, each for one step with stops: for what
 * a {@link Schedule} seldom does, or never. The seed decides who goes on at each stop.
 */
final class Duel {
  final SimHost host;
  private final Strand.World world;
  private final SplittableRandom random;
  private final List<Strand> sides = new ArrayList<>();
  private String violation = "";

  Duel(long seed) {
    random = new SplittableRandom(seed);
    world = new Strand.World(seed);
    host = new SimHost(seed, 2, true);
  }

  /** Adds an actor. */
  Duel side(Runnable action) {
    sides.add(new Strand(world, new Once(action), host));
    return this;
  }

  /** Lets the actors go on in an order that the seed decides, until all have ended. */
  Duel fight() {
    try {
      List<Strand> ready = new ArrayList<>(sides);
      while (!ready.isEmpty()) {
        ready.get(random.nextInt(ready.size())).step();
        ready = sides.stream().filter(Strand::isReady).toList();
      }
      check(sides.stream().noneMatch(Strand::isInStep), "an actor waits for ever");
    } catch (RuntimeException | AssertionError e) {
      check(false, "exception: " + e);
    } finally {
      world.end();
    }
    return this;
  }

  void check(boolean holds, String otherwise) {
    if (!holds && violation.isEmpty()) {
      violation = otherwise;
    }
  }

  /** Empty if all held. */
  String violation() {
    return violation;
  }

  private static final class Once implements SimActor {
    private final Runnable action;
    private boolean done;

    Once(Runnable action) {
      this.action = action;
    }

    @Override
    public boolean isReady() {
      return !done;
    }

    @Override
    public void step() {
      done = true;
      action.run();
    }
  }
}
