package dev.mely.netty;

import dev.mely.Handler;
import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Cost} and {@link Penalty} declare of a handler, or of a pipeline of them, see {@link
 * PipelineCosts}.
 *
 * <p>An annotation on the handler's class counts for the handler; without one, those on its methods
 * are added up. Without any the cost is measured. Source: Mely, sections III-B and III-C.
 *
 * @param cost null: to be measured
 * @param penalty 1 or more
 */
record HandlerCosts(@Nullable Duration cost, int penalty) {
  /** Nothing declared. */
  static final HandlerCosts UNKNOWN = new HandlerCosts(null, 1);

  private static final ClassValue<HandlerCosts> OF_CLASS =
      new ClassValue<>() {
        @Override
        protected HandlerCosts computeValue(Class<?> type) {
          return read(type);
        }
      };

  /** What the annotations of a handler's class declare. */
  static HandlerCosts of(Class<?> handler) {
    return OF_CLASS.get(handler);
  }

  /**
   * Returns a handler for another one to begin with, see {@link Handler#Handler(Handler)}.
   *
   * @param estimate of a cost that is not declared; null: there is none
   */
  Handler.OfAction<?> begin(@Nullable Duration estimate) {
    Handler.OfAction<?> declared = Handler.of(event -> {}).penalty(penalty);
    if (cost != null) {
      return declared.cost(cost);
    }
    return estimate == null ? declared : declared.estimate(estimate);
  }

  /** The higher of the costs and of the penalties. */
  HandlerCosts max(HandlerCosts other) {
    boolean less = cost == null || (other.cost != null && cost.compareTo(other.cost) < 0);
    return new HandlerCosts(less ? other.cost : cost, Math.max(penalty, other.penalty));
  }

  /** The sum of the costs, and the higher of the penalties. */
  HandlerCosts plus(HandlerCosts other) {
    if (other.equals(UNKNOWN)) {
      return this;
    }
    Duration sum = cost == null ? other.cost : other.cost == null ? cost : cost.plus(other.cost);
    return new HandlerCosts(sum, Math.max(penalty, other.penalty));
  }

  private static HandlerCosts read(Class<?> type) {
    Cost cost = type.getAnnotation(Cost.class);
    Penalty penalty = type.getAnnotation(Penalty.class);
    long nanos = cost == null ? 0 : cost.nanos();
    int factor = penalty == null ? 1 : penalty.value();
    Set<String> seen = new HashSet<>();
    for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
      for (Method method : methods(c)) {
        if (method.isBridge() || !seen.add(signature(method))) {
          continue; // overridden: the annotations of the overriding method count
        }
        Cost ofMethod = method.getAnnotation(Cost.class);
        if (cost == null && ofMethod != null) {
          nanos += ofMethod.nanos();
        }
        Penalty penaltyOfMethod = method.getAnnotation(Penalty.class);
        if (penalty == null && penaltyOfMethod != null) {
          factor = Math.max(factor, penaltyOfMethod.value());
        }
      }
    }
    return nanos == 0 && factor == 1
        ? UNKNOWN
        : new HandlerCosts(nanos == 0 ? null : Duration.ofNanos(nanos), factor);
  }

  /** Its methods; none if a class that they name is missing: then it declares nothing. */
  private static Method[] methods(Class<?> type) {
    try {
      return type.getDeclaredMethods();
    } catch (LinkageError e) {
      return new Method[0];
    }
  }

  private static String signature(Method method) {
    StringBuilder text = new StringBuilder(method.getName());
    for (Class<?> parameter : method.getParameterTypes()) {
      text.append(' ').append(parameter.getName());
    }
    return text.toString();
  }
}
