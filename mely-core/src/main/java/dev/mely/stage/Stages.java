package dev.mely.stage;

import dev.mely.stage.recorder.StageRecorder;
import java.util.Objects;

/**
 * What a program tells of its memory while its stages are recorded, wherever it allocates it:
 *
 * <pre>{@code
 * ByteBuffer request = ByteBuffer.allocateDirect(2048);
 * Stages.allocated("request", 2048);
 * }</pre>
 *
 * <p>It is noted of the stage that the calling thread runs; without one, or if that is not
 * recorded, nothing happens, and it costs next to nothing. Any thread. Source: the Stingy
 * Allocator, section 4.1 ({@code Malloc}, {@code Free}).
 */
public final class Stages {
  private Stages() {}

  /**
   * Something has been allocated for the task that the running handler works for.
   *
   * @param object what; the code that frees it uses the same name
   * @param bytes how large it is
   */
  public static void allocated(String object, long bytes) {
    allocated(object, bytes, 0);
  }

  /**
   * Something has been allocated for the task that the running handler works for, by a program that
   * knows how many of them the task has: where stages are in a cycle, a recording cannot tell.
   *
   * @param object what; the code that frees it uses the same name
   * @param bytes how large it is
   * @param held how many of them the task has now, this one included; 0: unknown
   */
  public static void allocated(String object, long bytes, int held) {
    StageRecorder.allocated(Objects.requireNonNull(object, "object"), bytes, held);
  }

  /**
   * Something has been freed.
   *
   * @param object what
   * @param bytes how large it was
   */
  public static void freed(String object, long bytes) {
    StageRecorder.freed(Objects.requireNonNull(object, "object"), bytes);
  }
}
