package dev.mely.examples.kv;

import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Permissions;
import dev.mely.examples.service.Connection;
import dev.mely.examples.service.Session;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One connection. Its commands run one after the other, so that they take effect and are answered
 * in order. Each is an event with the permissions that its command needs, and registers the next
 * one:
 *
 * <pre>
 *   the connection     GET a         MSET a 1 b 2     EXEC of GET a, SET c 3     the connection
 *   proceed --------&gt;  read a  ---&gt;  write a, b  ---&gt;  read a, write c  --------&gt;  home: answers
 * </pre>
 *
 * <p>The client is not read while its commands run or while answers are pending: back-pressure.
 */
final class Client implements Session {
  private static final Handler<Client> STEP = Handler.of(Client::step).named("Command");

  /** Above this many bytes of answers, it returns to the connection's color to send them. */
  private static final int MUCH = 1 << 20;

  private record Call(Command command, List<String> words) {}

  // ---- Belongs to the color of the connection

  private final Connection connection;
  private final RequestReader reader = new RequestReader();
  private final Queue<List<String>> received = new ArrayDeque<>();
  private boolean away;
  private boolean ending;
  private String farewell = "";

  // ---- Passed from event to event; there is only one event at a time, so no lock

  private final Mely mely;
  final Store store;
  final Reply reply = new Reply();
  private final Queue<List<String>> requests = new ArrayDeque<>();
  private Call next = new Call(Command.PING, List.of());

  /** The commands since MULTI; null without a MULTI. */
  private @Nullable List<Call> transaction;

  private long transactionSize;

  /** A command since MULTI was refused: EXEC does nothing. */
  private boolean refused;

  /** No more commands are run. */
  boolean over;

  Client(Connection connection, Mely mely, Store store) {
    this.connection = connection;
    this.mely = mely;
    this.store = store;
  }

  // ---- The connection

  @Override
  public void received(ByteBuffer bytes) {
    if (ending) {
      return;
    }
    try {
      reader.take(bytes, received);
    } catch (ProtocolException e) {
      ending = true;
      farewell = "ERR Protocol error: " + e.getMessage();
    }
    proceed();
  }

  @Override
  public void drained() {
    proceed();
  }

  @Override
  public void ended() {
    ending = true;
    proceed();
  }

  /** Runs commands, waits until answers are sent, resumes reading, or ends. */
  private void proceed() {
    if (away || connection.unsent() > 0) {
      connection.pause();
    } else if (!over && !(requests.isEmpty() && received.isEmpty())) {
      away = true;
      connection.pause();
      requests.addAll(received);
      received.clear();
      next();
    } else if (over || ending) {
      if (!farewell.isEmpty()) {
        reply.error(farewell);
      }
      connection.send(reply.take());
      connection.finish();
    } else {
      connection.resume();
    }
  }

  private void home() {
    away = false;
    if (reply.isTooLong()) {
      connection.abort();
    } else {
      connection.send(reply.take());
      proceed();
    }
  }

  // ---- From event to event

  /** Registers the next command; answers refused and queued ones at once. */
  private void next() {
    while (!over && reply.size() < MUCH && !requests.isEmpty()) {
      List<String> words = requests.remove();
      Command command = Command.find(words.get(0));
      if (command == null) {
        refuse(String.format(Locale.ROOT, "ERR unknown command '%.128s'", words.get(0)));
      } else if (!command.accepts(words.size())) {
        String name = command.name().toLowerCase(Locale.ROOT);
        refuse("ERR wrong number of arguments for '" + name + "' command");
      } else if (transaction != null && !command.isAtOnce()) {
        enqueue(transaction, new Call(command, words));
      } else {
        next = new Call(command, words);
        mely.register(ask(next), STEP, this);
        return;
      }
    }
    connection.execute(this::home);
  }

  /** The permissions of a command; for EXEC, those of its whole transaction. */
  private Permissions ask(Call call) {
    Permissions asked = call.command.ask(Permissions.none(), store, call.words);
    if (call.command == Command.EXEC && transaction != null && !refused) {
      for (Call queued : transaction) {
        asked = queued.command.ask(asked, store, queued.words);
      }
    }
    return asked;
  }

  /** Runs the next command, whose permissions have been granted. */
  private void step() {
    try {
      next.command.run(this, next.words);
      over |= reply.isTooLong();
      next();
    } catch (Throwable t) {
      connection.execute(connection::abort); // else the client would wait forever
      throw t;
    }
  }

  // ---- Transactions

  private void refuse(String error) {
    refused = true;
    reply.error(error);
  }

  private void enqueue(List<Call> queue, Call call) {
    transactionSize += call.words.stream().mapToInt(w -> w.length() + RequestReader.WORD).sum();
    if (transactionSize > RequestReader.LARGEST_REQUEST) {
      queue.clear();
      refuse("ERR the transaction is too large");
    } else {
      queue.add(call);
      reply.simple("QUEUED");
    }
  }

  void multi() {
    if (transaction != null) {
      reply.error("ERR MULTI calls can not be nested");
    } else {
      transaction = new ArrayList<>();
      transactionSize = 0;
      refused = false;
      reply.simple("OK");
    }
  }

  void discard() {
    if (transaction == null) {
      reply.error("ERR DISCARD without MULTI");
    } else {
      transaction = null;
      reply.simple("OK");
    }
  }

  void exec() {
    List<Call> calls = transaction;
    transaction = null;
    if (calls == null) {
      reply.error("ERR EXEC without MULTI");
    } else if (refused) {
      reply.error("EXECABORT Transaction discarded because of previous errors.");
    } else {
      reply.array(calls.size());
      calls.forEach(call -> call.command.run(this, call.words));
    }
  }
}
