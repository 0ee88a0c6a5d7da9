package dev.mely;

/**
 * What the thieves of one runtime share.
 *
 * @param cores whom they steal from
 * @param settings the policy, and how long things may take
 * @param host the clock
 * @param price what a steal costs
 * @param idle who sleeps, and who searches
 * @param calls who is woken
 */
record StealContext(
    Cores cores,
    Settings settings,
    Host host,
    StealPrice price,
    IdleCores idle,
    ThiefCalls calls) {}
