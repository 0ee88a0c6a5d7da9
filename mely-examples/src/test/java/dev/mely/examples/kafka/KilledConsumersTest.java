package dev.mely.examples.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Consumers in processes of their own are killed, asked to leave, stopped until their group has
 * expelled them, and joined by others, while records come: nothing is lost, and all that {@link
 * Judge} says.
 *
 * <p>{@code -Dmely.seed=42} begins elsewhere. The seed decides what is done to members and after
 * how many entries of the journal; which records that hits depends on the machine. Linux only: for
 * signals.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 1800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledConsumersTest {
  private static final long SEED = Long.getLong("mely.seed", 1);
  private static final int PARTITIONS = 6;
  private static final int MOST_MEMBERS = 4;
  private static final String GROUP = "killed";

  /**
   * A killed member is replaced after it; a machine that stands still for as long expels others.
   */
  private static final String SESSION_MILLIS = "6000";

  private static final String HEARTBEAT_MILLIS = "500";
  private static final long PATIENCE_SECONDS = 300;

  private enum Action {
    KILL,
    KILL_ALL,
    TERMINATE,
    SUSPEND,
    JOIN
  }

  private static final List<Action> ACTIONS =
      List.of(
          Action.KILL, Action.KILL, Action.KILL_ALL, Action.TERMINATE, Action.SUSPEND, Action.JOIN);

  @TempDir private Path folder;
  private final Random random = new Random(SEED);
  private final List<Action> plan = new ArrayList<>();
  private final List<Integer> terminated = new ArrayList<>();
  private LocalBroker broker;
  private Admin admin;
  private Journal journal;
  private Members members;
  private KeyedTopic topic;
  private Commits commits;
  private Judge judge;
  private int kills;
  private int hits;
  private int bound;

  @BeforeEach
  void start() throws Exception {
    broker = LocalBroker.start(folder.resolve("broker"));
    admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
  }

  @AfterEach
  void end() {
    if (members != null) {
      members.close();
    }
    if (topic != null) {
      topic.close();
    }
    if (admin != null) {
      admin.close();
    }
    if (broker != null) {
      broker.close();
    }
  }

  @Test
  void shortly() throws Throwable {
    prove("consumer", 20_000, 2_000, ACTIONS.size(), 2);
  }

  @Test
  @Tag("long")
  void byTheClassicProtocol() throws Throwable {
    prove("classic", 50_000, 5_000, 2 * ACTIONS.size(), 4);
  }

  /** Some minutes. */
  @Test
  @Tag("long")
  void forLong() throws Throwable {
    prove("consumer", 1_000_000, 100_000, 6 * ACTIONS.size(), 10);
  }

  /**
   * @param leastHits kills that hit work which was not committed, at least: more rounds follow
   *     until there are as many
   */
  private void prove(String protocol, int records, int keys, int rounds, int leastHits)
      throws Throwable {
    try {
      prepare(protocol, records, keys);
      for (int i = 0; i < rounds || hits < leastHits; i++) {
        assertTrue(i < 5 * rounds, "kills hit nothing");
        round((records + rounds - 1) / rounds);
      }
      finish();
      System.out.println(summary());
    } catch (Throwable t) {
      String logs = members == null ? "" : members.logs();
      throw new AssertionError(summary() + System.lineSeparator() + logs, t);
    }
  }

  private void prepare(String protocol, int records, int keys) throws Exception {
    Map<String, String> properties = new HashMap<>();
    properties.put("bootstrap.servers", broker.address());
    properties.put("group.id", GROUP);
    properties.put("auto.offset.reset", "earliest");
    properties.put("group.protocol", protocol);
    if (protocol.equals("classic")) {
      properties.put("session.timeout.ms", SESSION_MILLIS);
      properties.put("heartbeat.interval.ms", HEARTBEAT_MILLIS);
      properties.put(
          "partition.assignment.strategy",
          "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
    } else { // the broker's matter
      admin
          .incrementalAlterConfigs(
              Map.of(
                  new ConfigResource(ConfigResource.Type.GROUP, GROUP),
                  List.of(
                      set("consumer.session.timeout.ms", SESSION_MILLIS),
                      set("consumer.heartbeat.interval.ms", HEARTBEAT_MILLIS))))
          .all()
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
    int entries = 20 * records + 500_000; // 3 a record if none is repeated; the file is sparse
    Path file = folder.resolve("journal");
    journal = Journal.open(file, entries);
    members = new Members(folder, file, entries, journal, "records", properties);
    topic = new KeyedTopic(admin, broker.address(), "records", PARTITIONS, keys, random);
    commits = new Commits(admin, GROUP, journal);
  }

  private static AlterConfigOp set(String name, String value) {
    return new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
  }

  /** Records come, and once some have been delivered, something happens to members. */
  private void round(int records) throws Exception {
    while (members.running().size() < 2) {
      members.start();
    }
    Action action = next();
    // Each record makes two entries, and those of a round come: this is reached.
    int enough = journal.size() + 1 + random.nextInt(2 * records);
    topic.send(records);
    until(() -> journal.size() >= enough);
    switch (action) {
      case KILL -> kill(List.of(victim()));
      case KILL_ALL -> kill(List.copyOf(members.running()));
      case TERMINATE -> terminate(victim());
      case SUSPEND -> suspend(victim());
      case JOIN -> {
        if (members.running().size() < MOST_MEMBERS) {
          members.start();
        }
      }
    }
  }

  /** Each in turn, in an order that the seed decides. */
  private Action next() {
    if (plan.isEmpty()) {
      plan.addAll(ACTIONS);
      Collections.shuffle(plan, random);
    }
    return plan.remove(0);
  }

  /** The member that is seen at work, so that something is hit. */
  private int victim() {
    for (int i = journal.size() - 1; i >= 0; i--) {
      long entry = journal.entry(i);
      if (entry != 0 && members.running().contains(Journal.member(entry))) {
        return Journal.member(entry);
      }
    }
    throw new IllegalStateException("nobody has worked");
  }

  private void kill(List<Integer> victims) throws Exception {
    members.kill(victims);
    commits.note(); // what reached the broker, and no more will come from them
    judge = new Judge(topic.readBack(), journal);
    for (int victim : victims) {
      int open = judge.open(victim);
      kills++;
      hits += open > 0 ? 1 : 0;
      bound += open;
    }
  }

  private void terminate(int victim) throws Exception {
    members.terminate(victim);
    terminated.add(victim);
  }

  private void suspend(int victim) throws Exception {
    if (members.running().size() < 2) {
      members.start();
    }
    members.suspend(victim);
    topic.send(100 * PARTITIONS);
    untilAllIsDone(); // what came to its partitions, too: so others have them
    members.resume(victim);
  }

  private void untilAllIsDone() {
    KeyOrder records = topic.readBack();
    until(() -> new Judge(records, journal).missing() == 0);
  }

  private void untilAllIsCommitted() {
    KeyOrder records = topic.readBack();
    until(
        () -> {
          commits.note();
          return new Judge(records, journal).uncommitted() == 0;
        });
  }

  private void until(Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(20, TimeUnit.MILLISECONDS)
        .atMost(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .until(
            () -> {
              members.check();
              return condition.call();
            });
  }

  private void finish() throws Exception {
    while (members.running().size() < 2) {
      members.start();
    }
    untilAllIsDone();
    untilAllIsCommitted(); // first: who leaves before it has a killed member's partitions cannot
    for (int member : List.copyOf(members.running())) {
      terminate(member);
    }
    commits.note();
    judge = new Judge(topic.readBack(), journal);
    assertEquals(List.of(), judge.faults(), () -> judge.story().toString());
    assertEquals(0, judge.missing(), "lost records");
    assertEquals(0, judge.uncommitted(), "records that are not committed at the end");
    assertEquals(
        List.of(),
        terminated.stream().filter(member -> !judge.hasLeft(member)).toList(),
        "members that did not leave in an orderly way");
  }

  private String summary() {
    String begin = "-Dmely.seed=" + SEED + ": ";
    if (judge == null) {
      return begin + "not yet judged";
    }
    return begin
        + String.format(
            Locale.ROOT,
            "%,d records, %d members, %d kills, %d of them hit work; repeated %,d, bound %,d;"
                + " expelled members %d, by chance %d, repeated %,d",
            judge.records(),
            members.started(),
            kills,
            hits,
            judge.repeatsOfKilled(),
            bound,
            judge.expelled(),
            judge.expelledByChance(),
            judge.repeatsOfExpelled());
  }
}
