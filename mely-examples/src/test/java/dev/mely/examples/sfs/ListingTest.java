package dev.mely.examples.sfs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Large directories, page by page: what a page costs, and whom. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class ListingTest {
  private static final int NAMES = 5000;

  /** The least that an entry takes: length, name, attributes. */
  private static final int MOST_ON_A_PAGE = Message.MAX_DATA / (2 + 5 + 25);

  @TempDir private Path root;

  /** A page of a listing. */
  private record Page(int listing, List<String> names) {
    static Page of(byte[] answer) throws IOException {
      assertEquals(Status.OK.code(), Message.code(answer));
      Fields fields = new Fields(answer, Message.FIELDS);
      fields.u64();
      fields.u32();
      int listing = fields.u32();
      List<String> names = new ArrayList<>();
      for (int left = fields.u16(); left > 0; left--) {
        names.add(fields.text());
        fields.attributes();
      }
      fields.end();
      return new Page(listing, names);
    }
  }

  private static byte[] ask(RawPeer peer, Message request) throws IOException {
    peer.sendMessage(request.bytes());
    byte[] answer = peer.message();
    while (Message.code(answer) == Message.BROKEN && Message.number(answer) != 0) {
      answer = peer.message();
    }
    return answer;
  }

  private static Page first(RawPeer peer, String path) throws IOException {
    return Page.of(ask(peer, Message.request(Op.LIST).text(path)));
  }

  private static Page next(RawPeer peer, int listing) throws IOException {
    return Page.of(ask(peer, Message.request(Op.MORE).u32(listing)));
  }

  private static void refused(Status status, RawPeer peer, Message request) throws IOException {
    assertEquals(status.code(), Message.code(ask(peer, request)));
  }

  private Set<String> files(String prefix, int count) throws IOException {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < count; i++) {
      String name = prefix + (10_000 + i);
      names.add(name);
      Files.createFile(root.resolve(name));
    }
    return names;
  }

  @Test
  void aPageCostsAPage() throws Exception {
    files("", NAMES);
    AtomicInteger opened = new AtomicInteger();
    AtomicInteger visited = new AtomicInteger();
    WatchedFolder.Watch watch =
        step -> {
          switch (step) {
            case "iterator" -> opened.incrementAndGet();
            case "next" -> visited.incrementAndGet();
            default -> {}
          }
        };
    try (SfsSite site = SfsSite.watched(root, watch);
        RawPeer peer = site.raw(site.reader)) {
      int named = 0;
      Page page = first(peer, "");
      while (true) {
        named += page.names().size();
        assertEquals(named, visited.get(), "only what is on the pages so far");
        assertTrue(page.names().size() <= MOST_ON_A_PAGE);
        if (page.listing() == 0) {
          break;
        }
        page = next(peer, page.listing());
      }
      assertEquals(NAMES, named);
      assertEquals(1, opened.get(), "read once, whatever the number of pages");
    }
  }

  @Test
  void whatIsThereThroughoutComesOnce() throws Exception {
    Set<String> stay = files("s", NAMES / 2);
    Set<String> go = files("g", NAMES / 2);
    try (SfsSite site = new SfsSite(root);
        RawPeer peer = site.raw(site.reader)) {
      Page page = first(peer, "");
      List<String> names = new ArrayList<>(page.names());
      for (String name : go) {
        Files.delete(root.resolve(name));
      }
      files("new", NAMES / 5);
      while (page.listing() != 0) {
        page = next(peer, page.listing());
        names.addAll(page.names());
      }
      Set<String> once = new HashSet<>(names);
      assertEquals(once.size(), names.size(), "twice on the pages");
      assertTrue(once.containsAll(stay), "not on any page");
    }
  }

  /** One who begins many and ends none has a few; the one that was read longest ago goes. */
  @Test
  void listingsThatAreLeftAreGivenUp() throws Exception {
    files("", NAMES);
    try (SfsSite site = new SfsSite(root)) {
      long before = site.descriptors();
      try (RawPeer peer = site.raw(site.writer)) {
        List<Page> pages = new ArrayList<>();
        pages.add(first(peer, ""));
        long one = site.descriptors() - before;
        for (int i = 1; i < Requests.MAX_LISTINGS; i++) {
          pages.add(first(peer, ""));
        }
        Page used = next(peer, pages.get(0).listing());
        for (int i = 0; i < 20; i++) {
          assertNotEquals(0, used.listing());
          first(peer, "");
          used = i == 0 ? next(peer, used.listing()) : used;
          assertEquals(before + Requests.MAX_LISTINGS * one, site.descriptors());
        }
        for (Page page : pages) {
          refused(Status.BAD_REQUEST, peer, Message.request(Op.MORE).u32(page.listing()));
        }
        Page last = first(peer, "");
        refused(
            Status.WRONG_TYPE, peer, Message.request(Op.READ).u32(last.listing()).u64(0).u32(1));
        refused(
            Status.WRONG_TYPE,
            peer,
            Message.request(Op.WRITE).u32(last.listing()).u64(0).data(new byte[1], 0, 1));
        ask(peer, Message.request(Op.CLOSE).u32(last.listing()).u8(0));
        assertEquals(before + (Requests.MAX_LISTINGS - 1) * one, site.descriptors());
        refused(Status.BAD_REQUEST, peer, Message.request(Op.MORE).u32(last.listing()));
      }
      await().until(() -> site.descriptors() == before);
    }
  }

  /** Names that cannot be sent cost, too: a page of nothing may come before the end. */
  @Test
  void namesThatAreNoTextAreLeftOut() throws Exception {
    Path folder = root.toRealPath();
    for (int i = 0; i < NAMES; i++) {
      Files.createFile(Path.of(URI.create(folder.toUri() + "%FF" + i)));
    }
    Files.createFile(folder.resolve("text"));
    AtomicInteger visited = new AtomicInteger();
    WatchedFolder.Watch watch = step -> visited.addAndGet(step.equals("next") ? 1 : 0);
    try (SfsSite site = SfsSite.watched(root, watch);
        RawPeer peer = site.raw(site.reader);
        SfsClient client = site.connect(site.reader)) {
      Page page = first(peer, "");
      assertEquals(Listing.MAX_VISITED, visited.get());
      assertNotEquals(0, page.listing());
      assertEquals(0, next(peer, page.listing()).listing());
      assertEquals(List.of("text"), client.list("").stream().map(SfsClient.Entry::name).toList());
    }
  }

  @Test
  void whoseListsAreSlowHoldsUpNobodyElse() throws Exception {
    files("", 10);
    CountDownLatch late = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(ClientQueue.AT_WORK);
    WatchedFolder.Watch watch =
        step -> {
          if (step.equals("iterator")) {
            begun.countDown();
            late.await();
          }
        };
    List<RawPeer> peers = new ArrayList<>();
    try (SfsSite site = SfsSite.watched(root, watch);
        SfsClient neighbor = site.connect(site.reader)) {
      for (int i = 0; i < 8; i++) {
        RawPeer peer = site.raw(site.writer);
        peers.add(peer);
        for (int n = 0; n < 20; n++) {
          peer.sendMessage(Message.request(Op.LIST).text("").bytes());
        }
      }
      begun.await(); // all of its threads are taken
      for (int i = 0; i < 200; i++) { // while the others' requests come in
        assertEquals(Attributes.Type.FILE, neighbor.stat("10003").type());
      }
      late.countDown();
      for (RawPeer peer : peers) {
        for (int n = 0; n < 20; n++) {
          assertEquals(10, Page.of(peer.message()).names().size());
        }
      }
    } finally {
      late.countDown();
      for (RawPeer peer : peers) {
        peer.close();
      }
    }
  }

  /**
   * Operations of a connection that has ended are not begun, and hold up no other of its client.
   */
  @Test
  void whatWaitsForAClientThatHasGoneIsDropped() throws Exception {
    files("", 10);
    CountDownLatch late = new CountDownLatch(1);
    AtomicInteger lists = new AtomicInteger();
    WatchedFolder.Watch watch =
        step -> {
          if (step.equals("iterator")) {
            lists.incrementAndGet();
            late.await();
          }
        };
    // With a limit of one, the next client gets in only after the one before has gone.
    try (SfsSite site = SfsSite.watched(root, c -> c.maxClients(1), watch)) {
      for (int i = 0; i < 10; i++) {
        try (RawPeer peer =
            await().ignoreExceptions().until(() -> site.raw(site.writer), p -> true)) {
          peer.sendMessage(Message.request(Op.LIST).text("").bytes());
          int begun = Math.min(i + 1, ClientQueue.AT_WORK);
          await().until(() -> lists.get() == begun);
        }
      }
      try (SfsClient client =
          await().ignoreExceptions().until(() -> site.connect(site.reader), c -> true)) {
        client.ping();
      }
      late.countDown();
      try (SfsClient client = await().ignoreExceptions().until(site::connect, c -> true)) {
        assertEquals(10, client.list("").size());
      }
      assertEquals(ClientQueue.AT_WORK + 1, lists.get());
    } finally {
      late.countDown();
    }
  }

  @Test
  void aListingThatFailsIsOver() throws Exception {
    files("", NAMES);
    AtomicInteger visited = new AtomicInteger();
    WatchedFolder.Watch watch =
        step -> {
          if (step.equals("next") && visited.incrementAndGet() == 3000) {
            throw new OutOfMemoryError("planted");
          }
        };
    try (SfsSite site = SfsSite.watched(root, watch);
        SfsClient client = site.connect()) {
      long before = site.descriptors();
      SfsException refusal = assertThrows(SfsException.class, () -> client.list(""));
      assertEquals(Status.BUSY, refusal.status());
      assertEquals(before, site.descriptors(), "nothing is left open");
      assertEquals(NAMES, client.list("").size());
    }
  }
}
