package dev.mely.examples.sws.hostile;

import dev.mely.examples.sws.hostile.Connection.Response;
import dev.mely.examples.sws.hostile.FramingTricks.Trick;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What a client that means harm does; the server owes some of them an answer, and looks after
 * itself.
 */
enum Attack {
  /** Where does this request end? */
  FRAMING {
    @Override
    void run(InetSocketAddress server, SplittableRandom random) throws IOException {
      run(server, random, FramingTricks.ALL.get(random.nextInt(FramingTricks.ALL.size())));
    }
  },

  /** A request from a grammar, with something wrong or right in each place. */
  NOISE {
    @Override
    void run(InetSocketAddress server, SplittableRandom random) throws IOException {
      try (Connection connection = new Connection(server)) {
        StringBuilder text = new StringBuilder();
        for (int n = random.nextInt(1, 40); n > 0; n--) {
          text.append(NOISE_WORDS.get(random.nextInt(NOISE_WORDS.size())));
          if (random.nextInt(4) == 0) {
            text.append((char) random.nextInt(256));
          }
        }
        sendAll(connection, text.toString());
        if (random.nextBoolean()) {
          connection.endOutput();
          String all = connection.rest();
          check(!all.contains(Site.SECRET), "foreign", text.toString(), all);
        } else {
          connection.reset();
        }
      }
    }
  },

  /** Sends a request so slowly that it never ends, for as long as it likes or is let. */
  SLOW_REQUEST {
    @Override
    void run(InetSocketAddress server, SplittableRandom random) throws Exception {
      try (Connection connection = new Connection(server)) {
        connection.patience(20);
        connection.send("GET / HTTP/1.1\r\n");
        for (int i = 0; i < 50; i++) {
          connection.send("X: y\r\n");
          try {
            connection.next();
            return;
          } catch (java.net.SocketTimeoutException nothingYet) {
            continue;
          }
        }
      }
    }
  },

  /** Reads a large file slowly, and then perhaps not at all. */
  SLOW_READER {
    @Override
    void run(InetSocketAddress server, SplittableRandom random) throws Exception {
      int file = Site.files() - 1;
      try (Connection connection = new Connection(server, 4_096)) {
        connection.send(Connection.get(Site.target(file)).repeat(random.nextInt(1, 20)));
        for (int i = random.nextInt(20); i > 0 && connection.next() >= 0; i--) {
          Thread.sleep(random.nextInt(20));
        }
        if (random.nextBoolean()) {
          connection.reset();
        }
      }
    }
  },

  /** Ends its half of the connection behind its requests, all of which are owed an answer. */
  HALF_CLOSED {
    @Override
    void run(InetSocketAddress server, SplittableRandom random) throws Exception {
      try (Connection connection = new Connection(server)) {
        List<Integer> asked = new ArrayList<>();
        StringBuilder requests = new StringBuilder();
        for (int n = random.nextInt(1, 8); n > 0; n--) {
          int file = random.nextInt(Site.files());
          asked.add(file);
          requests.append(Connection.get(Site.target(file)));
        }
        boolean half = random.nextBoolean();
        connection.send(requests + (half ? "GET /nev" : ""));
        connection.endOutput();
        for (int file : asked) {
          Response response = connection.read(false);
          check(
              java.util.Arrays.equals(Site.content(file), response.body()),
              "wrong bytes",
              requests.toString(),
              response.status() + "");
        }
      }
    }
  },

  /** Connects, says nothing or half of something, and goes. */
  HALF_OPEN {
    @Override
    void run(InetSocketAddress server, SplittableRandom random) throws Exception {
      List<Connection> open = new ArrayList<>();
      try {
        for (int n = random.nextInt(1, 50); n > 0; n--) {
          Connection connection = new Connection(server);
          open.add(connection);
          String request = Connection.get("/many/");
          connection.send(request.substring(0, random.nextInt(request.length())));
        }
        Thread.sleep(random.nextInt(100));
        for (Connection connection : open) {
          if (random.nextBoolean()) {
            connection.reset();
          }
        }
      } finally {
        closeAll(open);
      }
    }
  },

  /** Asks for what is dear, and resets before it comes. */
  ABANDON {
    @Override
    void run(InetSocketAddress server, SplittableRandom random) throws Exception {
      for (int n = random.nextInt(1, 40); n > 0; n--) {
        Connection connection = new Connection(server);
        int kind = random.nextInt(3);
        String target =
            kind == 0 ? "/many/" : kind == 1 ? Site.target(Site.files() - 1) : Site.CHANGING_FILE;
        connection.send(Connection.get(target));
        if (random.nextBoolean()) {
          connection.reset();
        }
        connection.close();
      }
    }
  },

  /** Asks for what is changed at this very moment. */
  CHANGING {
    @Override
    void run(InetSocketAddress server, SplittableRandom random) throws Exception {
      try (Connection connection = new Connection(server)) {
        for (int n = 40; n > 0; n--) {
          String target = Site.CHANGING_TARGETS.get(random.nextInt(Site.CHANGING_TARGETS.size()));
          Response response = connection.send(Connection.get(target)).read(false);
          String text = response.text();
          check(!text.contains(Site.SECRET), "foreign", target, text);
          check(
              Set.of(200, 301, 403, 404, 503).contains(response.status()),
              "status " + response.status(),
              target,
              text);
          if (response.status() == 200 && target.equals(Site.CHANGING_FILE)) {
            check(Site.isSomeVersion(text), "a mixture", target, text);
          }
        }
      }
    }
  },

