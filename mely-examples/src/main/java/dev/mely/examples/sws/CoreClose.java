package dev.mely.examples.sws;

import dev.mely.Handler;
import dev.mely.annotation.Frees;

/** The paper's Close: frees what a connection still holds of a request and of answers. */
@Frees({CoreRequests.OBJECT, CoreResponses.OBJECT})
final class CoreClose extends Handler<SwsCoreClient> {
  @Override
  protected String stage() {
    return "Close";
  }

  @Override
  public void handle(SwsCoreClient client) {
    client.closeChannel();
  }
}
