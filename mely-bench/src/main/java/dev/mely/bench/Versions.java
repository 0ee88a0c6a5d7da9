package dev.mely.bench;

import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: that of everything that takes part. */
public final class Versions implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return Environment.of(Runtime.getRuntime().availableProcessors(), true, "")
        .toString()
        .split("\n", -1);
  }
}
