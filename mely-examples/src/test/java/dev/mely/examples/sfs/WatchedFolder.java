package dev.mely.examples.sfs;

import dev.mely.examples.sws.Folders;
import dev.mely.examples.sws.ServedFolder;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.util.Iterator;

/**
 * A served folder that tells the test of each step on a directory before it is made: the test may
 * count it, hold it up or have it fail.
 */
final class WatchedFolder implements InvocationHandler {
  /** What the test does. */
  interface Watch {
    /**
     * A step is about to be made.
     *
     * @param step name of a method of {@link SecureDirectoryStream}, or of its iterator
     */
    void before(String step) throws Exception;
  }

  private final Object real;
  private final Watch watch;

  private WatchedFolder(Object real, Watch watch) {
    this.real = real;
    this.watch = watch;
  }

  static ServedFolder open(Path root, Watch watch) throws IOException {
    Path path = root.toRealPath();
    return Folders.of(path, watched(Files.newDirectoryStream(path), watch));
  }

  @SuppressWarnings("unchecked")
  private static SecureDirectoryStream<Path> watched(Object real, Watch watch) {
    return (SecureDirectoryStream<Path>) proxy(SecureDirectoryStream.class, real, watch);
  }

  private static Object proxy(Class<?> type, Object real, Watch watch) {
    return Proxy.newProxyInstance(
        WatchedFolder.class.getClassLoader(),
        new Class<?>[] {type},
        new WatchedFolder(real, watch));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    watch.before(method.getName());
    Object[] given = arguments == null ? new Object[0] : arguments.clone();
    for (int i = 0; i < given.length; i++) {
      if (given[i] instanceof SecureDirectoryStream && Proxy.isProxyClass(given[i].getClass())) {
        given[i] = ((WatchedFolder) Proxy.getInvocationHandler(given[i])).real;
      }
    }
    Object result;
    try {
      result = method.invoke(real, given);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    if (result instanceof SecureDirectoryStream) {
      return watched(result, watch);
    }
    return result instanceof Iterator ? proxy(Iterator.class, result, watch) : result;
  }
}
