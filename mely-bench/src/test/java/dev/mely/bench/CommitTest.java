package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommitTest {
  private static final String HASH = "0123456789abcdef0123456789abcdef01234567";

  @TempDir private Path root;
  private Path git;
  private Path inside;

  @BeforeEach
  void makeCheckout() throws IOException {
    git = Files.createDirectories(root.resolve("project/.git"));
    inside = Files.createDirectories(root.resolve("project/module/target"));
  }

  @Test
  void followsABranch() throws IOException {
    Files.writeString(git.resolve("HEAD"), "ref: refs/heads/main\n");
    Files.createDirectories(git.resolve("refs/heads"));
    Files.writeString(git.resolve("refs/heads/main"), HASH + "\n");
    assertEquals(Optional.of("0123456789"), Commit.of(inside));
  }

  @Test
  void findsAPackedBranch() throws IOException {
    Files.writeString(git.resolve("HEAD"), "ref: refs/heads/main\n");
    Files.writeString(git.resolve("packed-refs"), "# packed\n" + HASH + " refs/heads/main\n");
    assertEquals(Optional.of("0123456789"), Commit.of(inside));
  }

  @Test
  void takesADetachedHead() throws IOException {
    Files.writeString(git.resolve("HEAD"), HASH + "\n");
    assertEquals(Optional.of("0123456789"), Commit.of(inside));
  }

  @Test
  void followsALinkedWorkTree() throws IOException {
    Path linked = Files.createDirectories(root.resolve("linked"));
    Path own = Files.createDirectories(git.resolve("worktrees/linked"));
    Files.writeString(linked.resolve(".git"), "gitdir: " + own + "\n");
    Files.writeString(own.resolve("commondir"), "../..\n");
    Files.writeString(own.resolve("HEAD"), "ref: refs/heads/side\n");
    Files.createDirectories(git.resolve("refs/heads"));
    Files.writeString(git.resolve("refs/heads/side"), HASH + "\n");
    assertEquals(Optional.of("0123456789"), Commit.of(linked));
  }

  @Test
  void knowsNothingOfABranchWithoutCommits() throws IOException {
    Files.writeString(git.resolve("HEAD"), "ref: refs/heads/main\n");
    assertEquals(Optional.empty(), Commit.of(inside));
  }
}
