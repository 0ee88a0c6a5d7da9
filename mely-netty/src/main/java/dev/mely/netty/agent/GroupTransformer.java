package dev.mely.netty.agent;

import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.returns;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.pool.TypePool;
import org.jspecify.annotations.Nullable;

/**
 * Changes three classes of Netty as they are loaded.
 *
 * <ul>
 *   <li>The constructor of {@code MultithreadEventExecutorGroup} asks {@link MelyAgent#replace}
 *       before all else, and may be given a Mely group in the place of its I/O handlers' factory.
 *   <li>{@code MultiThreadIoEventLoopGroup} then takes the Mely group's event loops for its
 *       children, one per core, and leaves {@code next} and {@code register} to that group. All
 *       else it does by asking its children, as the Mely group itself does.
 *   <li>{@code NioEventLoopGroup} then rebuilds no selectors.
 * </ul>
 *
 * <p>A group that is not replaced runs Netty's code.
 */
public final class GroupTransformer implements ClassFileTransformer {
  private static final String PREFIX = "dev.mely.netty.agent.GroupAdvice$";

  private static final Set<String> CHANGED =
      Set.of(Names.EXECUTOR_GROUP, Names.IO_GROUP, Names.NIO_GROUP);

  private final Consumer<String> report;

  /** Class loaders whose Netty is left as it is. */
  private final Set<ClassLoader> refused =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  /**
   * @param report told in one line each why something is not changed
   */
  public GroupTransformer(Consumer<String> report) {
    this.report = report;
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      String path,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] classFile) {
    if (loader == null || redefined != null || path == null || !path.startsWith("io/netty/")) {
      return null;
    }
    String name = path.replace('/', '.');
    if (!CHANGED.contains(name) || refused.contains(loader)) {
      return null;
    }
    try {
      @Nullable String refusal = NettyVersion.refusal(loader);
      if (refusal == null) {
        Target target = new Target(loader, name, classFile);
        return switch (name) {
          case Names.EXECUTOR_GROUP -> executorGroup(target);
          case Names.IO_GROUP -> ioGroup(target);
          default -> nioGroup(target);
        };
      }
      report.accept(refusal);
    } catch (Throwable t) {
      report.accept("nothing is replaced: cannot change " + name + ": " + t);
    }
    refused.add(loader);
    return null;
  }

  private static byte[] executorGroup(Target target) {
    return target
        .builder()
        .visit(
            target
                .advice("Construct")
                .on(
                    isConstructor()
                        .and(takesArguments(4))
                        .and(takesArgument(2, named(Names.CHOOSER_FACTORY)))))
        .make()
        .getBytes();
  }

  private static byte[] ioGroup(Target target) {
    DynamicType.Builder<?> changed =
        target
            .builder()
            .defineField(Names.FIELD, target.type(Names.IO_LOOP_GROUP), Visibility.PACKAGE_PRIVATE)
            .visit(
                target
                    .advice("NewChild")
                    .on(named("newChild").and(takesArguments(2)).and(returns(named(Names.LOOP)))))
            .visit(target.advice("Next").on(named("next").and(returns(named(Names.IO_LOOP)))));
    return changed
        // These are inherited.
        .method(
            named("register").and(takesArguments(1)).and(takesArgument(0, named(Names.CHANNEL))))
        .intercept(target.advice("Register"))
        .method(
            named("register").and(takesArguments(1)).and(takesArgument(0, named(Names.PROMISE))))
        .intercept(target.advice("RegisterPromise"))
        .method(named("register").and(takesArguments(2)))
        .intercept(target.advice("RegisterChannelPromise"))
        .make()
        .getBytes();
  }

  private static byte[] nioGroup(Target target) {
    return target
        .builder()
        .visit(target.advice("Rebuild").on(named("rebuildSelectors")))
        .make()
        .getBytes();
  }

  /** A class of Netty, and where the types that it and its advice name are found. */
  private static final class Target {
    private final ClassFileLocator files;
    private final TypePool types;
    private final String name;

    Target(ClassLoader loader, String name, byte[] classFile) {
      this.name = name;
      this.files =
          new ClassFileLocator.Compound(
              ClassFileLocator.Simple.of(name, classFile),
              ClassFileLocator.ForClassLoader.of(loader),
              ClassFileLocator.ForClassLoader.of(GroupTransformer.class.getClassLoader()));
      this.types = TypePool.Default.of(files);
    }

    TypeDescription type(String ofName) {
      return types.describe(ofName).resolve();
    }

    DynamicType.Builder<?> builder() {
      return new ByteBuddy().redefine(type(name), files);
    }

    Advice advice(String nested) {
      return Advice.to(type(PREFIX + nested), files);
    }
  }
}
