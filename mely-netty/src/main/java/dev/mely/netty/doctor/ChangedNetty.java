package dev.mely.netty.doctor;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.none;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.lang.instrument.Instrumentation;
import java.util.List;
import java.util.function.Consumer;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.AgentBuilder.RedefinitionStrategy;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.utility.JavaModule;
import org.jspecify.annotations.Nullable;

/** The methods of Netty that call {@link Hooks}, until it is put back. */
final class ChangedNetty {
  private static final String PIPELINE = "io.netty.channel.DefaultChannelPipeline";
  private static final String EXECUTOR = "io.netty.util.concurrent.AbstractEventExecutor";

  /** A property of Byte Buddy; the doctor's jar has it, and this text, under another name. */
  private static final String SAFE = "net.bytebuddy.safe";

  private final Instrumentation instrumentation;
  private final Consumer<String> report;
  private final ResettableClassFileTransformer transformer;

  /**
   * Changes them, in classes that are loaded later, too. Only bodies of methods change, so that
   * they can be put back.
   *
   * @param instrumentation of the virtual machine
   * @param report told in one line each why a class stays as it is
   */
  ChangedNetty(Instrumentation instrumentation, Consumer<String> report) {
    this.instrumentation = instrumentation;
    this.report = report;
    // Byte Buddy would look for Unsafe, which we do not need, and the JDK would warn of that.
    System.setProperty(SAFE, "true");
    try {
      this.transformer = install();
    } finally {
      System.clearProperty(SAFE);
    }
  }

  private ResettableClassFileTransformer install() {
    return new AgentBuilder.Default()
        .disableClassFormatChanges()
        .with(RedefinitionStrategy.RETRANSFORMATION)
        .with(new FailedChanges(report))
        .with(new Failures(report))
        .ignore(none())
        .type((type, loader, module, loaded, domain) -> changes(type.getName(), loader))
        .transform(
            (builder, type, loader, module, domain) ->
                builder
                    .visit(
                        Advice.to(Hooks.ChannelAdvice.class)
                            .on(
                                named("fireChannelRead")
                                    .and(takesArguments(1))
                                    .or(named("fireChannelReadComplete").and(takesArguments(0)))))
                    .visit(
                        Advice.to(Hooks.TaskAdvice.class)
                            .on(named("safeExecute").and(takesArguments(1)))))
        .installOn(instrumentation);
  }

  /** By the end of the name, which is asked first: some programs have Netty in other packages. */
  private boolean changes(String type, @Nullable ClassLoader loader) {
    if (!type.endsWith(PIPELINE) && !type.endsWith(EXECUTOR)) {
      return false;
    }
    boolean finds = findsHooks(loader);
    if (!finds) {
      report.accept(
          "mely doctor: cannot watch " + type + ": " + loader + " does not find the agent");
    }
    return finds;
  }

  /** Whether classes of a class loader can call the hooks; they would fail otherwise. */
  private static boolean findsHooks(@Nullable ClassLoader loader) {
    try {
      return loader != null && loader.loadClass(Hooks.class.getName()) == Hooks.class;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /** Makes the methods what they were. */
  void putBack() {
    transformer.reset(
        instrumentation,
        RedefinitionStrategy.RETRANSFORMATION,
        RedefinitionStrategy.DiscoveryStrategy.SinglePass.INSTANCE,
        new FailedChanges(report));
  }

  /** Says which classes the virtual machine would not change, or not put back. */
  private static final class FailedChanges extends RedefinitionStrategy.Listener.Adapter {
    private final Consumer<String> report;

    FailedChanges(Consumer<String> report) {
      this.report = report;
    }

    @Override
    public Iterable<? extends List<Class<?>>> onError(
        int index, List<Class<?>> batch, Throwable thrown, List<Class<?>> types) {
      report.accept("mely doctor: cannot change, or put back, " + batch + ": " + thrown);
      return List.of();
    }
  }

  /** Says which class could not be changed. */
  private static final class Failures extends AgentBuilder.Listener.Adapter {
    private final Consumer<String> report;

    Failures(Consumer<String> report) {
      this.report = report;
    }

    @Override
    public void onError(
        String type,
        @Nullable ClassLoader loader,
        @Nullable JavaModule module,
        boolean loaded,
        Throwable thrown) {
      if (type.endsWith(PIPELINE) || type.endsWith(EXECUTOR)) {
        report.accept("mely doctor: cannot watch " + type + ": " + thrown);
      }
    }
  }
}
