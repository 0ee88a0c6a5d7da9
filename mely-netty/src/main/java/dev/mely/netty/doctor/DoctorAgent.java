package dev.mely.netty.doctor;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Java agent that watches the event loops of a program's Netty, 4.1 or 4.2, and says how busy
 * they were, how long they let tasks wait, which channels were the hottest, and for how long a
 * channel waited for its loop while another loop was idle.
 *
 * <pre>{@code
 * java -javaagent:mely-netty-doctor.jar -jar program.jar
 * java -javaagent:mely-netty-doctor.jar=seconds=300 -jar program.jar
 * }</pre>
 *
 * <p>The program must run on Java 17 or later. It watches once, for a minute unless it is told
 * otherwise, beginning with the first event of a channel, and reports on the standard error, unless
 * the program ends before. It never ends the program. A program that runs already is examined by
 * {@link DoctorCommand}.
 */
public final class DoctorAgent {
  static final int SECONDS = 60;

  private static final int MOST_SECONDS = 3_600;

  /** What ends a report in a file. */
  static final String END = "mely doctor: done";

  /** What begins its last line if there is no report. */
  static final String FAILED = "mely doctor: failed: ";

  /** How long a program that is attached to may have no event of a channel. */
  private static final int PATIENCE_SECONDS = 10;

  private static final Pattern ARGUMENT = Pattern.compile("(?:seconds=(\\d{1,4}))?");

  private static final AtomicBoolean UNDER_WAY = new AtomicBoolean();

  private DoctorAgent() {}

  /**
   * Called by the virtual machine before the program's main method.
   *
   * @param argument null or empty, or {@code seconds=} and how long to watch, 1 to 3,600
   * @param instrumentation of the virtual machine
   */
  public static void premain(@Nullable String argument, Instrumentation instrumentation) {
    start(
        argument == null ? "" : argument,
        instrumentation,
        Integer.MAX_VALUE,
        System.err,
        () -> true);
  }

  /**
   * Called in a program that runs already.
   *
   * @param argument as for {@link #premain}, and {@code ,file=} with the path of a file to which
   *     the report is appended, in the place of the standard error
   * @param instrumentation of the virtual machine
   * @throws IOException if the file cannot be written
   */
  public static void agentmain(@Nullable String argument, Instrumentation instrumentation)
      throws IOException {
    String[] parts = (argument == null ? "" : argument).split(",?file=", 2);
    if (parts.length == 1) {
      start(parts[0], instrumentation, PATIENCE_SECONDS, System.err, () -> true);
      return;
    }
    Path file = Path.of(parts[1]);
    PrintStream out =
        new PrintStream(Files.newOutputStream(file, StandardOpenOption.APPEND), true, "UTF-8");
    // The command deletes it when it ends, even if it is interrupted.
    start(parts[0], instrumentation, PATIENCE_SECONDS, out, () -> Files.exists(file));
  }

  private static void start(
      String argument,
      Instrumentation instrumentation,
      int patience,
      PrintStream out,
      BooleanSupplier wanted) {
    try {
      Examination examination = new Examination(instrumentation, seconds(argument), patience);
      Thread thread = new Thread(() -> examine(examination, out, wanted), "mely-doctor");
      thread.setDaemon(true);
      thread.start();
    } catch (Throwable t) {
      end(out, FAILED + t.getMessage());
    }
  }

  private static int seconds(String argument) {
    Matcher matcher = ARGUMENT.matcher(argument.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("unknown argument '" + argument + "'; known: seconds=60");
    }
    int seconds = matcher.group(1) == null ? SECONDS : Integer.parseInt(matcher.group(1));
    checkSeconds(seconds);
    return seconds;
  }

  /**
   * Checks how long to watch.
   *
   * @throws IllegalArgumentException if it is not 1 to 3600
   */
  static void checkSeconds(int seconds) {
    if (seconds < 1 || seconds > MOST_SECONDS) {
      throw new IllegalArgumentException("seconds must be 1 to " + MOST_SECONDS + ": " + seconds);
    }
  }

  private static void examine(Examination examination, PrintStream out, BooleanSupplier wanted) {
    if (!UNDER_WAY.compareAndSet(false, true)) {
      end(out, FAILED + "the program is being examined already");
      return;
    }
    String last = END;
    try {
      examination.run(out::println, wanted);
    } catch (Throwable t) {
      last = FAILED + t;
    } finally {
      UNDER_WAY.set(false); // before it is said
      end(out, last);
    }
  }

  private static void end(PrintStream out, String line) {
    out.println(line);
    if (out != System.err) {
      out.close();
    }
  }
}
