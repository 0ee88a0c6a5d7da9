package dev.mely.examples.sfs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import dev.mely.report.Statistics;
import dev.mely.stage.Plan;
import dev.mely.stage.StageGraph;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server whose memory has a plan: everything is served, and all instances come back. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class PlannedServerTest {
  private static final int CLIENTS = 8;
  private static final int PIECES = 40;

  @TempDir private Path root;

  /** One instance for two of the eight: they wait for each other. */
  private static Plan plan() {
    return new Plan(
        Map.of("records", new Plan.Instances(1, 70_000, Set.of("Encrypt"), Set.of("Write"))));
  }

  private static StageGraph.Allocation records(SfsSite site) {
    return site.server.stages().allocations().stream()
        .filter(object -> object.name().equals("records"))
        .findFirst()
        .orElseThrow();
  }

  /** Whether as many have come back as were taken. */
  private static boolean isBalanced(StageGraph.Allocation object) {
    return times(object.allocatedBy()) == times(object.freedBy());
  }

  private static long times(List<StageGraph.Site> sites) {
    return sites.stream().mapToLong(StageGraph.Site::times).sum();
  }

  @Test
  void whoFindsNoInstanceWaitsAndIsServed() throws Exception {
    try (SfsSite site =
        new SfsSite(
            root, config -> config, Mely.builder().plan(plan()).recordStages(true).pinned(false))) {
      byte[] content = site.write("f", Message.MAX_DATA);
      List<SfsClient> clients = new ArrayList<>();
      List<SfsClient.RemoteFile> files = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(site.connect());
        files.add(clients.get(i).open("f", Message.READ));
      }
      for (int piece = 0; piece < PIECES; piece++) {
        List<CompletableFuture<ByteBuffer>> replies = new ArrayList<>();
        for (SfsClient.RemoteFile file : files) {
          replies.add(file.read(0, content.length));
        }
        for (int i = 0; i < CLIENTS; i++) {
          ByteBuffer got = clients.get(i).await(replies.get(i));
          byte[] bytes = new byte[got.remaining()];
          got.get(bytes);
          assertArrayEquals(content, bytes);
        }
      }
      for (SfsClient client : clients) {
        client.close();
      }
      await().until(() -> records(site).allocatedBy().size() > 0 && isBalanced(records(site)));
      Statistics.PerCore all = site.server.statistics().total();
      assertTrue(all.passedOver() >= all.ranRegardless());
      assertEquals(0, all.errors());
    }
  }
}
