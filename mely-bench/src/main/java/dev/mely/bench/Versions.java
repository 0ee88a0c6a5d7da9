package dev.mely.bench;

import dev.mely.topology.AllowedCpus;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: that of everything that takes part. */
public final class Versions implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return Environment.of(AllowedCpus.system().recommendedWorkers(), true, "")
        .toString()
        .split("\n", -1);
  }
}
