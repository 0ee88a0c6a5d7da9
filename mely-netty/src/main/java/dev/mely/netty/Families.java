package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;

/**
 * Finds the siblings of a channel within a group: those that the same listening channel has
 * accepted; for channels without a parent, those of the same class. Thread-safe.
 */
final class Families {
  private static final AttributeKey<Siblings> CHILDREN =
      AttributeKey.valueOf(Families.class, "children");

  private final ClassValue<Siblings> byClass =
      new ClassValue<>() {
        @Override
        protected Siblings computeValue(Class<?> type) {
          return new Siblings();
        }
      };

  Siblings of(Channel channel) {
    Channel parent = channel.parent();
    if (parent == null) {
      return ofClass(channel.getClass());
    }
    Attribute<Siblings> children = parent.attr(CHILDREN);
    Siblings known = children.get();
    if (known != null) {
      return known;
    }
    Siblings first = new Siblings();
    Siblings other = children.setIfAbsent(first);
    return other == null ? first : other;
  }

  Siblings ofClass(Class<?> type) {
    return byClass.get(type);
  }
}
