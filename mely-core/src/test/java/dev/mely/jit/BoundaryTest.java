package dev.mely.jit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The methods at a boundary are larger than what C2 inlines, and no byte of that ever runs. */
class BoundaryTest {
  private static final Pattern INSTRUCTION = Pattern.compile("^ +(\\d+): \\w+", Pattern.MULTILINE);

  @ParameterizedTest
  @CsvSource({
    "dev.mely.EventRunner, call",
    "dev.mely.EventRunner, runSpecial",
    "dev.mely.EventRunner, runTimed",
    "dev.mely.Worker, turn",
    "dev.mely.Worker, runColors",
    "dev.mely.Worker, discard",
    "dev.mely.Worker, poll",
    "dev.mely.Idler, beginSearch",
    "dev.mely.Idler, search",
    "dev.mely.Idler, won",
    "dev.mely.Idler, stopIdling",
    "dev.mely.Idler, park",
    "dev.mely.Idler, wake",
    "dev.mely.StealSearch, visit",
    "dev.mely.StealingQueue, poll",
    "dev.mely.Watch, look",
    "dev.mely.Timers, fire",
    "dev.mely.ThiefCalls, offer",
    "dev.mely.Core, wakeUp",
    "dev.mely.Core, pollApart"
  })
  void isLargerThanWhatIsInlined(String type, String method) {
    int limit =
        Integer.parseInt(
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("FreqInlineSize")
                .getValue());
    int size = size(type, method);
    assertTrue(size > limit, size + " bytes, and up to " + limit + " are inlined");
  }

  @Test
  void neverRuns() {
    assertFalse(Boundary.FILLS);
  }

  /** Where the last instruction of a method begins. */
  private static int size(String type, String method) {
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    String path = System.getProperty("java.class.path");
    ToolProvider.findFirst("javap")
        .orElseThrow()
        .run(writer, writer, "-c", "-p", "-cp", path, type);
    String code = out.toString();
    int start = code.indexOf(" " + method + "(");
    assertTrue(start > 0, () -> "no " + method + " in " + code);
    int end = code.indexOf("\n\n", start);
    Matcher instructions =
        INSTRUCTION.matcher(end < 0 ? code.substring(start) : code.substring(start, end));
    int last = 0;
    while (instructions.find()) {
      last = Integer.parseInt(instructions.group(1));
    }
    return last;
  }
}
