package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/netty.md: each piece of Java in it is compiled and run, here or in another test. */
@Timeout(60)
class GuideTest {
  private static final Path GUIDE = Path.of("../docs/netty.md");
  private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @Test
  void eachSnippetOccursInATest() throws IOException {
    List<String> snippets =
        SNIPPET
            .matcher(Files.readString(GUIDE))
            .results()
            .map((MatchResult result) -> unindented(result.group(1)))
            .toList();
    List<String> tests;
    try (Stream<Path> files = Files.walk(Path.of("src"))) {
      tests =
          files
              .filter(file -> file.toString().endsWith("Test.java"))
              .map(file -> unindented(read(file)))
              .toList();
    }
    assertTrue(snippets.size() > 1, () -> "snippets in " + GUIDE + ": " + snippets.size());
    List<String> missing =
        snippets.stream()
            .filter(snippet -> tests.stream().noneMatch(test -> test.contains(snippet)))
            .toList();
    assertEquals(List.of(), missing, "in no test");
  }

  @Test
  void oneLine() throws Exception {
    EventLoopGroup group = new MelyEventLoopGroup(NioIoHandler.newFactory());
    assertNotNull(group.next());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @Test
  void transportOfTheMachine() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().transport("auto").build();
    ServerBootstrap server =
        new ServerBootstrap().group(group).channel(group.serverSocketChannelType());
    Bootstrap client = new Bootstrap().group(group).channel(group.socketChannelType());
    Channel bound =
        server
            .childHandler(new Harness.Echo())
            .bind(new InetSocketAddress("127.0.0.1", 0))
            .sync()
            .channel();
    assertTrue(
        client
            .handler(new Harness.Echo())
            .connect(bound.localAddress())
            .sync()
            .channel()
            .isActive());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** Without blank lines, too: the formatter sets them. */
  private static String unindented(String code) {
    return code.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n", "\n", "\n"));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
