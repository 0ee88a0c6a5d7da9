package dev.mely.examples.sfs;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sfs keygen}: makes a key pair. */
@Command(
    name = "keygen",
    description = "Makes a key pair, for a server or a client, and prints the public key.")
final class KeygenCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", description = "The key file.")
  private Path file = Path.of("");

  @Option(names = "--show", description = "Only print the public key of a file that exists.")
  private boolean show;

  @Override
  public Integer call() {
    PrintWriter err = spec.commandLine().getErr();
    try {
      Identity identity = show ? Identity.load(file) : Identity.generate();
      if (!show) {
        identity.save(file);
      }
      spec.commandLine().getOut().println(identity.id());
      spec.commandLine().getOut().flush();
      return 0;
    } catch (FileAlreadyExistsException e) {
      err.println("sfs: there is a file '" + file + "' already; keys are not overwritten");
    } catch (NoSuchFileException e) {
      err.println("sfs: there is no folder for '" + file + "'");
    } catch (IOException e) {
      err.println("sfs: " + e.getMessage());
    }
    err.flush();
    return 1;
  }
}
