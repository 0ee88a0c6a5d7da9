package dev.mely.stage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads JSON (RFC 8259): objects as maps, arrays as lists, texts, numbers as {@code Long} or {@code
 * Double}, truth values; {@code null} is refused, since no file of this package has one.
 */
final class JsonReader {
  private static final int MAX_DEPTH = 64;
  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");

  private final String text;
  private int at;
  private int depth;

  private JsonReader(String text) {
    this.text = text;
  }

  /**
   * @throws IllegalArgumentException if the text is no JSON; says at which line and column
   */
  static Object read(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value();
    reader.skip();
    if (reader.at < text.length()) {
      throw reader.wrong("the end");
    }
    return value;
  }

  private Object value() {
    skip();
    char c = peek();
    if (c == '{') {
      Map<String, Object> map = new LinkedHashMap<>();
      elements('}', "a name", () -> member(map));
      return map;
    }
    if (c == '[') {
      List<Object> list = new ArrayList<>();
      elements(']', "a value", () -> list.add(value()));
      return list;
    }
    return c == '"' ? string() : literal();
  }

  private void member(Map<String, Object> map) {
    skip();
    int start = at;
    String name = string();
    skip();
    expect(':');
    if (map.put(name, value()) != null) {
      at = start;
      throw wrong("another name than '" + name + "'");
    }
  }

  private void elements(char close, String what, Runnable element) {
    if (++depth > MAX_DEPTH) {
      throw wrong("fewer levels than " + MAX_DEPTH);
    }
    at++;
    skip();
    if (peek() != close) {
      element.run();
      for (skip(); peek() == ','; skip()) {
        at++;
        element.run();
      }
    }
    if (peek() != close) {
      throw wrong("',' or '" + close + "' after " + what);
    }
    at++;
    depth--;
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    while (peek() != '"') {
      char c = text.charAt(at);
      if (c < ' ') {
        throw wrong("no control character in a text");
      }
      at++;
      if (c == '\\') {
        escape(out::append);
      } else {
        out.append(c);
      }
    }
    at++;
    return out.toString();
  }

  private void escape(Consumer<Character> out) {
    char c = peek();
    at++;
    int plain = "\"\\/bfnrt".indexOf(c);
    if (plain >= 0) {
      out.accept("\"\\/\b\f\n\r\t".charAt(plain));
      return;
    }
    if (c != 'u' || at + 4 > text.length()) {
      at--;
      throw wrong("an escape");
    }
    try {
      out.accept((char) Integer.parseInt(text, at, at + 4, 16));
    } catch (NumberFormatException e) {
      throw wrong("four hexadecimal digits");
    }
    at += 4;
  }

  private Object literal() {
    for (Boolean truth : List.of(true, false)) {
      if (text.startsWith(truth.toString(), at)) {
        at += truth.toString().length();
        return truth;
      }
    }
    Matcher number = NUMBER.matcher(text).region(at, text.length());
    if (!number.lookingAt()) {
      throw wrong("a value");
    }
    try {
      boolean whole = number.group(1) == null && number.group(2) == null;
      Object value = whole ? (Object) Long.valueOf(number.group()) : Double.valueOf(number.group());
      at = number.end();
      return value;
    } catch (NumberFormatException e) {
      throw wrong("a number of 64 bits");
    }
  }

  private void skip() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  /** The next character; 0 at the end, which no JSON has. */
  private char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  private void expect(char c) {
    if (peek() != c) {
      throw wrong("'" + c + "'");
    }
    at++;
  }

  private IllegalArgumentException wrong(String expected) {
    String before = text.substring(0, Math.min(at, text.length()));
    long line = before.chars().filter(c -> c == '\n').count() + 1;
    int column = before.length() - before.lastIndexOf('\n');
    String found = at < text.length() ? "'" + text.charAt(at) + "'" : "the end";
    return new IllegalArgumentException(
        "line " + line + ", column " + column + ": expected " + expected + ", found " + found);
  }
}
