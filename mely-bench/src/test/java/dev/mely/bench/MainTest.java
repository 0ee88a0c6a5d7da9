package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Misuse of the command line ends with code 2, an error that names the value, and a hint. */
class MainTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "micro",
        "unbalanced",
        "echo",
        "skew",
        "streams",
        "eve",
        "sws",
        "web03",
        "sfs",
        "compare",
        "startup",
        "report",
        "sim",
        "sim calibrate"
      })
  void explainsItself(String command) {
    assertEquals(
        0, Main.run(new PrintWriter(new StringWriter()), (command + " --help").strip().split(" ")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "|which benchmark?",
        "unbalancd|Unmatched argument at index 0: 'unbalancd'",
        "[|Unmatched argument at index 0: '['",
        "--rf json|Unknown options: '--rf', 'json'",
        "unbalanced -l|Unknown option: '-l'",
        "unbalanced --forks none|'none'",
        "unbalanced --forks 0|--forks must be between 1 and 1000, but is 0",
        "unbalanced --cores -3|--cores must be between 1 and 256, but is -3",
        "unbalanced --time 0|--time must be between 0.1 and 3600 seconds, but is 0.0",
        "unbalanced --time soon|'soon'",
        "unbalanced --configurations mely,melee|unknown configuration 'melee'; known: ceiling,"
            + " libasync,",
        "unbalanced --load heavy|unknown load 'heavy'; known: unbalanced, all-short,",
        "micro --benchmark pong|unknown benchmark 'pong'; known: unbalanced, penalty,",
        "micro --reference pekko --configurations mely|--reference 'pekko' does not take part",
        "micro --benchmark all --json x.json|--json is for one benchmark",
        "echo --connections 0|--connections must be between 1 and 10000, but is 0",
        "echo --transports nio,kqueue|unknown transport 'kqueue'; known: nio, epoll",
        "skew --groups mely,netty|unknown group 'netty'; known: stock, mely, mely-off",
        "skew --samples 0|--samples must be between 1 and 1000, but is 0",
        "streams --streams 0|--streams must be between 1 and 10000, but is 0",
        "streams --work 20,0|--work must be between 1 and 1000000, but is 0",
        "streams --rounds 0|--rounds must be between 1 and 1000, but is 0",
        "streams --seconds 0|--seconds must be between 0.1 and 3600 seconds, but is 0.0",
        "streams --servers stock,melee|unknown server 'melee'; known: stock, executor-group,",
        "streams --transport kqueue|unknown transport 'kqueue'; known: nio, epoll",
        "streams --h2 --h2load no-such-program|cannot run 'no-such-program', which makes the load:",
        "compare --samples 0|--samples must be between 1 and 1000, but is 0",
        "compare --cores many|'many'",
        "eve --programs echo,chat|unknown program 'chat'; known: echo, counter-atomic,"
            + " counter-owned",
        "eve --reads 50,101|--reads must be between 0 and 100, but is 101",
        "eve --messages 0|--messages must be between 1 and 1000000, but is 0",
        "eve --time 0|--time must be between 0.1 and 3600 seconds, but is 0.0",
        "sws --connections 64,0|--connections must be between 1 and 8000, but is 0",
        "sws --requests -1|--requests must be between 0 and",
        "sws --time 2.5|--time must be whole seconds for wrk, but is 2.5",
        "sws --warm-up 0.5|--warm-up must be whole seconds for wrk, but is 0.5",
        "startup --seconds 0|--seconds must be between 1 and 600, but is 0",
        "startup --service sfs|unknown service 'sfs'; known: sws, echo",
        "echo --equal-work 40,96|--equal-work must be between 0 and 95, but is 96",
        "eve --warm-up 0|--warm-up must be between 0.1 and 3600 seconds, but is 0.0",
        "echo --warm-up 0|--warm-up must be between 0.1 and 3600 seconds, but is 0.0",
        "sws --wrk no-such-program|cannot run 'no-such-program', which makes the load: install wrk",
        "web03 --requests -1|--requests must be between 0 and",
        "web03 --time 2.5|--time must be whole seconds for wrk, but is 2.5",
        "sfs --connections 0|--connections must be between 1 and 8000, but is 0",
        "sfs --requests 10|--requests",
        "sfs --wrk no-such-program|cannot run 'no-such-program', which makes the load: install wrk",
        "unbalanced --warm-up 0|--warm-up must be between 0.1 and 3600 seconds, but is 0.0",
        "report|<file>",
        "unbalanced --frobnicate|--frobnicate",
      })
  void namesWhatIsWrong(String line, String message) {
    StringWriter err = new StringWriter();
    String[] args = line == null ? new String[0] : line.split(" ");
    assertEquals(2, Main.run(new PrintWriter(err, true), args));
    List<String> lines = err.toString().lines().toList();
    assertEquals(2, lines.size(), err::toString);
    assertTrue(lines.get(0).contains(message), err::toString);
    assertTrue(lines.get(1).matches("Try 'benchmarks.* --help'\\."), err::toString);
  }
}
