package dev.mely.netty.doctor;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How busy the CPUs are that the process may use: the average of some readings. */
final class CpuLoad {
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private double sum;
  private double weights;

  /** Adds the load since the last call, here or elsewhere in the program. */
  void add(double weight) {
    double load = system.getCpuLoad();
    if (load >= 0) { // it is not known otherwise, nor is it a number
      sum += load * weight;
      weights += weight;
    }
  }

  /** 0 to 1; not a number if it is not known. */
  double average() {
    return sum / weights;
  }
}
