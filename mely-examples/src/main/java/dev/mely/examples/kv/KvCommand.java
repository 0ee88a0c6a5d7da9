package dev.mely.examples.kv;

import dev.mely.examples.Ending;
import dev.mely.examples.Main;
import dev.mely.examples.SizeConverter;
import dev.mely.examples.service.CoreListener;
import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.RuntimeOptions;
import dev.mely.examples.service.StageOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code kv}: serves keys and values until it is interrupted. */
@Command(
    name = "kv",
    description =
        "A key-value server that speaks the Redis protocol (redis-cli -p 6379), until it is"
            + " interrupted (Ctrl-C).",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    versionProvider = Main.Version.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped",
      "1:could not start, for example because the port is taken, or could not write its file",
      "2:an option is wrong",
      "130, 143:interrupted or terminated, after what was owed has been sent"
    })
public final class KvCommand implements Callable<Integer> {
  private static final KvConfig USUAL = KvConfig.usual();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"--host", "--bind"},
      paramLabel = "ADDRESS",
      description =
          "The local address to listen on; 0.0.0.0 for all (default: 127.0.0.1). There is no"
              + " password.")
  private String host = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port to listen on; 0 for any free one (default: 6379).")
  private int port = KvConfig.USUAL_PORT;

  @Option(
      names = "--dir",
      paramLabel = "FOLDER",
      description = "Where to keep the append-only file (default: nothing is kept).")
  private @Nullable Path dir;

  @Option(
      names = "--appendfsync",
      paramLabel = "WHEN",
      converter = FsyncConverter.class,
      description =
          "When the file is synced: always, before any answer; everysec, once a second; no, when"
              + " the operating system likes (default: everysec).")
  private Fsync fsync = USUAL.fsync();

  @Option(
      names = "--rewrite-min",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "From which size on the file is rewritten when it has doubled (default: 64MiB).")
  private long rewriteMin = USUAL.rewriteMin();

  @Mixin private RuntimeOptions runtime = new RuntimeOptions();

  @Option(
      names = "--max-bulk",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "How long a string may be (default: 64MiB; 512MiB at most).")
  private long maxBulk = USUAL.maxBulk();

  @Option(
      names = "--max-reply",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "How long an answer may be (default: 256MiB); who asks for more is dropped.")
  private long maxReply = USUAL.maxReply();

  @Option(
      names = "--max-clients",
      paramLabel = "N",
      description = "How many connections to serve at a time; others are closed (default: 10000).")
  private int maxClients = USUAL.maxClients();

  @Mixin private StageOption stages = new StageOption();

  /** Made by the command line alone. */
  public KvCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    KvServer server;
    try {
      server = KvServer.start(config(), stages.runtime(), System::currentTimeMillis);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("kv: " + e.getMessage());
      err.flush();
      return 1;
    }
    out.println("kv: " + describe(server));
    out.flush();
    Ending.onSignal("kv", server.longestClose(), () -> stop(server, out));
    server.awaitClose();
    return server.hasFailed() ? 1 : 0;
  }

  private KvConfig config() {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be 0 to 65535, but is " + port);
    }
    InetAddress address;
    try {
      address = InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("host '" + host + "' is not known here", e);
    }
    return new KvConfig(
        new InetSocketAddress(address, port),
        cores(),
        runtime.policy(),
        maxClients,
        runtime.drainTimeout(),
        dir,
        fsync,
        rewriteMin,
        USUAL.partitions(),
        size("max-bulk", maxBulk),
        size("max-reply", maxReply),
        USUAL.maxBehind(),
        USUAL.stallTimeout());
  }

  private static int size(String name, long bytes) {
    if (bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(name + " must be below 2 GiB, but is " + bytes);
    }
    return (int) bytes;
  }

  private int cores() {
    return runtime.cores().orElse(USUAL.cores());
  }

  private String describe(KvServer server) {
    return String.format(
        Locale.ROOT,
        "listening at %s on dev.mely.nio, %s, %d partitions, %s, at most %,d" + " clients",
        CoreListener.text(server.address()),
        runtime.describe(cores()),
        server.store().partitions(),
        dir == null ? "nothing is kept" : "kept in " + dir + ", appendfsync " + fsync,
        maxClients);
  }

  private void stop(KvServer server, PrintWriter out) {
    out.println("kv: stopping, once what is owed has been sent");
    out.flush();
    server.close();
    out.printf(
        Locale.ROOT,
        "kv: connections: %,d served, %,d turned away; commands: %,d%n",
        server.clients().served(),
        server.clients().refused(),
        server.store().commands.sum());
    out.print(CoreTable.format(CoreTable.rows(server.statistics())));
    out.flush();
    stages.write("kv", server::stages, out);
  }

  /** Reads the name of a policy. */
  static final class FsyncConverter implements picocli.CommandLine.ITypeConverter<Fsync> {
    @Override
    public Fsync convert(String text) {
      for (Fsync fsync : Fsync.values()) {
        if (fsync.toString().equals(text)) {
          return fsync;
        }
      }
      throw new TypeConversionException("'" + text + "' is none of always, everysec and no");
    }
  }
}
