package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** After any failure between disk and loop, the client is answered, once. */
class DiskLookupTest {
  @TempDir Path root;
  private final Disk disk = new Disk(100);
  private final List<Found> answers = new CopyOnWriteArrayList<>();
  private ServedFolder folder;

  @BeforeEach
  void open() throws Exception {
    Files.writeString(root.resolve("f"), "fine");
    Files.createDirectory(root.resolve("d"));
    folder = ServedFolder.open(root);
  }

  @AfterEach
  void close() throws Exception {
    answers.forEach(Found::discard);
    disk.close();
    folder.close();
  }

  private PrebuiltResponses nothing() throws Exception {
    return new PrebuiltResponses(folder, 0, 0, disk.refreshes);
  }

  private FileStore store() throws Exception {
    return new FileStore(folder, disk, nothing(), 128 * 1024, false);
  }

  private void look(FileStore store, String target, Executor loop) throws Refusal {
    Found.OnDisk place = Found.OnDisk.of(target);
    assertNull(new DiskLookup(store, place, loop, () -> true, answers::add).start());
  }

  private int status() {
    await().until(() -> answers.size() == 1);
    return answers.get(0) instanceof Found.Nothing nothing ? nothing.refusal().code() : 200;
  }

  @Test
  void anErrorInTheLookIsAnswered() throws Exception {
    FileStore failing =
        new FileStore(folder, disk, nothing(), 0, false) {
          @Override
          Found look(Found.OnDisk place) {
            throw new OutOfMemoryError("planted");
          }
        };
    look(failing, "/f", Runnable::run);
    assertEquals(500, status());
  }

  @Test
  void anErrorInAListingIsAnswered() throws Exception {
    FileStore failing =
        new FileStore(folder, disk, nothing(), 0, false) {
          @Override
          Found list(Found.Directory directory, BooleanSupplier wanted) {
            throw new StackOverflowError("planted");
          }
        };
    look(failing, "/d/", Runnable::run);
    assertEquals(500, status());
  }

  /** As where there is no memory for a task, or no room in a runtime that is full. */
  @Test
  void aLoopThatTakesNothingForAWhileIsAskedAgain() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    List<Throwable> failures =
        List.of(new OutOfMemoryError("planted"), new RejectedExecutionException("planted"));
    Executor loop =
        task -> {
          int call = calls.getAndIncrement();
          if (call < failures.size()) {
            throw DiskLookupTest.<RuntimeException>sneaky(failures.get(call));
          }
          task.run();
        };
    look(store(), "/f", loop);
    assertEquals(200, status());
    assertEquals(3, calls.get());
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T sneaky(Throwable failure) throws T {
    throw (T) failure;
  }

  @Test
  void theThreadsGoOn() throws Exception {
    List<CountingJob> jobs = Stream.generate(CountingJob::new).limit(20).toList();
    jobs.forEach(disk.files::execute);
    for (CountingJob job : jobs) {
      await().until(() -> job.told.get() == 3);
    }
    assertEquals(0, disk.files.lost());
    look(store(), "/f", Runnable::run);
    assertEquals(200, status());
  }

  /** Fails, and fails to be told so, twice. */
  private static final class CountingJob implements DiskThreads.Job {
    final AtomicInteger told = new AtomicInteger();

    @Override
    public void run() {
      throw new OutOfMemoryError("planted");
    }

    @Override
    public void overdue(boolean failed) {
      if (told.incrementAndGet() < 3) {
        throw new OutOfMemoryError("planted");
      }
    }
  }

  @Test
  void anOpenFileIsClosedWhenTheClientHasLeft() throws Exception {
    List<Found> made = new ArrayList<>();
    FileStore store =
        new FileStore(folder, disk, nothing(), 0, false) {
          @Override
          Found look(Found.OnDisk place) throws java.io.IOException, Refusal {
            Found found = super.look(place);
            made.add(found);
            return found;
          }
        };
    AtomicInteger wanted = new AtomicInteger();
    Executor loop =
        task -> {
          throw new RejectedExecutionException("planted");
        };
    Found.OnDisk place = Found.OnDisk.of("/f");
    new DiskLookup(store, place, loop, () -> wanted.getAndIncrement() == 0, answers::add).start();
    await().until(() -> wanted.get() >= 2);
    await().until(() -> !((Found.File) made.get(0)).open().channel().isOpen());
    assertTrue(answers.isEmpty());
  }
}
