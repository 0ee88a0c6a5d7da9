package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** README.md: each piece of Java is a program, which is compiled as it stands. */
class ReadmeTest {
  private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @Test
  void eachSnippetCompiles(@TempDir Path classes) throws IOException {
    String readme = Files.readString(Path.of("../README.md"));
    List<String> snippets =
        SNIPPET.matcher(readme).results().map((MatchResult found) -> found.group(1)).toList();
    assertTrue(!snippets.isEmpty(), "no Java");
    for (String snippet : snippets) {
      assertEquals(List.of(), errors(snippet, classes), snippet);
    }
  }

  private static List<String> errors(String program, Path classes) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    JavaFileObject source =
        new SimpleJavaFileObject(URI.create("string:///README.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return program;
          }
        };
    List<String> options =
        List.of("-proc:none", "-classpath", classPath(), "-d", classes.toString());
    boolean compiled = compiler.getTask(null, null, found, options, null, List.of(source)).call();
    List<String> errors =
        found.getDiagnostics().stream()
            .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
            .map(Object::toString)
            .toList();
    assertEquals(compiled, errors.isEmpty(), errors::toString);
    return errors;
  }

  /** Of the tests, wherever their runner has put the modules. */
  private static String classPath() {
    String modules = System.getProperty("jdk.module.path", "");
    String classes = System.getProperty("java.class.path");
    return modules.isEmpty() ? classes : modules + File.pathSeparator + classes;
  }

  @Test
  void coordinatesAreThoseOfTheBuild() throws IOException {
    String readme = Files.readString(Path.of("../README.md"));
    String version =
        Pattern.compile("<version>(.*?)</version>")
            .matcher(Files.readString(Path.of("../pom.xml")))
            .results()
            .findFirst()
            .map(found -> found.group(1))
            .orElseThrow();
    String maven = "<artifactId>mely-netty</artifactId><version>" + version + "</version>";
    assertTrue(readme.contains(maven), maven);
    assertTrue(readme.contains("\"dev.mely:mely-netty:" + version + "\""), version);
  }

  /** With the words that people search for. */
  @Test
  void theFirstLineSaysWhatItIs() throws IOException {
    String first = Files.readAllLines(Path.of("../README.md")).get(0);
    assertTrue(first.contains("work-stealing event loops for Netty"), first);
  }
}
