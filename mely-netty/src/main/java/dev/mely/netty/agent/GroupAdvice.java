package dev.mely.netty.agent;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioEventLoop;
import java.util.Iterator;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/**
 * What {@link GroupTransformer} puts before methods of Netty. This is copied there: it may name
 * types of Java and of Netty alone, and methods that are public.
 */
@SuppressWarnings("UnusedVariable") // what is assigned to a parameter is read where it is copied to
final class GroupAdvice {
  private GroupAdvice() {}

  /** The constructor of all groups. No exception may be handled here, before its superclass's. */
  static final class Construct {
    private Construct() {}

    @Advice.OnMethodEnter
    static void enter(
        @Advice.Argument(value = 0, readOnly = false) int threads,
        @Advice.Argument(1) Object executor,
        @Advice.Argument(2) Object chooserFactory,
        @Advice.Argument(value = 3, readOnly = false) Object[] arguments)
        throws Exception {
      Object[] changed =
          (Object[])
              Class.forName(
                      "dev.mely.netty.agent.MelyAgent", true, ClassLoader.getSystemClassLoader())
                  .getMethod("replace", Object[].class)
                  .invoke(
                      null, (Object) new Object[] {threads, executor, chooserFactory, arguments});
      threads = (Integer) changed[0];
      arguments = (Object[]) changed[1];
    }
  }

  /** The arguments are those of {@link GroupBuilder}: the next of the Mely group's loops. */
  static final class NewChild {
    private NewChild() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static @Nullable EventLoop enter(
        @Advice.Argument(1) Object[] arguments,
        @Advice.FieldValue(value = "mely", readOnly = false) IoEventLoopGroup mely) {
      if (!(arguments[0] instanceof IoEventLoopGroup)) {
        return null;
      }
      mely = (IoEventLoopGroup) arguments[0];
      return (EventLoop) ((Iterator<?>) arguments[1]).next();
    }

    @Advice.OnMethodExit
    static void exit(
        @Advice.Enter @Nullable EventLoop child,
        @Advice.Return(readOnly = false) EventLoop returned) {
      if (child != null) {
        returned = child;
      }
    }
  }

  /** {@code next()}. */
  static final class Next {
    private Next() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static @Nullable IoEventLoop enter(@Advice.FieldValue("mely") @Nullable IoEventLoopGroup mely) {
      return mely == null ? null : mely.next();
    }

    @Advice.OnMethodExit
    static void exit(
        @Advice.Enter @Nullable IoEventLoop loop,
        @Advice.Return(readOnly = false) IoEventLoop returned) {
      if (loop != null) {
        returned = loop;
      }
    }
  }

  /** {@code register(Channel)}. */
  static final class Register {
    private Register() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static @Nullable ChannelFuture enter(
        @Advice.FieldValue("mely") @Nullable EventLoopGroup mely,
        @Advice.Argument(0) Channel channel) {
      return mely == null ? null : mely.register(channel);
    }

    @Advice.OnMethodExit
    static void exit(
        @Advice.Enter @Nullable ChannelFuture future,
        @Advice.Return(readOnly = false) ChannelFuture returned) {
      if (future != null) {
        returned = future;
      }
    }
  }

  /** {@code register(ChannelPromise)}. */
  static final class RegisterPromise {
    private RegisterPromise() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static @Nullable ChannelFuture enter(
        @Advice.FieldValue("mely") @Nullable EventLoopGroup mely,
        @Advice.Argument(0) ChannelPromise promise) {
      return mely == null ? null : mely.register(promise);
    }

    @Advice.OnMethodExit
    static void exit(
        @Advice.Enter @Nullable ChannelFuture future,
        @Advice.Return(readOnly = false) ChannelFuture returned) {
      if (future != null) {
        returned = future;
      }
    }
  }

  /** {@code register(Channel, ChannelPromise)}. */
  static final class RegisterChannelPromise {
    private RegisterChannelPromise() {}

    @SuppressWarnings("deprecation") // programs may call it
    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static @Nullable ChannelFuture enter(
        @Advice.FieldValue("mely") @Nullable EventLoopGroup mely,
        @Advice.Argument(0) Channel channel,
        @Advice.Argument(1) ChannelPromise promise) {
      return mely == null ? null : mely.register(channel, promise);
    }

    @Advice.OnMethodExit
    static void exit(
        @Advice.Enter @Nullable ChannelFuture future,
        @Advice.Return(readOnly = false) ChannelFuture returned) {
      if (future != null) {
        returned = future;
      }
    }
  }

  /**
   * {@code rebuildSelectors()}: casts the children to Netty's own. Netty's I/O handler renews its
   * selector by itself when it has to.
   */
  static final class Rebuild {
    private Rebuild() {}

    @SuppressWarnings("deprecation") // it is what the method casts to
    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter(@Advice.This MultiThreadIoEventLoopGroup group) {
      return !(group.iterator().next() instanceof NioEventLoop);
    }
  }
}
