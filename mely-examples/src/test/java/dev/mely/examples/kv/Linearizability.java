package dev.mely.examples.kv;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether there is an order of operations, each somewhere between its call and its return, in which
 * one after the other they have the outputs that they had. The search of J. Wing and C. Gong, with
 * the memory of G. Lowe: of two ways to do the same operations with the same outcome, one is
 * enough.
 */
final class Linearizability {
  private static final List<String> EMPTY = List.of("nil", "nil", "nil");

  /** A call or a return, in a list that shrinks as operations find their place. */
  private static final class Node {
    final int number;
    final Operation operation;
    final boolean isReturn;
    final long time;
    Node match;
    Node before;
    Node after;

    Node(int number, Operation operation, boolean isReturn) {
      this.number = number;
      this.operation = operation;
      this.isReturn = isReturn;
      this.time = isReturn ? operation.returned() : operation.invoked();
    }

    void lift() {
      before.after = after;
      after.before = before;
      match.before.after = match.after;
      if (match.after != null) {
        match.after.before = match.before;
      }
    }

    void putBack() {
      match.before.after = match;
      if (match.after != null) {
        match.after.before = match;
      }
      before.after = this;
      after.before = this;
    }
  }

  private record Seen(BitSet done, List<String> state) {}

  private record Step(Node call, List<String> before) {}

  private Linearizability() {}

  /** Checks the operations of one group, whose keys held nothing before. */
  static boolean check(List<Operation> operations) {
    Node head = list(operations);
    Deque<Step> steps = new ArrayDeque<>();
    Set<Seen> seen = new HashSet<>();
    BitSet done = new BitSet(operations.size());
    List<String> state = EMPTY;
    Node node = head.after;
    while (head.after != null) {
      if (node.isReturn) { // it must have been done before this
        if (steps.isEmpty()) {
          return false;
        }
        Step last = steps.pop();
        node = last.call();
        state = last.before();
        done.clear(node.number);
        node.putBack();
        node = node.after;
        continue;
      }
      List<String> next = node.operation.apply(state);
      if (next != null) {
        done.set(node.number);
        if (seen.add(new Seen((BitSet) done.clone(), next))) {
          steps.push(new Step(node, state));
          state = next;
          node.lift();
          node = head.after;
          continue;
        }
        done.clear(node.number);
      }
      node = node.after;
    }
    return true;
  }

  private static Node list(List<Operation> operations) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      Node call = new Node(i, operations.get(i), false);
      Node end = new Node(i, operations.get(i), true);
      call.match = end;
      end.match = call;
      nodes.add(call);
      nodes.add(end);
    }
    // Of the same moment, calls come first: then they overlap.
    nodes.sort(Comparator.comparingLong((Node n) -> n.time).thenComparing(n -> n.isReturn));
    Node head = new Node(-1, new Operation(-1, Operation.Kind.MGET, "", "", "", 0, 0), false);
    Node last = head;
    for (Node node : nodes) {
      last.after = node;
      node.before = last;
      last = node;
    }
    return head;
  }
}