  /** Asks for what a path may not lead to. */
  CLIMB {
    @Override
    void run(InetSocketAddress server, SplittableRandom random) throws Exception {
      StringBuilder target = new StringBuilder("/changing");
      for (int n = random.nextInt(1, 8); n > 0; n--) {
        target.append(CLIMBING.get(random.nextInt(CLIMBING.size())));
      }
      try (Connection connection = new Connection(server)) {
        Response response = connection.send(Connection.get(target.toString())).read(false);
        check(
            !response.text().contains(Site.SECRET) && !response.text().contains("root:"),
            "foreign",
            target.toString(),
            response.text());
      }
    }
  },

  /** Many requests in flight, no answer read: memory must stay bounded. */
  FILL {
    @Override
    void run(InetSocketAddress server, SplittableRandom random) throws Exception {
      List<Connection> open = new ArrayList<>();
      String requests = Connection.get(Site.target(random.nextInt(Site.files()))).repeat(400);
      try {
        for (int n = random.nextInt(5, 40); n > 0; n--) {
          Connection connection = new Connection(server, 4_096);
          open.add(connection);
          connection.send(requests);
        }
        Thread.sleep(random.nextInt(200));
      } finally {
        closeAll(open);
      }
    }
  };

  private static final List<String> NOISE_WORDS =
      List.of(
          "GET ",
          "HEAD ",
          "POST ",
          " ",
          "/",
          "/still/dir1/file1",
          "/changing/a/b/c.txt",
          "/many/",
          " HTTP/1.1\r\n",
          " HTTP/1.0\r\n",
          "Host: h\r\n",
          "\r\n",
          "\r\n\r\n",
          "\n",
          ":",
          "http://",
          "Range: bytes=",
          "0-",
          "-1",
          "99999999999999999999",
          ",",
          "If-Range: ",
          "\"",
          "W/\"",
          "If-None-Match: *\r\n",
          "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
          "Content-Length: 5\r\n",
          "Transfer-Encoding: chunked\r\n",
          "5\r\n01234\r\n",
          "0\r\n\r\n",
          "Expect: 100-continue\r\n",
          "Connection: close\r\n",
          "Connection: upgrade\r\n",
          "%2e%2e/",
          "Upgrade: h2c\r\n",
          "\0",
          "\r",
          "\u00ff");

  private static final List<String> CLIMBING =
      List.of(
          "/..",
          "/%2e%2e",
          "/.%2e",
          "/%252e%252e",
          "/..%2f..",
          "/..%5c",
          "/./",
          "//",
          "/a",
          "/b",
          "/link",
          "/pipe",
          "/c.txt",
          "/outside",
          "/root",
          "/etc/passwd",
          "/%c0%ae%c0%ae",
          "/%00",
          "/..;/",
          "/\\..");

  abstract void run(InetSocketAddress server, SplittableRandom random) throws Exception;

  /** Plays one trick. */
  static void run(InetSocketAddress server, SplittableRandom random, Trick trick)
      throws IOException {
    try (Connection connection = new Connection(server)) {
      inPieces(connection, trick.bytes(), random);
      if (trick.refused()) {
        String all = connection.rest();
        int answers = all.split("HTTP/1\\.1 [1-5]", -1).length - 1;
        boolean error = all.matches("(?s)HTTP/1\\.1 [45].*");
        check(error && answers == 1 && !all.contains(Site.CANARY), "taken", trick.bytes(), all);
        return;
      }
      Response first = connection.read(trick.bytes().startsWith("HEAD"));
      check(!first.text().contains(Site.CANARY), "hidden", trick.bytes(), first.text());
      Response second = connection.read(false);
      check(second.text().equals(Site.CANARY), "lost", trick.bytes(), second.text());
    }
  }

  /** Fails an attack that has succeeded. */
  static void check(boolean right, String what, String sent, String got) {
    if (!right) {
      throw new AssertionError(what + "; sent: " + printable(sent) + "; got: " + printable(got));
    }
  }

  private static String printable(String bytes) {
    String text = bytes.replace("\r", "\\r").replace("\n", "\\n").replace("\0", "\\0");
    return text.length() <= 600 ? text : text.substring(0, 600) + "...";
  }

  /** At once, or with pauses, so that the server reads it in parts. */
  private static void inPieces(Connection connection, String bytes, SplittableRandom random)
      throws IOException {
    int at = 0;
    try {
      while (at < bytes.length()) {
        int end = random.nextInt(3) > 0 ? bytes.length() : random.nextInt(at, bytes.length()) + 1;
        connection.send(bytes.substring(at, end));
        at = end;
        if (at < bytes.length()) {
          Thread.sleep(1);
        }
      }
    } catch (IOException refusedAlready) {
      // The rest is not wanted; what has been said about it can be read.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void sendAll(Connection connection, String bytes) {
    try {
      connection.send(bytes);
    } catch (IOException refusedAlready) {
      // What has been said about it can be read.
    }
  }

  private static void closeAll(List<Connection> connections) throws IOException {
    for (Connection connection : connections) {
      connection.close();
    }
  }
}
