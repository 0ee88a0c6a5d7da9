package dev.mely.netty.frameworks;

import dev.mely.Mely;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** Watches that the callbacks of all calls of a key run one after the other, in the key's color. */
final class KeyWatch implements ServerInterceptor {
  private final Map<String, Serial> serials = new ConcurrentHashMap<>();
  private final Mely mely;

  KeyWatch(Mely mely) {
    this.mely = mely;
  }

  Serial serial(String key) {
    return serials.computeIfAbsent(key, unused -> new Serial());
  }

  /** Fails if callbacks of a key overlapped, or ran outside of its color. */
  void assertFaultless() {
    serials.values().forEach(Serial::assertFaultless);
  }

  private void run(String key, Runnable callback) {
    Serial serial = serial(key);
    serial.run(
        () -> {
          if (!mely.color(key).isCurrent()) {
            serial.fault("outside of the color of " + key);
          }
          callback.run();
        });
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata metadata, ServerCallHandler<Q, A> next) {
    String key = String.valueOf(metadata.get(CallBed.KEY));
    AtomicReference<ServerCall.Listener<Q>> service = new AtomicReference<>();
    run(key, () -> service.set(next.startCall(call, metadata)));
    return new SimpleForwardingServerCallListener<>(service.get()) {
      @Override
      public void onMessage(Q message) {
        run(key, () -> super.onMessage(message));
      }

      @Override
      public void onHalfClose() {
        run(key, super::onHalfClose);
      }

      @Override
      public void onCancel() {
        run(key, super::onCancel);
      }

      @Override
      public void onComplete() {
        run(key, super::onComplete);
      }

      @Override
      public void onReady() {
        run(key, super::onReady);
      }
    };
  }
}
