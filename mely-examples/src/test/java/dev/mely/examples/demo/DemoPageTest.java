package dev.mely.examples.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;

/** The demo as people see it: its processes, and its page in a browser. */
@Timeout(900)
@Tag("browser")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DemoPageTest {
  private static final String NETTY = "section.side[data-side=netty] ";
  private static final String MELY = "section.side[data-side=mely] ";

  /** A ratio beyond this is no noise: on two cores it is 1.7 and more, or about 1. */
  private static final double CLEARLY_MORE = 1.15;

  /** The last test may have left the demo without busy connections. */
  private static final String SKEWED = "#busy=25&uneven=100&work=500&cores=2&block=0&streams=0";

  private Chrome chrome;
  private Demo demo;
  private Thread turns;

  @BeforeAll
  void start() throws Exception {
    assumeTrue(Runtime.getRuntime().availableProcessors() >= 2, "there is nobody to share with");
    chrome = new Chrome();
    demo = new Demo(0, 2, 2, new PrintWriter(System.err, true));
    turns =
        new Thread(
            () -> {
              try {
                demo.run();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    turns.start();
  }

  @BeforeEach
  void open() {
    openPage(SKEWED);
  }

  private void openPage(String link) {
    chrome.open("http://localhost:" + demo.port() + "/" + link);
    chrome.await("the server's word", () -> chrome.text("#state").matches("live|paused"));
    if (chrome.text("#state").equals("paused")) { // the page before it was closed so
      chrome.element("#pause").click();
    }
    chrome.await("figures of both", () -> !Double.isNaN(ratio()));
  }

  @AfterAll
  void close() throws Exception {
    try {
      if (demo != null) {
        demo.close();
        turns.join(120_000);
        assertFalse(turns.isAlive(), "it goes on");
      }
    } finally {
      if (chrome != null) {
        chrome.close();
      }
    }
  }

  private double ratio() {
    return chrome.number("#verdict", "data-ratio");
  }

  /** A figure of the last minute, in milliseconds. */
  private double millis(String field) {
    Matcher text = Pattern.compile("([\\d.,]+)\\s*(ms|s)").matcher(chrome.text(field));
    return text.find()
        ? Double.parseDouble(text.group(1).replace(",", "")) * (text.group(2).equals("s") ? 1e3 : 1)
        : Double.NaN;
  }

  private void choose(String scenario) {
    String button = "button.scenario[data-scenario=" + scenario + "]";
    chrome.element(button).click();
    chrome.await(scenario, () -> chrome.attribute(button, "aria-pressed").equals("true"));
    chrome.await("figures of " + scenario, () -> !Double.isNaN(ratio()));
  }

  @Test
  void eachScenarioShowsWhatTheDocumentsSay() {
    choose("even");
    chrome.await("about the same", () -> ratio() < CLEARLY_MORE && ratio() > 1 / CLEARLY_MORE);
    choose("skewed");
    chrome.await("more on Mely", () -> ratio() > CLEARLY_MORE);
    assertTrue(chrome.text("#verdict").contains("times as many requests"));
    chrome.await("a steal", () -> !chrome.elements(MELY + ".steal").isEmpty());
    assertTrue(chrome.elements(NETTY + ".steal").isEmpty());
    choose("blocking");
    awaitShorterWaits();
    choose("neighbor");
    awaitShorterWaits();
    choose("connection");
    chrome.await("more on Mely", () -> ratio() > CLEARLY_MORE);
    chrome.assertQuiet();
  }

  private void awaitShorterWaits() {
    chrome.await(
        "light connections wait less on Mely",
        () -> millis(MELY + ".light-p99") < millis(NETTY + ".light-p99"));
  }

  @Test
  void settingsSurviveTheLink() {
    String link = "#busy=40&uneven=30&work=1000&cores=2&block=20&streams=0";
    openPage(link);
    Map<String, String> set =
        Map.of("busy", "40", "uneven", "30", "cores", "2", "block", "20", "streams", "0");
    for (Map.Entry<String, String> field : set.entrySet()) {
      chrome.await(field + "", () -> value(field.getKey()).equals(field.getValue()));
    }
    chrome.driver().navigate().refresh();
    chrome.await("the same again", () -> value("busy").equals("40") && value("block").equals("20"));
    assertTrue(chrome.driver().getCurrentUrl().endsWith(link), chrome.driver().getCurrentUrl());
    chrome.open("http://localhost:" + demo.port() + "/#busy=9999&work=x&nonsense=1");
    chrome.driver().navigate().refresh();
    chrome.await("what is wrong is left out", () -> value("busy").equals("40"));
    chrome.assertQuiet();
  }

  private String value(String field) {
    return String.valueOf(
        chrome.driver().executeScript("return document.getElementById(arguments[0]).value", field));
  }

  @Test
  void theKeyboardIsEnough() {
    new Actions(chrome.driver()).sendKeys("1").perform();
    String even = "button.scenario[data-scenario=even]";
    chrome.await("even", () -> chrome.attribute(even, "aria-pressed").equals("true"));
    for (int i = 0; i < 40 && !focused().equals("busy"); i++) {
      new Actions(chrome.driver()).sendKeys(Keys.TAB).perform();
    }
    assertEquals("busy", focused(), "the tabulator leads to each control");
    new Actions(chrome.driver()).sendKeys(Keys.HOME, Keys.ARROW_RIGHT).perform();
    chrome.await("it is no scenario", () -> !chrome.attribute(even, "aria-pressed").equals("true"));
    assertFalse(value("busy").equals("100"));
    new Actions(chrome.driver()).sendKeys("p").perform();
    chrome.await("paused", () -> chrome.text("#state").equals("paused"));
    new Actions(chrome.driver()).sendKeys("p").perform();
    chrome.await("live", () -> chrome.text("#state").equals("live"));
    chrome.assertQuiet();
  }

  private String focused() {
    return String.valueOf(chrome.driver().executeScript("return document.activeElement.id"));
  }

  @Test
  void barsMoveAndFitANarrowScreen() {
    chrome.await(
        "a busy loop",
        () ->
            chrome.number(NETTY + ".core[data-core='0']", "data-busy") > 0.5
                || chrome.number(NETTY + ".core[data-core='1']", "data-busy") > 0.5);
    double first = chrome.number(MELY + ".core", "data-busy");
    chrome.await("another figure", () -> chrome.number(MELY + ".core", "data-busy") != first);
    chrome.assertFits(1280);
    chrome.assertFits(500); // a window of this browser is not narrower
    chrome.driver().manage().window().setSize(new Dimension(1280, 800));
    chrome.assertQuiet();
  }
}
