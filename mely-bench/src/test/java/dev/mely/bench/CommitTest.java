package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommitTest {
  @TempDir private Path root;
  private Path inside;

  private String git(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("git", "-C", root.toString()));
    command.addAll(List.of("-c", "user.name=nobody", "-c", "user.email=nobody@localhost"));
    command.addAll(List.of(words));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
  }

  @BeforeEach
  void makeCheckout() throws IOException {
    try {
      git("init");
    } catch (IOException e) {
      assumeTrue(false, "there is no git");
    }
    inside = Files.createDirectories(root.resolve("module/target"));
  }

  @Test
  void tellsTheCommitAroundADirectoryAndAFile() throws IOException {
    git("commit", "--allow-empty", "-m", "first");
    String commit = git("rev-parse", "HEAD").substring(0, 10);
    assertEquals(commit, Commit.of(inside));
    assertEquals(commit, Commit.of(Files.createFile(inside.resolve("some.jar"))));
  }

  @Test
  void knowsNothingOfACheckoutWithoutCommits() {
    assertEquals("unknown", Commit.of(inside));
  }
}
