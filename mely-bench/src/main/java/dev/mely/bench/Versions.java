package dev.mely.bench;

import dev.mely.topology.AllowedCpus;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: the versions of Mely, its competitors and the JVM. */
public final class Versions implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return Environment.of(AllowedCpus.system().recommendedWorkers(), true, "")
        .toString()
        .split("\n", -1);
  }
}
