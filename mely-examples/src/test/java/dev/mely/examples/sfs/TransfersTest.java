package dev.mely.examples.sfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Whole files, over connections that break. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class TransfersTest {
  private static final int SIZE = 3_000_000;
  private static final int CUT_AFTER = 25;

  @TempDir private Path temporary;
  private final StringWriter shown = new StringWriter();

  private Path folder(String name) throws IOException {
    return Files.createDirectories(temporary.resolve(name));
  }

  private Progress progress() {
    return new Progress("f", new PrintWriter(shown), true);
  }

  private static SfsClient through(SfsSite site, Between between) throws IOException {
    return site.connect(site.writer, between.port(), RekeyRule.DEFAULT);
  }

  /** Cuts each connection after some records of one direction. */
  private static Between.Evil cut(boolean direction) {
    return (toServer, number, record) ->
        toServer == direction && number == CUT_AFTER ? null : List.of(record);
  }

  @Test
  void aBrokenGetGoesOn() throws Exception {
    try (SfsSite site = new SfsSite(folder("root"));
        Between between = new Between(site.server.address().getPort())) {
      byte[] content = site.write("f", SIZE);
      Path local = folder("local").resolve("f");
      between.does(cut(false));
      int breaks = 0;
      Progress progress = progress();
      while (!Files.exists(local)) {
        try (SfsClient client = through(site, between)) {
          new Transfers(client).get("f", local, progress);
        } catch (IOException broken) {
          breaks++;
        }
        assertTrue(breaks < 10, "it does not go on, but begins anew");
      }
      assertTrue(breaks >= 2, "breaks: " + breaks);
      assertArrayEquals(content, Files.readAllBytes(local));
      assertEquals(1, local.getParent().toFile().list().length, "nothing else is left");
      assertTrue(shown.toString().contains("continuing at"), shown.toString());
      assertTrue(shown.toString().contains("100% [====="), shown.toString());
    }
  }

  @Test
  void aBrokenPutGoesOn() throws Exception {
    try (SfsSite site = new SfsSite(folder("root"));
        Between between = new Between(site.server.address().getPort())) {
      byte[] content = SfsSite.bytes(SIZE, 3);
      Path local = Files.write(folder("local").resolve("f"), content);
      between.does(cut(true));
      int breaks = 0;
      boolean done = false;
      while (!done) {
        assertFalse(Files.exists(site.root.resolve("f")), "nobody sees a part of it");
        try (SfsClient client = through(site, between)) {
          new Transfers(client).put(local, "f", progress());
          done = true;
        } catch (IOException broken) {
          breaks++;
        }
        assertTrue(breaks < 10, "it does not go on, but begins anew");
      }
      assertTrue(breaks >= 2, "breaks: " + breaks);
      assertArrayEquals(content, Files.readAllBytes(site.root.resolve("f")));
      assertEquals(1, site.root.toFile().list().length, "nothing else is left");
    }
  }

  /** A mix of two versions would be a file that never existed. */
  @Test
  void aSourceThatHasChangedIsFetchedAnew() throws Exception {
    try (SfsSite site = new SfsSite(folder("root"));
        Between between = new Between(site.server.address().getPort())) {
      site.write("f", SIZE);
      Path local = folder("local").resolve("f");
      between.does(cut(false));
      try (SfsClient client = through(site, between)) {
        Transfers transfers = new Transfers(client);
        assertThrows(IOException.class, () -> transfers.get("f", local, progress()));
      }
      byte[] other = SfsSite.bytes(SIZE, 99);
      Files.write(site.root.resolve("f"), other);
      Files.setLastModifiedTime(site.root.resolve("f"), FileTime.fromMillis(1_000_000));
      try (SfsClient client = site.connect()) {
        new Transfers(client).get("f", local, progress());
      }
      assertArrayEquals(other, Files.readAllBytes(local));
    }
  }

  @Test
  void aSourceThatChangesMeanwhileIsRefused() throws Exception {
    try (SfsSite site = new SfsSite(folder("root"));
        Between between = new Between(site.server.address().getPort())) {
      site.write("f", SIZE);
      Path local = folder("local").resolve("f");
      between.does(
          (toServer, number, record) -> {
            if (!toServer && number == CUT_AFTER) {
              try {
                Files.setLastModifiedTime(site.root.resolve("f"), FileTime.fromMillis(5));
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            }
            return List.of(record);
          });
      try (SfsClient client = through(site, between)) {
        Transfers transfers = new Transfers(client);
        SfsException refusal =
            assertThrows(SfsException.class, () -> transfers.get("f", local, progress()));
        assertEquals(Status.BUSY, refusal.status());
      }
      assertEquals(0, local.getParent().toFile().list().length);
    }
  }

  @Test
  void emptyFilesAndMissingOnes() throws Exception {
    try (SfsSite site = new SfsSite(folder("root"));
        SfsClient client = site.connect()) {
      Path empty = Files.createFile(folder("local").resolve("empty"));
      Transfers transfers = new Transfers(client);
      transfers.put(empty, "e", progress());
      assertEquals(0, Files.size(site.root.resolve("e")));
      transfers.get("e", empty.resolveSibling("back"), progress());
      assertEquals(0, Files.size(empty.resolveSibling("back")));
      assertThrows(
          SfsException.class, () -> transfers.put(temporary.resolve("no"), "x", progress()));
      assertThrows(SfsException.class, () -> transfers.put(temporary, "x", progress()));
      assertThrows(SfsException.class, () -> transfers.get("no", empty, progress()));
    }
  }

  @Test
  void theLineOfProgress() {
    assertEquals(
        "name                  50% [===============               ]     2.0 MB/s   1:01 left",
        Progress.line("name", 0, 122_000_000, 244_000_000, 61_000_000_000L));
    assertTrue(Progress.line("bad\u001b[2J", 0, 0, 0, 0).startsWith("bad?[2J"));
  }
}
