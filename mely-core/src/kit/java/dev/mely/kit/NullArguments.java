package dev.mely.kit;

import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Calls what a module exports with one argument that is null, and the others plausible: public
 * methods and constructors of its public classes. Each is to throw a {@link NullPointerException}
 * that names the parameter. Parameters that are {@code @Nullable} are left out, and methods that
 * another project has declared. The names of the parameters are read from the sources.
 */
public final class NullArguments {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*");
  private static final Pattern EXPORT = Pattern.compile("exports ([\\w.]+);");

  private final Map<Class<?>, Callable<?>> values = new HashMap<>();
  private final Set<String> exceptions;
  private final List<String> faults = new ArrayList<>();
  private int calls;

  /** A parameter as it is written. */
  private record Parameter(String type, String name, boolean mayBeNull) {}

  /**
   * @param exceptions what is left out: class and method, such as {@code Foo.bar}
   */
  public NullArguments(String... exceptions) {
    this.exceptions = Set.of(exceptions);
    value(String.class, () -> "text");
    value(Object.class, () -> "value");
    value(Duration.class, () -> Duration.ofMillis(1));
    value(Class.class, () -> String.class);
    value(List.class, List::of);
    value(Set.class, Set::of);
    value(Map.class, Map::of);
  }

  /** Says how to make an argument or a receiver. Interfaces need none. */
  public <T> NullArguments value(Class<T> type, Callable<? extends T> maker) {
    values.put(type, maker);
    return this;
  }

  /** How many calls have been made. */
  public int calls() {
    return calls;
  }

  /** Makes all calls; returns those that did not end as they should. */
  public List<String> faults() throws Exception {
    Matcher export = EXPORT.matcher(Files.readString(SOURCES.resolve("module-info.java")));
    while (export.find()) {
      try (Stream<Path> files = Files.list(SOURCES.resolve(export.group(1).replace('.', '/')))) {
        for (Path file : files.sorted().toList()) {
          String name = file.getFileName().toString().replace(".java", "");
          if (!name.endsWith("-info") && Files.isRegularFile(file)) {
            checkClass(Class.forName(export.group(1) + "." + name), source(file));
          }
        }
      }
    }
    return faults;
  }

  private static String source(Path file) throws IOException {
    return COMMENT.matcher(Files.readString(file)).replaceAll("");
  }

  private void checkClass(Class<?> type, String source) throws Exception {
    if (!Modifier.isPublic(type.getModifiers())) {
      return;
    }
    for (Class<?> nested : type.getDeclaredClasses()) {
      checkClass(nested, source);
    }
    if (type.isInterface()) {
      return; // others implement it
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      if (!Modifier.isAbstract(type.getModifiers())) {
        check(constructor, type.getSimpleName(), source);
      }
    }
    for (Method method : type.getDeclaredMethods()) {
      boolean isAbstract = Modifier.isAbstract(method.getModifiers()); // others implement it
      boolean own = !method.isSynthetic() && !isAbstract && !type.isEnum() && !isInherited(method);
      if (own && !exceptions.contains(type.getSimpleName() + "." + method.getName())) {
        check(method, method.getName(), source);
      }
    }
  }

  /** Whether a class of another project, or of the JDK, has declared it. */
  private static boolean isInherited(Method method) {
    List<Class<?>> above = new ArrayList<>(List.of(method.getDeclaringClass().getInterfaces()));
    Class<?> parent = method.getDeclaringClass().getSuperclass();
    if (parent != null) {
      above.add(parent);
    }
    for (int i = 0; i < above.size(); i++) {
      Class<?> type = above.get(i);
      above.addAll(List.of(type.getInterfaces()));
      if (type.getSuperclass() != null) {
        above.add(type.getSuperclass());
      }
      boolean same =
          Stream.of(type.getDeclaredMethods())
              .filter(m -> m.getName().equals(method.getName()))
              .anyMatch(m -> m.getParameterCount() == method.getParameterCount());
      if (same && !type.getName().startsWith("dev.mely.")) {
        return true;
      }
    }
    return false;
  }

  private void check(Executable called, String name, String source) throws Exception {
    if (!Modifier.isPublic(called.getModifiers()) || called.getParameterCount() == 0) {
      return;
    }
    List<String> types = Stream.of(called.getGenericParameterTypes()).map(t -> simple(t)).toList();
    List<Parameter> written = parameters(called, name, types, source);
    for (int i = 0; i < types.size(); i++) {
      if (!called.getParameterTypes()[i].isPrimitive() && !written.get(i).mayBeNull) {
        check(called, i, written.get(i).name);
      }
    }
  }

