package dev.mely.netty;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * For test classes with planted bugs, which may lose buffers: those that they allocate are not
 * tracked. Else {@link LeakCounter} would report them to the classes that run later in this JVM.
 */
public final class LosesBuffers implements BeforeAllCallback, AfterAllCallback {
  private Level before = Level.PARANOID;

  @Override
  public void beforeAll(ExtensionContext context) {
    before = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(Level.DISABLED);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    ResourceLeakDetector.setLevel(before);
  }
}
