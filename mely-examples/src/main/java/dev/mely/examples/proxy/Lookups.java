package dev.mely.examples.proxy;

import dev.mely.pinning.Unpinned;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up names, so that one whose name server is silent costs only those who have asked for it.
 * The JDK offers a call that blocks: a thread makes it, for all who ask for the name meanwhile, and
 * its answer is kept for a while. A client may have as many threads as are left to all others:
 * alone half of them, a second one a quarter. What is more waits until the client's threads are
 * back.
 *
 * <p>Nobody can break off that call. When all who asked have left, a name that waits is forgotten;
 * one for which a thread waits holds it, and counts for its client, until the system gives up.
 *
 * <p>Thread-safe.
 */
final class Lookups implements AutoCloseable {
  /** Asks the system, and blocks meanwhile. */
  interface Resolver {
    InetAddress[] addresses(String host) throws Exception;
  }

  /**
   * What has come of a lookup.
   *
   * @param addresses one or more; none: it has failed
   * @param failure why; null: it has not
   */
  record Answer(List<InetAddress> addresses, @Nullable Throwable failure) {
    static Answer failed(Throwable failure) {
      return new Answer(List.of(), failure);
    }
  }

  /** How many threads there may be; each ends when it has had nothing to do for a minute. */
  static final int THREADS = 256;

  /** How many answers are kept. */
  static final int KEPT = 1024;

  /** How long an answer is kept, beside the time for which the JDK does so. */
  static final Duration KEPT_FOUND = Duration.ofSeconds(30);

  /** The same, if there is no such host. */
  static final Duration KEPT_UNKNOWN = Duration.ofSeconds(5);

  /** More addresses of one name than anybody will try. */
  private static final int MOST_ADDRESSES = 32;

  /** Of version 6 (RFC 4291); version 4 has fewer. */
  private static final int NETWORK_BYTES = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Lookups.class);

  private record Kept(Answer answer, long until) {}

  private final Resolver resolver;
  private final LongSupplier clock;
  private final ExecutorService pool;

  // ---- Under the lock of this object

  private final Map<String, Kept> kept =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Kept> eldest) {
          return size() > KEPT;
        }
      };

  private final Map<String, Name> underWay = new HashMap<>();

  /** Those of them that have no thread yet. */
  private final Set<Name> waiting = new LinkedHashSet<>();

  /** How many threads each client has. */
  private final Map<Object, Integer> threads = new HashMap<>();

  private int busy;

  /**
   * Begins with nothing.
   *
   * @param resolver asked by several threads at a time
   * @param clock nanoseconds since any moment
   */
  Lookups(Resolver resolver, LongSupplier clock) {
    this.resolver = resolver;
    this.clock = clock;
    pool =
        Executors.newCachedThreadPool(
            task -> {
              // It is started by a worker, which may be pinned.
              Thread thread = new Thread(() -> Unpinned.run(task), "proxy-lookup");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Who has an address, for the sake of the shares: of version 6 one client has a network. */
  static Object client(@Nullable SocketAddress address) {
    if (!(address instanceof InetSocketAddress remote)) {
      return "unknown";
    }
    byte[] bytes = remote.getAddress().getAddress();
    return ByteBuffer.wrap(bytes, 0, Math.min(bytes.length, NETWORK_BYTES));
  }

  /** A name that is being looked up, or will be. */
  final class Name implements Runnable {
    private final String host;
    private final Set<Question> questions = new LinkedHashSet<>();

    /** For whom there is a thread; null: there is none. */
    private @Nullable Object client;

    Name(String host) {
      this.host = host;
    }

    @Override
    public void run() {
      end(this, resolve(host));
    }
  }

  /** That of one client for one name. */
  record Question(Name name, Object client, Consumer<Answer> listener) {}

  /**
   * Asks for the addresses of a name.
   *
   * @param host in lower case
   * @param client whose share of the threads this takes: what equals itself
   * @param listener given the answer, by any thread, also by this one before this returns
   */
  Question ask(String host, Object client, Consumer<Answer> listener) {
    Kept known;
    Question question;
    synchronized (this) {
      known = kept.get(host);
      if (known != null && known.until - clock.getAsLong() <= 0) {
        kept.remove(host);
        known = null;
      }
      Name name = underWay.get(host);
      question = new Question(name == null ? new Name(host) : name, client, listener);
      if (known == null) {
        enter(question);
      }
    }
    if (known != null) {
      listener.accept(known.answer);
    }
    return question;
  }

  private void enter(Question question) {
    Name name = question.name;
    name.questions.add(question);
    if (underWay.put(name.host, name) == null) {
      waiting.add(name);
    }
    if (name.client == null && hasRoom(question.client)) {
      start(name, question.client);
    }
  }

  /** An answer is of no use any more. It may come all the same, if it is on its way. */
  synchronized void forget(Question question) {
    Name name = question.name;
    name.questions.remove(question);
    if (name.questions.isEmpty() && waiting.remove(name)) {
      underWay.remove(name.host);
    }
  }

  private boolean hasRoom(Object client) {
    return threads.getOrDefault(client, 0) < THREADS - busy;
  }

  private void start(Name name, Object client) {
    waiting.remove(name);
    name.client = client;
    threads.merge(client, 1, Integer::sum);
    busy++;
    try {
      pool.execute(name);
    } catch (Throwable t) { // for want of memory, or of threads
      tell(name, Answer.failed(t));
    }
  }

  private Answer resolve(String host) {
    try {
      List<InetAddress> addresses =
          Stream.of(resolver.addresses(host)).limit(MOST_ADDRESSES).toList();
      return addresses.isEmpty()
          ? Answer.failed(new UnknownHostException(host))
          : new Answer(addresses, null);
    } catch (Throwable t) {
      return Answer.failed(t);
    }
  }

  private void end(Name name, Answer answer) {
    try {
      tell(name, answer);
    } finally {
      startOthers();
    }
  }

  private void tell(Name name, Answer answer) {
    for (Question question : leave(name, answer)) {
      try {
        question.listener.accept(answer);
      } catch (RejectedExecutionException e) {
        LOG.debug("an answer came after the end", e);
      } catch (Throwable t) { // the others wait, too; this one has a time limit
        LOG.error("an answer for {} was not delivered", name.host, t);
      }
    }
  }

  private synchronized Question[] leave(Name name, Answer answer) {
    giveBack(name);
    if (answer.failure == null) {
      keep(name.host, answer, KEPT_FOUND);
    } else if (answer.failure instanceof UnknownHostException) {
      keep(name.host, answer, KEPT_UNKNOWN);
    }
    return name.questions.toArray(Question[]::new);
  }

  private void giveBack(Name name) {
    Object client = Objects.requireNonNull(name.client);
    busy--;
    if (threads.merge(client, -1, Integer::sum) == 0) {
      threads.remove(client);
    }
    underWay.remove(name.host);
  }

  private void keep(String host, Answer answer, Duration time) {
    kept.put(host, new Kept(answer, clock.getAsLong() + time.toNanos()));
  }

  private synchronized void startOthers() {
    for (Name name : List.copyOf(waiting)) {
      for (Question question : name.questions) {
        if (hasRoom(question.client)) {
          start(name, question.client);
          break;
        }
      }
    }
  }

  /** How many threads are at work, or will never come back. */
  synchronized int busy() {
    return busy;
  }

  /** How many names have no answer yet. */
  synchronized int underWay() {
    return underWay.size();
  }

  /** Begins nothing more; a thread ends when its call does. */
  @Override
  public void close() {
    pool.shutdown();
  }
}
