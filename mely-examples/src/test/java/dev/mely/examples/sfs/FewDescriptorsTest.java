package dev.mely.examples.sfs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Mely;
import dev.mely.examples.Loaded;
import dev.mely.examples.Main;
import dev.mely.examples.Programs;
import dev.mely.nio.Nio;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server that has run out of descriptors goes on for those it has, and recovers. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class FewDescriptorsTest {
  private static final int DESCRIPTORS = 200;

  @TempDir private Path folder;

  @Test
  void whoIsConnectedIsServed() throws Exception {
    Identity server = Identity.generate();
    Identity self = Identity.generate();
    server.save(folder.resolve("server.key"));
    Files.writeString(folder.resolve("clients"), self.id() + " ro\n");
    Path root = Files.createDirectories(folder.resolve("root"));
    byte[] content = SfsSite.bytes(50_000, 1);
    Files.write(root.resolve("f"), content);
    Process process =
        new ProcessBuilder(
                Programs.javaWithFewDescriptors(
                    DESCRIPTORS,
                    "-cp",
                    Programs.classPath(),
                    Loaded.class.getName(),
                    Main.class.getName(),
                    "sfs",
                    "serve",
                    "--port=0",
                    "--root=" + root,
                    "--key=" + folder.resolve("server.key"),
                    "--clients=" + folder.resolve("clients")))
            .redirectError(folder.resolve("err").toFile())
            .start();
    List<Socket> others = new ArrayList<>();
    try (BufferedReader out = process.inputReader();
        Nio nio = Nio.start(Mely.builder().cores(1).pinned(false))) {
      String url = out.readLine().replaceFirst(".* at (sfs://\\S+) with .*", "$1");
      RemotePath path = RemotePath.parse(url);
      try (SfsClient client =
          SfsClient.connect(nio, path, self, RekeyRule.DEFAULT, SfsSite.PATIENCE)) {
        SfsClient.RemoteFile file = client.open("f", Message.READ);
        client.await(file.read(0, content.length));
        for (int i = 0; i < DESCRIPTORS + 20; i++) {
          others.add(new Socket("127.0.0.1", path.port()));
        }
        await()
            .atMost(SfsSite.PATIENCE)
            .until(() -> Files.readString(folder.resolve("err")).contains("Too many open files"));
        for (int i = 0; i < 20; i++) {
          byte[] data = new byte[content.length];
          client.await(file.read(0, data.length)).get(data);
          assertArrayEquals(content, data);
        }
        for (Socket other : others) {
          other.close();
        }
        await()
            .atMost(SfsSite.PATIENCE)
            .ignoreExceptionsInstanceOf(IOException.class)
            .until(
                () -> {
                  client.open("f", Message.READ).close(0);
                  SfsClient.connect(nio, path, self, RekeyRule.DEFAULT, SfsSite.PATIENCE).close();
                  return true;
                });
      }
    } finally {
      for (Socket other : others) {
        other.close();
      }
      process.destroy();
      assertEquals(143, process.waitFor());
    }
  }
}
