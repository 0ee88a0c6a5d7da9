package dev.mely.examples;

import picocli.CommandLine.IVersionProvider;

/** Reads the version of every command from the jar. */
final class VersionProvider implements IVersionProvider {
  /** For picocli. */
  VersionProvider() {}

  @Override
  public String[] getVersion() {
    String version = VersionProvider.class.getPackage().getImplementationVersion();
    return new String[] {
      "${COMMAND-FULL-NAME} " + (version == null ? "(development build)" : version)
    };
  }
}
