package dev.mely.examples.kv;

import dev.mely.examples.kv.LinearizabilityTest.Fault;
import dev.mely.examples.kv.Operation.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/** A simulation of clients and a server that has a fault, step by step, drawn from a seed. */
final class WrongServer {
  private static final int CLIENTS = 5;
  private static final int OPERATIONS = 60;

  private final Fault fault;
  private final SplittableRandom random;
  private final List<Operation> history = new ArrayList<>();
  private String a = "nil";
  private String b = "nil";
  private int n;
  private String formerA = "nil";
  private long time;

  /** How often a has been written. */
  private int version;

  /** What a client is about to do, one step after the other. */
  private final List<Deque<Runnable>> steps = new ArrayList<>();

  WrongServer(Fault fault, long seed) {
    this.fault = fault;
    random = new SplittableRandom(seed);
    for (int i = 0; i < CLIENTS; i++) {
      steps.add(new ArrayDeque<>());
    }
  }

  List<Operation> history() {
    int begun = 0;
    while (begun < OPERATIONS || steps.stream().anyMatch(s -> !s.isEmpty())) {
      time++;
      int client = random.nextInt(CLIENTS);
      Deque<Runnable> mine = steps.get(client);
      if (!mine.isEmpty()) {
        mine.poll().run();
      } else if (begun < OPERATIONS) {
        begun++;
        begin(client, mine, begun);
      }
    }
    return history;
  }

  private static final class Call {
    Kind kind;
    String first;
    String second;
    String output;
    long invoked;
    String seen;
    int version;
  }

  private void begin(int client, Deque<Runnable> mine, int number) {
    Call call = new Call();
    call.kind = Kind.values()[random.nextInt(Kind.values().length)];
    call.first = "v" + number;
    call.second = "w" + number;
    call.invoked = time;
    if (call.kind == Kind.COMPARE_AND_SET) {
      mine.add(
          () -> {
            call.first = a;
            call.version = version;
          });
      mine.add(() -> call.invoked = time);
    }
    List<Runnable> effects = effects(call);
    Runnable answer =
        () ->
            history.add(
                new Operation(
                    client, call.kind, call.first, call.second, call.output, call.invoked, time));
    boolean early = fault == Fault.EARLY_ANSWER && call.kind == Kind.SET_A;
    if (early) {
      call.output = "+OK";
      mine.add(answer);
    }
    mine.addAll(effects);
    if (!early) {
      mine.add(answer);
    }
  }

  private List<Runnable> effects(Call call) {
    boolean torn =
        switch (call.kind) {
          case MSET -> fault == Fault.TORN_MSET;
          case MGET -> fault == Fault.TORN_MGET;
          case INCR -> fault == Fault.LOST_UPDATE;
          case EXEC -> fault == Fault.TORN_EXEC;
          default -> false;
        };
    Runnable first = () -> first(call);
    Runnable second = () -> second(call);
    return torn
        ? List.of(first, second)
        : List.of(
            () -> {
              first(call);
              second(call);
            });
  }

  private void first(Call call) {
    switch (call.kind) {
      case GET_A -> call.output = fault == Fault.STALE_READ && random.nextBoolean() ? formerA : a;
      case GET_B -> call.output = b;
      case SET_A -> set(call.first);
      case SET_B -> b = Operation.quoted(call.first);
      case INCR, MGET, EXEC -> call.seen = call.kind == Kind.INCR ? "" + n : a;
      case MSET -> set(call.first);
      case MSETNX -> {
        boolean free = a.equals("nil") && b.equals("nil");
        call.output = free ? ":1" : ":0";
        if (free) {
          set(call.first);
          b = Operation.quoted(call.second);
        }
      }
      case DEL -> {
        call.output = ":" + ((a.equals("nil") ? 0 : 1) + (b.equals("nil") ? 0 : 1));
        a = "nil";
        b = "nil";
        version++;
      }
      case COMPARE_AND_SET -> {
        if (version == call.version || fault == Fault.IGNORED_WATCH) {
          set(call.second);
          call.output = "[+OK]";
        } else {
          call.output = "nil";
        }
      }
    }
    if (call.kind == Kind.SET_A || call.kind == Kind.SET_B) {
      call.output = "+OK";
    }
  }

  private void second(Call call) {
    switch (call.kind) {
      case INCR -> {
        n = Integer.parseInt(call.seen) + 1;
        call.output = ":" + n;
      }
      case MSET -> {
        b = Operation.quoted(call.second);
        call.output = "+OK";
      }
      case MGET -> call.output = "[" + call.seen + ", " + b + "]";
      case EXEC -> {
        b = Operation.quoted(call.first);
        call.output = "[" + call.seen + ", +OK, " + b + "]";
      }
      default -> {}
    }
  }

  private void set(String value) {
    formerA = a;
    a = Operation.quoted(value);
    version++;
  }
}
