package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.mely.report.ShutdownReport;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Registering and running an event that its sender owns allocates nothing. */
@Timeout(300)
class AllocationTest {
  private static final int COLORS = 64;
  private static final long WARM_UP = 1_000_000;
  private static final long MEASURED = 1_000_000;

  private final ConcurrentLinkedQueue<Thread> workers = new ConcurrentLinkedQueue<>();
  private volatile boolean over;

  @ParameterizedTest
  @CsvSource({"1, off, 0", "1, all, 0", "1, all, 1", "2, all, 1", "2, base, 7", "2, time-left, 0"})
  void eventsAllocateNothing(int cores, String policy, int step) {
    Mely mely =
        Mely.builder()
            .cores(cores)
            .policy(StealPolicy.parse(policy))
            .pinned(false)
            .threadFactory(
                task -> {
                  Thread thread = new Thread(task);
                  thread.setDaemon(true);
                  workers.add(thread);
                  return thread;
                })
            .build();
    Color[] colors = new Color[COLORS];
    for (int i = 0; i < COLORS; i++) {
      colors[i] = mely.newColor();
    }
    Handler<Numbered> handler =
        new Handler<>() {
          @Override
          public void handle(Numbered event) {
            if (!over) {
              mely.register(colors[(event.number + step) % COLORS], this, event);
            }
          }
        };
    for (int i = 0; i < COLORS; i++) {
      mely.register(colors[i], handler, new Numbered(i));
    }
    await().until(() -> mely.inspect().statistics().total().events() > WARM_UP);
    long before = allocated();
    long first = mely.inspect().statistics().total().events();
    await().until(() -> mely.inspect().statistics().total().events() > first + MEASURED);
    long events = mely.inspect().statistics().total().events() - first;
    long bytes = allocated() - before;
    over = true;
    assertTrue(bytes < events, bytes + " bytes for " + events + " events");
    assertEquals(
        new ShutdownReport(true, 0, 0, List.of()), mely.shutdown(java.time.Duration.ofSeconds(30)));
  }

  private long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return workers.stream().mapToLong(t -> threads.getThreadAllocatedBytes(t.getId())).sum();
  }
}
