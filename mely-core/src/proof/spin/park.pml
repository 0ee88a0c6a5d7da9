/*
 * Who sleeps, who searches, and who is called: the model for Spin of IdleCores and Idler. Run it with ./check.
 *
 *   here                        there
 *   ring                        number of colors in Core.queue; a thief takes from it as well
 *   parked, woken               Core.parked, and the poller's sticky wake-up
 *   idle, searching             IdleCores
 *   proctype Worker             Worker and Idler: PICK, SEARCH, PUBLISH, RECHECK, PARK, WAKE
 *   proctype Producer           Scheduler.place, then announce
 *
 * One statement outside of an atomic block is one action on shared memory. No watch and no timer:
 * nothing wakes up by itself.
 *
 * What must hold: when nobody can make a step, no color waits, all workers are counted as idle and
 * none as searching; the number of searchers never falls below zero; and of the thieves that share
 * a cache at most one is on its way, or searches because it was called.
 */

#ifndef W
#define W 3 /* workers */
#endif
#ifndef P
#define P 2 /* producers */
#endif
#ifndef E
#define E 1 /* colors that each producer makes ready */
#endif

#ifndef D
#define D 1 /* caches */
#endif
#define DOMAIN(core) ((core) % D)

mtype = { AWAKE, PARKED, CALLED };

byte ring[W];
mtype parked[W] = AWAKE;
bool woken[W];
short idle;
short searching[D];

/* What the checks need. */
byte called[D];

/* Scheduler.announce: steps b and c of IdleCores, then perhaps a thief */
inline announce(core) {
  atomic {
    won = (parked[core] == PARKED);
    if :: won -> parked[core] = AWAKE :: else fi
  }
  if
  :: won -> idle--; woken[core] = true
  :: else -> callThief(core)
  fi;
  won = false
}

/* IdleCores.mayCallThief and callThief, for a core's neighbors */
inline callThief(core) {
  if
  :: idle > 0 && searching[DOMAIN(core)] == 0 ->
     n = 1;
     do
     :: n < W && parked[(core + n) % W] != PARKED -> n++
     :: n < W && parked[(core + n) % W] == PARKED ->
        to = (core + n) % W;
        atomic {
#ifdef CALL_WITHOUT_LOOKING
          won = true;
#else
          won = (searching[DOMAIN(to)] == 0);
#endif
          if
          :: won -> searching[DOMAIN(to)]++
          :: !won && DOMAIN(to) == DOMAIN(core) -> break
          :: !won && DOMAIN(to) != DOMAIN(core) -> n++
          fi
        }
        if
        :: won ->
           atomic {
             won = (parked[to] == PARKED);
             if
             :: won ->
                parked[to] = CALLED;
                called[DOMAIN(to)]++;
                assert(called[DOMAIN(to)] <= 1)
             :: else
             fi
           }
           if
           :: won -> idle--; woken[to] = true; break
#ifdef FORGET_FAILED_CALL
           :: else -> n++
#else
           :: else -> searching[DOMAIN(to)]--; n++
#endif
           fi
        :: else
        fi
     :: n == W -> break
     od
  :: true /* not worth it */
  fi;
  atomic { won = false; n = 0; to = 0 }
}

inline endSearch() {
  if
  :: mine -> atomic {
       mine = false; searching[DOMAIN(w)]--; assert(searching[DOMAIN(w)] >= 0);
       called[DOMAIN(w)] = called[DOMAIN(w)] - was; was = 0
     }
  :: else
  fi
}

/* IdleCores.retractParked: the count was taken over by whoever woke or called this worker, if any */
inline retract() {
#ifdef RETRACT_BLINDLY
  parked[w] = AWAKE;
  idle--
#else
  atomic {
    won = (parked[w] == PARKED);
    if :: won -> parked[w] = AWAKE :: else fi
  }
  if
  :: won -> idle--
  :: else ->
     atomic {
       mine = (parked[w] == CALLED);
       was = mine
     }
#ifdef FORGET_CALL
     atomic { mine = false; called[DOMAIN(w)] = called[DOMAIN(w)] - was; was = 0 }
#endif
     parked[w] = AWAKE
  fi;
#endif
  won = false
}

proctype Worker(byte w) {
  byte n, to;
  bool won, mine;
  byte was;

PICK:
  if
  :: atomic { ring[w] > 0 -> ring[w]-- }
     endSearch();
     goto PICK
  :: else
  fi;

  if
  :: mine
  :: !mine -> searching[DOMAIN(w)]++; mine = true
  :: !mine -> goto PUBLISH /* no spins */
  fi;
  n = 1;
  do
  :: n < W ->
     if
     :: atomic { ring[(w + n) % W] > 0 -> ring[(w + n) % W]--; n = 0 }
        endSearch();
        callThief(w); /* there may be more */
        goto PICK
     :: n++
     fi
  :: n == W -> break
  od;
  n = 0;

PUBLISH:
#ifdef FLAG_AFTER_LOOK
  if :: ring[w] > 0 -> goto PICK :: else fi;
#endif
  parked[w] = PARKED;
  idle++;
#ifndef NEVER_STOP_SEARCHING
  endSearch();
#endif
#if !defined(NO_SECOND_LOOK) && !defined(FLAG_AFTER_LOOK)
  if :: ring[w] > 0 -> retract(); goto PICK :: else fi;
#endif
  if
  :: ring[(w + 1) % W] > 0 || ring[(w + 2) % W] > 0 -> retract(); goto PICK
  :: true
  fi;
#ifdef FORGETFUL_POLLER
  woken[w] = false;
#endif
end_park:
  atomic { woken[w] -> woken[w] = false }
  retract();
  goto PICK
}

proctype Producer(byte p) {
  byte n, left, to, home;
  bool won;
  left = E;
  do
  :: left > 0 ->
     if
     :: home = p % W
     :: p > 0 -> home = (p - 1) % W
     fi;
     atomic { ring[home]++; left-- }
     announce(home)
  :: left == 0 -> break
  od
}

proctype Judge() {
  byte i;
  timeout;
  assert(idle == W);
  do
  :: i < D -> assert(searching[i] == 0); i++
  :: else -> break
  od;
  i = 0;
  do
  :: i < W -> assert(ring[i] == 0 && parked[i] == PARKED); i++
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do
    :: i < W -> run Worker(i); i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < P -> run Producer(i); i++
    :: else -> break
    od;
    i = 0;
    run Judge()
  }
}
