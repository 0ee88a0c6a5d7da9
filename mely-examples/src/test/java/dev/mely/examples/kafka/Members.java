package dev.mely.examples.kafka;

import dev.mely.examples.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Processes that consume a topic, see {@link KilledMember}; each has a number, 1 for the first. Not
 * thread-safe.
 */
final class Members implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 240;
  private static final int MOST_OF_A_LOG = 4_000;

  private final Path folder;
  private final List<String> arguments;
  private final Journal journal;
  private final Map<Integer, Process> running = new TreeMap<>();
  private final Set<Integer> ready = new HashSet<>();
  private final List<Path> logs = new ArrayList<>();

  /**
   * @param folder for the logs
   * @param file of the journal
   * @param entries of the journal
   */
  Members(
      Path folder,
      Path file,
      int entries,
      Journal journal,
      String topic,
      Map<String, String> properties) {
    this.folder = folder;
    this.journal = journal;
    this.arguments = new ArrayList<>(List.of(file.toString(), "" + entries, topic));
    properties.forEach((name, value) -> arguments.add(name + '=' + value));
  }

  Collection<Integer> running() {
    return running.keySet();
  }

  int started() {
    return logs.size();
  }

  void start() throws IOException {
    int member = logs.size() + 1;
    Path log = folder.resolve("member-" + member + ".log");
    logs.add(log);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-XX:-UsePerfData", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(KilledMember.class.getName());
    command.addAll(arguments.subList(0, 2));
    command.add("" + member);
    command.addAll(arguments.subList(2, arguments.size()));
    running.put(member, new ProcessBuilder(command).redirectError(log.toFile()).start());
  }

  /** As if its machine failed. */
  void kill(Collection<Integer> members) throws Exception {
    for (int member : members) {
      waitUntilReady(member);
      journal.add(Journal.Kind.KILLED, member); // before: its successors may be quick
    }
    List<Process> dying = members.stream().map(running::get).toList();
    dying.forEach(Process::destroyForcibly);
    for (Process process : dying) {
      waitForEnd(process);
    }
    members.forEach(running::remove);
  }

  /** Asks it to leave, and waits for that. */
  void terminate(int member) throws Exception {
    waitUntilReady(member);
    Process process = running.get(member);
    process.destroy();
    waitForEnd(process);
    running.remove(member);
  }

  /** Stops it, and it does not know. */
  void suspend(int member) throws Exception {
    waitUntilReady(member);
    journal.add(Journal.Kind.SUSPENDED, member);
    signal(member, "STOP");
  }

  void resume(int member) throws Exception {
    signal(member, "CONT");
  }

  private void signal(int member, String name) throws Exception {
    String number = Long.toString(running.get(member).pid());
    if (!Programs.run("sh", "-c", "kill -" + name + ' ' + number)) {
      throw new IllegalStateException("no signal " + name + " to member " + member);
    }
  }

  /** From then on it leaves the group in an orderly way at SIGTERM. */
  private void waitUntilReady(int member) throws IOException {
    if (ready.add(member) && running.get(member).getInputStream().read() < 0) {
      throw new IllegalStateException("member " + member + " has ended");
    }
  }

  private static void waitForEnd(Process process) throws InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(process + " does not end");
    }
  }

  /** Nobody ends unless asked to. */
  void check() {
    running.forEach(
        (member, process) -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("member " + member + " has ended");
          }
        });
  }

  /** What members have written to standard error. */
  String logs() throws IOException {
    StringBuilder all = new StringBuilder();
    for (Path log : logs) {
      String text = Files.readString(log, StandardCharsets.UTF_8);
      if (!text.isEmpty()) {
        all.append(log.getFileName()).append(": ");
        all.append(text, 0, Math.min(text.length(), MOST_OF_A_LOG)).append(System.lineSeparator());
      }
    }
    return all.toString();
  }

  @Override
  public void close() {
    running.values().forEach(Process::destroyForcibly);
    running.values().forEach(process -> process.onExit().join()); // the folder is deleted then
  }
}
