package dev.mely.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.atomic.AtomicInteger;

/** A pipe whose readable end is in non-blocking mode. */
final class TestPipe implements AutoCloseable {
  final Pipe.SourceChannel in;
  final Pipe.SinkChannel out;

  TestPipe() {
    try {
      Pipe pipe = Pipe.open();
      in = pipe.source();
      out = pipe.sink();
      in.configureBlocking(false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void write(int n) throws IOException {
    out.write(ByteBuffer.allocate(n));
  }

  /** Reads one byte, if there is one, and counts it. */
  void take(AtomicInteger bytes) throws IOException {
    int n = in.read(ByteBuffer.allocate(1));
    if (n > 0) {
      bytes.addAndGet(n);
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
    out.close();
  }
}
