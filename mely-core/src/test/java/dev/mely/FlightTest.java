package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a flight recording tells of a runtime. */
@Timeout(300)
class FlightTest {
  @TempDir private Path folder;

  private static Recording recording(String... events) {
    Recording recording = new Recording();
    for (String event : events) {
      recording.enable("dev.mely." + event).withoutThreshold();
    }
    recording.start();
    return recording;
  }

  /** Ends the recording and reads one kind of event. */
  private List<RecordedEvent> read(Recording recording, String event) throws Exception {
    recording.stop();
    Path file = folder.resolve(event + ".jfr");
    recording.dump(file);
    List<RecordedEvent> all = RecordingFile.readAllEvents(file);
    Files.delete(file);
    return all.stream()
        .filter(e -> e.getEventType().getName().equals("dev.mely." + event))
        .toList();
  }

  /** Keeps core 0 inside a handler, which computes, until the latch opens. */
  private static void occupy(Mely mely, CountDownLatch release) throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    mely.execute(
        mely.newPinnedColor(0),
        () -> {
          inside.countDown();
          Busy.until(release);
        });
    assertTrue(inside.await(120, TimeUnit.SECONDS));
  }

  @Test
  void stealsAreRecorded() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (Recording recording = recording("Steal", "TakeOver");
        Mely mely = Mely.builder().cores(2).pinned(false).stuckAfter(Duration.ofHours(1)).build()) {
      occupy(mely, release);
      CountDownLatch ran = new CountDownLatch(3);
      Handler<String> worthy =
          Handler.of((String e) -> ran.countDown()).cost(Duration.ofMillis(1)).penalty(1);
      Color color = mely.newColor(0);
      for (int i = 0; i < 3; i++) {
        mely.register(color, worthy, "e" + i);
      }
      assertTrue(ran.await(120, TimeUnit.SECONDS), "stolen from the busy core");
      release.countDown();
      List<RecordedEvent> steals = read(recording, "Steal");
      assertEquals(1, steals.size(), steals::toString);
      RecordedEvent steal = steals.get(0);
      assertEquals(1, steal.getInt("thief"));
      assertEquals(0, steal.getInt("victim"));
      assertTrue(steal.getInt("events") >= 1 && steal.getInt("events") <= 3, steal::toString);
      assertTrue(steal.getDuration("timeLeft").toMillis() >= 1, steal::toString);
      assertTrue(steal.getDuration("search").toNanos() > 0, steal::toString);
      assertTrue(steal.getString("color").startsWith("Color@"), steal::toString);
      assertTrue(steal.getThread().getJavaName().startsWith("mely-1"), steal::toString);
    }
  }

  @Test
  void takeOversAreRecorded() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (Recording recording = recording("Steal", "TakeOver");
        Mely mely =
            Mely.builder().cores(2).pinned(false).stuckAfter(Duration.ofMillis(1)).build()) {
      occupy(mely, release);
      CountDownLatch ran = new CountDownLatch(1);
      Handler<String> unworthy =
          Handler.of((String e) -> ran.countDown()).cost(Duration.ofNanos(1)).penalty(1);
      mely.register(mely.newColor(0), unworthy, "e");
      assertTrue(ran.await(120, TimeUnit.SECONDS), "taken over from the stuck core");
      release.countDown();
      List<RecordedEvent> events = read(recording, "TakeOver");
      assertEquals(1, events.size(), events::toString);
      assertEquals(1, events.get(0).getInt("thief"));
      assertEquals(0, events.get(0).getInt("victim"));
      assertEquals(1, events.get(0).getInt("events"));
    }
  }

  @Test
  void parksAreRecorded() throws Exception {
    try (Recording recording = recording("Park");
        Mely mely = Mely.builder().cores(2).pinned(false).build()) {
      Color color = mely.newColor(1);
      Awaitility.await()
          .until(
              () -> {
                CountDownLatch ran = new CountDownLatch(1);
                mely.execute(color, ran::countDown);
                assertTrue(ran.await(120, TimeUnit.SECONDS));
                var perCore = mely.inspect().statistics().cores();
                return perCore.get(0).parks() > 1 && perCore.get(1).parks() > 1;
              });
      List<RecordedEvent> parks = read(recording, "Park");
      Set<Integer> cores = new HashSet<>();
      for (RecordedEvent park : parks) {
        cores.add(park.getInt("core"));
        assertTrue(park.getLong("limit") >= 0, park::toString);
        assertTrue(!park.getDuration().isNegative(), park::toString);
      }
      assertEquals(Set.of(0, 1), cores);
    }
  }

  /** A handler that is slow once is found as well, though its runs are hardly ever sampled. */
  @Test
  void slowHandlersAreRecordedAboveTheThresholdOfTheRecording() throws Exception {
    try (Recording recording = new Recording();
        Mely mely = Mely.builder().cores(1).pinned(false).build()) {
      recording.enable("dev.mely.SlowHandler").withThreshold(Duration.ofMillis(30));
      recording.start();
      Handler<Integer> moody =
          new Handler<>() {
            @Override
            public void handle(Integer number) throws Exception {
              if (number == 777) {
                Thread.sleep(60);
              }
            }

            @Override
            public String toString() {
              return "moody";
            }
          };
      for (int i = 0; i < 1_000; i++) {
        mely.register(mely.color(0), moody, i);
      }
      CountDownLatch ran = new CountDownLatch(1);
      mely.execute(mely.color(0), ran::countDown);
      assertTrue(ran.await(120, TimeUnit.SECONDS));
      // On a machine with other work, a quick run may have been interrupted for as long.
      List<RecordedEvent> slow = read(recording, "SlowHandler");
      assertTrue(!slow.isEmpty() && slow.size() < 100, () -> slow.size() + " slow runs");
      RecordedEvent found =
          slow.stream()
              .filter(e -> e.getDuration().toMillis() >= 60)
              .filter(e -> "moody".equals(e.getString("handler")))
              .findFirst()
              .orElseThrow();
      assertEquals(0, found.getInt("core"));
      assertTrue(found.getString("color").contains("running"), found::toString);
    }
  }

  /** Where it has no toString of its own; no number that differs from run to run. */
  @Test
  void slowHandlersAreRecordedByTheNameOfTheirStage() throws Exception {
    try (Recording recording = new Recording();
        Mely mely = Mely.builder().cores(1).pinned(false).build()) {
      recording.enable("dev.mely.SlowHandler").withThreshold(Duration.ZERO);
      recording.start();
      Set<String> names = new HashSet<>();
      CountDownLatch ran = new CountDownLatch(400);
      Handler.OfAction<String> lambda = Handler.of((String e) -> ran.countDown());
      Handler<String> own =
          new Handler<>() {
            @Override
            public void handle(String event) {
              ran.countDown();
            }
          };
      Handler<String> nameless =
          new Handler<>() {
            @Override
            public void handle(String event) {
              ran.countDown();
            }

            @Override
            protected String stage() {
              throw new IllegalStateException("as planned");
            }
          };
      for (int i = 0; i < 100; i++) {
        mely.register(mely.color(i), lambda, "e");
        mely.register(mely.color(i), lambda.named("Encrypt"), "e");
        mely.register(mely.color(i), own, "e");
        mely.register(mely.color(i), nameless, "e");
      }
      assertTrue(ran.await(120, TimeUnit.SECONDS));
      read(recording, "SlowHandler").forEach(e -> names.add(e.getString("handler")));
      assertEquals(
          Set.of("FlightTest #", "Encrypt", "FlightTest.", "dev.mely.FlightTest$"),
          names.stream().map(name -> name.replaceAll("\\d+$", "")).collect(Collectors.toSet()));
    }
  }

  /** An event over several colors has a place in the queue of each: those do not run. */
  @Test
  void placesInQueuesAreNoHandlers() throws Exception {
    try (Recording recording = new Recording();
        Mely mely = Mely.builder().cores(1).pinned(false).build()) {
      recording.enable("dev.mely.SlowHandler").withThreshold(Duration.ZERO);
      recording.start();
      CountDownLatch ran = new CountDownLatch(50);
      Handler<String> asked =
          new Handler<>() {
            @Override
            public void handle(String event) {
              ran.countDown();
            }

            @Override
            public String toString() {
              return "asked";
            }
          };
      Permissions both = Permissions.write(mely.newColor()).andWrite(mely.newColor());
      for (int i = 0; i < 50; i++) {
        mely.register(both, asked, "e" + i);
      }
      assertTrue(ran.await(120, TimeUnit.SECONDS));
      Set<String> names = new HashSet<>();
      read(recording, "SlowHandler").forEach(e -> names.add(e.getString("handler")));
      assertEquals(Set.of("asked"), names);
    }
  }

  @Test
  void migrationsAreRecorded() throws Exception {
    try (Recording recording = recording("Migration");
        Mely mely = Mely.builder().cores(2).pinned(false).build()) {
      Color color = mely.newColor(0);
      assertTrue(color.moveTo(1));
      assertTrue(color.moveTo(1), "it is there already");
      List<RecordedEvent> moves = read(recording, "Migration");
      assertEquals(1, moves.size(), moves::toString);
      assertEquals(0, moves.get(0).getInt("from"));
      assertEquals(1, moves.get(0).getInt("to"));
      assertTrue(moves.get(0).getString("color").startsWith("Color@"));
    }
  }

  @Test
  void randomMigrationIsRecorded() throws Exception {
    try (Recording recording = recording("Migration");
        Mely mely = Mely.builder().cores(2).pinned(false).randomMigration(7).build()) {
      CountDownLatch ran = new CountDownLatch(200);
      for (int i = 0; i < 200; i++) {
        mely.execute(mely.newColor(0), ran::countDown);
      }
      assertTrue(ran.await(120, TimeUnit.SECONDS));
      List<RecordedEvent> moves = read(recording, "Migration");
      assertTrue(moves.size() > 50, () -> moves.size() + " of 200");
      assertTrue(moves.stream().allMatch(e -> e.getInt("from") != e.getInt("to")));
    }
  }

  @Test
  void withoutARecordingNothingIsAskedFor() {
    assertTrue(!dev.mely.flight.Flight.watchesHandlers());
    assertEquals(null, dev.mely.flight.Flight.beginHandler());
    assertEquals(null, dev.mely.flight.Flight.beginPark());
    assertTrue(!dev.mely.flight.Flight.watchesSteals());
    assertTrue(!dev.mely.flight.Flight.watchesMigrations());
  }

  /** Making an event class takes the recorder milliseconds, and the first thief is in a hurry. */
  @Test
  void eventClassesAreReadyBeforeTheFirstSteal() throws Exception {
    FlightRecorder.getFlightRecorder(); // starts it, if nobody has
    try (FreshLoader loader = new FreshLoader("dev.mely.flight.")) {
      Class<?> flight = loader.loadClass("dev.mely.flight.Flight");
      flight.getMethod("watchesHandlers").invoke(null);
      for (String event : List.of("SlowHandler", "Park", "Steal", "TakeOver", "Migration")) {
        assertTrue(loader.hasLoaded("dev.mely.flight." + event + "Event"), event);
      }
    }
  }

  /** Nor does a program have to wait for them that nobody records. */
  @Test
  void withoutTheRecorderThereAreNoEventClasses() throws Exception {
    assertEquals("[]", loadedByARun());
  }

  /** The recorder may be started while the runtime is at work. */
  @Test
  void aRecorderThatIsStartedLaterIsTold() throws Exception {
    String loaded = loadedByARun("record");
    for (String event : List.of("SlowHandler", "Park", "Steal", "TakeOver", "Migration")) {
      assertTrue(loaded.contains("dev.mely.flight." + event + "Event"), loaded);
    }
    assertTrue(loaded.contains("parks were recorded"), loaded);
  }

  /** What a runtime in a virtual machine of its own has loaded of the events, and says. */
  private static String loadedByARun(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xlog:class+load", "-cp", System.getProperty("java.class.path")));
    command.add(LateRecorder.class.getName());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    assertTrue(said.contains("dev.mely.flight.Flight "), said); // so the rest would be seen, too
    return said.lines()
        .filter(line -> line.matches(".*dev\\.mely\\.flight\\.\\w+Event .*|parks were recorded"))
        .toList()
        .toString();
  }

  /** Runs some events, and parks; with an argument, the recorder is started in between. */
  static final class LateRecorder {
    private LateRecorder() {}

    public static void main(String[] arguments) throws Exception {
      try (Mely mely = Mely.builder().cores(2).pinned(false).build()) {
        run(mely);
        if (arguments.length == 0) {
          return;
        }
        try (Recording recording = recording("Park")) {
          while (parks(recording).isEmpty()) {
            run(mely);
          }
          System.out.println("parks were recorded");
        }
      }
    }

    private static void run(Mely mely) throws InterruptedException {
      CountDownLatch ran = new CountDownLatch(100);
      for (int i = 0; i < 100; i++) {
        mely.execute(mely.newColor(), ran::countDown);
      }
      ran.await();
      Thread.sleep(10); // until the workers have parked, most likely
    }

    private static List<RecordedEvent> parks(Recording recording) throws IOException {
      Path file = Files.createTempFile("late", ".jfr");
      try {
        recording.dump(file);
        return RecordingFile.readAllEvents(file);
      } finally {
        Files.delete(file);
      }
    }
  }

  /** Loads the classes of one package anew. */
  private static final class FreshLoader extends URLClassLoader {
    private final String inPackage;

    FreshLoader(String inPackage) {
      super(classPath(), FlightTest.class.getClassLoader());
      this.inPackage = inPackage;
    }

    private static URL[] classPath() {
      return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
          .map(entry -> url(Path.of(entry)))
          .toArray(URL[]::new);
    }

    private static URL url(Path path) {
      try {
        return path.toUri().toURL();
      } catch (MalformedURLException e) {
        throw new IllegalArgumentException(e);
      }
    }

    boolean hasLoaded(String name) {
      return findLoadedClass(name) != null;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(inPackage)) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded != null ? loaded : findClass(name);
      }
    }
  }
}
