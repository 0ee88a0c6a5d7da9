package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Job;
import java.util.function.Function;

/**
 * SWS, the web server of Mely's paper: nine handlers, and clients that request 150 files of 1 KB
 * over each connection, one connection after the other (section V-C (1), Figure 6).
 *
 * <pre>
 *   color 0, core 0:      Epoll ──► RegisterFdInEpoll
 *   color 1, core 1:      Accept, DecClientAccepted
 *   a connection's color: ReadRequest ─► ParseRequest ─► CheckInCache ─► WriteResponse;  Close
 * </pre>
 *
 * <p>The paper gives the colors, except CheckInCache's, but not the handlers' costs. Here they are
 * about those of the system calls on such a machine; read, parse, check and write sum up to the
 * 20,000 cycles of a stolen set of events (Table I). No value is fitted to a throughput.
 */
final class Sws extends ClosedLoop {
  private static final int REQUESTS = 150;
  private static final double EPOLL = 1_500;
  private static final double EPOLL_EACH = 500;
  private static final double ACCEPT = 10_000;
  private static final double REGISTER_FD = 2_000;
  private static final double READ = 5_000;
  private static final double PARSE = 2_000;
  private static final double CHECK = 1_000;
  private static final double WRITE = 12_000;
  private static final double CLOSE = 8_000;
  private static final double DEC = 500;

  /** Size of a connection's state and buffers. */
  private static final int BYTES = 2_048;

  private final Object acceptColor;
  private final Handler<Job> accept = kind(ACCEPT);
  private final Handler<Job> registerFd = kind(REGISTER_FD);
  private final Handler<Job> read = kind(READ);
  private final Handler<Job> parse = kind(PARSE);
  private final Handler<Job> check = kind(CHECK);
  private final Handler<Job> write = kind(WRITE);
  private final Handler<Job> close = kind(CLOSE);
  private final Handler<Job> dec = kind(DEC);

  Sws(Machine machine, Function<Simulation, SimRuntime> runtime, int clients, long seed) {
    super(machine, runtime, seed, EPOLL, EPOLL_EACH);
    acceptColor = simulation.runtime().newColor(1 % machine.cores());
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
      Step counted = new Step(dec, acceptColor, DEC, data, this::connectAgain);
      Step closed = new Step(close, color, CLOSE, data, counted::register);
      end = new Step(read, color, READ, data, closed::register);
      Step written = new Step(write, color, WRITE, data, this::answer);
      Step checked = new Step(check, color, CHECK, data, written::register);
      Step parsed = new Step(parse, color, PARSE, data, checked::register);
      request = new Step(read, color, READ, data, parsed::register);
      Step registered = new Step(registerFd, pollColor(), REGISTER_FD, data, this::accepted);
      connect = new Step(accept, acceptColor, ACCEPT, data, registered::register);
    }

    private void accepted() {
      left = REQUESTS;
      send(request);
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
