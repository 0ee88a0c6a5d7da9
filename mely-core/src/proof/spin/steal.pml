/*
 * A color between producers, its own core and thieves: the model for Spin. Run it with ./check.
 *
 *   here                         there
 *   state, home                  Color.state (one int: both change in one step)
 *   alive                        Color.tail is not null
 *   swapped, linked, own, taken  the mailbox: swap, link, private part, take
 *   ring, worthy                 Core.queue, Core.stealing
 *   parked, woken                Core.parked, and the poller's sticky wake-up
 *   proctype Worker              Worker and Idler, from PICK to PARK
 *   inline post                  Scheduler.post
 *
 * One statement outside of an atomic block is one action on shared memory, and any process may make
 * the next: sequentially consistent. Policy is left out: wherever the runtime asks what a color
 * weighs, or whether a thief is worth calling, the model does both. No watch and no timer: nothing
 * here wakes up by itself, so a wake-up that is lost is lost for good. How sleepers and searchers
 * are counted is in park.pml.
 *
 * What must hold: no two workers hold one color; no event is lost and none runs twice; when nobody
 * can make a step, all events have run.
 *
 * -DBASE steals from the core-queues, otherwise from the stealing-queues. Each other switch plants
 * a bug.
 */

#ifndef W
#define W 2 /* workers */
#endif
#ifndef P
#define P 2 /* producers */
#endif
#ifndef C
#define C 2 /* colors */
#endif
#ifndef E
#define E 1 /* events of each producer */
#endif
#ifndef CHILDREN
#define CHILDREN 1 /* events that handlers register for another color */
#endif
#define TOTAL (P * E + CHILDREN)
#define ENTRIES 6 /* of a ring: more than ever lie there */
#define INTERVAL 1 /* entries of a stealing-queue: a hint that is dropped must not matter */

#define NOBODY W

mtype = { IDLE, QUEUED, RUNNING };

mtype state[C] = IDLE;
byte home[C];
bool alive[C];
byte swapped[C];   /* events registered; an event's number is its place in the color */
byte linked[C];    /* bit n: event n hangs on its predecessor */
byte own[C];       /* events below this number are in the private part, or have been taken */
byte taken[C];

chan ring[W] = [ENTRIES] of { byte };
chan worthy[W] = [INTERVAL] of { byte };

#ifdef BASE
#define hunted ring
#else
#define hunted worthy
#endif

bool parked[W];
bool woken[W];

/* What the checks need; no step of the protocol reads it. */
byte holder[C] = NOBODY;
byte ran;
byte children = CHILDREN;

/* IdleCores.wakeHome: steps b and c. A called thief is woken in the same way. */
inline wake(core) {
  atomic {
    won = parked[core];
    if :: won -> parked[core] = false :: else fi
  }
  if
  :: won -> woken[core] = true
  :: else
  fi
}

/* IdleCores.callThief, if the policy wants one and nobody searches already */
inline callThief(core) {
  if
  :: true -> wake((core + 1) % W)
#if W > 2
  :: true -> wake((core + 2) % W)
#endif
  :: true
  fi;
  won = false
}

inline enter(core, c) {
  atomic { assert(len(ring[core]) < ENTRIES); ring[core]!c }
}

/* Scheduler.place: steps a */
inline place(c, core) {
#ifdef RING_FIRST
  enter(core, c);
  atomic { state[c] = QUEUED; home[c] = core }
#else
  atomic { state[c] = QUEUED; home[c] = core }
  enter(core, c)
#endif
}

/* StealingQueue.offer: the oldest goes if it is full */
inline offer(c, core) {
  atomic {
    if :: len(worthy[core]) == INTERVAL -> worthy[core]?_ :: else fi;
    worthy[core]!c
  }
  callThief(core)
}

/* Scheduler.announce */
inline announce(c, core) {
  wake(core);
  if
  :: won
#ifdef BASE
  :: !won -> callThief(core)
#else
  :: !won -> offer(c, core)
  :: !won -> skip /* not worthy */
#endif
  fi
}

/* Scheduler.post, from a producer's thread or from a handler of another color */
inline post(c) {
  atomic {
    number = swapped[c]; swapped[c]++;
    first = !alive[c]; alive[c] = true
  }
  linked[c] = linked[c] | (1 << number);
  if
  :: first ->
     to = home[c];
     place(c, to);
#ifndef WAKE_NOBODY
     announce(c, to)
#endif
  :: else ->
#ifndef BASE
     if
     :: true -> /* the color became worthy */
        to = home[c];
        if :: state[c] == QUEUED && home[c] == to -> offer(c, to) :: else fi
     :: true
     fi
#endif
     skip
  fi;
  atomic { number = 0; first = false; to = 0; won = false }
}

inline hold(c) {
  state[c] = RUNNING; home[c] = w;
  assert(holder[c] == NOBODY); /* exclusion */
  holder[c] = w
}

