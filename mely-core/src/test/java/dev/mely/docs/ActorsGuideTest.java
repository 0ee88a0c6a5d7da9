package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/mely-for-actors.md: its piece of Java. See {@link SnippetsTest}. */
@Timeout(300)
class ActorsGuideTest {
  static final class User {
    static final Handler<User> COUNT = Handler.of(user -> user.visits++);

    final Color color;
    long visits; // touched by this color only: no lock

    User(Color color) {
      this.color = color;
    }
  }

  @Test
  void noVisitIsLost() throws Exception {
    try (Mely mely = Mely.builder().build()) {
      User ada = new User(mely.newColor());
      mely.register(ada.color, User.COUNT, ada);
      Thread[] visitors = new Thread[3];
      for (int i = 0; i < visitors.length; i++) {
        visitors[i] =
            new Thread(
                () -> {
                  for (int visit = 0; visit < 1_000; visit++) {
                    mely.register(ada.color, User.COUNT, ada);
                  }
                });
        visitors[i].start();
      }
      for (Thread visitor : visitors) {
        visitor.join();
      }
      mely.shutdown(Duration.ofSeconds(60));
      assertEquals(3_001, ada.visits);
    }
  }
}
