package dev.mely.bench;

import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinning;
import io.netty.util.Version;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The environment of a run, printed above each table and stored in each JSON file.
 *
 * @param jdk version and vendor
 * @param netty its version
 * @param os name and version of the operating system
 * @param cpus CPUs that this process may use
 * @param cores workers, or event loops
 * @param pinning whether workers are pinned to CPUs
 * @param jvm flags of the measured JVMs
 * @param commit the commit that was checked out
 */
public record Environment(
    String jdk,
    String netty,
    String os,
    int cpus,
    int cores,
    String pinning,
    String jvm,
    String commit) {
  /**
   * Describes this process.
   *
   * @param cores workers, or event loops
   * @param pinned whether workers shall be pinned
   * @param jvm flags of the measured JVMs
   * @return its environment
   */
  public static Environment of(int cores, boolean pinned, String jvm) {
    AllowedCpus allowed = AllowedCpus.system();
    boolean advisable = Pinning.objection(allowed, cores).isEmpty();
    return new Environment(
        Runtime.version() + " (" + System.getProperty("java.vendor") + ")",
        nettyVersion(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        allowed.count(),
        cores,
        pinned ? (advisable ? "pinned" : "unpinned, since pinning is not advisable") : "unpinned",
        jvm,
        Commit.current());
  }

  private static String nettyVersion() {
    Version version = Version.identify().get("netty-common");
    return version == null ? "unknown" : version.artifactVersion();
  }

  /**
   * Returns the entries for a JSON file.
   *
   * @return name to value, in order
   */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("jdk", jdk);
    map.put("netty", netty);
    map.put("os", os);
    map.put("cpus", cpus);
    map.put("cores", cores);
    map.put("pinning", pinning);
    map.put("jvm", jvm);
    map.put("commit", commit);
    return map;
  }

  /** Two lines of text. */
  @Override
  public String toString() {
    return "JDK "
        + jdk
        + ", Netty "
        + netty
        + ", "
        + os
        + "\n"
        + cores
        + " cores of "
        + cpus
        + " CPUs, "
        + pinning
        + ", JVM "
        + (jvm.isEmpty() ? "defaults" : jvm)
        + ", commit "
        + commit
        + "\n";
  }
}
