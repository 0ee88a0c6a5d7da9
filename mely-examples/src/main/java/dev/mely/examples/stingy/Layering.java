package dev.mely.examples.stingy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Places the boxes of a connected graph in layers, so that edges point down, as far as there are no
 * cycles: each layer's boxes in an order with few crossings, and none over another. An edge has a
 * place for its label half way, as if that were a box too.
 *
 * <p>Source: Sugiyama, Tagawa, Toda, Methods for Visual Understanding of Hierarchical System
 * Structures (1981), in its simplest form.
 */
final class Layering {
  private static final int SWEEPS = 24;
  private static final double GAP = 36;
  private static final double LAYER_GAP = 26;

  /** A box, or where an edge passes a layer. */
  static final class Box {
    final double width;

    /** Of where an edge passes: that of the layer, so that it goes straight past other boxes. */
    double height;

    final boolean passes;

    /** Room on both sides that belongs to the box and is not it. */
    final double left;

    final double right;
    int layer;
    double x;
    double y;
    private double wish;
    private final List<Box> above = new ArrayList<>();
    private final List<Box> below = new ArrayList<>();

    Box(double width, double height) {
      this(width, height, 0, 0, false);
    }

    Box(double width, double height, double left, double right) {
      this(width, height, left, right, false);
    }

    private Box(double width, double height, double left, double right, boolean passes) {
      this.width = left + width + right;
      this.left = left;
      this.right = right;
      this.height = height;
      this.passes = passes;
    }

    double innerWidth() {
      return width - left - right;
    }

    double centerX() {
      return x + left + innerWidth() / 2;
    }
  }

  /** An arrow between two boxes. */
  static final class Arrow {
    final Box from;
    final Box to;
    final double labelWidth;
    final double labelHeight;

    /** Where it passes, from the upper end to the lower: both ends, and what is between them. */
    final List<Box> path = new ArrayList<>();

    /** Where its label is. */
    Box label;

    /** Whether it points up. */
    boolean reversed;

    Arrow(Box from, Box to, double labelWidth, double labelHeight) {
      this.from = from;
      this.to = to;
      this.labelWidth = labelWidth;
      this.labelHeight = labelHeight;
      this.label = from;
    }

    private Box upper() {
      return reversed ? to : from;
    }

    private Box lower() {
      return reversed ? from : to;
    }
  }

  private final List<Box> boxes;
  private final List<Arrow> arrows;
  private final List<List<Box>> layers = new ArrayList<>();

  /**
   * @param boxes those where a task begins first
   * @param arrows between them, none from a box to itself
   */
  Layering(List<Box> boxes, List<Arrow> arrows) {
    this.boxes = boxes;
    this.arrows = arrows;
  }

  /** Places all, the upper left corner at 0, 0. */
  void place() {
    breakCycles();
    chooseLayers();
    joinLayers();
    order();
    placeInRows();
    placeInLayers();
  }

  double width() {
    return layers.stream().flatMap(List::stream).mapToDouble(b -> b.x + b.width).max().orElse(0);
  }

  double height() {
    return layers.stream().flatMap(List::stream).mapToDouble(b -> b.y + b.height).max().orElse(0);
  }

  // ---- Layers

  /** Of each cycle the arrow that closes it, as one walks down from the first box, points up. */
  private void breakCycles() {
    List<Box> open = new ArrayList<>();
    List<Box> done = new ArrayList<>();
    for (Box box : boxes) {
      walk(box, open, done);
    }
  }

  private void walk(Box box, List<Box> open, List<Box> done) {
    if (done.contains(box)) {
      return;
    }
    open.add(box);
    for (Arrow arrow : arrows) {
      if (arrow.from == box) {
        if (open.contains(arrow.to)) {
          arrow.reversed = true;
        } else {
          walk(arrow.to, open, done);
        }
      }
    }
    open.remove(box);
    done.add(box);
  }

  /** The longest way down; labels have the layers between those of boxes. */
  private void chooseLayers() {
    boolean moved = true;
    while (moved) {
      moved = false;
      for (Arrow arrow : arrows) {
        int least = arrow.upper().layer + 2;
        if (arrow.lower().layer < least) {
          arrow.lower().layer = least;
          moved = true;
        }
      }
    }
    // Who has nothing above sits right above what is below.
    for (Box box : boxes) {
      boolean top = arrows.stream().noneMatch(a -> a.lower() == box);
      int next =
          arrows.stream()
              .filter(a -> a.upper() == box)
              .mapToInt(a -> a.lower().layer)
              .min()
              .orElse(2);
      if (top) {
        box.layer = next - 2;
      }
    }
  }

  private void joinLayers() {
    int last = boxes.stream().mapToInt(b -> b.layer).max().orElse(0);
    for (int i = 0; i <= last; i++) {
      layers.add(new ArrayList<>());
    }
    boxes.forEach(box -> layers.get(box.layer).add(box));
    for (Arrow arrow : arrows) {
      int first = arrow.upper().layer;
      int end = arrow.lower().layer;
      int middle = (first + end) / 2 | 1;
      Box previous = arrow.upper();
      arrow.path.add(previous);
      for (int i = first + 1; i <= end; i++) {
        Box next = arrow.lower();
        if (i < end) {
          boolean labelled = i == middle;
          next =
              labelled ? new Box(arrow.labelWidth, arrow.labelHeight) : new Box(4, 0, 0, 0, true);
          next.layer = i;
          layers.get(i).add(next);
          arrow.label = labelled ? next : arrow.label;
        }
        previous.below.add(next);
        next.above.add(previous);
        arrow.path.add(next);
        previous = next;
      }
    }
  }

