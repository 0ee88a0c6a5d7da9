package dev.mely.topology;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Reads the small text files of {@code /sys} and {@code /proc}; what cannot be read is absent. */
final class SysFiles {
  /** Bytes read of one file; the largest, {@code mountinfo} of a container host, stays below. */
  private static final int MAX_BYTES = 4 << 20;

  /** Digits of the largest number that always fits a long. */
  private static final int MAX_DIGITS = 18;

  private SysFiles() {}

  /**
   * Reads a file.
   *
   * @return its text without surrounding white space, or null if it is missing or unreadable
   */
  static @Nullable String read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8).strip();
    } catch (IOException | RuntimeException unreadable) {
      return null;
    }
  }

  /**
   * Reads a file that holds one non-negative decimal number.
   *
   * @return the number, or -1 if the file is missing, unreadable or holds something else
   */
  static long readNumber(Path file) {
    String text = read(file);
    return text == null ? -1 : parseNumber(text);
  }

  /**
   * Parses a non-negative decimal number of at most 18 digits.
   *
   * @return the number, or -1 if the text is none
   */
  static long parseNumber(String text) {
    if (text.isEmpty() || text.length() > MAX_DIGITS) {
      return -1;
    }
    long number = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  /**
   * Lists the entries of a directory that are called by a prefix and a number, such as {@code
   * cpu3}.
   *
   * @return the numbers, owned by the caller; empty if the directory is missing or unreadable
   */
  static BitSet numbered(Path directory, String prefix) {
    BitSet numbers = new BitSet();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, prefix + "*")) {
      for (Path entry : entries) {
        Path name = entry.getFileName();
        int number =
            name == null ? -1 : CpuList.parseCpu(name.toString().substring(prefix.length()));
        if (number >= 0) {
          numbers.set(number);
        }
      }
    } catch (IOException | RuntimeException unreadable) {
      // What was listed so far is better than nothing.
    }
    return numbers;
  }
}
