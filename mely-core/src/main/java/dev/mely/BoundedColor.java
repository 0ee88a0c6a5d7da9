package dev.mely;

import org.jspecify.annotations.Nullable;

/** A color that counts its pending events exactly; used where {@link Overload} bounds them. */
final class BoundedColor extends Color {
  final Room room;

  /** Where an event of this color needs room: here, and among all if those are bounded. */
  final Room[] rooms;

  BoundedColor(Host host, int core, boolean pinned, int limit, @Nullable Room inAll) {
    super(host, core, pinned);
    room = new Room(limit, this);
    rooms = inAll == null ? new Room[] {room} : new Room[] {room, inAll};
  }

  /** Events that have taken room and not been taken out. */
  long load() {
    return room.taken();
  }
}
