package dev.mely.netty;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** 100,000 connections come and go on each transport; heap and descriptors return to the start. */
@Tag("full")
@Timeout(600)
class ManyConnectionsIT {
  @ParameterizedTest
  @EnumSource
  void aHundredThousandLeaveNothing(Io io) throws Exception {
    ConnectionMemoryTest.comeAndGo(io, 500);
  }
}
