package dev.mely.examples;

import picocli.CommandLine;

/** Gives the tests of the applications the command line as a user has it. */
public final class CommandLineAccess {
  private CommandLineAccess() {}

  /** A fresh parser. */
  public static CommandLine commandLine() {
    return Main.commandLine();
  }
}
