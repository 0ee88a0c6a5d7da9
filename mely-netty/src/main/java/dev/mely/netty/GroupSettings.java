package dev.mely.netty;

import dev.mely.MelyBuilder;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.EventExecutorChooserFactory;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a group was built with: checked by {@link MelyEventLoopGroupBuilder}.
 *
 * @param runtime of this group alone: the settings of the runtime, but for those that are the
 *     group's
 * @param cores number of workers, 1 or more
 * @param sharedColors how many colors {@link MelyEventLoopGroup#next} hands out
 * @param taskQuantumNanos the longest time that I/O waits for the tasks of its event loop
 * @param workingSet bytes of live buffers that a core may have before it delays reads; 0: no bound
 * @param ioHandlerFactory makes the I/O handler of each core
 * @param threadFactory makes the workers' threads; null: Netty's default
 * @param chooserFactory decides which of the shared colors is next; null: they take turns
 * @param colorAssigner decides which channels share a color; null: none do
 */
record GroupSettings(
    MelyBuilder runtime,
    int cores,
    int sharedColors,
    long taskQuantumNanos,
    long workingSet,
    IoHandlerFactory ioHandlerFactory,
    @Nullable ThreadFactory threadFactory,
    @Nullable EventExecutorChooserFactory chooserFactory,
    @Nullable ColorAssigner colorAssigner) {}
