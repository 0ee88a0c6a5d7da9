package dev.mely;

/**
 * A timer whose event asks for several colors, or shares one. It waits as any timer does; when it
 * is due, its {@link Grant} begins to wait for the colors. The grant is made with the timer: when a
 * timer is due there is no caller who could be told that memory has run out.
 */
final class TimedGrant extends TimerEvent {
  private final Granter granter;
  private final Grant grant;

  /**
   * @param at at whose core the timer waits
   */
  TimedGrant(
      Granter granter,
      Permissions asked,
      Color at,
      Handler<?> handler,
      Object event,
      long deadline) {
    super(at, handler, event, deadline, 0);
    this.granter = granter;
    this.grant = new Grant(granter, asked, handler, this, null);
    granter.prepare(grant, null);
  }

  @Override
  boolean enters() {
    granter.enter(grant, false);
    return true;
  }
}
