package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.testsuite.transport.socket.SocketEchoTest;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** No test class of Netty's transport test suite is forgotten. */
class SuiteCompletenessTest {
  /** Simple name, reason. */
  private static final Map<String, String> LEFT_OUT =
      Map.of(
          "DefaultEventLoopTest", "of an event loop that has no I/O",
          "NioEventLoopTest", "of the stock NIO group; LifeCycleSuiteTest is its twin",
          "AbstractSctpTest", "SCTP is not tested here",
          "SctpEchoTest", "SCTP is not tested here",
          "UDTClientServerConnectionTest", "UDT is deprecated and not distributed",
          "ServerSocketSuspendTest", "Netty has disabled its only test",
          "SocketSslClientRenegotiateTest", "disabled without OpenSSL",
          "SocketSslLargeCertificateTest", "makes its own stock groups");

  @Test
  void everyTestIsRunOrItIsSaidWhyNot() throws Exception {
    Set<Class<?>> run = new HashSet<>();
    for (Class<?> suite : List.of(WholeInetSuite.class, DomainSuite.class)) {
      for (Class<?> c = suite; c != null; c = c.getSuperclass()) {
        for (Class<?> nested : c.getDeclaredClasses()) {
          run.add(nested.getSuperclass());
        }
      }
    }
    run.add(TrafficShapingIT.class.getSuperclass());
    Set<String> missing = new TreeSet<>();
    Set<String> leftOut = new TreeSet<>();
    int tests = 0;
    Path jar =
        Path.of(SocketEchoTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (JarFile classes = new JarFile(jar.toFile())) {
      for (String name : classes.stream().map(entry -> entry.getName()).toList()) {
        if (!name.startsWith("io/netty/testsuite/transport/")
            || !name.endsWith("Test.class")
            || name.contains("$")) {
          continue;
        }
        String className = name.substring(0, name.length() - 6).replace('/', '.');
        String simple = className.substring(className.lastIndexOf('.') + 1);
        tests++;
        if (LEFT_OUT.containsKey(simple)) {
          leftOut.add(simple);
          continue;
        }
        Class<?> test = Class.forName(className, false, getClass().getClassLoader());
        // What is abstract counts as run if a subclass does.
        boolean covered =
            Modifier.isAbstract(test.getModifiers())
                ? run.stream().anyMatch(test::isAssignableFrom)
                    || test.isAssignableFrom(LifeCycleSuiteTest.class)
                : run.contains(test);
        if (!covered) {
          missing.add(className);
        }
      }
    }
    assertTrue(tests > 40, "the jar was read");
    assertEquals(Set.of(), missing);
    assertEquals(LEFT_OUT.keySet(), leftOut, "left out, but not there");
  }
}
