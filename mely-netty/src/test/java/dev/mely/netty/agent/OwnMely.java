package dev.mely.netty.agent;

import dev.mely.netty.MelyEventLoopGroup;
import java.util.concurrent.TimeUnit;

/** A program that has a Mely group. */
final class OwnMely {
  private OwnMely() {}

  public static void main(String[] arguments) throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(2).build();
    System.out.println(
        "on Mely: " + group.submit(OnMely::isCurrentThread).get(60, TimeUnit.SECONDS));
    group.shutdownGracefully(0, 30, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS);
  }
}
