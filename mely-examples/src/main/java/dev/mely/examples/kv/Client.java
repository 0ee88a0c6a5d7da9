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
 * One connection. Its commands are done one after the other, so that they take effect, and are
 * answered, in their order. Each is an event, which asks for what the command reads and writes, and
 * which registers the next one:
 *
 * <pre>
 *   the connection     GET a         MSET a 1 b 2     EXEC of GET a, SET c 3     the connection
 *   proceed --------&gt;  read a  ---&gt;  write a, b  ---&gt;  read a, write c  --------&gt;  home: answers
 * </pre>
 *
 * <p>While they are under way the client is not read, nor while answers wait to be taken: one that
 * does not read is not served.
 */
final class Client implements Session {
  private static final Handler<Client> STEP = Handler.of(Client::step).named("Command");

  /** With so many bytes of answers it goes home before all commands are done. */
  private static final int MUCH = 1 << 20;

  private record Call(Command command, List<String> words) {}

  // ---- What belongs to the color of the connection

  private final Connection connection;
  private final RequestReader reader = new RequestReader();
  private final Queue<List<String>> received = new ArrayDeque<>();
  private boolean away;
  private boolean ending;
  private String farewell = "";

  // ---- What goes from event to event; only one is there at a time, so it needs no lock

  private final Mely mely;
  final Store store;
  final Reply reply = new Reply();
  private final Queue<List<String>> requests = new ArrayDeque<>();
  private Call next = new Call(Command.PING, List.of());

  /** The commands between MULTI and EXEC; null: there was no MULTI. */
  private @Nullable List<Call> transaction;

  private long transactionSize;

  /** One of them was refused: EXEC does nothing. */
  private boolean refused;

  /** Nothing more is done for it. */
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

  /** Does commands, waits until answers have been taken, reads on, or ends. */
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

  /** Registers the next command; those that are refused, or queued, are answered at once. */
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

  /** What a command reads and writes; EXEC all that its transaction does. */
  private Permissions ask(Call call) {
    Permissions asked = call.command.ask(Permissions.none(), store, call.words);
    if (call.command == Command.EXEC && transaction != null && !refused) {
      for (Call queued : transaction) {
        asked = queued.command.ask(asked, store, queued.words);
      }
    }
    return asked;
  }

  /** Has been granted what the next command asks for. */
  private void step() {
    try {
      next.command.run(this, next.words);
      over |= reply.isTooLong();
      next();
    } catch (Throwable t) {
      connection.execute(connection::abort); // else the client would wait for ever
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
