package dev.mely.netty.peers.suites;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.grpc.CallColors;
import io.grpc.netty.NettyServerBuilder;

/** The same tests, each call in a color. */
public class GrpcCallColorsSuite extends GrpcInteropSuite {
  @Override
  NettyServerBuilder newServer() {
    NettyServerBuilder server = super.newServer();
    return group() instanceof MelyEventLoopGroup mely
        ? server.directExecutor().callExecutor(CallColors.perCall(mely.mely()))
        : server;
  }
}