/* Color.claim: from QUEUED(from) to RUNNING(w) */
inline claim(c, from) {
#ifdef CLAIM_IN_TWO
  won = (state[c] == QUEUED && home[c] == from);
  atomic { if :: won -> hold(c) :: else fi }
#else
  atomic {
#ifdef CLAIM_STALE
    won = (state[c] != IDLE && home[c] == from);
#else
    won = (state[c] == QUEUED && home[c] == from);
#endif
    if :: won -> hold(c) :: else fi
  }
#endif
}

/* Color.take: got, if there is an event and no hole before or behind it */
inline take(c) {
  atomic {
    got = false;
    if
    :: own[c] == taken[c] && (linked[c] & (1 << taken[c])) -> own[c] = swapped[c]
    :: else
    fi;
    if
    :: own[c] > taken[c] ->
       if
       :: own[c] == taken[c] + 1 || (linked[c] & (1 << (taken[c] + 1))) ->
          got = true; taken[c]++
       :: else ->
#ifdef HOLE_IS_END
          got = true; taken[c] = own[c]
#endif
          skip
       fi
    :: else
    fi
  }
}

proctype Worker(byte w) {
  byte c, v, number, to;
  bool won, got, first;

PICK:
  atomic { c = 0; v = 0; won = false; got = false }
  if
  :: atomic { ring[w]?c -> skip }
  :: atomic { len(ring[w]) == 0 -> goto SEARCH }
  fi;
  claim(c, w);
  if
  :: won
  :: else -> goto PICK /* stale */
  fi;

RUN:
  atomic { won = false; v = 0 }
  take(c);
  if
  :: got ->
     atomic { assert(holder[c] == w && state[c] == RUNNING); ran++; assert(ran <= TOTAL); got = false }
     if
     :: atomic { children > 0 -> children--; v = c; c = (c + 1) % C }
        post(c);
        atomic { c = v; v = 0 }
     :: atomic { children == 0 -> skip }
     fi;
     if
     :: goto RUN
     :: true /* the batch is over */
     fi
  :: else
  fi;

FINISH:
  if
  :: taken[c] < swapped[c]
  :: else -> /* Color.release */
     state[c] = IDLE;
#ifdef RELEASE_IN_TWO
     won = (taken[c] == swapped[c]);
     atomic { if :: won -> holder[c] = NOBODY; alive[c] = false :: else fi }
#else
     atomic {
       won = (taken[c] == swapped[c]);
       if :: won -> holder[c] = NOBODY; alive[c] = false :: else fi
     }
#endif
     if
     :: won -> goto PICK
     :: else -> state[c] = RUNNING
     fi
  fi;
  holder[c] = NOBODY;
  place(c, w);
  announce(c, w);
  goto PICK;

SEARCH:
  if
  :: v == w -> v++; goto SEARCH
  :: v < W && v != w ->
     if
#ifdef BASE
     :: atomic { ring[v]?c -> skip }
        if
        :: state[c] == QUEUED && home[c] == v ->
           if
           :: claim(c, v);
              if
              :: won -> goto STOLEN
              :: else
              fi
           :: true /* not this one */
           fi;
           enter(v, c);
#ifndef SILENT_PUT_BACK
           wake(v);
#endif
           v++
        :: else -> skip /* stale */
        fi
     :: v++ /* nothing to take, or not enough */
#else
     :: atomic { worthy[v]?c -> skip }
        claim(c, v);
        if
        :: won -> goto STOLEN
        :: else
        fi
     :: atomic { len(worthy[v]) == 0 -> v++ }
#endif
     fi;
     atomic { c = 0; won = false; goto SEARCH }
  :: v >= W
  fi;
  v = 0;

PUBLISH:
#ifdef FLAG_AFTER_LOOK
  if
  :: len(ring[w]) > 0 -> goto PICK
  :: else
  fi;
#endif
  parked[w] = true;
#if !defined(NO_SECOND_LOOK) && !defined(FLAG_AFTER_LOOK)
  if
  :: len(ring[w]) > 0 -> parked[w] = false; goto PICK
  :: else
  fi;
#endif
  if
  :: len(hunted[(w + 1) % W]) > 0 || len(hunted[(w + 2) % W]) > 0 && W > 2 ->
     parked[w] = false; goto PICK /* prey */
  :: true /* none, or refused a moment ago */
  fi;
#ifdef FORGETFUL_POLLER
  woken[w] = false; /* a wake-up that comes before the wait is gone */
#endif
end_park:
  atomic { woken[w] -> woken[w] = false }
  parked[w] = false;
  goto PICK;

STOLEN:
  atomic { v = 0; won = false; got = false }
  callThief(w);
  goto RUN
}

proctype Producer(byte p) {
  byte c, number, to, left;
  bool won, first;
  left = E;
  do
  :: left > 0 ->
     if
     :: c = p % C
     :: p > 0 -> c = (p - 1) % C
     fi;
     post(c);
     atomic { c = 0; left-- }
  :: left == 0 -> break
  od
}

/* Nobody can make a step: then it must be because there is nothing to do. */
proctype Judge() {
  timeout;
  assert(ran == TOTAL)
}

init {
  byte i;
  atomic {
    i = 0;
    do
    :: i < C -> home[i] = i % W; i++
    :: else -> break
    od;
    i = 0;
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
