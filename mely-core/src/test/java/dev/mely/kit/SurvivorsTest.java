package dev.mely.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SurvivorsTest {
  private static final String BOUNDARY = "changed conditional boundary";
  private static final String CALL = "removed call to notifyAll";

  private final Survivors survivors = new Survivors();

  @TempDir private Path folder;

  @BeforeEach
  void writeSource() throws IOException {
    Path source = folder.resolve("a/b/Room.java");
    Files.createDirectories(source.getParent());
    Files.writeString(source, "class Room {\n  if (held < most) {\n    notifyAll();\n");
  }

  @Test
  void whatIsNoticedNeedsNoEntry() throws Exception {
    read("", change(2, BOUNDARY, true), change(3, CALL, true));

    assertEquals("", survivors.verdict(100));
    assertTrue(survivors.table().contains("| a.b.Room | 2 | 2 | 0 |"));
  }

  @Test
  void tooManyThatNobodyNoticesAreToldWithTheirLines() throws Exception {
    read("", change(2, BOUNDARY, true), change(3, CALL, false));

    assertEquals("", survivors.verdict(50));
    assertEquals(
        "1 of 2 changes were noticed, less than 51 %:\na/b/Room.java:3 :: notifyAll(); :: " + CALL,
        survivors.verdict(51));
  }

  @Test
  void whatIsListedDoesNotCount() throws Exception {
    read(
        "# a remark\n\na/b/Room.java :: notifyAll(); :: removed call :: nobody waits\n",
        change(2, BOUNDARY, true),
        change(3, CALL, false));

    assertEquals("", survivors.verdict(100));
    assertTrue(survivors.table().contains("| a.b.Room | 2 | 1 | 1 |"));
  }

  @Test
  void anEntryIsForItsKindOfChangeAlone() throws Exception {
    read(
        "a/b/Room.java :: notifyAll(); :: removed call :: nobody waits\n",
        change(3, CALL, false),
        change(3, "replaced return value", false));

    assertTrue(survivors.verdict(100).contains("replaced return value"));
  }

  @Test
  void aStarIsForEachChangeOfTheLine() throws Exception {
    read(
        "a/b/Room.java :: notifyAll(); :: * :: nobody waits\n",
        change(3, CALL, false),
        change(3, "replaced return value", false));

    assertEquals("", survivors.verdict(100));
  }

  @Test
  void anEntryWhoseLineIsGoneIsTold() throws Exception {
    read("a/b/Room.java :: notify(); :: * :: nobody waits\n", change(3, CALL, false));

    assertTrue(survivors.verdict(0).startsWith("the list is out of date"));
  }

  /** With real threads a race is lost now and then. */
  @Test
  void anEntryWhoseChangeIsNoticedByChanceIsLeftAlone() throws Exception {
    read("a/b/Room.java :: notifyAll(); :: * :: nobody waits\n", change(3, CALL, true));

    assertEquals("", survivors.verdict(100));
  }

  @Test
  void anEntryOfAFileThatWasNotChangedIsLeftAlone() throws Exception {
    read("a/b/Other.java :: x(); :: * :: nobody waits\n", change(3, CALL, true));

    assertEquals("", survivors.verdict(100));
  }

  @Test
  void anEntryWithoutAReasonIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> read("a/b/Room.java :: notifyAll(); :: *\n", change(3, CALL, false)));
  }

  private void read(String list, String... changes) throws Exception {
    Path report = folder.resolve("mutations.xml");
    Files.writeString(report, "<mutations>" + String.join("", changes) + "</mutations>");
    survivors.read(report, folder, Files.writeString(folder.resolve("list"), list));
  }

  private static String change(int line, String what, boolean noticed) {
    return """
        <mutation detected='%s'><sourceFile>Room.java</sourceFile>
        <mutatedClass>a.b.Room$Inner</mutatedClass><lineNumber>%d</lineNumber>
        <description>%s</description></mutation>
        """
        .formatted(noticed, line, what);
  }
}
