package dev.mely.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.mely.kit.Mutant;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The broken twins of {@link KafkaProgramTest}: it finds each planted bug. */
@Tag("mutant")
@Timeout(600)
class KafkaMutantTest {
  private static final int PROGRAMS = 200;

  /** KafkaProgramTest has run more of them without a copy. */
  private static final int FEW_PROGRAMS = 20;

  /** A program that never ends shows a bug, too. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  static Stream<Mutant> mutants() {
    return Stream.of(
        new Mutant(
            "what has been received is committed, done or not",
            "kafka/PartitionOffsets.java",
            "long base = first == null ? next : first.offset;",
            "long base = next;"),
        new Mutant(
            "metadata is off by one",
            "kafka/PartitionOffsets.java",
            "done.add(record.offset, record.offset + 1);",
            "done.add(record.offset + 1, record.offset + 2);"),
        new Mutant(
            "what a commit said is done is forgotten by the next",
            "kafka/PartitionOffsets.java",
            "done.and(doneBefore).encode(base)",
            "done.encode(base)"),
        new Mutant(
            "what a commit said is done is handled again",
            "kafka/ConsumerLoop.java",
            "if (partition.isDone(record.offset())) {",
            "if (partition.isDone(record.offset() + 1_000_000)) {"),
        new Mutant(
            "a partition that goes is kept",
            "kafka/ConsumerLoop.java",
            "PartitionOffsets partition = partitions.remove(name);",
            "PartitionOffsets partition = partitions.get(name);"),
        new Mutant(
            "a lost partition is committed",
            "kafka/ConsumerLoop.java",
            "    remove(lost);\n",
            "    commits.now(remove(lost), deadline);\n"),
        new Mutant(
            "handlers of a partition that goes are not waited for",
            "kafka/ConsumerLoop.java",
            "    waitForRunning(going);\n    commits.now(going, deadline);\n",
            "    commits.now(going, deadline);\n    going.forEach(p -> p.giveBack());\n"),
        new Mutant(
            "a paused partition is never resumed",
            "kafka/ConsumerLoop.java",
            "      consumer.resume(resume);\n",
            ""),
        new Mutant(
            "a retry is overtaken",
            "kafka/RecordRunner.java",
            """
                record.key.heldBy = record;
                mely.schedule(key.color, goOn, key, retries.backOff(record.failures));
            """,
            """
                Handler<LiveKey> again = Handler.of((LiveKey k) -> begin(record));
                mely.schedule(key.color, again, key, retries.backOff(record.failures));
            """),
        new Mutant(
            "a record behind an asynchronous one is not held",
            "kafka/RecordRunner.java",
            "      if (key.isHeld()) {\n",
            "      if (key.isHeld() && key.heldBy.awaits != PendingRecord.Awaits.HANDLER) {\n"),
        new Mutant(
            "an asynchronous record is done at once",
            "kafka/RecordRunner.java",
            "    if (stage == null) {\n",
            "    if ((Object) stage != this) {\n"),
        new Mutant(
            "a record that cannot be read is done",
            "kafka/RecordRunner.java",
            "      giveUp(record);\n      return;\n    }\n    CompletionStage<?> stage;\n",
            "      end(record, PendingRecord.DONE);\n      return;\n    }\n    CompletionStage<?> stage;\n"),
        new Mutant(
            "a record that is left counts as done",
            "kafka/RecordRunner.java",
            "    if (record.partition.isRevoked() || owner.isStopping()) {\n      end(record, PendingRecord.LEFT);\n",
            "    if (record.partition.isRevoked() || owner.isStopping()) {\n      end(record, PendingRecord.DONE);\n"),
        new Mutant(
            "a commit that has failed is not repeated",
            "kafka/Commits.java",
            "    partitions.forEach(PartitionOffsets::giveBack);\n",
            ""));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isFound(Mutant mutant, @TempDir Path scratch) throws Exception {
    String found = run(mutant, scratch, PROGRAMS, PATIENCE_NANOS);
    assertNotEquals("", found, () -> "not found: " + mutant);
    System.out.println(mutant + ": found by " + found);
  }

  /** It is the bug that is found, not the other class loader. */
  @Test
  void aCopyWithoutABugHolds(@TempDir Path scratch) throws Exception {
    String text = "private boolean underWay;";
    Mutant none = new Mutant("no bug", "kafka/Commits.java", text, text);
    assertEquals("", run(none, scratch, FEW_PROGRAMS, TimeUnit.SECONDS.toNanos(120)));
  }

  private static String run(Mutant mutant, Path scratch, int programs, long patienceNanos)
      throws Exception {
    Method run =
        mutant
            .load("KafkaProgramTest", scratch)
            .getDeclaredMethod("firstFault", int.class, long.class);
    run.setAccessible(true);
    return (String) run.invoke(null, programs, patienceNanos);
  }
}
