package dev.mely.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;

/**
 * Records, in a server's JVM, what its compilers make and what is thrown away: a flight recorder.
 * And nothing else: Mely's own events are on by default, and while somebody records them it times
 * every handler, which the stock group does not have to do.
 */
final class CodeRecording {
  /** System property: {@code true} if a server shall record. */
  static final String WANTED = "mely.bench.recording";

  /** As much as a long one has; older events go first. */
  private static final long MAX_BYTES = 64_000_000;

  static final List<String> OWN_EVENTS =
      List.of(
          "dev.mely.SlowHandler",
          "dev.mely.Steal",
          "dev.mely.TakeOver",
          "dev.mely.Migration",
          "dev.mely.Park");

  private final Recording recording = new Recording();

  private CodeRecording() {
    recording.enable(CodeReport.COMPILATION).withThreshold(Duration.ZERO).withoutStackTrace();
    recording.enable(CodeReport.DEOPTIMIZATION).withoutStackTrace();
    for (String own : OWN_EVENTS) {
      recording.disable(own);
    }
    recording.setMaxSize(MAX_BYTES);
    recording.start();
  }

  static CodeRecording start() {
    return new CodeRecording();
  }

  /** Whether this process is to record. */
  static boolean isWanted() {
    return Boolean.getBoolean(WANTED);
  }

  /** Writes what has happened so far. Returns where, which is the reader's to delete. */
  Path dump() throws IOException {
    Path file = Files.createTempFile("mely-server", ".jfr");
    recording.dump(file);
    return file;
  }
}
