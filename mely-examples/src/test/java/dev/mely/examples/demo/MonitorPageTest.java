package dev.mely.examples.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.monitor.MelyMonitor;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;

/** The page of {@link MelyMonitor}, in a browser. */
@Timeout(600)
@Tag("browser")
class MonitorPageTest {
  private static final String MELY = "section.group[data-name='http'] ";
  private static final String NETTY = "section.group[data-name='own'] ";

  private final MelyMonitor monitor = new MelyMonitor();
  private final MelyEventLoopGroup mely = MelyEventLoopGroup.builder().cores(2).build();
  private final EventLoopGroup own =
      new MultiThreadIoEventLoopGroup(2, monitor.watch("own", NioIoHandler.newFactory()));
  private final CountDownLatch released = new CountDownLatch(1);
  private final AtomicBoolean busy = new AtomicBoolean(true);
  private Chrome chrome;

  @BeforeEach
  void open() {
    chrome = new Chrome();
    monitor.add("http", mely);
    chrome.open("http://localhost:" + monitor.listen(0).getPort() + "/");
    chrome.await("figures", () -> chrome.elements("section.group").size() == 2);
  }

  @AfterEach
  void close() throws Exception {
    released.countDown();
    busy.set(false);
    if (chrome != null) {
      chrome.close();
    }
    monitor.close();
    mely.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    own.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
  }

  /** Keeps a loop busy, in tasks of a millisecond. */
  private void spin(EventLoop loop) {
    long until = System.nanoTime() + 1_000_000;
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
    if (busy.get()) {
      loop.execute(() -> spin(loop));
    }
  }

  @Test
  void barsMove() {
    assertEquals("live", chrome.text("#state"));
    assertEquals(2, chrome.elements(MELY + ".core").size());
    assertEquals(2, chrome.elements(NETTY + ".core").size());
    EventLoop melyLoop = mely.next();
    EventLoop ownLoop = own.next();
    melyLoop.execute(() -> spin(melyLoop));
    ownLoop.execute(() -> spin(ownLoop));
    chrome.await("a busy core", () -> anyBusy(MELY));
    chrome.await("a busy loop", () -> anyBusy(NETTY));
    chrome.await("its color", () -> !chrome.elements(MELY + "table.colors tbody tr").isEmpty());
    busy.set(false);
    chrome.await("idle cores", () -> !anyBusy(MELY) && !anyBusy(NETTY));
    assertTrue(chrome.text(NETTY + ".verdict").contains("There is little to win"));
    chrome.assertQuiet();
  }

  private boolean anyBusy(String group) {
    return chrome.number(group + ".core[data-core='0']", "data-busy") > 0.5
        || chrome.number(group + ".core[data-core='1']", "data-busy") > 0.5;
  }

  @Test
  void aStuckHandlerIsShownWithItsStack() {
    mely.next().execute(this::blockHere);
    chrome.await("a stuck core", () -> !chrome.elements(MELY + ".stuck").isEmpty());
    assertTrue(chrome.text(MELY + ".stuck").contains("blockHere"));
    // It can be opened by the keyboard, and stays open while the figures change.
    chrome.element(MELY + ".stuck summary").sendKeys(Keys.ENTER);
    String before = chrome.text("#at");
    chrome.await("another second", () -> !chrome.text("#at").equals(before));
    assertEquals(1, chrome.elements(MELY + ".stuck[open]").size());
    assertTrue(chrome.element(MELY + ".stuck pre").getText().contains("blockHere"));
    assertEquals(0, chrome.elements(NETTY + ".stuck").size());
    chrome.assertQuiet();
  }

  private void blockHere() {
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The server measures nothing then. */
  @Test
  void aPausedPageLetsTheServerRest() {
    assertTrue(measures());
    new Actions(chrome.driver()).sendKeys("p").perform();
    assertEquals("paused", chrome.text("#state"));
    Awaitility.await().until(() -> !measures());
    chrome.element("#pause").sendKeys(Keys.ENTER);
    chrome.await("figures", () -> chrome.text("#state").equals("live"));
    assertTrue(measures());
    chrome.driver().navigate().to("about:blank");
    Awaitility.await().until(() -> !measures());
  }

  private static boolean measures() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("mely-monitor-sampler"));
  }

  @Test
  void fitsANarrowScreen() {
    chrome.assertFits(1280);
    chrome.assertFits(500); // a window of this browser is not narrower
    assertTrue(chrome.element(MELY + ".core").isDisplayed());
    chrome.assertQuiet();
  }

  /** What a page of another site could do with it. */
  @Test
  void cannotBeFramed() {
    String page = chrome.driver().getCurrentUrl();
    chrome.open("data:text/html,<iframe src='" + page + "'></iframe>");
    chrome.driver().switchTo().frame(0);
    assertFalse(chrome.driver().getPageSource().contains("Mely monitor"));
  }
}
