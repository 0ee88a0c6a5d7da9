package dev.mely.examples.sws.hostile;

import java.util.ArrayList;
import java.util.List;

/**
 * Requests of which two servers in a row have disagreed where they end, or what they ask for: the
 * tricks of request-smuggling research, each with the one right end.
 *
 * <p>A trick that is refused gets one error, the connection ends, and what hides behind it is never
 * answered. One that is harmless gets its answer, and the request behind it as well.
 */
final class FramingTricks {
  /**
   * A trick.
   *
   * @param bytes all that is sent
   * @param refused whether it must be
   */
  record Trick(String bytes, boolean refused) {}

  private static final String HOST = "Host: h\r\n";
  private static final String POST = "POST /still/dir1/file1 HTTP/1.1\r\n" + HOST;
  private static final String HIDDEN = Connection.get(Site.CANARY_TARGET);
  private static final String LAST_CHUNK = "0\r\n\r\n";

  /** All of them. */
  static final List<Trick> ALL = all();

  private FramingTricks() {}

  private static List<Trick> all() {
    List<Trick> tricks = new ArrayList<>();
    codings(tricks);
    lengths(tricks);
    fields(tricks);
    chunks(tricks);
    requestLines(tricks);
    hosts(tricks);
    return List.copyOf(tricks);
  }

  private static void codings(List<Trick> tricks) {
    for (String value : List.of("chunked", "Chunked", " chunked", "chunked ", "\tCHUNKED\t")) {
      tricks.add(
          new Trick(POST + "Transfer-Encoding:" + value + "\r\n\r\n" + LAST_CHUNK + HIDDEN, false));
    }
    for (String value :
        List.of(
            "",
            "chunk",
            "xchunked",
            "chunkedx",
            "\u000bchunked",
            "chunked\u000b",
            "\fchunked",
            "\0chunked",
            "chunked\0",
            "chunked\r",
            "\u00a0chunked",
            "chunked\u00a0",
            "\"chunked\"",
            "chunked;q=1",
            "chunked; a=b",
            "chunked,",
            "chunked, ",
            ",chunked",
            ", chunked",
            "chunked,chunked",
            "chunked, identity",
            "identity",
            "identity, chunked",
            "gzip, chunked",
            "chunked, gzip",
            "x, chunked",
            "chu\r\n nked",
            "\r\n chunked",
            "\r\n\tchunked",
            "chunked\r\n ",
            "trailers",
            "cow")) {
      refused(tricks, "Transfer-Encoding:" + value, LAST_CHUNK);
    }
    for (String two :
        List.of(
            "chunked|chunked",
            "chunked|identity",
            "identity|chunked",
            "chunked|gzip",
            "gzip|chunked",
            "chunked|",
            "|chunked",
            "chunked|x",
            "x|chunked",
            "chunked|cow")) {
      String[] values = two.split("\\|", -1);
      refused(
          tricks,
          "Transfer-Encoding: " + values[0] + "\r\nTransfer-Encoding: " + values[1],
          LAST_CHUNK);
    }
    for (String length : List.of("5", "0", "x", "-1", "")) {
      String both = "Content-Length: " + length + "\r\nTransfer-Encoding: chunked";
      refused(tricks, both, LAST_CHUNK);
      refused(tricks, "Transfer-Encoding: chunked\r\nContent-Length: " + length, LAST_CHUNK);
    }
    tricks.add(
        new Trick(
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + LAST_CHUNK + HIDDEN, true));
  }

  private static void lengths(List<Trick> tricks) {
    for (String value : List.of("5", "05", "0000000000000000005", " 5 ", "\t5")) {
      tricks.add(new Trick(POST + "Content-Length:" + value + "\r\n\r\n01234" + HIDDEN, false));
    }
    for (String value :
        List.of(
            "",
            " ",
            "+5",
            "-5",
            "5,5",
            "5, 5",
            "5 5",
            "0x5",
            "5.0",
            "5e0",
            "5;",
            "5,",
            "\"5\"",
            "\u000b5",
            "5\u000b",
            "5\0",
            "\u00b2",
            "5\r\n 5",
            "9223372036854775808",
            "18446744073709551621",
            "99999999999999999999",
            "4294967301",
            "1_0")) {
      refused(tricks, "Content-Length:" + value, "01234");
    }
    for (String second : List.of("5", "6", "0", "x")) {
      tricks.add(
          new Trick(
              "GET / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 5\r\nContent-Length: "
                  + second
                  + "\r\n\r\n01234"
                  + HIDDEN,
              true));
    }
    refused(tricks, "Content-Length: 5\r\nContent-Length: 5", "01234");
    refused(tricks, "Content-Length: 5\r\nContent-Length: 6", "01234");
    refused(tricks, "Content-Length: 6\r\nContent-Length: 5", "01234");
    refused(tricks, "Content-Length: 5\r\ncontent-length: 0", "01234");
  }

