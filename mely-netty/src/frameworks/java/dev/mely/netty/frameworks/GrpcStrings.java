package dev.mely.netty.frameworks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Methods of gRPC whose messages are strings: no generated code. */
final class GrpcStrings implements MethodDescriptor.Marshaller<String> {
  private GrpcStrings() {}

  /** A method of the service "mely". */
  static MethodDescriptor<String, String> method(String name, MethodType type) {
    return MethodDescriptor.<String, String>newBuilder()
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName("mely", name))
        .setRequestMarshaller(new GrpcStrings())
        .setResponseMarshaller(new GrpcStrings())
        .build();
  }

  @Override
  public InputStream stream(String value) {
    return new ByteArrayInputStream(value.getBytes(UTF_8));
  }

  @Override
  public String parse(InputStream stream) {
    try {
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
