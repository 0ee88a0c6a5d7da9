package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Misuse of the command line ends with code 2 and an error that names the value. */
class MainTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "|which benchmark?",
        "unbalancd|unbalancd",
        "unbalanced --forks none|'none'",
        "unbalanced --forks 0|--forks must be between 1 and 1000, but is 0",
        "unbalanced --cores -3|--cores must be between 1 and 256, but is -3",
        "unbalanced --time 0|--time must be between 0.1 and 3600 seconds, but is 0.0",
        "unbalanced --time soon|'soon'",
        "unbalanced --configurations mely,melee|unknown configuration 'melee'; known: mely,",
        "unbalanced --load heavy|unknown load 'heavy'; known: unbalanced, all-short, one-color",
        "echo --connections 0|--connections must be between 1 and 10000, but is 0",
        "echo --transports nio,kqueue|unknown transport 'kqueue'; known: nio, epoll",
        "skew --groups mely,netty|unknown group 'netty'; known: stock, mely, mely-off",
        "skew --samples 0|--samples must be between 1 and 1000, but is 0",
        "unbalanced --frobnicate|--frobnicate",
      })
  void namesWhatIsWrong(String line, String message) {
    StringWriter err = new StringWriter();
    String[] args = line == null ? new String[0] : line.split(" ");
    assertEquals(2, Main.run(new PrintWriter(err, true), args));
    assertTrue(err.toString().contains(message), err::toString);
  }
}
