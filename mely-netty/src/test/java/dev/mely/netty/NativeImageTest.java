package dev.mely.netty;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.netty.channel.ChannelHandler;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * What GraalVM's {@code native-image} is told of both modules. In the older form, one file for each
 * kind, as in Netty's own jars: the tools of JDK 21 and 25 read it, and that of 21 takes all of the
 * newer form for unconditional. What they find themselves, such as the fields of {@code VarHandle}s
 * and what services name, is not repeated.
 */
class NativeImageTest {
  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.mely");

  /** What finds its target at run time, and with what it is called. */
  private static final Pattern REFLECTION =
      Pattern.compile(
          "java\\.lang\\.Class\\.(forName|newInstance|get(Declared)?(Method|Field|Constructor)s?"
              + "|getRecordComponents|getResource.*)"
              + "|java\\.lang\\.ClassLoader\\.(loadClass|(get|find)Resource.*)"
              + "|java\\.lang\\.reflect\\.(Proxy\\.newProxyInstance|Array\\.newInstance)"
              + "|java\\.lang\\.invoke\\.MethodHandles\\$Lookup\\.(find(Class|Static|Virtual"
              + "|Special|Constructor|Getter|Setter|StaticGetter|StaticSetter)|unreflect.*)"
              + "|java\\.io\\.Object(In|Out)putStream\\.<init>"
              + "|java\\.util\\.(ServiceLoader\\.load.*|ResourceBundle\\.getBundle)"
              + "|java\\.lang\\.(System|Runtime)\\.load(Library)?"
              + "|javax\\.management\\.MBeanServer\\.registerMBean");

  /** Asks users' handlers for their annotations: users name these. */
  private static final String OF_USERS = HandlerCosts.class.getName();

  /** An image loads no agents. */
  private static final Set<String> AGENTS = Set.of("dev.mely.netty.agent", "dev.mely.netty.doctor");

  private static final Set<String> KEYS =
      Set.of("condition", "name", "methods", "fields", "allPublicMethods", "queryAllPublicMethods");

  private static Stream<JsonObject> entries(String module, String file) throws IOException {
    return objects(JsonParser.parseString(read(module, file)).getAsJsonArray()).toList().stream();
  }

