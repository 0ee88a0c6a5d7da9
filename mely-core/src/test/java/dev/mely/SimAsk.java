package dev.mely;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An event of a {@link Schedule} that asks for several colors, or reads one; or a child of one. */
final class SimAsk extends Event {
  private final Schedule world;

  /** Ascending, without any twice. */
  final int[] colors;

  final boolean[] reads;

  /** Its places in the lines of its colors, if it is nobody's child. */
  final int[] places;

  /** Whose child it is. */
  final @Nullable SimAsk parent;

  /** Of its children, among each other. */
  private final SimLocks inside;

  private int childrenLeft;

  SimAsk(Schedule world, int[] colors, boolean[] reads, @Nullable SimAsk parent) {
    this.world = world;
    this.colors = colors;
    this.reads = reads;
    this.parent = parent;
    this.places = new int[colors.length];
    this.inside = new SimLocks(world.colors.length);
  }

  /** Any colors, in any mode. */
  static SimAsk random(Schedule world) {
    int n = Math.min(1 + world.random.nextInt(3), world.colors.length);
    int[] colors = world.random.ints(0, world.colors.length).distinct().limit(n).sorted().toArray();
    boolean[] reads = new boolean[n];
    for (int i = 0; i < n; i++) {
      reads[i] = world.random.nextBoolean();
    }
    if (n == 1) {
      reads[0] = true; // else it were a plain event
    }
    return new SimAsk(world, colors, reads, null);
  }

  /** An event of one color that runs and is about to fork. */
  static SimAsk of(Schedule world, int color, int place) {
    SimAsk ask = new SimAsk(world, new int[] {color}, new boolean[] {false}, null);
    ask.places[0] = place;
    return ask;
  }

  /** Some of this one's colors, none perhaps, in the same mode or a lesser one. */
  SimAsk child() {
    int[] some = Arrays.stream(colors).filter(c -> world.random.nextBoolean()).toArray();
    boolean[] modes = new boolean[some.length];
    for (int i = 0; i < some.length; i++) {
      modes[i] = reads[Arrays.binarySearch(colors, some[i])] || world.random.nextInt(3) == 0;
    }
    childrenLeft++;
    return new SimAsk(world, some, modes, this);
  }

  Permissions permissions() {
    Permissions asked = Permissions.none();
    for (int i = 0; i < colors.length; i++) {
      Color color = world.colors[colors[i]];
      asked = reads[i] ? asked.andRead(color) : asked.andWrite(color);
    }
    return asked;
  }

  /** Its handler begins. */
  void enter() {
    SimLocks locks = parent == null ? world.locks : parent.inside;
    for (int i = 0; i < colors.length; i++) {
      if (!locks.enter(colors[i], reads[i])) {
        world.fail("overlap: color " + colors[i] + " for " + this);
      }
      if (parent == null) {
        world.checkPlace(colors[i], places[i]);
      }
      if (!world.colors[colors[i]].isCurrent()) {
        world.fail("color " + colors[i] + " is not current in " + this);
      }
    }
  }

  /** It is over, or its continuation is. */
  void leave() {
    SimLocks locks = parent == null ? world.locks : parent.inside;
    for (int i = 0; i < colors.length; i++) {
      locks.leave(colors[i], reads[i]);
    }
    end();
  }

  /** It is over, or will never run. */
  void end() {
    if (parent != null) {
      parent.childrenLeft--;
      return;
    }
    for (int i = 0; i < colors.length; i++) {
      world.leaveLine(colors[i], places[i]);
    }
  }

  /** Its handler could not fork. */
  void forgetChildren() {
    childrenLeft = 0;
  }

  /** Its continuation runs, or will never. */
  void checkChildren() {
    if (childrenLeft != 0 || !inside.isFree()) {
      world.fail("the continuation comes before " + childrenLeft + " children");
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("ask");
    for (int i = 0; i < colors.length; i++) {
      text.append(reads[i] ? " r" : " w").append(colors[i]);
    }
    return text.toString();
  }
}
