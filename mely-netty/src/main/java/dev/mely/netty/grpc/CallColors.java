package dev.mely.netty.grpc;

import dev.mely.Color;
import dev.mely.Mely;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs each call of a gRPC server in a color: its interceptors, its service and all callbacks of
 * its listener. So the calls of one connection use all cores:
 *
 * <pre>{@code
 * NettyServerBuilder.forAddress(address)
 *     .bossEventLoopGroup(group)
 *     .workerEventLoopGroup(group)
 *     .channelType(group.serverSocketChannelType())
 *     .directExecutor()
 *     .callExecutor(CallColors.perCall(group.mely()));
 * }</pre>
 *
 * <p>The callbacks of one call run one after the other and in order, as gRPC promises. With {@link
 * #byKey} this holds for all calls of one key, over all connections and servers of the runtime, and
 * for all other events of {@code mely.color(key)}: what they share needs no lock.
 *
 * <p>What calls cost is measured for each method, an opening, a first message and the rest apart,
 * and long ones go after short ones: see {@link dev.mely.Handler.OfAction#background}.
 *
 * <h2>What the server's executor still does</h2>
 *
 * <p>For each call gRPC first looks the method up in {@code ServerBuilder.executor(...)}, and there
 * it asks this class for the color (grpc-java#8274). By default that is a pool of threads, so that
 * a call takes two hops. {@code directExecutor()} does it in the connection's event loop, and is
 * the better choice: a method look-up and a key function are short. Besides, the executor runs the
 * cancellation of a call's {@code Context}, with those of its listeners that have no executor of
 * their own, because the call's color may be busy.
 *
 * <p>A service that blocks (on a database, say) blocks a core: leave it in gRPC's own executor.
 *
 * <p>End the server before its group: a callback that the runtime refuses is lost. For the same
 * reason the runtime should have no bound ({@code maxPending}, {@code maxPendingPerColor}): gRPC
 * does not close a call whose executor refuses it, and the client waits until its deadline. Bound
 * the calls of a connection instead ({@code maxConcurrentCallsPerConnection}).
 *
 * <p>Thread-safe. gRPC calls {@code ServerCallExecutorSupplier} experimental.
 */
@SuppressWarnings("exports") // gRPC is optional: modules that use it require it
public final class CallColors implements ServerCallExecutorSupplier {
  /** A registry may make up methods without end: those beyond this number share their figures. */
  private static final int MAX_METHODS = 1_000;

  private final Mely mely;
  private final BiFunction<ServerCall<?, ?>, Metadata, @Nullable Object> keys;

  /** By full name. */
  private final ConcurrentMap<String, MethodSteps> methods = new ConcurrentHashMap<>();

  private CallColors(Mely mely, BiFunction<ServerCall<?, ?>, Metadata, @Nullable Object> keys) {
    this.mely = Objects.requireNonNull(mely, "mely");
    this.keys = Objects.requireNonNull(keys, "keys");
  }

  /**
   * Gives each call a color of its own.
   *
   * @param mely the runtime, of a group: {@code group.mely()}
   * @return for {@code ServerBuilder.callExecutor}
   */
  public static CallColors perCall(Mely mely) {
    return new CallColors(mely, (call, metadata) -> null);
  }

  /**
   * Gives calls with equal keys one color, {@code mely.color(key)}:
   *
   * <pre>{@code
   * CallColors.byKey(group.mely(), (call, metadata) -> metadata.get(TENANT))
   * }</pre>
   *
   * <p>The function runs before all interceptors, so what it reads from the metadata has not been
   * authenticated: a client chooses with which calls its own must wait. {@code
   * call.getAttributes()} tells who the peer is.
   *
   * <p>If the function, or {@code hashCode} or {@code equals} of the key, throws, the service does
   * not see the call: it is closed with the status of a {@code StatusRuntimeException}, else with
   * {@code INTERNAL}, and gRPC logs what was thrown. Other calls go on.
   *
   * @param mely the runtime, of a group: {@code group.mely()}
   * @param keys tells the key of a call from its method, its attributes and its metadata, which it
   *     must not change; null: the call gets a color of its own. It is called by several threads at
   *     a time, and must not block. See {@link Mely#color(Object)} for what may be a key
   * @return for {@code ServerBuilder.callExecutor}
   */
  public static CallColors byKey(
      Mely mely, BiFunction<ServerCall<?, ?>, Metadata, @Nullable Object> keys) {
    return new CallColors(mely, keys);
  }

  /**
   * Called by gRPC for each call.
   *
   * @return an executor of the call's color
   * @throws StatusRuntimeException if the key cannot be told
   */
  @Override
  public <ReqT, RespT> Executor getExecutor(ServerCall<ReqT, RespT> call, Metadata metadata) {
    // The executor keeps the color, and gRPC keeps the executor until the call has ended: so long a
    // look-up of the key finds this color.
    Color color = color(call, metadata);
    return steps(call.getMethodDescriptor().getFullMethodName()).executor(mely, color);
  }

  /** The same for calls of one method. */
  MethodSteps steps(String method) {
    MethodSteps known = methods.get(method);
    if (known != null) {
      return known;
    }
    String name = methods.size() < MAX_METHODS ? method : "other methods";
    return methods.computeIfAbsent(name, MethodSteps::new);
  }

  private Color color(ServerCall<?, ?> call, Metadata metadata) {
    try {
      Object key = keys.apply(call, metadata);
      return key == null ? mely.newColor(mely.inspect().emptierCore()) : mely.color(key);
    } catch (StatusRuntimeException e) {
      throw e;
    } catch (Throwable t) {
      // An Error, too: in a direct executor gRPC would let it pass, and end the whole connection.
      throw Status.INTERNAL
          .withDescription("the call has no key")
          .withCause(t)
          .asRuntimeException();
    }
  }
}
