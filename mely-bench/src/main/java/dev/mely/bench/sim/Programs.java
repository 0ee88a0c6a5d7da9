package dev.mely.bench.sim;

import dev.mely.bench.Labels;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** The programs of the papers, and open-loop loads, by name. */
final class Programs {
  /** Events of a round of {@code unbalanced}, as in the paper. */
  static final int UNBALANCED_EVENTS = 50_000;

  /**
   * Work of a task of {@code chains}: with the runtime's cost, the 10.2 us per task of Table 2 on
   * each of three processors.
   */
  private static final double CHAIN_CYCLES = 22_700;

  /** Default numbers of clients; the papers have 200 to 2,000, 16, and 800. */
  private static final int SWS_CLIENTS = 1_000;

  private static final int SFS_CLIENTS = 16;
  private static final int WEB03_CLIENTS = 800;

  private static final Chains.Plan CHAINS = new Chains.Plan(16, false, 1, CHAIN_CYCLES, false);

  /** As in the microbenchmark of that name: empty events. */
  private static final Chains.Plan STEADY_COLORS = new Chains.Plan(10_000, false, 0, 0, false);

  /** Equal load per core: 32 colors, with a mean of 10 microseconds per event. */
  private static final Chains.Plan EVEN_COLORS = new Chains.Plan(32, true, 0, 23_300, true);

  private static final Map<String, Maker> MAKERS = makers();

  private Programs() {}

  /**
   * Parameters of a program.
   *
   * @param share utilization of the machine by the requests' work, for open loops
   * @param clients number of clients, for servers; 0: as in the paper
   * @param seed of all random values
   */
  record Load(double share, int clients, long seed) {
    private int clients(int inThePaper) {
      return clients == 0 ? inThePaper : clients;
    }
  }

  /** Makes a program. */
  private interface Maker {
    Program make(Load load);
  }

  private static Map<String, Maker> makers() {
    Map<String, Maker> makers = new LinkedHashMap<>();
    makers.put(
        "unbalanced", load -> rounds(s -> new Unbalanced(s, UNBALANCED_EVENTS, load.seed())));
    makers.put("penalty", load -> rounds(Penalty::new));
    makers.put("cacheEfficient", load -> rounds(CacheEfficient::new));
    makers.put("chains", load -> chains(CHAINS, load.seed()));
    makers.put("steadyColors", load -> chains(STEADY_COLORS, load.seed()));
    makers.put("evenColors", load -> chains(EVEN_COLORS, load.seed()));
    makers.put("sws", load -> (m, r) -> new Sws(m, r, load.clients(SWS_CLIENTS), load.seed()));
    makers.put("sfs", load -> (m, r) -> new Sfs(m, r, load.clients(SFS_CLIENTS), load.seed()));
    makers.put(
        "web03", load -> (m, r) -> new Web03(m, r, load.clients(WEB03_CLIENTS), load.seed()));
    for (OpenLoop.Service service : OpenLoop.Service.values()) {
      for (OpenLoop.Spread spread : OpenLoop.Spread.values()) {
        makers.put(
            service.label() + "-" + spread.label(),
            load -> new OpenLoop.Plan(service, spread, load.share(), load.seed()));
      }
    }
    return makers;
  }

  /** Chains of colors whose events register themselves again. */
  static Program chains(Chains.Plan plan, long seed) {
    return rounds(simulation -> new Chains(simulation, plan, seed));
  }

  /** A program of rounds. */
  private static Program rounds(Function<Simulation, Rounds> maker) {
    return (machine, runtime) -> {
      Rounds rounds = maker.apply(new Simulation(machine, runtime, s -> Simulation.NONE));
      rounds.start();
      return rounds;
    };
  }

  /** All names. */
  static List<String> names() {
    return List.copyOf(MAKERS.keySet());
  }

  /**
   * Makes a program.
   *
   * @throws IllegalArgumentException for an unknown name
   */
  static Program make(String name, Load load) {
    Labels.parse("workload", name, MAKERS.keySet(), any -> any);
    return Objects.requireNonNull(MAKERS.get(name)).make(load);
  }
}
