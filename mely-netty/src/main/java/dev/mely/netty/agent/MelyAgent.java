package dev.mely.netty.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Java agent for programs that make their event loop group themselves: what they construct as a
 * {@code MultiThreadIoEventLoopGroup}, {@code NioEventLoopGroup} or {@code EpollEventLoopGroup} of
 * Netty 4.2 runs on Mely.
 *
 * <pre>{@code
 * java -javaagent:lib/mely-netty.jar=org.example,com.acme -jar program.jar
 * }</pre>
 *
 * <p>The argument names the packages, with their subpackages, whose classes construct groups that
 * are replaced; without it, all are. What the agent did, or why it left a group as it is, it says
 * in one line on the standard error for each place in the code. It never ends the program.
 */
public final class MelyAgent {
  private static final Pattern PACKAGES = Pattern.compile("[\\w$.]+(,\\s*[\\w$.]+)*");

  /** By a class that stands for Netty's class loader, and goes with it. */
  private static final ClassValue<Function<Object[], Object>> BUILDERS =
      new ClassValue<>() {
        @Override
        protected Function<Object[], Object> computeValue(Class<?> root) {
          return newBuilder(root);
        }
      };

  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  /** Empty: all. */
  private static volatile List<String> packages = List.of();

  /** Null: not started. */
  private static volatile @Nullable Instrumentation virtualMachine;

  private MelyAgent() {}

  /**
   * Called by the virtual machine before the program's main method.
   *
   * @param argument names of packages, separated by commas; null or empty: all
   * @param instrumentation of the virtual machine
   */
  public static void premain(@Nullable String argument, Instrumentation instrumentation) {
    try {
      start(argument == null ? "" : argument.strip(), instrumentation);
    } catch (Throwable t) {
      say("nothing is replaced: " + cause(t));
    }
  }

  private static void start(String argument, Instrumentation instrumentation) throws Exception {
    if (!argument.isEmpty() && !PACKAGES.matcher(argument).matches()) {
      throw new IllegalArgumentException(
          "unknown argument '" + argument + "'; known: packages, as in =org.example,com.acme");
    }
    if (virtualMachine != null) {
      throw new IllegalStateException("the agent was given twice, and the first one counts");
    }
    if (MelyAgent.class.getModule().isNamed()) {
      throw new IllegalStateException(
          "mely-netty is on the module path: leave it to -javaagent alone");
    }
    for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
      if (loaded.getName().equals(Names.EXECUTOR_GROUP)) {
        throw new IllegalStateException("Netty has been loaded already: give this agent first");
      }
    }
    virtualMachine = instrumentation;
    packages = argument.isEmpty() ? List.of() : List.of(argument.split(",\\s*"));
    Libraries.find("mely-core", "dev/mely/Mely.class"); // before anything is changed
    Libraries.find("jctools-core", "org/jctools/queues/MpscUnboundedArrayQueue.class");
    ClassLoader withByteBuddy =
        new OwnLoader(
            ClassLoader.getPlatformClassLoader(),
            Libraries.own(),
            Libraries.find("byte-buddy", "net/bytebuddy/ByteBuddy.class"));
    Consumer<String> report = MelyAgent::say;
    instrumentation.addTransformer(
        (ClassFileTransformer)
            withByteBuddy
                .loadClass(Names.TRANSFORMER)
                .getConstructor(Consumer.class)
                .newInstance(report));
  }

  /**
   * Called by the constructor of {@code MultithreadEventExecutorGroup}, before all that it does
   * itself.
   *
   * @param asked number of threads, executor, chooser factory and array of further arguments
   * @return number of threads and array of further arguments, with which the constructor goes on
   */
  public static Object[] replace(Object[] asked) {
    Object[] unchanged = {asked[0], asked[3]};
    try {
      ConstructionSite site = ConstructionSite.find();
      if (!site.isOfGroup()) {
        return unchanged;
      }
      Object answer = answer(site, asked);
      if (answer instanceof Object[] replaced) {
        say(site + " runs on Mely, workers: " + replaced[0]);
        return replaced;
      }
      say(site + " stays Netty's own: " + answer);
    } catch (Throwable t) {
      say("a group stays Netty's own: " + cause(t));
    }
    return unchanged;
  }

  /** What to go on with, or the reason for which nothing is replaced. */
  private static Object answer(ConstructionSite site, Object[] asked) {
    if (!site.isIn(packages)) {
      return "its package is not among " + String.join(", ", packages);
    }
    if (site.isOfSubclass()) {
      return "a subclass may override what Mely would do";
    }
    try {
      return BUILDERS.get(site.rootOfLoader()).apply(asked);
    } catch (Throwable t) {
      return cause(t);
    }
  }

  @SuppressWarnings("unchecked")
  private static Function<Object[], Object> newBuilder(Class<?> root) {
    try {
      ClassLoader withMely =
          new OwnLoader(
              root.getClassLoader(),
              Libraries.own(),
              Libraries.find("mely-core", "dev/mely/Mely.class"),
              Libraries.find("jctools-core", "org/jctools/queues/MpscUnboundedArrayQueue.class"));
      open(root, withMely);
      return (Function<Object[], Object>)
          withMely.loadClass(Names.BUILDER).getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(cause(e), e);
    }
  }

  /** Where Netty is a module: for the field of {@code ThreadPerTaskExecutor}. */
  private static void open(Class<?> root, ClassLoader withMely) {
    @Nullable Instrumentation instrumentation = virtualMachine;
    if (instrumentation != null && root.getModule().isNamed()) {
      instrumentation.redefineModule(
          root.getModule(),
          Set.of(),
          Map.of(),
          Map.of(root.getPackageName(), Set.of(withMely.getUnnamedModule())),
          Set.of(),
          Map.of());
    }
  }

  private static String cause(Throwable thrown) {
    Throwable cause = thrown;
    while (cause instanceof InvocationTargetException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    boolean ours =
        cause instanceof IllegalStateException || cause instanceof IllegalArgumentException;
    @Nullable String message = cause.getMessage();
    return ours && message != null ? message : cause.toString();
  }

  /** On the standard error: a logger would be started before the program configures it. */
  private static void say(String line) {
    if (SAID.add(line)) {
      System.err.println("mely: " + line);
    }
  }
}
