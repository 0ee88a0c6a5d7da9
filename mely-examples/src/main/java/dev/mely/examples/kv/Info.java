package dev.mely.examples.kv;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What INFO says. The figures are those of a moment ago, each of another one. */
final class Info {
  private Info() {}

  static Map<String, List<String>> of(Store store) {
    Map<String, List<String>> info = new LinkedHashMap<>();
    info.put(
        "Server",
        List.of(
            "redis_version:" + ServerCommands.REDIS_VERSION,
            "redis_mode:standalone",
            "server_name:mely-kv",
            "process_id:" + ProcessHandle.current().pid(),
            "partitions:" + store.partitions()));
    AppendLog log = store.log();
    info.put(
        "Persistence",
        List.of(
            "loading:0",
            "aof_enabled:" + (log == null ? 0 : 1),
            "aof_rewrite_in_progress:" + (log != null && log.isRewriting() ? 1 : 0),
            "aof_current_size:" + (log == null ? 0 : log.size()),
            "aof_base_size:" + (log == null ? 0 : log.baseSize())));
    info.put(
        "Stats",
        List.of(
            "total_commands_processed:" + store.commands.sum(),
            "expired_keys:" + store.expired.sum()));
    long keys = 0;
    long ending = 0;
    for (int i = 0; i < store.partitions(); i++) {
      keys += store.partition(i).size();
      ending += store.partition(i).ending();
    }
    info.put(
        "Keyspace",
        keys == 0 ? List.of() : List.of("db0:keys=" + keys + ",expires=" + ending + ",avg_ttl=0"));
    return info;
  }
}
