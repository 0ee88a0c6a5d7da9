package dev.mely.examples.sws;

import picocli.CommandLine;

/** Runs {@code sws-core} where there is no Netty, as {@code Main} would run it. */
final class SwsCoreAlone {
  private SwsCoreAlone() {}

  public static void main(String[] args) {
    System.exit(new CommandLine(new SwsCoreCommand()).execute(args));
  }
}
