package dev.mely.examples.sws;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a server serves: the folder, the threads that read it, and what of it is in memory. */
final class WebFiles implements AutoCloseable {
  /** How long {@link #close} takes at most. */
  static final long CLOSE_MILLIS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(WebFiles.class);

  final ServedFolder folder;
  final Disk disk;
  final PrebuiltResponses prebuilt;

  private WebFiles(SwsConfig config, ServedFolder folder, Disk disk, long prebuiltBytes)
      throws IOException {
    this.folder = folder;
    this.disk = disk;
    prebuilt =
        new PrebuiltResponses(folder, config.prebuiltFileBytes(), prebuiltBytes, disk.refreshes);
  }

  /**
   * Opens the folder, and reads small files.
   *
   * @param prebuiltBytes how much of them is read
   * @throws IOException if it cannot be read
   */
  static WebFiles open(SwsConfig config, long prebuiltBytes) throws IOException {
    config.check();
    ServedFolder folder = null;
    Disk disk = null;
    WebFiles files = null;
    try {
      folder = ServedFolder.open(config.root());
      disk = new Disk(config.maxClients());
      files = new WebFiles(config, folder, disk, prebuiltBytes);
      return files;
    } finally {
      if (files == null) {
        if (disk != null) {
          disk.close();
        }
        if (folder != null) {
          folder.close();
        }
      }
    }
  }

  /** Stops the threads; one that does not come back from the disk may hold the folder for good. */
  @Override
  public void close() {
    disk.close();
    Thread closer =
        new Thread(
            () -> {
              try {
                folder.close();
              } catch (IOException e) {
                LOG.debug("the folder was not closed well", e);
              }
            },
            "sws-folder-close");
    closer.setDaemon(true);
    closer.start();
    try {
      closer.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
