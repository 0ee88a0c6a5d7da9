package dev.mely.stage.recorder;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What one core records: its worker writes, any thread may read. */
final class Tape {
  final StageRecorder recorder;
  final Map<String, StageTally> stages = new ConcurrentHashMap<>();

  /** The worker's: what runs now; null: nothing. */
  @Nullable StageTally running;

  Tape(StageRecorder recorder) {
    this.recorder = recorder;
  }

  StageTally of(String stage, StageRecorder.Parts parts) {
    StageTally tally = stages.get(stage);
    if (tally == null) {
      tally = new StageTally(stage, parts.parts());
      stages.put(stage, tally);
    }
    return tally;
  }
}
