package dev.mely.examples.sfs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An Ed25519 key pair, the identity of a server or client. Stored in a PEM file that other programs
 * can read, followed by a line with the public key.
 */
final class Identity {
  private static final String ALGORITHM = "Ed25519";
  private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
  private static final String END = "-----END PRIVATE KEY-----";
  private static final Pattern FILE =
      Pattern.compile(BEGIN + "\\s+([A-Za-z0-9+/=\\s]+)" + END + "\\s+public (\\S+)\\s*");
  private static final int MAX_FILE = 10_000;

  private final PrivateKey secret;
  private final PublicId id;

  /** Takes the keys of a pair; checks that they belong together. */
  Identity(PrivateKey secret, PublicId id) {
    this.secret = secret;
    this.id = id;
  }

  static Identity generate() {
    KeyPair pair = RawKey.ED25519.generate();
    return new Identity(pair.getPrivate(), PublicId.of(RawKey.of(pair.getPublic())));
  }

  /**
   * Reads a key file.
   *
   * @throws IOException if it does not exist, or is not a key file; the message names it
   */
  static Identity load(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("there is no key file '" + file + "'; 'sfs keygen' makes one");
    }
    String content =
        Files.size(file) > MAX_FILE ? "" : Files.readString(file, StandardCharsets.ISO_8859_1);
    Matcher text = FILE.matcher(content);
    if (!text.matches()) {
      throw new IOException("not a key file: '" + file + "'");
    }
    try {
      PKCS8EncodedKeySpec spec =
          new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text.group(1)));
      Identity identity =
          new Identity(
              KeyFactory.getInstance(ALGORITHM).generatePrivate(spec),
              PublicId.parse(text.group(2)));
      byte[] probe = "sfs key file".getBytes(StandardCharsets.US_ASCII);
      if (identity.id.hasSigned(probe, identity.sign(probe))) {
        return identity;
      }
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException("not a key file: '" + file + "'", e);
    }
    throw new IOException("the two keys in '" + file + "' do not belong together");
  }

  /**
   * Writes a new key file, readable by its owner only.
   *
   * @throws IOException if the file exists (a key is never overwritten), or the folder does not
   */
  void save(Path file) throws IOException {
    String der = Base64.getEncoder().encodeToString(secret.getEncoded());
    String pem = String.join("\n", BEGIN, der, END, "public " + id, "");
    Set<OpenOption> fresh = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (var channel = Files.newByteChannel(file, fresh, ownerOnly())) {
      channel.write(StandardCharsets.US_ASCII.encode(pem));
    } catch (FileAlreadyExistsException e) {
      throw new IOException("there is a file '" + file + "' already; keys are not overwritten", e);
    } catch (NoSuchFileException e) {
      throw new IOException("there is no folder for '" + file + "'", e);
    }
  }

  private static FileAttribute<?>[] ownerOnly() {
    if (!FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
      return new FileAttribute<?>[0];
    }
    Set<PosixFilePermission> mine = PosixFilePermissions.fromString("rw-------");
    return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(mine)};
  }

  PublicId id() {
    return id;
  }

  byte[] sign(byte[] text) {
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initSign(secret);
      signature.update(text);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a key that cannot sign", e);
    }
  }
}
