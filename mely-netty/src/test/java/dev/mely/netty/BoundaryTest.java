package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * C2 compiles a channel's work, the way into its color, and the transport once each, and not into
 * every method that leads to them: they are larger than what it inlines.
 */
class BoundaryTest {
  @ParameterizedTest
  @CsvSource({
    "Registration, serve",
    "Registration, post",
    "Readiness, rearm",
    "ColorTasks, fetchIfDue",
    "IoPoller, poll",
    "IoPoller, deadline",
    "IoPoller, runHandler"
  })
  void isLargerThanWhatIsInlined(String type, String method) {
    HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    int limit = Integer.parseInt(vm.getVMOption("FreqInlineSize").getValue());
    // A method's lines in javap's listing, up to the empty one; those of code begin with a number.
    int size =
        Pattern.compile(" " + method + "\\(.*\n(?:.+\n)*?(?: +(\\d+): .*\n)+")
            .matcher(disassembled("dev.mely.netty." + type))
            .results()
            .map(MatchResult::group)
            .mapToInt(BoundaryTest::lastOffset)
            .max()
            .orElseThrow();
    assertTrue(size > limit, size + " bytes, and up to " + limit + " are inlined");
  }

  private static int lastOffset(String code) {
    return Pattern.compile("(?m)^ +(\\d+): ")
        .matcher(code)
        .results()
        .mapToInt(line -> Integer.parseInt(line.group(1)))
        .max()
        .orElseThrow();
  }

  private static String disassembled(String type) {
    StringWriter out = new StringWriter();
    PrintWriter to = new PrintWriter(out);
    String path = System.getProperty("java.class.path");
    ToolProvider.findFirst("javap").orElseThrow().run(to, to, "-c", "-p", "-cp", path, type);
    return out.toString();
  }
}
