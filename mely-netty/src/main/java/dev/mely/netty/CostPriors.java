package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;

/**
 * Finds the cost prior of a channel: one for all channels that the same server channel has
 * accepted; for channels without a parent, one for each class. Thread-safe.
 */
final class CostPriors {
  private static final AttributeKey<CostPrior> CHILDREN =
      AttributeKey.valueOf(CostPriors.class, "children");

  private final ClassValue<CostPrior> byClass =
      new ClassValue<>() {
        @Override
        protected CostPrior computeValue(Class<?> type) {
          return new CostPrior();
        }
      };

  CostPrior of(Channel channel) {
    Channel parent = channel.parent();
    if (parent == null) {
      return ofClass(channel.getClass());
    }
    Attribute<CostPrior> children = parent.attr(CHILDREN);
    CostPrior known = children.get();
    if (known != null) {
      return known;
    }
    CostPrior first = new CostPrior();
    CostPrior other = children.setIfAbsent(first);
    return other == null ? first : other;
  }

  CostPrior ofClass(Class<?> type) {
    return byClass.get(type);
  }
}