  // ---- Order within layers

  private void order() {
    List<List<Box>> best = copy();
    long fewest = crossings();
    for (int sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
      boolean down = sweep % 2 == 0;
      for (int i = 0; i < layers.size(); i++) {
        List<Box> layer = layers.get(down ? i : layers.size() - 1 - i);
        sort(layer, down);
      }
      long now = crossings();
      if (now < fewest) {
        fewest = now;
        best = copy();
      }
    }
    for (int i = 0; i < layers.size(); i++) {
      layers.set(i, best.get(i));
    }
  }

  private List<List<Box>> copy() {
    List<List<Box>> copy = new ArrayList<>();
    layers.forEach(layer -> copy.add(new ArrayList<>(layer)));
    return copy;
  }

  private void sort(List<Box> layer, boolean down) {
    for (int i = 0; i < layer.size(); i++) {
      Box box = layer.get(i);
      List<Box> neighbors = down ? box.above : box.below;
      List<Box> other =
          layers.get(Math.max(0, Math.min(layers.size() - 1, box.layer + (down ? -1 : 1))));
      box.wish = neighbors.stream().mapToInt(other::indexOf).average().orElse(i);
    }
    layer.sort(Comparator.comparingDouble(b -> b.wish));
  }

  private long crossings() {
    long crossings = 0;
    for (int i = 0; i + 1 < layers.size(); i++) {
      List<int[]> pairs = new ArrayList<>();
      for (int a = 0; a < layers.get(i).size(); a++) {
        for (Box b : layers.get(i).get(a).below) {
          pairs.add(new int[] {a, layers.get(i + 1).indexOf(b)});
        }
      }
      for (int[] p : pairs) {
        crossings += pairs.stream().filter(q -> p[0] < q[0] && p[1] > q[1]).count();
      }
    }
    return crossings;
  }

  // ---- Coordinates

  /** From left to right: as near to the neighbors above and below as the others allow. */
  private void placeInRows() {
    for (List<Box> layer : layers) {
      double x = 0;
      for (Box box : layer) {
        box.x = x;
        x += box.width + GAP;
      }
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
      boolean down = sweep % 2 == 0;
      for (int i = 0; i < layers.size(); i++) {
        settle(layers.get(down ? i : layers.size() - 1 - i), down);
      }
    }
    double least = layers.stream().flatMap(List::stream).mapToDouble(b -> b.x).min().orElse(0);
    layers.forEach(layer -> layer.forEach(box -> box.x -= least));
  }

  /**
   * Moves each box of a layer to the mean of its neighbors, then apart those that overlap: runs of
   * boxes that touch share the mean of their wishes.
   */
  private static void settle(List<Box> layer, boolean down) {
    int n = layer.size();
    double[] wishes = new double[n];
    double[] offsets = new double[n];
    for (int i = 0; i < n; i++) {
      Box box = layer.get(i);
      List<Box> neighbors = down ? box.above : box.below;
      double center = neighbors.stream().mapToDouble(Box::centerX).average().orElse(box.centerX());
      offsets[i] = i == 0 ? 0 : offsets[i - 1] + layer.get(i - 1).width + GAP;
      wishes[i] = center - box.left - box.innerWidth() / 2 - offsets[i];
    }
    double[] placed = isotonic(wishes);
    for (int i = 0; i < n; i++) {
      layer.get(i).x = placed[i] + offsets[i];
    }
  }

  /** The nearest numbers, by the sum of squares, of which none is less than the one before. */
  private static double[] isotonic(double[] wishes) {
    double[] sums = new double[wishes.length];
    int[] sizes = new int[wishes.length];
    int blocks = 0;
    for (double wish : wishes) {
      sums[blocks] = wish;
      sizes[blocks++] = 1;
      while (blocks > 1
          && sums[blocks - 2] / sizes[blocks - 2] > sums[blocks - 1] / sizes[blocks - 1]) {
        blocks--;
        sums[blocks - 1] += sums[blocks];
        sizes[blocks - 1] += sizes[blocks];
      }
    }
    double[] placed = new double[wishes.length];
    int at = 0;
    for (int b = 0; b < blocks; b++) {
      Arrays.fill(placed, at, at + sizes[b], sums[b] / sizes[b]);
      at += sizes[b];
    }
    return placed;
  }

  private void placeInLayers() {
    double y = 0;
    for (List<Box> layer : layers) {
      double height = layer.stream().mapToDouble(b -> b.height).max().orElse(0);
      for (Box box : layer) {
        box.height = box.passes ? height : box.height;
        box.y = y + (height - box.height) / 2;
      }
      y += height + LAYER_GAP;
    }
  }
}
