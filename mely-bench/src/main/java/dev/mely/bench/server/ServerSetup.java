package dev.mely.bench.server;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link ServerMain} is started with.
 *
 * @param service what it does
 * @param group what runs it
 * @param transport over which the group talks
 * @param cores event loops
 * @param pinned whether Mely's workers are pinned
 * @param files the directory that a web server serves; none for other services
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
