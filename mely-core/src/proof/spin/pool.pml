/*
 * Who waits for an instance of a pool, and who wakes up the core: the model for Spin of PoolGate. Run it with ./check.
 *
 *   here                        there
 *   ring                        Core.queue
 *   line                        PoolGate's lines, one for each object
 *   free                        instances in the pool, given back by others or not
 *   parked, woken               Core.parked, and the poller's sticky wake-up
 *   due                         PoolGate.Line.due: the patience of the head is over
 *   proctype Worker             Worker and PoolGate: PICK, RUN, PUBLISH, RECHECK, PARK, WAKE
 *   proctype Outside            another thread that frees: Pool.free, then PoolGate's listener
 *
 * There are T tasks, each in a color of its own. A task allocates one instance of each of the two objects, one after
 * the other, some tasks in the one order and some in the other; then it frees both itself, or leaves that to another
 * thread. The core has N instances of each. One statement outside of an atomic block is one action on shared memory.
 *
 * What must hold: time passes only if nobody can make a step; then nobody is in line who could go (no wake-up is
 * lost), and if tasks are left, somebody is in line (no event is lost). An event that is asked finds its instance.
 * When nobody can make a step any more, all tasks are done and all instances are back.
 *
 * NAIVE has no patience: whoever lacks an instance waits for it. Tasks that all allocate in one order (STRAIGHT) get
 * by with that, others do not.
 */

#ifndef T
#define T 3 /* tasks */
#endif
#ifndef N
#define N 1 /* instances of each object */
#endif

#define OBJECTS 2
#define NOBODY 255

chan ring = [T] of { byte };
chan line[OBJECTS] = [T] of { byte };
chan left = [T] of { byte };
byte free[OBJECTS] = N;
bool due[OBJECTS];
bool parked, woken;

byte at[T];        /* how many objects the task has allocated */
bool crossed[T];   /* whether it allocates the second object first */
bool held[T * OBJECTS];
byte done;

#define NEEDED(t) (crossed[t] -> 1 - at[t] : at[t])

/* Whether the head of a line could go on: PoolGate.hasNext. Reads the pool and the line in one step each. */
inline look(o) {
  seen = (free[o] > 0);
  could = could || (len(line[o]) > 0 && (seen || due[o]))
}

proctype Worker() {
  byte t, o;
  bool seen, could, favored;

PICK:
  t = NOBODY;
  o = 0;
  do
  :: o < OBJECTS && len(line[o]) > 0 && (due[o] || free[o] > 0) ->
     line[o] ? t; due[o] = false; favored = true; break
  :: o < OBJECTS && !(len(line[o]) > 0 && (due[o] || free[o] > 0)) -> o++
  :: o == OBJECTS -> break
  od;
  if
  :: t == NOBODY && len(ring) > 0 -> ring ? t; favored = false
  :: t == NOBODY && len(ring) == 0 -> goto PUBLISH
  :: t != NOBODY
  fi;

  /* RUN */
  if
  :: at[t] < OBJECTS ->
     o = NEEDED(t);
     if
     :: !favored && (free[o] == 0 || len(line[o]) > 0) -> line[o] ! t
     :: favored || !(free[o] == 0 || len(line[o]) > 0) ->
        if
        :: free[o] > 0 -> atomic { free[o]--; held[t * OBJECTS + o] = true }
        :: else -> assert(favored) /* regardless: its memory comes from elsewhere */
        fi;
        at[t]++;
        ring ! t
     fi
  :: else ->
     if
     :: left ! t
     :: atomic {
          o = 0;
          do
          :: o < OBJECTS -> free[o] = free[o] + held[t * OBJECTS + o]; held[t * OBJECTS + o] = false; o++
          :: else -> break
          od;
          done++
        }
     fi
  fi;
  goto PICK;

PUBLISH:
  could = false;
#ifdef FLAG_AFTER_LOOK
  look(0); look(1);
#endif
  parked = true;
#if !defined(NO_SECOND_LOOK) && !defined(FLAG_AFTER_LOOK)
  look(0); look(1);
#endif
  if
  :: could || len(ring) > 0 -> parked = false; goto PICK
  :: else
  fi;

  if
  :: woken -> woken = false
  :: timeout ->
     if
     :: done == T -> goto END
     :: else
     fi;
     assert(len(line[0]) > 0 || len(line[1]) > 0);
     assert(!(len(line[0]) > 0 && free[0] > 0) && !(len(line[1]) > 0 && free[1] > 0));
#ifdef NAIVE
     assert(done == T); /* nobody will ever go on */
#endif
     if
     :: len(line[0]) > 0 -> due[0] = true
     :: len(line[1]) > 0 -> due[1] = true
     fi
  fi;
  parked = false;
  goto PICK;

END:
  assert(free[0] == N && free[1] == N && len(ring) == 0 && len(line[0]) == 0 && len(line[1]) == 0)
}

proctype Outside() {
  byte t, o;
  bool anybody;

end_outside:
  do
  :: left ? t ->
     o = 0;
     do
     :: o < OBJECTS ->
        if
        :: held[t * OBJECTS + o] ->
#ifdef LOOK_BEFORE_FREE
           anybody = (len(line[o]) > 0);
           free[o]++;
#else
           free[o]++;
           anybody = (len(line[o]) > 0);
#endif
           held[t * OBJECTS + o] = false;
#ifndef WAKE_NOBODY
           if
           :: anybody -> atomic { if :: parked -> parked = false; woken = true :: else fi }
           :: else
           fi
#endif
        :: else
        fi;
        o++
     :: else -> break
     od;
     done++
  od
}

init {
  byte t;
  atomic {
    do
    :: t < T ->
       if
#ifndef STRAIGHT
       :: crossed[t] = true
#endif
       :: crossed[t] = false
       fi;
       ring ! t;
       t++
    :: else -> break
    od;
    run Outside();
    run Worker()
  }
}