  private void check(Executable called, int index, String parameter) throws Exception {
    String call = called.getDeclaringClass().getSimpleName() + "." + called.getName() + ": ";
    Object[] arguments = new Object[called.getParameterCount()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = i == index ? null : value(called.getParameterTypes()[i]);
    }
    calls++;
    try {
      if (called instanceof Constructor<?> constructor) {
        constructor.newInstance(arguments);
      } else {
        boolean isStatic = Modifier.isStatic(called.getModifiers());
        Object receiver = isStatic ? null : value(called.getDeclaringClass());
        ((Method) called).invoke(receiver, arguments);
      }
      faults.add(call + parameter + " may be null");
    } catch (InvocationTargetException e) {
      Throwable thrown = e.getCause();
      if (!(thrown instanceof NullPointerException) || !parameter.equals(thrown.getMessage())) {
        faults.add(call + parameter + ": " + thrown);
      }
    }
  }

  private Object value(Class<?> type) throws Exception {
    Callable<?> maker = values.get(type);
    if (maker != null) {
      return maker.call();
    }
    if (type.isPrimitive()) {
      Object one = Array.newInstance(type, 1);
      return type == boolean.class ? Array.get(one, 0) : oneOf(type);
    }
    if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 0);
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    if (type.isInterface()) {
      return Proxy.newProxyInstance(
          type.getClassLoader() == null
              ? NullArguments.class.getClassLoader()
              : type.getClassLoader(),
          new Class<?>[] {type},
          (proxy, method, arguments) -> method.getReturnType() == boolean.class ? false : null);
    }
    throw new IllegalArgumentException("there is no value for " + type);
  }

  private static Object oneOf(Class<?> primitive) {
    Object one = Array.newInstance(primitive, 1);
    Array.setByte(one, 0, (byte) 1);
    return Array.get(one, 0);
  }

  // ---- Sources

  /** The parameters of the method of that name that has those types. */
  private static List<Parameter> parameters(
      Executable called, String name, List<String> types, String source) {
    if (Arrays.stream(called.getParameters()).allMatch(p -> p.isNamePresent())) {
      // Of a record, and written at its head.
      return headOf(called.getDeclaringClass().getSimpleName(), source);
    }
    Matcher found =
        Pattern.compile("\\b" + name + "\\(([^()]*)\\)\\s*(throws [\\w.,\\s]+)?\\{")
            .matcher(source);
    while (found.find()) {
      List<Parameter> parameters = split(found.group(1));
      if (parameters.stream().map(Parameter::type).toList().equals(types)) {
        return parameters;
      }
    }
    throw new IllegalStateException("not in the source: " + called + " " + types);
  }

  private static List<Parameter> headOf(String recordName, String source) {
    Matcher found =
        Pattern.compile("\\brecord " + recordName + "(?:<[^(]*>)?\\(([^()]*)\\)").matcher(source);
    if (!found.find()) {
      throw new IllegalStateException("no record " + recordName);
    }
    return split(found.group(1));
  }

  private static List<Parameter> split(String text) {
    String plain = text;
    for (String before = ""; !before.equals(plain); ) {
      before = plain;
      plain = plain.replaceAll("<[^<>]*>", "");
    }
    List<Parameter> parameters = new ArrayList<>();
    for (String one : plain.split(",")) {
      boolean mayBeNull = one.contains("@Nullable");
      String[] words = one.replaceAll("@\\w+", "").replace("...", "[]").strip().split("\\s+");
      if (words.length < 2) {
        return List.of(); // no declaration
      }
      String type = String.join("", Arrays.copyOf(words, words.length - 1));
      parameters.add(
          new Parameter(
              type.substring(type.lastIndexOf('.') + 1), words[words.length - 1], mayBeNull));
    }
    return parameters;
  }

  /** As it is written, without its package and its arguments. */
  private static String simple(Type type) {
    if (type instanceof Class<?> raw) {
      return raw.getSimpleName();
    }
    if (type instanceof ParameterizedType parameterized) {
      return simple(parameterized.getRawType());
    }
    return type instanceof GenericArrayType array
        ? simple(array.getGenericComponentType()) + "[]"
        : type.getTypeName();
  }
}
