package dev.mely.examples.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A browser without a window. */
final class Chrome implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final ChromeDriver driver;

  /** The test is left out where there is no browser, or no driver for it. */
  Chrome() {
    Optional<File> browser = find("chromium", "google-chrome");
    Optional<File> program = find("chromedriver");
    assumeTrue(browser.isPresent() && program.isPresent(), "chromium and chromedriver are needed");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(browser.get());
    options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    driver =
        new ChromeDriver(
            new ChromeDriverService.Builder().usingDriverExecutable(program.get()).build(),
            options);
  }

  private static Optional<File> find(String... names) {
    return Stream.of(names)
        .flatMap(
            name ->
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                    .map(folder -> new File(folder, name)))
        .filter(File::canExecute)
        .findFirst();
  }

  ChromeDriver driver() {
    return driver;
  }

  void open(String address) {
    driver.get(address);
  }

  WebElement element(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  List<WebElement> elements(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  /** As the page has it, visible or not: of what is hidden the driver tells no text. */
  String text(String selector) {
    return String.valueOf(
        driver.executeScript(
            "return document.querySelector(arguments[0])?.textContent ?? ''", selector));
  }

  String attribute(String selector, String name) {
    return String.valueOf(
        driver.executeScript(
            "return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? ''",
            selector,
            name));
  }

  /** A number in an attribute; not a number if there is none. */
  double number(String selector, String attribute) {
    String value = attribute(selector, attribute);
    return value.isEmpty() ? Double.NaN : Double.parseDouble(value);
  }

  /** Waits for something that the page shows. */
  void await(String what, Condition condition) {
    Awaitility.await(what)
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(org.openqa.selenium.WebDriverException.class)
        .until(condition::holds);
  }

  /** Something that the page shows. */
  interface Condition {
    /** Whether it does. */
    boolean holds();
  }

  /** The page is not wider than the window: what is wider scrolls in a box of its own. */
  void assertFits(int width) {
    driver.manage().window().setSize(new Dimension(width, 800));
    assertEquals(
        0L,
        driver.executeScript(
            "const page = document.documentElement;"
                + "return Math.max(0, page.scrollWidth - page.clientWidth)"),
        "wider than " + width);
  }

  /** Nothing was reported to the console: no error of a script, nothing that the policy blocked. */
  void assertQuiet() {
    List<String> lines =
        driver.manage().logs().get(LogType.BROWSER).getAll().stream()
            .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
            .map(LogEntry::getMessage)
            .toList();
    assertEquals(List.of(), lines);
  }

  @Override
  public void close() {
    driver.quit();
  }
}
