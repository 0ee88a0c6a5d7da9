package dev.mely.netty;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.atomic.AtomicInteger;

/** The reading end of a pipe as a handle of its own, without any channel of Netty's around it. */
abstract class PipeHandle implements IoHandle, AutoCloseable {
  /** What happens when there is something to read. */
  interface Served {
    void by(PipeHandle handle, IoEvent event) throws IOException;
  }

  private final Served served;
  final AtomicInteger unregistered = new AtomicInteger();
  Runnable onRegistered = () -> {};
  Runnable onClose = () -> {};

  private PipeHandle(Served served) {
    this.served = served;
  }

  static PipeHandle open(Io io, Served served) throws IOException {
    return io == Io.NIO ? new Nio(served) : new Epoll(served);
  }

  /** What to submit to hear of bytes. */
  abstract IoOps interest();

  abstract void write() throws IOException;

  /** Takes a byte out of the pipe. */
  abstract void read() throws IOException;

  @Override
  public final void handle(IoRegistration registration, IoEvent event) {
    try {
      served.by(this, event);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public final void registered() {
    onRegistered.run();
  }

  @Override
  public final void unregistered() {
    unregistered.getAndIncrement();
  }

  @Override
  public final void close() throws IOException {
    onClose.run();
    closePipe();
  }

  abstract void closePipe() throws IOException;

  private static final class Nio extends PipeHandle implements NioIoHandle {
    private final Pipe pipe = Pipe.open();

    Nio(Served served) throws IOException {
      super(served);
      pipe.source().configureBlocking(false);
    }

    @Override
    public SelectableChannel selectableChannel() {
      return pipe.source();
    }

    @Override
    IoOps interest() {
      return NioIoOps.READ;
    }

    @Override
    void write() throws IOException {
      pipe.sink().write(ByteBuffer.allocate(1));
    }

    @Override
    void read() throws IOException {
      pipe.source().read(ByteBuffer.allocate(1));
    }

    @Override
    void closePipe() throws IOException {
      pipe.source().close();
      pipe.sink().close();
    }
  }

  private static final class Epoll extends PipeHandle implements EpollIoHandle {
    private final FileDescriptor[] pipe = FileDescriptor.pipe();

    Epoll(Served served) throws IOException {
      super(served);
    }

    @Override
    public FileDescriptor fd() {
      return pipe[0];
    }

    @Override
    IoOps interest() {
      return EpollIoOps.EPOLLIN;
    }

    @Override
    void write() throws IOException {
      pipe[1].write(ByteBuffer.allocateDirect(1), 0, 1);
    }

    @Override
    void read() throws IOException {
      pipe[0].read(ByteBuffer.allocateDirect(1), 0, 1);
    }

    @Override
    void closePipe() throws IOException {
      pipe[0].close();
      pipe[1].close();
    }
  }
}
