package dev.mely.bench.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    @Nullable Path files) {

  /** As a command line that {@link #parse} understands. */
  List<String> toArgs() {
    List<String> args = new ArrayList<>();
    args.addAll(List.of(service.label(), group.label(), transport.label()));
    args.addAll(List.of(Integer.toString(cores), Boolean.toString(pinned)));
    if (files != null) {
      args.add(files.toString());
    }
    return args;
  }

  /** Reads what {@link #toArgs} has written. */
  static ServerSetup parse(String[] args) {
    return new ServerSetup(
        Service.parse(args[0]),
        Group.parse(args[1]),
        Transport.parse(args[2]),
        Integer.parseInt(args[3]),
        Boolean.parseBoolean(args[4]),
        args.length > 5 ? Path.of(args[5]) : null);
  }
}
