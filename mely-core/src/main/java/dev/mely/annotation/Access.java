package dev.mely.annotation;

/**
 * What a handler does to the state for which its {@link Color} stands. Source: Eve, section 2
 * (permissions).
 */
public enum Access {
  /** It changes the state: it runs alone. */
  WRITE,

  /** It only looks at the state: it runs beside others that do. */
  READ
}
