package dev.mely.bench.server;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;

/** A key pair with a self-signed certificate, for one process. */
final class SelfSigned {
  /** Password of a temporary file that only its owner can read. */
  private static final String PASSWORD = "benchmark";

  private SelfSigned() {}

  /** Makes a key with the JDK's keytool, and a server context of the JDK's TLS with it. */
  static SslContext serverContext() throws IOException {
    Path directory = Files.createTempDirectory("mely-key");
    Path file = directory.resolve("key.p12");
    try {
      generate(file);
      KeyStore keys = KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(keys, PASSWORD.toCharArray());
      return SslContextBuilder.forServer(factory).sslProvider(SslProvider.JDK).build();
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot use the key that keytool has made", e);
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(directory);
    }
  }

  private static void generate(Path file) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    String key = "-genkeypair -alias mely -keyalg EC -groupname secp256r1 -dname CN=localhost";
    command.addAll(List.of((key + " -storetype PKCS12 -storepass " + PASSWORD).split(" ", -1)));
    command.addAll(List.of("-keystore", file.toString()));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String said =
          new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (keytool.waitFor() != 0) {
        throw new IOException("keytool has failed: " + said);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a key was made", e);
    } finally {
      keytool.destroy();
    }
  }
}
