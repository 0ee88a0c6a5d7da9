package dev.mely.examples.kv;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/** PUBLISH and SUBSCRIBE. */
final class TopicCommands {
  /** How many channels and patterns a client may hear. */
  private static final int MOST = 10_000;

  private static final Command.Claim ALL = (claims, words, client) -> claims.allTopics();

  private TopicCommands() {}

  static void addTo(CommandTable table) {
    table.add(
        "publish", 3, (claims, words, client) -> claims.topic(words[1]), TopicCommands::publish);
    subscription(table, "subscribe", -2, TopicCommands::claimWords, TopicCommands::subscribe);
    subscription(table, "unsubscribe", -1, TopicCommands::claimMine, TopicCommands::unsubscribe);
    subscription(table, "psubscribe", -2, ALL, TopicCommands::psubscribe);
    subscription(table, "punsubscribe", -1, ALL, TopicCommands::punsubscribe);
  }

  private static void subscription(
      CommandTable table, String name, int arity, Command.Claim claim, Command.Body body) {
    // What is answered here leaves from here: before what is heard later, after what was before.
    Command.Body flushed =
        call -> {
          body.run(call);
          call.session().sendFromHere(call.reply);
        };
    table.add(new Command(name, arity, Command.Kind.SUBSCRIPTION, claim, flushed, null));
  }

  private static void publish(Call call) {
    call.reply.integer(call.store.topics().publish(call.word(1), call.word(2)));
  }

  private static void claimWords(Claims claims, byte[][] words, Client client) {
    for (int i = 1; i < words.length; i++) {
      claims.topic(words[i]);
    }
  }

  private static void claimMine(Claims claims, byte[][] words, Client client) {
    if (words.length > 1) {
      claimWords(claims, words, client);
    } else {
      client.channels.forEach(channel -> claims.topic(channel.bytes));
    }
  }

  private static void checkCount(Call call) throws CommandFailure {
    if (call.client.subscriptions() + call.size() > MOST) {
      throw new CommandFailure("ERR a client may subscribe to " + MOST + " channels");
    }
  }

  private static void subscribe(Call call) throws CommandFailure {
    checkCount(call);
    for (int i = 1; i < call.size(); i++) {
      Bytes channel = new Bytes(call.word(i));
      if (call.client.channels.add(channel)) {
        call.store.topics().subscribe(channel, call.session());
      }
      confirm(call, channel.bytes);
    }
  }

  private static void psubscribe(Call call) throws CommandFailure {
    checkCount(call);
    for (int i = 1; i < call.size(); i++) {
      Bytes pattern = new Bytes(call.word(i));
      if (call.client.patterns.add(pattern)) {
        call.store.topics().subscribePattern(pattern, call.session());
      }
      confirm(call, pattern.bytes);
    }
  }

  private static void unsubscribe(Call call) {
    for (Bytes channel : named(call, call.client.channels)) {
      if (call.client.channels.remove(channel)) {
        call.store.topics().unsubscribe(channel, call.session());
      }
      confirm(call, channel.bytes);
    }
  }

  private static void punsubscribe(Call call) {
    for (Bytes pattern : named(call, call.client.patterns)) {
      if (call.client.patterns.remove(pattern)) {
        call.store.topics().unsubscribePattern(pattern, call.session());
      }
      confirm(call, pattern.bytes);
    }
  }

  /** Those that are named, or all that there are; if there are none, that is said. */
  private static Collection<Bytes> named(Call call, Set<Bytes> all) {
    if (call.size() > 1) {
      return java.util.stream.IntStream.range(1, call.size())
          .mapToObj(i -> new Bytes(call.word(i)))
          .toList();
    }
    if (all.isEmpty()) {
      call.reply.push(3);
      call.reply.bulk(call.name());
      call.reply.nothing();
      call.reply.integer(call.client.subscriptions());
    }
    return List.copyOf(all);
  }

  private static void confirm(Call call, byte[] name) {
    call.reply.push(3);
    call.reply.bulk(call.name());
    call.reply.bulk(name);
    call.reply.integer(call.client.subscriptions());
  }

  /** The client has gone. In the colors of all that it hears. */
  static void leave(Call call) {
    Client client = call.client;
    client.channels.forEach(c -> call.store.topics().unsubscribe(c, call.session()));
    client.patterns.forEach(p -> call.store.topics().unsubscribePattern(p, call.session()));
    client.channels.clear();
    client.patterns.clear();
  }

  static void claimLeave(Claims claims, byte[][] words, Client client) {
    if (client.patterns.isEmpty()) {
      client.channels.forEach(channel -> claims.topic(channel.bytes));
    } else {
      claims.allTopics();
    }
  }
}
