package dev.mely.kit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * How long a test waits for what must happen "eventually": for as long as the slowest machine may
 * take. What never happens fails all the same. JUnit finds it by itself, for every test.
 */
public final class Patience implements BeforeAllCallback {
  private static final Duration EVENTUALLY = Duration.ofMinutes(2);

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(EVENTUALLY);
  }
}
