package dev.mely.bench.server;

import io.netty.channel.Channel;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import java.util.Locale;

/** What the server does. */
enum Service {
  /** Sends back whatever comes. */
  ECHO,

  /** Answers frames of {@link Frame#BYTES}, some of which take time. */
  SKEW;

  /** The name on the command line. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The service of that name. */
  static Service parse(String name) {
    return Labels.parse("service", name, values(), Service::label);
  }

  /** Fills the pipeline of an accepted connection. */
  void attach(Channel channel) {
    if (this == ECHO) {
      channel.pipeline().addLast(EchoHandler.INSTANCE);
    } else {
      channel
          .pipeline()
          .addLast(new FixedLengthFrameDecoder(Frame.BYTES))
          .addLast(new ServiceHandler());
    }
  }
}