  private static void fields(List<Trick> tricks) {
    for (String name :
        List.of(
            "Transfer-Encoding :",
            "Transfer-Encoding\t:",
            "Transfer-Encoding\0:",
            " Transfer-Encoding:",
            "\tTransfer-Encoding:",
            "X: y\r\n Transfer-Encoding:",
            "X: y\nTransfer-Encoding:",
            "X: y\rTransfer-Encoding:",
            "Transfer-Encoding\r\n :",
            "\u000bTransfer-Encoding:",
            "Transfer-Encoding",
            "Transfer-\0Encoding:",
            "X\0Transfer-Encoding:",
            ":",
            "X: a\0b\r\nY:",
            "X: a\rb\r\nY:",
            "X: a\u007fb\r\nY:",
            "X: a\u0001b\r\nY:",
            "(X): y\r\nY:",
            "X[: y\r\nY:",
            "X\u0080: y\r\nY:",
            "X Y:",
            "X: y\r\n\tz\r\nY:",
            "\0: x\r\nY:")) {
      refused(tricks, name + " chunked", LAST_CHUNK);
      refused(tricks, name.replace("Transfer-Encoding", "Content-Length") + " 5", "01234");
    }
  }

  private static void chunks(List<Trick> tricks) {
    for (String body :
        List.of(
            "5\r\n01234\r\n0\r\n\r\n",
            "05\r\n01234\r\n0\r\n\r\n",
            "a\r\n0123456789\r\n0\r\n\r\n",
            "5;a\r\n01234\r\n0;b\r\n\r\n",
            "5;a=b\r\n01234\r\n0\r\n\r\n",
            "5 ;a\r\n01234\r\n0\r\n\r\n",
            "5;a=\"b c\"\r\n01234\r\n000\r\n\r\n",
            "0\r\nX: y\r\n\r\n",
            "0\r\nContent-Length: 5\r\n\r\n",
            "0\r\nTransfer-Encoding: chunked\r\n\r\n")) {
      tricks.add(new Trick(POST + "Transfer-Encoding: chunked\r\n\r\n" + body + HIDDEN, false));
    }
    for (String body :
        List.of(
            "5;a=\"b\r\n\"\r\n01234\r\n0\r\n\r\n",
            "5 \r\n01234\r\n0\r\n\r\n",
            "5\t\r\n01234\r\n0\r\n\r\n",
            " 5\r\n01234\r\n0\r\n\r\n",
            "+5\r\n01234\r\n0\r\n\r\n",
            "-5\r\n01234\r\n0\r\n\r\n",
            "0x5\r\n01234\r\n0\r\n\r\n",
            "100000005\r\n01234\r\n0\r\n\r\n",
            "10000000000000005\r\n01234\r\n0\r\n\r\n",
            "5\n01234\r\n0\r\n\r\n",
            "5\r01234\r\n0\r\n\r\n",
            "5\r\n01234\n0\r\n\r\n",
            "5\r\n012340\r\n\r\n",
            "5\r\n01234XX0\r\n\r\n",
            "5\r\n01234\r\r\n0\r\n\r\n",
            "\r\n5\r\n01234\r\n0\r\n\r\n",
            ";a\r\n0\r\n\r\n",
            "\r\n",
            "5;\n01234\r\n0\r\n\r\n",
            "5;a\n01234\r\n0\r\n\r\n",
            "5;a\r01234\r\n0\r\n\r\n",
            "5_0\r\n01234\r\n0\r\n\r\n",
            "5\0\r\n01234\r\n0\r\n\r\n",
            "5\u000b\r\n01234\r\n0\r\n\r\n",
            "5 5\r\n01234\r\n0\r\n\r\n",
            "5,\r\n01234\r\n0\r\n\r\n",
            "5;\0\r\n01234\r\n0\r\n\r\n",
            "0\r\nX: y\n\r\n",
            "0\r\nno colon\r\n\r\n",
            "0\r\n X: y\r\n\r\n",
            "0\r\nX: y\r\n z\r\n\r\n",
            "0\n\r\n",
            "0\r\n\n",
            "0 \r\n\r\n",
            "0\0\r\n\r\n",
            "0\r\n\0\r\n\r\n",
            "g\r\n\r\n")) {
      tricks.add(new Trick(POST + "Transfer-Encoding: chunked\r\n\r\n" + body + HIDDEN, true));
    }
  }

