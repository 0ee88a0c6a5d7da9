package dev.mely.examples.demo;

import java.awt.AWTError;
import java.awt.Desktop;
import java.io.IOException;
import java.net.URI;

/** Opens a page in the user's browser. */
final class Browser {
  private Browser() {}

  /**
   * Tries.
   *
   * @return whether a browser was found
   */
  static boolean open(String page) {
    return byDesktop(page) || byCommand(page);
  }

  private static boolean byDesktop(String page) {
    try {
      if (Desktop.isDesktopSupported() && Desktop.getDesktop().isSupported(Desktop.Action.BROWSE)) {
        Desktop.getDesktop().browse(URI.create(page));
        return true;
      }
    } catch (IOException | RuntimeException | LinkageError | AWTError e) {
      // There is no desktop, or not all of its libraries, or the display has gone.
    }
    return false;
  }

  private static boolean byCommand(String page) {
    try {
      new ProcessBuilder("xdg-open", page)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
