package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The runtime may reject a color if memory runs out as it is to be queued. Its channel has not been
 * served then, and must be reported again.
 */
@Timeout(300)
class RejectedReadinessTest {
  @ParameterizedTest
  @CsvSource({"NIO, false", "NIO, true", "EPOLL, false", "EPOLL, true"})
  void isReportedAgain(Io io, boolean masked) throws Exception {
    try (Harness harness = new Harness(io.builder().cores(1).build(), Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      client.send("a");
      assertEquals("a", client.await(1));
      ColorEventLoop loop = Harness.loop(client.peer);
      loop.submit(
              () -> {
                // With one core no worker polls while the color runs.
                Registration registration = (Registration) loop.loopRegistrations().get(0);
                assertTrue(registration.readiness.claim(), "nothing is in flight");
                if (masked) {
                  registration.readiness.mask();
                }
                registration.readyHandler().rejected(registration);
                return null;
              })
          .get();
      client.send("b");
      assertEquals("b", client.await(1));
    }
  }
}
