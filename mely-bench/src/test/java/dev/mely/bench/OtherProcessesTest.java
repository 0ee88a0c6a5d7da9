package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class OtherProcessesTest {
  @Test
  void countsWhatCpusDid() {
    // user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice
    assertEquals(
        1 + 2 + 4 + 32 + 64 + 128, OtherProcesses.busyTicks("cpu  1 2 4 8 16 32 64 128 256 512"));
  }

  @Test
  void takesTheShortLineOfAnOldKernel() {
    assertEquals(7, OtherProcesses.busyTicks("cpu 1 2 4 8"));
  }
}
