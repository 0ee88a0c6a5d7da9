package dev.mely.nio;

import dev.mely.LincheckMutant;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** More bugs of the kind of {@link LincheckNioMutantTest}: these take a whole runtime to notice. */
@Timeout(600)
class LincheckNioMutantProof {

  static Stream<LincheckMutant> mutants() {
    return Stream.of(
        new LincheckMutant(
            "lost wake-up: the waker looks who waits, then says what it wants",
            "nio/SelectorPoller.java",
            "if (waiter != Thread.currentThread() && !wanted.getAndSet(true) && waiter != null) {",
            "Thread waiting = waiter;\n"
                + "    if (waiting != Thread.currentThread() && !wanted.getAndSet(true)\n"
                + "        && waiting != null) {",
            "LincheckNioTest$Reading",
            LincheckNioTest::wakeUps),
        new LincheckMutant(
            "lost interest: a source is fired, then its operation is taken out",
            "nio/ChannelKey.java",
            "      key.interestOpsAnd(~op);\n      for (ChannelSource source : sources) {\n"
                + "        if (source.op() == op) {\n          source.fire();\n        }\n      }\n",
            "      for (ChannelSource source : sources) {\n"
                + "        if (source.op() == op) {\n          source.fire();\n        }\n      }\n"
                + "      key.interestOpsAnd(~op);\n",
            "LincheckNioTest$Reading",
            LincheckNioTest::reports),
        new LincheckMutant(
            "lost signal: it is forgotten after its handler",
            "nio/SignalSource.java",
            "    raised.set(false); // before the handler: it has not seen what comes from here on\n"
                + "    user.handle(event);\n",
            "    user.handle(event);\n    raised.set(false);\n",
            "LincheckNioTest$Raising",
            LincheckNioTest::signals),
        new LincheckMutant(
            "lost signal: fired, then remembered",
            "nio/SignalSource.java",
            "    raised.set(true); // before fire: the thread that arms the source looks afterwards\n"
                + "    fire();\n",
            "    fire();\n    raised.set(true);\n",
            "LincheckNioTest$Raising",
            LincheckNioTest::pausedSignals),
        new LincheckMutant(
            "a source that finds no room is not looked after",
            "nio/EventSource.java",
            "found\n      // again later. Or the runtime is shutting down, and the source will not be"
                + " heard of again.\n      landLater(FULL);\n",
            "found\n",
            "LincheckNioTest$Full",
            LincheckNioTest::full),
        new LincheckMutant(
            "two end one operation: the outcome is read, then written",
            "nio/Outcome.java",
            "    if (!STATE.compareAndSet(this, RUNNING, ENDING)) {\n      return false;\n    }\n",
            "    if ((int) STATE.getVolatile(this) != RUNNING) {\n      return false;\n    }\n"
                + "    STATE.setVolatile(this, ENDING);\n",
            "LincheckNioTest$Ending",
            LincheckNioTest::operations),
        new LincheckMutant(
            "a connection is not told that its channel is closed",
            "nio/ChannelKey.java",
            "    for (ChannelSource source : sources) {\n      source.closed();\n    }\n",
            "",
            "LincheckNioTest$Connecting",
            LincheckNioTest::connections));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(LincheckMutant mutant, @TempDir Path scratch) throws Exception {
    mutant.assertCaught(scratch);
  }
}