  private static String read(String module, String file) throws IOException {
    String path = "META-INF/native-image/dev.mely/" + module + "/" + file;
    try (InputStream in = NativeImageTest.class.getClassLoader().getResourceAsStream(path)) {
      assertNotNull(in, path);
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Stream<JsonObject> types(String module) throws IOException {
    return entries(module, "reflect-config.json");
  }

  private static Stream<JsonObject> proxies(String module) throws IOException {
    return entries(module, "proxy-config.json");
  }

  /** What {@code getResource} finds; only this module has such files. */
  private static Stream<JsonObject> resources(String module) throws IOException {
    if (module.equals("mely-core")) {
      return Stream.empty();
    }
    JsonObject all = JsonParser.parseString(read(module, "resource-config.json")).getAsJsonObject();
    return objects(all.getAsJsonObject("resources"), "includes").toList().stream();
  }

  /** The page that is shown, and nothing else. */
  @Test
  void theFilesOfThePageAreInTheImage() throws Exception {
    List<JsonObject> entries = resources("mely-netty").toList();
    assertEquals(1, entries.size());
    Pattern files = Pattern.compile(entries.get(0).get("pattern").getAsString());
    try (Stream<Path> page = Files.list(Path.of("src/main/resources/dev/mely/netty/monitor"))) {
      List<String> names = page.map(file -> file.getFileName().toString()).toList();
      assertTrue(names.contains("index.html"), names::toString);
      for (String name : names) {
        assertTrue(files.matcher("dev/mely/netty/monitor/" + name).matches(), name);
      }
    }
  }

  private static Stream<JsonObject> objects(JsonArray array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonElement::getAsJsonObject);
  }

  private static Stream<JsonObject> objects(JsonObject of, String key) {
    return of.has(key) ? objects(of.getAsJsonArray(key)) : Stream.empty();
  }

  private static Stream<String> strings(JsonObject of, String key) {
    return StreamSupport.stream(of.getAsJsonArray(key).spliterator(), false)
        .map(JsonElement::getAsString);
  }

  private static String name(JsonObject entry) {
    return entry.get("name").getAsString();
  }

  private static String condition(JsonObject entry) {
    JsonObject condition = entry.getAsJsonObject("condition");
    assertEquals(Set.of("typeReachable"), condition.keySet());
    return condition.get("typeReachable").getAsString();
  }

  private static Set<String> both(Part part) throws IOException {
    Set<String> all = new TreeSet<>();
    for (String module : Set.of("mely-core", "mely-netty")) {
      part.of(module).forEach(all::add);
    }
    return all;
  }

  private interface Part {
    Stream<String> of(String module) throws IOException;
  }

  @ParameterizedTest
  @ValueSource(strings = {"mely-core", "mely-netty"})
  void whatIsNamedExists(String module) throws Exception {
    for (JsonObject entry : types(module).toList()) {
      assertTrue(KEYS.containsAll(entry.keySet()), entry::toString);
      assertNotNull(load(condition(entry)));
      Class<?> type = load(name(entry));
      for (JsonObject field : objects(entry, "fields").toList()) {
        assertTrue(
            Set.of("name", "allowUnsafeAccess").containsAll(field.keySet()), () -> "" + field);
        assertNotNull(type.getDeclaredField(name(field)));
      }
      for (JsonObject method : objects(entry, "methods").toList()) {
        assertEquals(Set.of("name", "parameterTypes"), method.keySet());
        Class<?>[] parameters =
            strings(method, "parameterTypes").map(NativeImageTest::load).toArray(Class[]::new);
        assertNotNull(
            name(method).equals("<init>")
                ? type.getDeclaredConstructor(parameters)
                : type.getDeclaredMethod(name(method), parameters));
      }
    }
    for (JsonObject proxy : proxies(module).toList()) {
      assertEquals(Set.of("condition", "interfaces"), proxy.keySet());
      assertNotNull(load(condition(proxy)));
      assertTrue(strings(proxy, "interfaces").allMatch(name -> load(name).isInterface()));
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, NativeImageTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  /** Of the module that is told so; and nothing is told for classes that need it no more. */
  @ParameterizedTest
  @ValueSource(strings = {"mely-core", "mely-netty"})
  void classesThatReflectHaveAnEntry(String module) throws Exception {
    Set<String> told =
        Stream.of(types(module), proxies(module), resources(module))
            .flatMap(entries -> entries)
            .map(NativeImageTest::condition)
            .filter(name -> name.startsWith("dev.mely."))
            .filter(name -> !isHandler(MAIN.get(name)))
            .collect(toCollection(TreeSet::new));
    assertFalse(told.isEmpty());
    assertEquals(
        told,
        reflecting()
            .map(JavaClass::getName)
            .filter(name -> name.startsWith("dev.mely.netty.") == module.equals("mely-netty"))
            .collect(toCollection(TreeSet::new)));
  }

  private static Stream<JavaClass> reflecting() {
    return MAIN.stream()
        .filter(type -> type.getAccessesFromSelf().stream().anyMatch(NativeImageTest::reflects))
        .filter(type -> !type.getName().equals(OF_USERS))
        .filter(type -> !AGENTS.contains(type.getPackageName()));
  }

  private static boolean reflects(JavaAccess<?> access) {
    return REFLECTION.matcher(access.getTargetOwner().getName() + "." + access.getName()).matches();
  }

  @Test
  void classesNamedInTextsHaveAnEntry() throws Exception {
    Set<String> texts = new TreeSet<>();
    for (JavaClass type : reflecting().toList()) {
      addTexts(type, texts);
    }
    texts.removeIf(text -> !isClass(text));
    assertTrue(texts.contains("sun.misc.Signal"), texts::toString);
    Set<String> told = both(module -> types(module).map(NativeImageTest::name));
    texts.removeAll(told);
    assertEquals(Set.of(), texts);
  }

  /** One that others cannot use is compared with, not loaded. */
  private static boolean isClass(String text) {
    try {
      return Modifier.isPublic(
          Class.forName(text, false, NativeImageTest.class.getClassLoader()).getModifiers());
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  private static void addTexts(JavaClass type, Set<String> texts) throws IOException {
    String file = type.getName().replace('.', '/') + ".class";
    try (InputStream in = NativeImageTest.class.getClassLoader().getResourceAsStream(file)) {
      new ClassReader(Objects.requireNonNull(in, file))
          .accept(
              new ClassVisitor(Opcodes.ASM9) {
                @Override
                public MethodVisitor visitMethod(
                    int access, String name, String descriptor, String signature, String[] thrown) {
                  return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitLdcInsn(Object value) {
                      if (value instanceof String text) {
                        texts.add(text);
                      }
                    }
                  };
                }
              },
              0);
    }
  }

  /** JCTools makes field updaters. */
  @Test
  void theFieldsOfQueuesHaveAnEntry() throws Exception {
    Set<String> used = new TreeSet<>();
    for (JavaClass queue :
        MAIN.stream()
            .flatMap(type -> type.getConstructorCallsFromSelf().stream())
            .map(JavaAccess::getTargetOwner)
            .filter(type -> type.getPackageName().startsWith("org.jctools"))
            .collect(toSet())) {
      for (Class<?> c = load(queue.getName()); c != null; c = c.getSuperclass()) {
        for (Field field : c.getDeclaredFields()) {
          if (Modifier.isVolatile(field.getModifiers())) {
            used.add(c.getName() + "." + field.getName());
          }
        }
      }
    }
    assertTrue(used.size() > 3, used::toString);
    assertEquals(
        used,
        both(
            module ->
                types(module)
                    .flatMap(
                        entry ->
                            objects(entry, "fields")
                                .filter(field -> field.has("allowUnsafeAccess"))
                                .map(field -> name(entry) + "." + name(field)))));
  }

  /** Netty asks a handler's methods which of them it may skip. */
  @Test
  void handlersHaveAnEntry() throws Exception {
    Set<String> handlers =
        MAIN.stream()
            .filter(NativeImageTest::isHandler)
            .map(JavaClass::getName)
            .collect(toCollection(TreeSet::new));
    assertTrue(handlers.contains(KeyedHandler.class.getName()), handlers::toString);
    assertEquals(
        handlers,
        both(
            module ->
                types(module)
                    .filter(entry -> entry.has("queryAllPublicMethods"))
                    .filter(entry -> name(entry).equals(condition(entry)))
                    .map(NativeImageTest::name)));
  }

  private static boolean isHandler(JavaClass type) {
    return type.isAssignableTo(ChannelHandler.class) && !type.isInterface();
  }
}
