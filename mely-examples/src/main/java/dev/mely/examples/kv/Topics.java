package dev.mely.examples.kv;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.Permissions;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who hears which channel. The channels are split into parts by their names, a color each; the
 * patterns belong to all parts together: who writes one part may look at them, who writes all parts
 * may change them.
 */
final class Topics {
  private static final int PARTS = 16;

  /** Some of the channels. */
  static final class Part {
    final int index;
    private final Color color;
    private final Map<Bytes, Set<Session>> subscribers = new HashMap<>();

    private Part(int index, Color color) {
      this.index = index;
      this.color = color;
    }
  }

  private final Part[] parts = new Part[PARTS];
  private final Place[] alone = new Place[PARTS];
  private final Map<Bytes, Set<Session>> patterns = new LinkedHashMap<>();

  Topics(Mely mely) {
    for (int i = 0; i < PARTS; i++) {
      Color color = mely.newColor();
      parts[i] = new Part(i, color);
      alone[i] = Place.of(color, Place.of(Permissions.read(color)));
    }
  }

  Part of(byte[] channel) {
    return of(new Bytes(channel));
  }

  private Part of(Bytes channel) {
    return parts[channel.hashCode() & (PARTS - 1)];
  }

  /** The bits of all parts. */
  long all() {
    return (1L << PARTS) - 1;
  }

  Place alone(int index) {
    return alone[index];
  }

  Permissions write(Permissions more, long bits) {
    Color[] colors = new Color[Long.bitCount(bits)];
    long left = bits;
    for (int i = 0; i < colors.length; i++) {
      colors[i] = parts[Long.numberOfTrailingZeros(left)].color;
      left &= left - 1;
    }
    return more.andWrite(colors);
  }

  // ---- In the color of the channel's part

  void subscribe(Bytes channel, Session session) {
    of(channel).subscribers.computeIfAbsent(channel, c -> new LinkedHashSet<>()).add(session);
  }

  void unsubscribe(Bytes channel, Session session) {
    remove(of(channel).subscribers, channel, session);
  }

  /** Sends a message to all who hear it; returns how many that are. */
  int publish(byte[] name, byte[] message) {
    Bytes channel = new Bytes(name);
    int heard = send(of(channel).subscribers.get(channel), List.of("message"), name, message);
    for (Map.Entry<Bytes, Set<Session>> pattern : patterns.entrySet()) {
      byte[] text = pattern.getKey().bytes;
      if (new Glob(text).matches(name)) {
        heard += send(pattern.getValue(), List.of("pmessage", text), name, message);
      }
    }
    return heard;
  }

  /** Both forms of a message are made once, whoever hears it. */
  private static int send(
      @org.jspecify.annotations.Nullable Collection<Session> sessions,
      List<Object> front,
      byte[] channel,
      byte[] message) {
    if (sessions == null) {
      return 0;
    }
    ByteBuffer[] forms = new ByteBuffer[2];
    for (Session session : sessions) {
      int form = session.isResp3() ? 1 : 0;
      if (forms[form] == null) {
        Reply reply = new Reply(Integer.MAX_VALUE - 16);
        reply.resp3(form == 1);
        reply.push(front.size() + 2);
        for (Object word : front) {
          reply.bulk(word instanceof byte[] bytes ? bytes : Bytes.of(word.toString()));
        }
        reply.bulk(channel);
        reply.bulk(message);
        forms[form] = reply.take();
      }
      session.push(forms[form].duplicate());
    }
    return sessions.size();
  }

  // ---- In the colors of all parts

  void subscribePattern(Bytes pattern, Session session) {
    patterns.computeIfAbsent(pattern, p -> new LinkedHashSet<>()).add(session);
  }

  void unsubscribePattern(Bytes pattern, Session session) {
    remove(patterns, pattern, session);
  }

  private static void remove(Map<Bytes, Set<Session>> from, Bytes name, Session session) {
    Set<Session> sessions = from.get(name);
    if (sessions != null && sessions.remove(session) && sessions.isEmpty()) {
      from.remove(name);
    }
  }

  // ---- For tests, in the colors of all parts

  boolean isEmpty() {
    for (Part part : parts) {
      if (!part.subscribers.isEmpty()) {
        return false;
      }
    }
    return patterns.isEmpty();
  }
}
