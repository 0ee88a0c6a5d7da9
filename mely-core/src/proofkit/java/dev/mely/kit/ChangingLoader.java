package dev.mely.kit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.tree.ClassNode;

/**
 * Loads a package once more, the classes of the runtime changed. So production code has no hook for
 * what tests put into it, and pays for none. The package's tests are loaded beside them, unchanged.
 */
public abstract class ChangingLoader extends ClassLoader {
  private final Path first;
  private final String inPackage;
  private final String runtime;

  /**
   * @param first where to look for a class first: there may be a bug in it
   * @param one class of the runtime in the package
   */
  protected ChangingLoader(Path first, Class<?> one) {
    super(one.getClassLoader());
    this.first = first;
    this.inPackage = one.getPackageName() + ".";
    this.runtime = one.getProtectionDomain().getCodeSource().getLocation().toString();
  }

  /** Changes a class of the runtime; its frames stay valid, or are mended. */
  protected abstract void change(ClassNode type);

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(inPackage) || name.indexOf('.', inPackage.length()) >= 0) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    String file = name.replace('.', '/') + ".class";
    try {
      Path changed = first.resolve(file);
      boolean own = true;
      byte[] bytes;
      if (Files.exists(changed)) {
        bytes = Files.readAllBytes(changed);
      } else {
        URL url = getResource(file);
        if (url == null) {
          throw new ClassNotFoundException(name);
        }
        own = url.toString().startsWith(runtime);
        try (InputStream in = url.openStream()) {
          bytes = in.readAllBytes();
        }
      }
      bytes = own ? change(bytes) : bytes;
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private byte[] change(byte[] bytes) {
    ClassNode type = new ClassNode();
    new ClassReader(bytes).accept(type, ClassReader.EXPAND_FRAMES);
    change(type);
    ClassWriter out = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    type.accept(out);
    return out.toByteArray();
  }
}
