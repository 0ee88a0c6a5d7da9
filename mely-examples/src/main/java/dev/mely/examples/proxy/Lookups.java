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
 * Looks up names, so that a silent name server delays only the requests for its names. The JDK's
 * call blocks, so a thread makes it, once for all requests for a name; the answer is cached for a
 * while. A client may take at most half of the threads that the other clients have left: alone half
 * of all, a second one a quarter. Its further lookups wait until its threads return.
 *
 * <p>The call cannot be interrupted. When all requests for a name are cancelled, a waiting lookup
 * is dropped; a running one keeps its thread, which counts for its client, until the system's
 * timeout.
 *
 * <p>Thread-safe.
 */
final class Lookups implements AutoCloseable {
  /** Looks up a name in the system; blocks. */
  interface Resolver {
    InetAddress[] addresses(String host) throws Exception;
  }

  /**
   * The result of a lookup.
   *
   * @param addresses one or more; none if the lookup failed
   * @param failure why it failed; null if it succeeded
   */
  record Answer(List<InetAddress> addresses, @Nullable Throwable failure) {
    static Answer failed(Throwable failure) {
      return new Answer(List.of(), failure);
    }
  }

  /** Maximum number of threads; each ends after a minute without work. */
  static final int THREADS = 256;

  /** How many answers are cached. */
  static final int KEPT = 1024;

  /** How long an answer is cached, in addition to the JDK's cache. */
  static final Duration KEPT_FOUND = Duration.ofSeconds(30);

  /** How long a failure is cached. */
  static final Duration KEPT_UNKNOWN = Duration.ofSeconds(5);

  /** How many addresses of one name are kept. */
  private static final int MOST_ADDRESSES = 32;

  /** Length of an IPv6 network prefix (RFC 4291); IPv4 addresses are shorter. */
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

  /** The names that have no thread yet. */
  private final Set<Name> waiting = new LinkedHashSet<>();

  /** How many threads each client occupies. */
  private final Map<Object, Integer> threads = new HashMap<>();

  private int busy;

  /**
   * Starts without threads.
   *
   * @param resolver called by several threads at a time
   * @param clock nanoseconds since an arbitrary time
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

  /** The client of an address, for fair shares: in IPv6, a whole network is one client. */
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

    /** The client for which a thread was assigned; null if none. */
    private @Nullable Object client;

    Name(String host) {
      this.host = host;
    }

    @Override
    public void run() {
      end(this, resolve(host));
    }
  }

  /** One client's request for a name. */
  record Question(Name name, Object client, Consumer<Answer> listener) {}

  /**
   * Requests the addresses of a name.
   *
   * @param host in lower case
   * @param client whose share of the threads this uses; compared by {@code equals}
   * @param listener gets the answer on any thread, possibly before this returns
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

  /** Cancels a question. Its answer may still arrive. */
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
    } catch (Throwable t) { // out of memory or threads
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
        LOG.debug("an answer arrived after the end", e);
      } catch (Throwable t) { // go on with the other listeners; this one has a timeout
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

  /** How many threads are busy, including those that hang. */
  synchronized int busy() {
    return busy;
  }

  /** How many names are being looked up or waiting. */
  synchronized int underWay() {
    return underWay.size();
  }

  /** Starts no more lookups; a thread ends when its call returns. */
  @Override
  public void close() {
    pool.shutdown();
  }
}