  private static void requestLines(List<Trick> tricks) {
    String target = "/still/dir1/file1";
    for (String line :
        List.of(
            "GET " + target + " HTTP/1.1",
            "\r\nGET " + target + " HTTP/1.1",
            "GET http://h" + target + " HTTP/1.1",
            "GET http://h:80" + target + "?x=/y HTTP/1.1",
            "GET http://h?x=" + Site.CANARY_TARGET + " HTTP/1.1",
            "GET " + target + " HTTP/1.9",
            "GET /nothing HTTP/1.1",
            "HEAD /nothing HTTP/1.1")) {
      tricks.add(new Trick(line + "\r\n" + HOST + "\r\n" + HIDDEN, false));
    }
    for (String line :
        List.of(
            "GET  %s HTTP/1.1",
            "GET %s  HTTP/1.1",
            "GET\t%s HTTP/1.1",
            "GET %s\tHTTP/1.1",
            " GET %s HTTP/1.1",
            "\nGET %s HTTP/1.1",
            "GET %s HTTP/1.1 ",
            "GET %s http/1.1",
            "GET %s Http/1.1",
            "GET %s HTTP/1.10",
            "GET %s HTTP/01.1",
            "GET %s HTTP/1",
            "GET %s HTTP/1.",
            "GET %s HTTP/.1",
            "GET %s HTTP/11",
            "GET %s HTTP/0.9",
            "GET %s HTTP/2.0",
            "GET %s HTTP/1.1\u000b",
            "GET %s\u000bHTTP/1.1",
            "GET %s",
            "GET",
            "GET\u000b%s HTTP/1.1",
            "GET\f%s HTTP/1.1",
            "GET\r%s HTTP/1.1",
            "GET %s HTTP/1.1\r",
            "G(T %s HTTP/1.1",
            "\u000bGET %s HTTP/1.1",
            "\0GET %s HTTP/1.1",
            "GET %s HTTP/1.1X",
            "GET %s XTTP/1.1",
            "GET %s HTTP /1.1",
            "GET %s HTTP/ 1.1",
            "GET %s HTTP/1.-1",
            "GET %s HTTP/+1.1",
            "GET %s x HTTP/1.1",
            "GET %s\u00a0HTTP/1.1",
            "GET %s\u0085HTTP/1.1",
            "GET %s HTTP/1.1\nX: y")) {
      tricks.add(new Trick(line.formatted(target) + "\r\n" + HOST + "\r\n" + HIDDEN, true));
    }
    tricks.add(new Trick("GET / HTTP/1.1\n" + HOST + "\r\n" + HIDDEN, true));
    tricks.add(new Trick("GET / HTTP/1.1\r\nHost: h\n\r\n" + HIDDEN, true));
    tricks.add(new Trick("GET / HTTP/1.1\r\n" + HOST + "\n" + HIDDEN, true));
    tricks.add(new Trick("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + HIDDEN, true));
  }

  private static void hosts(List<Trick> tricks) {
    for (String host : List.of("", "a:80", "a:", "[::1]", "[::1]:80", "a%20b", "a,b", "a_b")) {
      tricks.add(new Trick("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n" + HIDDEN, false));
    }
    for (String host :
        List.of(
            "a b",
            "a/b",
            "a@b",
            "a:x",
            "a:99999",
            "[::1",
            "::1",
            "a?b",
            "a#b",
            "a\\b",
            "\u000ba",
            "a%zz",
            "a\u00e9",
            "a\r\n b",
            "a\r\nHost: b")) {
      tricks.add(new Trick("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n" + HIDDEN, true));
    }
    tricks.add(new Trick("GET / HTTP/1.1\r\n\r\n" + HIDDEN, true));
  }

  private static void refused(List<Trick> tricks, String fields, String body) {
    tricks.add(new Trick(POST + fields + "\r\n\r\n" + body + HIDDEN, true));
  }
}
