package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Job;
import dev.mely.bench.server.Web03Site;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * The web server of libasync-smp's paper, with all files in its page cache, which has ten parts
 * with a color each (USENIX 2003, section 5.1, Figure 6): accept and select have the default color,
 * read and write the connection's. The files follow SPECweb99, with ten requests per connection.
 *
 * <p>One processor of 500 MHz sends 30.4 MB/s, so a request, of 14.7 KB on average, takes 241,000
 * cycles. That is the handlers' total here; its split is an assumption. The simulated machine is
 * faster, so only speedups can be compared.
 */
final class Web03 extends ClosedLoop {
  private static final int REQUESTS = 10;
  private static final int PARTS = 10;
  private static final double SELECT = 80_000;
  private static final double SELECT_EACH = 2_000;
  private static final double ACCEPT = 60_000;
  private static final double READ = 40_000;
  private static final double HASH = 5_000;
  private static final double CHECK = 10_000;
  private static final double WRITE = 60_000;
  private static final double WRITE_BYTE = 7.5;
  private static final double CLOSE = 40_000;
  private static final int BYTES = 4_096;

  private final SplittableRandom random;
  private final List<Object> parts = new ArrayList<>();
  private final Handler<Job> accept = kind(ACCEPT);
  private final Handler<Job> read = kind(READ);
  private final Handler<Job> hash = kind(HASH);
  private final Handler<Job> check = kind(CHECK);
  private final Handler<Job> write = kind(WRITE + WRITE_BYTE * 14_700);
  private final Handler<Job> close = kind(CLOSE);

  Web03(Machine machine, Function<Simulation, SimRuntime> runtime, int clients, long seed) {
    super(machine, runtime, seed, SELECT, SELECT_EACH);
    random = new SplittableRandom(~seed);
    for (int i = 0; i < PARTS; i++) {
      parts.add(simulation.runtime().newColor((i + 1) % machine.cores()));
    }
    for (int fd = 0; fd < clients; fd++) {
      send(new Client(fd % machine.cores()).connect);
    }
  }

  /** A client with its connection and its handlers. */
  private final class Client {
    private final Block data = new Block(BYTES);
    private final Object color;
    final Step connect;
    private final Step request;
    private final Step end;
    private int left;

    Client(int core) {
      color = simulation.runtime().newColor(core);
      connect = new Step(accept, pollColor(), ACCEPT, data, this::accepted);
      Step closed = new Step(close, color, CLOSE, data, this::connectAgain);
      end = new Step(read, color, READ, data, closed::register);
      Step hashed = new Step(hash, color, HASH, data, this::look);
      request = new Step(read, color, READ, data, hashed::register);
    }

    private void accepted() {
      left = REQUESTS;
      send(request);
    }

    private void look() {
      Object part = parts.get(random.nextInt(PARTS));
      new Step(check, part, CHECK, data, this::respond).register();
    }

    private void respond() {
      int fileClass = Web03Site.fileClass(random);
      int bytes = Web03Site.size(fileClass, 1 + random.nextInt(Web03Site.FILES));
      double cycles = WRITE + WRITE_BYTE * bytes;
      new Step(write, color, cycles, data, this::answer).register();
    }

    private void answer() {
      answered(request.sentAt());
      send(--left > 0 ? request : end);
    }

    private void connectAgain() {
      send(connect);
    }
  }
}
