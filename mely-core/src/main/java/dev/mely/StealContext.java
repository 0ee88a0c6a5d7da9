package dev.mely;

/**
 * What the thieves of one runtime share.
 *
 * @param cores the victims
 * @param settings the policy, and how long things may take
 * @param host the clock
 * @param price what a steal costs
 * @param idle which workers sleep, and which search
 * @param calls which thief is woken, and when
 */
record StealContext(
    Cores cores,
    Settings settings,
    Host host,
    StealPrice price,
    IdleCores idle,
    ThiefCalls calls) {}
