package dev.mely.netty.doctor;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Examines the event loops of a program that runs on this machine: it attaches {@link DoctorAgent}.
 *
 * <pre>{@code
 * java -jar mely-netty-doctor.jar 12345
 * }</pre>
 */
@Command(
    name = "java -jar mely-netty-doctor.jar",
    sortOptions = false,
    description = {
      "Watches the event loops of a Java program's Netty, 4.1 or 4.2, and says how busy each was, how"
          + " long it let tasks wait, which channels were the hottest, and for how long a channel"
          + " waited for its loop while another loop was idle. The program goes on as it is. It must run"
          + " on Java 17 or later.",
      "",
      "Without a process, lists those of this machine."
    })
public final class DoctorCommand implements Callable<Integer> {
  private static final long LOOK_MILLIS = 200;

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli sets another one

  @Parameters(
      arity = "0..1",
      paramLabel = "<pid>",
      description = "Process ID of the program, which must be this user's.")
  private @Nullable String process;

  @Option(
      names = "--seconds",
      paramLabel = "<s>",
      defaultValue = "" + DoctorAgent.SECONDS,
      description = "How long to watch, 1 to 3600 (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // picocli looks for the option
  private boolean help;

  /** Made by picocli. */
  public DoctorCommand() {}

  /**
   * Runs the command, and ends this virtual machine: with 0, with 1 if it failed, or with 2 if its
   * arguments are wrong.
   *
   * @param arguments see {@code --help}
   */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new DoctorCommand()).execute(arguments));
  }

  @Override
  public Integer call() {
    try {
      DoctorAgent.checkSeconds(seconds);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--" + e.getMessage());
    }
    try {
      if (process == null) {
        list();
        return 0;
      }
      return examine(process, seconds);
    } catch (NoClassDefFoundError e) {
      System.err.println("this needs a JDK, with the module jdk.attach: " + e.getMessage());
      return 1;
    }
  }

  private static void list() {
    String own = Long.toString(ProcessHandle.current().pid());
    System.out.println("Java programs of this user; give the number of one:");
    for (VirtualMachineDescriptor each : VirtualMachine.list()) {
      if (!each.id().equals(own)) {
        System.out.println("  " + each.id() + "  " + each.displayName());
      }
    }
  }

  private static int examine(String pid, int seconds) {
    try {
      Path report = Files.createTempFile("mely-doctor-", ".txt"); // no other user may read it
      report.toFile().deleteOnExit();
      attach(pid, seconds, report);
      return follow(pid, report);
    } catch (AgentInitializationException e) {
      System.err.println(
          "the program cannot start the agent; its standard error says why: " + e.getMessage());
    } catch (Exception e) {
      System.err.println("cannot examine process " + pid + ": " + e.getMessage());
    }
    return 1;
  }

  private static void attach(String pid, int seconds, Path report) throws Exception {
    VirtualMachine program = VirtualMachine.attach(pid);
    try {
      Path jar =
          Path.of(DoctorCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      program.loadAgent(jar.toString(), "seconds=" + seconds + ",file=" + report.toAbsolutePath());
    } finally {
      program.detach();
    }
  }

  /** Shows what the agent writes until it is done. */
  private static int follow(String pid, Path report) throws IOException, InterruptedException {
    Optional<ProcessHandle> program = ProcessHandle.of(Long.parseLong(pid));
    int shown = 0;
    while (true) {
      boolean alive = program.isPresent() && program.get().isAlive();
      byte[] written = Files.readAllBytes(report);
      int whole = written.length;
      while (whole > shown && written[whole - 1] != '\n') {
        whole--; // the rest of the line is to come
      }
      String text = new String(written, shown, whole - shown, StandardCharsets.UTF_8);
      shown = whole;
      for (String line : text.lines().toList()) {
        if (line.equals(DoctorAgent.END)) {
          return 0;
        }
        if (line.startsWith(DoctorAgent.FAILED)) {
          System.err.println(line);
          return 1;
        }
        System.out.println(line);
      }
      if (!alive) {
        System.err.println("process " + pid + " ended before the report");
        return 1;
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }
}
