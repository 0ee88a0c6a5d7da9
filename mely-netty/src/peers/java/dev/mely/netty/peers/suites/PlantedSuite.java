package dev.mely.netty.peers.suites;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.peers.PeerGroups;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Differences that the comparison must find, and what it must not take for one. */
final class PlantedSuite {
  private final EventLoopGroup group = PeerGroups.create(1, NioIoHandler.newFactory());

  @AfterEach
  void stopGroup() {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void passesOnBoth() throws Exception {
    assertTrue(group.submit(() -> true).get());
  }

  @Test
  void failsOnBoth() {
    assertTrue(group.isShuttingDown());
  }

  @Test
  void failsOnMely() {
    assertFalse(isMely());
  }

  @Test
  void hangsOnMely() throws InterruptedException {
    while (isMely()) {
      Thread.sleep(1000);
    }
  }

  /** Vert.x asks for the mode's group, too, although it would find Mely by itself. */
  @Test
  void failsOnMelyBelowVertx() {
    Vertx vertx = Vertx.vertx();
    try {
      assertFalse(((VertxInternal) vertx).nettyEventLoopGroup() instanceof MelyEventLoopGroup);
    } finally {
      vertx.close().await();
    }
  }

  private boolean isMely() {
    return group instanceof MelyEventLoopGroup;
  }
}
