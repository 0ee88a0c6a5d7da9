/*
 * Who may read or write which colors: the model for Spin of Granter, Grant and Stripes. Run it with ./check.
 *
 *   here                        there
 *   queue                       the color's mailbox: of tickets here, all else is in steal.pml
 *   state, readers              Color.state
 *   missing                     Grant.missing
 *   stripe                      Stripes; each color has one of its own here
 *   proctype Register           Granter.register
 *   proctype Worker             Worker: takes a ticket, Granter.hold; runs what is granted, Granter.end
 *
 * One statement outside of an atomic block is one action on shared memory. What each event asks for
 * is any of all possibilities: to read or to write the one color, the other one, or both.
 *
 * What must hold: whoever writes a color is alone in it; an event that was registered before another
 * one began to be has ended when that one runs, if one of them writes a color of both; and when
 * nobody can make a step, all events have ended, and all colors are idle.
 */

#ifndef E
#define E 3 /* events */
#endif
#ifndef W
#define W 2 /* workers */
#endif

#define C 2 /* colors */
#define NOT 0
#define READ 1
#define WRITE 2

mtype = { IDLE, QUEUED, RUNNING, HELD, SHARED, ADMITTING };

chan queue[C] = [E] of { byte };
chan ready = [E] of { byte };
mtype state[C] = IDLE;
byte readers[C];
bool stripe[C];
byte missing[E];

/* What each event asks of each color: anything, or, with -DX, -DY and -DZ, 3 times what the first, the second and the
 * third ask of the one color, and what they ask of the other. */
byte asked[6]; /* E * C */
#define ASKED(event, color) asked[(event) * C + (color)]

/* What the checks need. */
byte inside[C]; /* that read */
bool alone[C];  /* one that writes */
bool registered[E];
bool ended[E];
byte before[E]; /* a bit for each event that was registered before */

inline settle(event) {
  atomic {
    missing[event]--;
#ifdef RUN_EARLY
    if :: missing[event] <= 1 -> ready!event :: else fi
#else
    if :: missing[event] == 0 -> ready!event :: else fi
#endif
  }
}

/* The caller has brought the color to ADMITTING. */
inline admit(color) {
  going = true;
  do
  :: !going -> break
  :: going ->
    do
    :: atomic {
        len(queue[color]) > 0 -> queue[color]?<next>;
        if
        :: ASKED(next, color) == READ -> queue[color]?next; readers[color]++
        :: ASKED(next, color) != READ -> break
        fi
      }
      settle(next)
    :: len(queue[color]) == 0 -> break
    od;
    /* Color.share, else Color.release or Scheduler.enqueue */
    atomic {
      if
      :: readers[color] > 0 -> state[color] = SHARED
      :: readers[color] == 0 ->
        going = false;
        if
        :: len(queue[color]) == 0 -> state[color] = IDLE
        :: len(queue[color]) > 0 -> state[color] = QUEUED
        fi
      fi
    }
    if
    :: going ->
      /* A reader may have come: Color.joinReaders. */
      atomic {
        going = false;
        if
        :: len(queue[color]) > 0 && state[color] == SHARED ->
          queue[color]?<next>;
          if
          :: ASKED(next, color) == READ -> state[color] = ADMITTING; going = true
          :: ASKED(next, color) != READ
          fi
        :: !(len(queue[color]) > 0 && state[color] == SHARED)
        fi
      }
    :: !going
    fi
  od;
  next = 0
}

inline append(event, color) {
  atomic {
    idle = (state[color] == IDLE);
    queue[color]!event;
    if :: idle -> state[color] = QUEUED :: else fi;
    idle = false
  }
}

inline join(event, color) {
  atomic {
    won = (ASKED(event, color) == READ && state[color] == SHARED);
    if :: won -> state[color] = ADMITTING :: else fi
  }
  if :: won -> won = false; admit(color) :: else fi
}

