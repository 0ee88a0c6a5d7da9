package dev.mely.bench.server;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of a {@link ServerMain}.
 *
 * @param service what it serves
 * @param group what runs it
 * @param transport of the group
 * @param cores event loops
 * @param pinned whether Mely's workers are pinned
 * @param files the directory of a web server; empty for other services
 */
record ServerSetup(
    Service service,
    Group group,
    Transport transport,
    int cores,
    boolean pinned,
    @Nullable String files) {
  /** The directory as a path. */
  @Nullable Path root() {
    return files == null ? null : Path.of(files);
  }
}
