package dev.mely.netty.doctor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.tools.attach.VirtualMachine;
import dev.mely.netty.agent.AgentJars;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The packaged doctor, with programs in virtual machines of their own. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoctorIT {
  private static final Pattern QUEUED = Pattern.compile("was idle: about (\\d+) % of the time");
  private static final int CONNECTIONS = 16;

  @TempDir private Path folder;

  /** What the agent says of a program. */
  private static String agent(String path, IntPredicate busy) throws Exception {
    try (Program program = new Program(path, "-javaagent:" + Program.doctor() + "=seconds=3");
        Clients clients = new Clients(program.port(), CONNECTIONS, busy)) {
      String said = program.saidUntil(DoctorAgent.END);
      clients.awaitAnswer();
      return said;
    }
  }

  /** What the command says of a program. */
  private static String command(String path, IntPredicate busy) throws Exception {
    try (Program program = new Program(path);
        Clients clients = new Clients(program.port(), CONNECTIONS, busy)) {
      Program.Result first = Program.command(program.pid(), "--seconds=3");
      assertEquals(0, first.status(), first.said());
      Program.Result again = Program.command(program.pid(), "--seconds", "1");
      assertEquals(0, again.status(), again.said());
      assertTrue(again.said().contains("hottest channels"), again.said());
      String alone = program.said();
      assertFalse(alone.contains("dev.mely"), alone);
      clients.awaitAnswer();
      return first.said();
    }
  }

  /** The report's figure, in percent; {@link ReportTest} has its words. */
  private static int queued(String said) {
    Matcher queued = QUEUED.matcher(said);
    assertTrue(queued.find(), said);
    return Integer.parseInt(queued.group(1));
  }

  /** Every second connection is of one loop. */
  private static void assertSkewed(String said) {
    assertTrue(queued(said) >= 50, said);
  }

  private static void assertEven(String said) {
    assertTrue(queued(said) <= 30, said);
  }

  @Test
  void skewedOnNetty42() throws Exception {
    assertSkewed(command(AgentJars.ofProgram(), i -> i % 2 == 0));
  }

  @Test
  void evenOnNetty42() throws Exception {
    String said = agent(AgentJars.ofProgram(), i -> true);
    assertEven(said);
    assertTrue(said.contains("NioEventLoopGroup of Netty 4.2."), said);
  }

  @Test
  void skewedOnNetty41() throws Exception {
    String said = agent(AgentJars.withRefusedNetty(), i -> i % 2 == 0);
    assertSkewed(said);
    assertTrue(
        said.contains("NioEventLoopGroup of Netty " + System.getProperty("mely.netty.refused")),
        said);
  }

  @Test
  void evenOnNetty41() throws Exception {
    assertEven(command(AgentJars.withRefusedNetty(), i -> true));
  }

  @Test
  void oneChannelOfNetty41() throws Exception {
    String said = agent(AgentJars.withRefusedNetty(), i -> i == 0);
    assertEven(said);
    assertTrue(said.contains("Most of the work is of one channel"), said);
    assertEquals(0, queued(said));
  }

  /** A program is examined once at a time, and says itself what it was given wrongly. */
  @Test
  void theProgramGoesOnAfterMistakes() throws Exception {
    String agent = "-javaagent:" + Program.doctor();
    try (Program program = new Program(AgentJars.ofProgram(), agent, agent + "=second=3")) {
      String said = program.saidUntil("known");
      assertTrue(
          said.contains("mely doctor: failed: unknown argument 'second=3'; known: seconds=60"),
          said);
      Program.Result result = Program.command(program.pid(), "--seconds=1");
      assertEquals(1, result.status());
      assertTrue(result.said().contains("is being examined already"), result.said());
      new Clients(program.port(), 1, i -> false).close(); // it answers
    }
  }

  @Test
  void theCommandSaysWhatIsWrong() throws Exception {
    Program.Result noProcess = Program.command("999999999");
    assertEquals(1, noProcess.status());
    assertTrue(noProcess.said().startsWith("cannot examine process 999999999: "), noProcess.said());
    Program.Result seconds = Program.command("1", "--seconds=0");
    assertEquals(2, seconds.status());
    assertTrue(seconds.said().startsWith("--seconds must be 1 to 3600: 0"), seconds.said());
    Program.Result help = Program.command("--help");
    assertEquals(0, help.status());
    assertTrue(help.said().startsWith("Usage: java -jar mely-netty-doctor.jar"), help.said());
  }

  @Test
  void withoutAProcessItListsThem() throws Exception {
    try (Program program = new Program(AgentJars.ofProgram())) {
      Program.Result list = Program.command();
      assertEquals(0, list.status());
      assertTrue(list.said().contains("  " + program.pid() + "  "), list.said());
    }
  }

  /** A program that serves, and a command that watches it. */
  private static final class Watched implements AutoCloseable {
    private final Program program = new Program(AgentJars.ofProgram());
    private final Clients clients = new Clients(program.port(), CONNECTIONS, i -> true);
    private final Process command = Program.start(program.pid());
    private final BufferedReader said = command.inputReader();

    Watched() throws IOException {
      assertEquals("mely doctor: watches for 60 s", said.readLine());
      clients.awaitAnswer();
    }

    void assertEndIsSaid() throws Exception {
      assertEquals("process " + program.pid() + " ended before the report", said.readLine());
      assertEquals(1, command.waitFor());
    }

    @Override
    public void close() throws IOException {
      clients.close();
      program.close();
      said.close();
    }
  }

  @Test
  void aProgramThatEndsIsToldOf() throws Exception {
    try (Watched watched = new Watched()) {
      watched.program.kill();
      watched.assertEndIsSaid();
    }
  }

  /** Tasks of ours would make Netty wait for a quiet period that never comes. */
  @Test
  void aProgramEndsAsSoonAsWithoutIt() throws Exception {
    try (Watched watched = new Watched()) {
      watched.clients.disconnect();
      watched.program.end();
      watched.assertEndIsSaid();
    }
  }

  /** Nobody waits for the report any more: another one can begin. */
  @Test
  void aCommandThatIsInterruptedEndsTheExamination() throws Exception {
    try (Watched watched = new Watched()) {
      watched.command.destroy(); // as by Ctrl-C
      watched.command.waitFor();
      String pid = watched.program.pid();
      await().until(() -> Program.command(pid, "--seconds=1").status(), is -> is == 0);
      watched.clients.awaitAnswer();
    }
  }

  @Test
  void aGroupOfMelyIsLeftOut() throws Exception {
    try (Program program =
            new Program(
                AgentJars.ofProgram() + File.pathSeparator + AgentJars.libraries(), "-Dmely=true");
        Clients clients = new Clients(program.port(), CONNECTIONS, i -> true)) {
      Program.Result result = Program.command(program.pid(), "--seconds=1");
      assertEquals(0, result.status(), result.said());
      assertTrue(
          result
              .said()
              .contains("MelyEventLoopGroup is left out: it does not list its event loops"),
          result.said());
      clients.awaitAnswer();
    }
  }

  /** In this virtual machine, whose hooks this test sees. */
  @Test
  void nettyIsPutBack() throws Exception {
    Path report = Files.createFile(folder.resolve("report"));
    MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(2, LocalIoHandler.newFactory());
    try {
      LocalChannel channel = new LocalChannel();
      channel.pipeline().addLast(new Silent());
      group.register(channel).sync();
      VirtualMachine self = VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));
      self.loadAgent(Program.doctor(), "seconds=1,file=" + report);
      self.detach();
      await().until(() -> read(channel) && callsHooks(channel));
      await().until(() -> read(channel) && Files.readAllLines(report).contains(DoctorAgent.END));
      assertFalse(callsHooks(channel));
      List<String> said = Files.readAllLines(report);
      assertTrue(said.contains("  loops without a thread: 1"), said::toString);
    } finally {
      group.shutdownGracefully();
    }
  }

  private static boolean read(LocalChannel channel) throws Exception {
    channel.eventLoop().submit(() -> channel.pipeline().fireChannelRead("message")).sync();
    return true;
  }

  /** By the packaged class's variable of each thread: it is made when a hook is called. */
  private static boolean callsHooks(LocalChannel channel) throws Exception {
    Field traces =
        ClassLoader.getSystemClassLoader()
            .loadClass("dev.mely.doctor.Hooks")
            .getDeclaredField("traces");
    traces.setAccessible(true);
    Object before = traces.get(null);
    AtomicBoolean called = new AtomicBoolean();
    traces.set(
        null,
        ThreadLocal.withInitial(
            () -> {
              called.set(true);
              throw new IllegalStateException("does not reach Netty");
            }));
    read(channel);
    traces.set(null, before);
    return called.get();
  }

  private static final class Silent extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      // It is enough that it runs.
    }
  }
}