proctype Register(byte me) {
  byte next, other;
  bool idle, won, going;
  d_step {
    other = 0;
    do
    :: other < E -> if :: registered[other] -> before[me] = before[me] | (1 << other) :: else fi; other++
    :: else -> break
    od;
    other = 0
  }
#ifndef NAIVE
  if :: ASKED(me, 0) != NOT && ASKED(me, 1) != NOT -> atomic { !stripe[0] -> stripe[0] = true } :: else fi;
  if :: ASKED(me, 0) != NOT && ASKED(me, 1) != NOT -> atomic { !stripe[1] -> stripe[1] = true } :: else fi;
  if :: ASKED(me, 0) != NOT -> append(me, 0) :: else fi;
  if :: ASKED(me, 1) != NOT -> append(me, 1) :: else fi;
  if :: ASKED(me, 0) != NOT && ASKED(me, 1) != NOT -> stripe[0] = false; stripe[1] = false :: else fi;
#else
  /* Each event has its own order of colors, as its user wrote them down. */
  if
  :: me % 2 == 0 ->
    if :: ASKED(me, 0) != NOT -> append(me, 0) :: else fi;
    if :: ASKED(me, 1) != NOT -> append(me, 1) :: else fi
  :: else ->
#ifdef SORTED
    if :: ASKED(me, 0) != NOT -> append(me, 0) :: else fi;
    if :: ASKED(me, 1) != NOT -> append(me, 1) :: else fi
#else
    if :: ASKED(me, 1) != NOT -> append(me, 1) :: else fi;
    if :: ASKED(me, 0) != NOT -> append(me, 0) :: else fi
#endif
  fi;
#endif
  registered[me] = true;
  join(me, 0);
  join(me, 1)
}

inline take(color) {
  atomic { state[color] == QUEUED -> state[color] = RUNNING; queue[color]?mine }
  if
  :: ASKED(mine, color) == WRITE -> state[color] = HELD; settle(mine)
  :: else -> state[color] = ADMITTING; readers[color]++; settle(mine); admit(color)
  fi
}

inline enter(event, color) {
  if
  :: ASKED(event, color) == WRITE -> assert(!alone[color] && inside[color] == 0); alone[color] = true
  :: ASKED(event, color) == READ -> assert(!alone[color]); inside[color]++
  :: else
  fi
}

inline leave(event, color) {
  if
  :: ASKED(event, color) == WRITE -> alone[color] = false
  :: ASKED(event, color) == READ -> inside[color]--
  :: else
  fi
}

/* Two events of which one writes a color of both. */
#define MEET(x, y, color) (ASKED(x, color) + ASKED(y, color) > 2 && ASKED(x, color) != NOT && ASKED(y, color) != NOT)

inline perform(event) {
  d_step {
    enter(event, 0);
    enter(event, 1);
    other = 0;
    do
    :: other < E ->
      assert(!(before[event] & (1 << other)) || ended[other]
          || !(MEET(event, other, 0) || MEET(event, other, 1)));
      other++
    :: else -> break
    od
  }
  d_step {
    other = 0;
    leave(event, 0);
    leave(event, 1);
    ended[event] = true
  }
}

inline release(event, color) {
  if
  :: ASKED(event, color) == WRITE -> state[color] = ADMITTING; admit(color)
  :: ASKED(event, color) == READ ->
    /* Color.leaveReader */
    atomic {
      readers[color]--;
#ifdef LEAVE_BLINDLY
      won = (readers[color] == 0);
#else
      won = (readers[color] == 0 && state[color] == SHARED);
#endif
#ifdef NOBODY_LAST
      won = false;
#endif
      if :: won -> state[color] = ADMITTING :: else fi
    }
    if :: won -> won = false; admit(color) :: else fi
  :: else
  fi
}

proctype Worker() {
  byte mine, next, other;
  bool won, going;
endOfWork:
  do
  :: take(0); mine = 0
  :: take(1); mine = 0
  :: ready?mine -> perform(mine); release(mine, 0); release(mine, 1); mine = 0; won = false
  od
}

init {
  byte i, j;
  atomic {
    do
    :: i < E ->
#ifdef X
      j = (i == 0 -> X : (i == 1 -> Y : Z));
      ASKED(i, 0) = j / 3;
      ASKED(i, 1) = j % 3;
#else
      do
      :: j < C -> if :: ASKED(i, j) = NOT :: ASKED(i, j) = READ :: ASKED(i, j) = WRITE fi; j++
      :: else -> break
      od;
      if :: ASKED(i, 0) == NOT && ASKED(i, 1) == NOT -> ASKED(i, 0) = READ :: else fi;
#endif
      j = 0;
      missing[i] = (ASKED(i, 0) != NOT -> 1 : 0) + (ASKED(i, 1) != NOT -> 1 : 0);
      run Register(i);
      i++
    :: else -> break
    od;
    i = 0;
    do :: i < W -> run Worker(); i++ :: else -> break od
  }
  timeout;
  d_step {
    i = 0;
    do :: i < E -> assert(ended[i]); i++ :: else -> break od;
    i = 0;
    do :: i < C -> assert(state[i] == IDLE && readers[i] == 0); i++ :: else -> break od
  }
}
