package dev.mely.netty;

import dev.mely.Mely;
import dev.mely.StealPolicy;
import io.netty.channel.IoHandlerFactory;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a group was built with: immutable, checked by {@link MelyEventLoopGroupBuilder}.
 *
 * @param cores number of workers, 1 or more
 * @param batch most events of one color in a row
 * @param sharedColors how many colors {@link MelyEventLoopGroup#next} hands out
 * @param pinned whether workers are pinned to CPUs
 * @param policy which stealing heuristics are on
 * @param order in which order a core runs its colors
 * @param watchTime after which a core counts as stuck in a handler; null: the runtime's default
 * @param ioHandlerFactory makes the I/O handler of each core
 * @param threadFactory makes the workers' threads; null: Netty's default
 * @param colorAssigner decides which channels share a color; null: none do
 * @param seed of random migration; null: off
 */
record GroupSettings(
    int cores,
    int batch,
    int sharedColors,
    boolean pinned,
    StealPolicy policy,
    Mely.Order order,
    @Nullable Duration watchTime,
    IoHandlerFactory ioHandlerFactory,
    @Nullable ThreadFactory threadFactory,
    @Nullable ColorAssigner colorAssigner,
    @Nullable Long seed) {}
