package dev.mely.examples.kv;

import dev.mely.Handler;
import dev.mely.Mely;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes out keys that have expired and that nobody asks for any more: every so often an event of
 * each partition that has keys with an end.
 */
final class Expiry {
  /** So many keys are taken out in one event; the rest in the next one. */
  private static final int MOST = 256;

  private static final byte[] DEL = Bytes.of("DEL");

  private final Mely mely;
  private final Store store;
  private final Handler<Partition> sweep = Handler.named("Sweep", this::sweep);

  Expiry(Mely mely, Store store) {
    this.mely = mely;
    this.store = store;
  }

  /** Begins a round. Any thread. */
  void round() {
    for (int i = 0; i < store.partitions(); i++) {
      Partition partition = store.partition(i);
      if (partition.ending() > 0) { // seen late, it is seen the next time
        mely.register(partition.color, sweep, partition);
      }
    }
  }

  private void sweep(Partition partition) {
    long now = store.now();
    List<byte[]> gone = new ArrayList<>(List.of(DEL));
    for (Entry e = partition.nextExpired(now); e != null; e = partition.nextExpired(now)) {
      partition.remove(e);
      gone.add(e.key);
      if (gone.size() > MOST) {
        mely.register(partition.color, sweep, partition);
        break;
      }
    }
    if (gone.size() > 1) {
      store.expired.add(gone.size() - 1L);
      AppendLog log = store.log();
      if (log != null) {
        List<byte[][]> effects = new ArrayList<>();
        effects.add(gone.toArray(byte[][]::new));
        log.append(effects);
      }
    }
  }
}
